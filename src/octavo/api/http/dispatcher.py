"""Dispatcher: handle requests with one set of routes, static files and headers. It is immutable.

Errors of handlers become an error envelope. Unexpected ones are logged with the request's id, and the response is
500 without details.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final, Protocol

from octavo.api.http.client_limits import share_of
from octavo.api.http.cors import VARY_BY_CALLER, Cors, is_preflight
from octavo.api.http.hosts import RefusedHosts
from octavo.api.http.options import MOST_HEADERS, HttpOptions
from octavo.api.http.request import Request, decode_path
from octavo.api.http.request_ids import NAME
from octavo.api.http.response import NEVER_CACHED, TEXT, Headers, ReadyResponse, Response, render_error
from octavo.api.http.router import METHODS, Finish, Handler, Router
from octavo.api.http.static import Files
from octavo.api.http.welcome import add_own_routes
from octavo.core.errors import (
    BadRequestError,
    HeadersTooLargeError,
    LoggedError,
    MaliciousPath,
    MethodNotAllowed,
    NotFoundError,
    OctavoError,
    ServiceUnavailable,
    TablesChanged,
    UriTooLongError,
)
from octavo.core.outage_log import outage_behind, report_outage
from octavo.core.threads import is_cancelled

logger = logging.getLogger("octavo.api.http")

ALWAYS_ALLOWED = frozenset(("HEAD", "GET"))
"""Methods allowed on every path, since static files can be below any path."""
Around = Callable[[Handler, Request], Awaitable[Response]]
"""A middleware around all handlers: called with the next handler and the request."""


Newer = Callable[["Dispatcher", Request], Awaitable["Dispatcher | None"]]
"""Returns the dispatcher that has replaced another one, for a request."""


class RequestTracer(Protocol):
    """Traces some requests."""

    share: float
    """The share of traced requests, from 0 to 1, among those whose callers do not decide."""

    def chooses(self, headers: Mapping[bytes, bytes]) -> bool:
        """Return whether to trace a request with these headers: its caller decides, or the share."""

    def follow(self, handler: Handler, request: Request) -> Awaitable[Response]:
        """Handle a traced request."""


PROBES: Final = frozenset({"/_health", "/_ready"})
"""Paths of health checks, which are exempt from limits."""
_SNIFFING = b"x-content-type-options"
_POLICY = b"content-security-policy"
Head = list[tuple[bytes, bytes]]
_NONE: frozenset[bytes] = frozenset()
_WITHOUT_BODY = frozenset((204, 304))


class Dispatcher:
    """Handles requests for one site.

    `problem` returns why the site is outdated, for the start page. `around` is the project's middleware around every
    request. `following` traces some of them. `newer` returns the dispatcher that has replaced this one, if any.
    """

    def __init__(
        self,
        router: Router,
        options: HttpOptions,
        static: Files | None = None,
        problem: Callable[[], str | None] = lambda: None,
        around: Around | None = None,
        following: RequestTracer | None = None,
        newer: "Newer | None" = None,
    ) -> None:
        self.options = options
        self._newer = newer
        self.crowded_from = min(options.max_requests, share_of(options.max_requests, options.max_requests_each))
        """The number of running requests from which limits are checked."""
        self.hosts = options.allowed_hosts
        self.kept_path = options.kept_path
        self._refused_hosts = RefusedHosts()
        self.following = following
        self._enter: Handler = self._dispatch if around is None else partial(around, self._dispatch)
        self._router = router
        self.quick = router.quick if around is None else None
        self._static = static
        self._of_errors: Headers = NEVER_CACHED if options.unkept_errors else ()
        self._cors = Cors(options.cors)
        security = tuple((name.lower().encode(), value.encode()) for name, value in options.security_headers)
        policy = options.content_security_policy.encode()
        self._security: Headers = security
        self._security_and_policy: Headers = (*security, (_POLICY, policy)) if policy else security
        add_own_routes(router, options, problem)

    async def respond(self, request: Request) -> Response:
        """Return the response, also after errors. Raises only CancelledError, if the request is cancelled."""
        try:
            scope, options = request.scope, self.options
            if not request.is_host_allowed and self.hosts is not None and not self.hosts.allow(request.host):
                self._refuse_host(request)
            if len(scope.get("raw_path") or scope["path"]) + len(scope["query_string"]) > options.max_url_length:
                raise UriTooLongError
            if len(scope["headers"]) > MOST_HEADERS:
                raise HeadersTooLargeError
            if request.is_followed and self.following is not None:
                return await self.following.follow(self._enter, request)
            return await self._enter(request)
        except MethodNotAllowed as error:
            return self._render_not_allowed(request, error)
        except ServiceUnavailable as error:
            return render_outage(error)
        except OctavoError as error:
            return render_error(error, self._of_errors)
        except (Exception, SystemExit, KeyboardInterrupt, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and is_cancelled():
                raise
            repeated = await self._repeat(request) if isinstance(error, TablesChanged) else None
            return repeated or self._render_unexpected(request, error)

    async def _repeat(self, request: Request) -> Response | None:
        """Handle a read again, with the definitions that have replaced those it was planned with.

        Returns None if there are none, or if the request cannot be repeated.
        """
        if self._newer is None or not request.can_repeat:
            return None
        newer = await self._newer(self, request)
        if newer is None:
            return None
        request.repeat(newer.options)
        return await newer.respond(request)

    def _render_unexpected(self, request: Request, error: BaseException) -> Response:
        outage = outage_behind(error)
        if outage is not None:
            return render_outage(outage)
        logger.error("Request %s failed: %s %r", request.id, request.method, request.scope["path"], exc_info=error)
        return render_error(LoggedError(), self._of_errors)

    def _refuse_host(self, request: Request) -> None:
        """Raise BadRequestError, except for health checks, which use addresses."""
        if request.raw_path.rstrip("/").lower() in PROBES:
            return
        self._refused_hosts.note(request.host, request.id, request.started)
        raise BadRequestError("The Host header of the request is not allowed; set server.url or server.allowedHosts")

    def _render_not_allowed(self, request: Request, error: MethodNotAllowed) -> Response:
        """Return the error as plain text, as the reference does, or as JSON if all errors are."""
        allow = self._allow(request)
        if self.options.json_errors:
            return render_error(error, allow)
        return Response(error.status, error.message.encode(), TEXT, allow)

    def _dispatch(self, request: Request) -> Awaitable[Response]:
        method, path = request.method, request.raw_path
        if "%" in path:
            decode_path(path)  # rejects invalid UTF-8
        if method == "OPTIONS" and is_preflight(request):
            return _preflight()
        found = self._router.find(method, path)
        if found is None and method == "HEAD":
            found = self._router.find("GET", path)
        if found is not None:
            route, request.path_values = found
            request.operation, request.route = route.operation, route.template
            handled = route.handler(request)
            return handled if route.finish is None else _finished(handled, route.finish, request)
        return self._dispatch_unrouted(request, path)

    async def _dispatch_unrouted(self, request: Request, path: str) -> Response:
        if self._router.is_later(path):
            await self._router.open_later()
            return await self._dispatch(request)
        if request.method == "OPTIONS":
            return Response(200, b"", TEXT, self._allow(request))
        if request.method not in ALWAYS_ALLOWED:
            raise MethodNotAllowed
        if path.startswith("//"):
            raise MaliciousPath
        response = None if self._static is None else await self._static.respond(request)
        if response is None:
            raise NotFoundError
        return response

    def _allow(self, request: Request) -> Headers:
        methods = self._router.methods(request.raw_path) | ALWAYS_ALLOWED
        return ((b"allow", ", ".join(method for method in METHODS if method in methods).encode()),)

    def headers(self, request: Request, response: Response) -> Head:
        """Return all headers of a response, including the request id."""
        own = response.headers
        named = {name for name, _ in own} if own else _NONE
        if b"origin" in request.headers or request.method == "OPTIONS":
            cors = self._cors.headers(request)
        else:
            cors = self._cors.without_origin
        if b"vary" in named and VARY_BY_CALLER in own:
            cors = cors[1:]  # the response's own `Vary` includes it
        if _SNIFFING in named:
            own = tuple(header for header in own if header not in self._security)
        headers = [
            *(self._security if _POLICY in named else self._security_and_policy),
            *cors,
            *own,
            *request.answered_with,
        ]
        if NAME not in named:
            headers.append((NAME, request.id.encode()))
        if self.options.server_timing:
            headers.append((b"server-timing", request.timing().encode()))
        if response.content_type:
            headers.append((b"content-type", response.content_type.encode()))
        if response.status not in _WITHOUT_BODY:
            length = len(response.body) if type(response) is Response else response.length
            if length >= 0:
                headers.append((b"content-length", b"%d" % length))
        return headers

    def headers_again(
        self, response: Response, given: Mapping[bytes, bytes], name: str, new: Callable[[], Request]
    ) -> Head:
        """The same as `headers`, for a repeated response. `name` is the request id and `given` its headers.

        `new` creates the request if it is needed.
        """
        if type(response) is not ReadyResponse or b"origin" in given or self.options.server_timing:
            return self.headers(new(), response)
        if response.head is None:
            response.head = tuple([header for header in self.headers(new(), response) if header[0] != NAME])
        return [*response.head, (NAME, name.encode())]


async def _preflight() -> Response:
    return Response(204, b"", "")


async def _finished(handled: Awaitable[Response], finish: Finish, request: Request) -> Response:
    return finish(request, await handled)


def render_outage(error: ServiceUnavailable) -> Response:
    """Return the response, and log the reason."""
    report_outage(error)
    return render_error(error)
