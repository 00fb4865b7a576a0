"""The ASGI application: finds the handler, renders what it answers or raises, and keeps every promise about HTTP.

Each request gets exactly one complete answer, or none if the client has gone. What goes wrong in a handler becomes an
error envelope; what nobody expected is logged with the request's id and answered with 500 and nothing else.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing, suppress

from octavo.errors import (
    HeadersTooLargeError,
    MaliciousPath,
    MethodNotAllowed,
    NotFoundError,
    OctavoError,
    RequestTimeoutError,
    ServiceUnavailable,
    UriTooLongError,
)
from octavo.http.cors import Cors, is_preflight
from octavo.http.options import HttpOptions
from octavo.http.request import Receive, Request, Scope, Send, decode_path
from octavo.http.response import TEXT, FileResponse, Headers, Response, render_error
from octavo.http.router import METHODS, Router
from octavo.http.static import StaticFiles
from octavo.http.welcome import add_own_routes

Callback = Callable[[], Awaitable[object]]

logger = logging.getLogger("octavo.http")

_POLICY = b"content-security-policy"
_SWEEP_SECONDS = 1.0
_WITHOUT_BODY = frozenset((204, 304))
# A missing file is looked for below every path, so each path knows these two.
_ALWAYS_ALLOWED = frozenset(("HEAD", "GET"))


class HttpApplication:
    """What an ASGI server calls."""

    def __init__(
        self,
        router: Router,
        options: HttpOptions | None = None,
        *,
        static: StaticFiles | None = None,
        on_startup: Sequence[Callback] = (),
        on_shutdown: Sequence[Callback] = (),
    ) -> None:
        self._router = router
        self._options = options or HttpOptions()
        self._static = static
        self._on_startup = on_startup
        self._on_shutdown = on_shutdown
        self._cors = Cors(self._options.cors)
        security = tuple((name.lower().encode(), value.encode()) for name, value in self._options.security_headers)
        self._security: Headers = security
        self._security_and_policy: Headers = (*security, (_POLICY, self._options.content_security_policy.encode()))
        self._running: set[Request] = set()
        self._sweeper: asyncio.TimerHandle | None = None
        self._idle: asyncio.Event | None = None  # set while shutting down, when nothing is under way any more
        add_own_routes(router, self._options)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._serve(Request(scope, receive, self._options), send)
        elif scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            await receive()
            await send({"type": "websocket.close", "code": 1000})

    async def _serve(self, request: Request, send: Send) -> None:
        if len(self._running) >= self._options.max_requests:
            await self._send(request, render_error(ServiceUnavailable("Too many requests are waiting")), send)
            return
        self._start(request)
        try:
            await self._send(request, await self._respond_in_time(request), send)
            if request.method not in _ALWAYS_ALLOWED and not request.overdue:
                await request.drain()
        except asyncio.CancelledError:
            # Too late even for an answer: one was under way that the client did not take.
            if not request.overdue:
                raise
        finally:
            self._running.discard(request)
            request.close()
            if self._idle is not None and not self._running:
                self._idle.set()

    def _start(self, request: Request) -> None:
        loop = asyncio.get_running_loop()
        request.task = asyncio.current_task()
        request.started = loop.time()
        request.deadline = request.started + self._options.request_seconds
        self._running.add(request)
        if self._sweeper is None:
            self._sweeper = loop.call_later(_SWEEP_SECONDS, self._sweep, loop)

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        """Stop what takes too long. One look a second at all requests costs less than a timer for each."""
        now = loop.time()
        for request in self._running:
            if request.deadline < now and request.task is not None and not request.overdue:
                request.overdue = True
                request.task.cancel()
        self._sweeper = loop.call_later(_SWEEP_SECONDS, self._sweep, loop) if self._running else None

    async def _respond_in_time(self, request: Request) -> Response:
        try:
            return await self._respond(request)
        except asyncio.CancelledError:
            if not request.overdue:
                raise
            if request.task is not None:
                request.task.uncancel()
            late = ServiceUnavailable("The request took too long") if _body_is_here(request) else RequestTimeoutError()
            return render_error(late)

    async def _respond(self, request: Request) -> Response:
        try:
            return await self._dispatch(request)
        except OctavoError as error:
            return render_error(error, self._allow(request) if isinstance(error, MethodNotAllowed) else ())
        except Exception:
            logger.exception("Request %s failed: %s %r", request.id, request.method, request.scope["path"])
            unexpected = OctavoError()
            unexpected.details = None
            return render_error(unexpected, ((b"x-request-id", request.id.encode()),))

    async def _dispatch(self, request: Request) -> Response:
        self._check_size(request)
        method, path = request.method, request.raw_path
        if "%" in path:
            decode_path(path)  # refuses what is not text
        if method == "OPTIONS" and is_preflight(request):
            return Response(204, b"", "")
        found = self._router.find(method, path)
        if found is None and method == "HEAD":
            found = self._router.find("GET", path)
        if found is not None:
            route, request.path_values = found
            return await route.handler(request)
        return await self._dispatch_unrouted(request, path)

    async def _dispatch_unrouted(self, request: Request, path: str) -> Response:
        if request.method == "OPTIONS":
            return Response(200, b"", TEXT, self._allow(request))
        if request.method not in _ALWAYS_ALLOWED:
            raise MethodNotAllowed
        if path.startswith("//"):
            raise MaliciousPath
        found = None if self._static is None else await self._static.respond(request)
        if found is None:
            raise NotFoundError
        return found

    def _check_size(self, request: Request) -> None:
        if request.url_length > self._options.max_url_length:
            raise UriTooLongError
        if len(request.scope["headers"]) > self._options.max_headers:
            raise HeadersTooLargeError

    def _allow(self, request: Request) -> Headers:
        methods = self._router.methods(request.raw_path) | _ALWAYS_ALLOWED
        return ((b"allow", ", ".join(method for method in METHODS if method in methods).encode()),)

    def _complete_headers(self, request: Request, response: Response) -> list[tuple[bytes, bytes]]:
        own = response.headers
        has_policy = own and any(name == _POLICY for name, _ in own)
        headers = [*(self._security if has_policy else self._security_and_policy), *self._cors.headers(request), *own]
        if response.content_type:
            headers.append((b"content-type", response.content_type.encode()))
        if response.status not in _WITHOUT_BODY:
            headers.append((b"content-length", b"%d" % response.length))
        return headers

    async def _send(self, request: Request, response: Response, send: Send) -> None:
        headers = self._complete_headers(request, response)
        try:
            await send({"type": "http.response.start", "status": response.status, "headers": headers})
            if isinstance(response, FileResponse):
                await _send_file(request, response, send)
            else:
                body = b"" if request.method == "HEAD" else response.body
                await send({"type": "http.response.body", "body": body})
        except (OSError, RuntimeError):
            # The connection broke while the answer was under way; nothing can be told to anybody.
            logger.debug("Request %s: the client went away", request.id)

    async def _live(self, receive: Receive, send: Send) -> None:
        """Start before the first request; stop after the last."""
        while True:
            event = (await receive())["type"]
            try:
                await (self.start() if event == "lifespan.startup" else self.stop())
            except Exception as error:
                logger.exception("%s failed", event)
                await send({"type": f"{event}.failed", "message": str(error)})
                return
            await send({"type": f"{event}.complete"})
            if event == "lifespan.shutdown":
                return

    async def start(self) -> None:
        """What has to happen before the first request; for servers that do not speak of it themselves."""
        for callback in self._on_startup:
            await callback()

    async def stop(self) -> None:
        """Finish what is under way, then close."""
        self._idle = asyncio.Event()
        if self._running:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._idle.wait(), self._options.shutdown_seconds)
        if self._sweeper is not None:
            self._sweeper.cancel()
        for callback in self._on_shutdown:
            await callback()


def _body_is_here(request: Request) -> bool:
    """Whether the lateness is ours: nothing was waited for, or everything had arrived."""
    return request.body_complete or not request.waiting


async def _send_file(request: Request, response: FileResponse, send: Send) -> None:
    try:
        if request.method != "HEAD":
            async with aclosing(response.chunks) as chunks:
                async for chunk in chunks:
                    request.touch()
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
    finally:
        response.close()
