"""The pipeline between a route and its action: permissions, policies, middlewares, and the time limit of the action."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from octavo.api.http.request import Request as RawRequest
from octavo.api.http.response import Response as RawResponse
from octavo.api.http.router import Handler
from octavo.api.rest.operations import Admission
from octavo.content.controllers.context import PolicyContext, run_policies
from octavo.core.errors import NotFoundError
from octavo.core.values import dataclass
from octavo.project.execution import Runner
from octavo.project.named_handlers import Used
from octavo.project.state import CURRENT_STATE
from octavo.sdk.answers import Answer, to_answer, to_response
from octavo.sdk.app import App
from octavo.sdk.requests import Request
from octavo.sdk.streams import CodeStream

Action = Callable[[Request], Awaitable[Any]]
Next = Callable[..., Awaitable[Answer]]
_GLOBAL: Final = "src/middlewares"


class RequestArguments(Mapping[str, Any]):
    """The values of query and path for policies, parsed on first use."""

    def __init__(self, request: Request) -> None:
        self._request = request

    def __getitem__(self, name: str) -> Any:
        params = self._request.params
        return params[name] if name in params else self._request.query[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._request.query, **self._request.params})

    def __len__(self) -> int:
        return len({**self._request.query, **self._request.params})


@dataclass(frozen=True, slots=True)
class CodeHandler:
    """Handles a route that involves project code. `name` is the route's, `place` the location of its code.

    `middlewares` are part of `action`; `overridden_at` is the location of the code that replaces a core action.
    """

    app: App
    runner: Runner
    name: str
    place: str
    admit: Admission
    policies: tuple[Used, ...]
    action: Action
    middlewares: tuple[Used, ...] = ()
    overridden_at: str = ""

    async def __call__(self, raw: RawRequest) -> RawResponse:
        """Return the response to a request. Raises errors for clients."""
        request = Request.of(raw, self.app)
        await request.enter(self.name, await self.admit(raw))
        return await run_shared(self.runner, self.place, request, self._answer)

    async def _answer(self, request: Request) -> RawResponse:
        if self.policies:
            await run_policies(self.policies, policy_context(request))
        return await begun(to_response(await self.action(request)), request, self.runner, self.place)


@dataclass(frozen=True, slots=True)
class GlobalMiddlewares:
    """Wraps every request. Their time limit does not include the inner handlers."""

    app: App
    runner: Runner
    middlewares: tuple[Used, ...]

    async def __call__(self, following: Handler, raw: RawRequest) -> RawResponse:
        """Return the response to a request, with `following` as the inner handler."""
        request = Request.of(raw, self.app)

        async def innermost(request: Request) -> Answer:
            with request.clock.stopped():
                return Answer(await following(request.for_core()))

        async def answer(request: Request) -> RawResponse:
            response = to_response(await chained(self.middlewares, innermost)(request))
            return await begun(response, request, self.runner, _GLOBAL)

        return await run_shared(self.runner, _GLOBAL, request, answer)


async def begun(response: RawResponse, request: Request, runner: Runner, place: str) -> RawResponse:
    """Return a response; if it is a stream of project code, after its first chunk. Raises errors of the code."""
    if isinstance(response, CodeStream) and request.method != "HEAD":
        with request.clock.stopped():
            await response.begin(lambda error: runner.log(error, place, request.raw))
    return response


def policy_context(request: Request) -> PolicyContext:
    """Return the context of a request for policies."""
    return PolicyContext(
        "rest",
        request.app,
        request.actor,
        request.state,
        RequestArguments(request),
        params=request.params,
        request=request,
    )


def chained(middlewares: tuple[Used, ...], action: Action) -> Action:
    """Wrap an action in middlewares, the first one outermost."""
    for middleware in reversed(middlewares):
        action = partial(_around, middleware, action)
    return action


async def answering(action: Action, request: Request) -> Any:
    """Return an action's result. Raises NotFoundError for None, as in v4."""
    answer = await action(request)
    if answer is None:
        raise NotFoundError
    return answer


async def _around(middleware: Used, action: Action, request: Request) -> Any:
    async def following(other: Request | None = None) -> Answer:
        return to_answer(await action(other or request))

    return await middleware.function(request, following, middleware.config)


async def run_shared(
    runner: Runner, place: str, request: Request, answer: Callable[[Request], Awaitable[RawResponse]]
) -> RawResponse:
    """Run code for a request with its time limit. All code called in it shares the request's state."""
    token = CURRENT_STATE.set(request.state)
    try:
        return await runner.run(place, request.raw, request.clock, partial(answer, request))
    finally:
        CURRENT_STATE.reset(token)
