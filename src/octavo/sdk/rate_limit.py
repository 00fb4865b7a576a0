"""The middleware `plugin::users-permissions.rateLimit` for requests of any route, or for all requests."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from octavo.access.authentication.route_limits import RATE_LIMIT, RouteLimits
from octavo.api.http.response import render_error
from octavo.core.errors import RateLimitError
from octavo.core.values import dataclass
from octavo.project.functions import Function
from octavo.sdk.answers import Answer
from octavo.sdk.requests import Request

_WITH_BODY: Final = frozenset(("POST", "PUT", "PATCH", "DELETE"))
_OPTIONS: Final = ("max", "interval")
_SMALL: Final = ("application/json", "application/x-www-form-urlencoded")


@dataclass(frozen=True, slots=True)
class RateLimitMiddleware:
    """Counts a request by path, client address and the `email` of its body, and returns 429 above the limit.

    Its config can contain `max` and `interval`, in seconds.
    """

    limits: RouteLimits

    @staticmethod
    def check_config(config: Any) -> str | None:
        """Return a message for an invalid config, or None."""
        given = config if isinstance(config, Mapping) else {"": config}
        if all(name in _OPTIONS and type(value) is int and value > 0 for name, value in given.items()):
            return None
        return f"{RATE_LIMIT}: expected {' and '.join(_OPTIONS)} as positive integers, not {config!r}"

    async def __call__(
        self, request: Request, following: Callable[[], Awaitable[Answer]], config: Mapping[str, Any]
    ) -> Answer:
        """Return the response, with headers that describe the limit as in v4."""
        options = self.limits.options
        if not options.enabled:
            return await following()
        most, interval = config.get("max", options.most), config.get("interval", options.interval)
        email = await _email(request)
        with request.clock.stopped():
            window = await self.limits.count(request.path, request.client, email, most=most, interval=interval)
        answer = Answer(render_error(RateLimitError())) if window.is_exceeded else await following()
        answer.headers |= window.headers
        return answer


def rate_limit_function(limits: RouteLimits) -> Mapping[str, Function]:
    """Return the middleware by its name."""
    return {RATE_LIMIT: Function(RateLimitMiddleware(limits), RATE_LIMIT, 3)}


async def _email(request: Request) -> str:
    """Return the email address in a body, as v4 does. Files are not read for it."""
    sent_as = (request.header("content-type") or "").lower()
    if request.method not in _WITH_BODY or not sent_as.startswith(_SMALL):
        return ""
    body = await request.json()
    email = body.get("email") if isinstance(body, Mapping) else None
    return email if isinstance(email, str) else ""
