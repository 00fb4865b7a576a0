"""The ASGI application, which lives as long as the process.

Each request gets exactly one complete response, or none if the client has disconnected. The dispatcher that is
current when the request arrives handles it, even if it is replaced meanwhile.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from math import inf
from random import random
from time import monotonic
from typing import Any

from octavo.api.http.arrivals import Arrivals
from octavo.api.http.dispatcher import ALWAYS_ALLOWED, Around, Dispatcher, RequestTracer
from octavo.api.http.observers import FAILED, Look, Nobody
from octavo.api.http.options import HttpOptions
from octavo.api.http.request import Receive, Request, Scope, Send, without_prefix
from octavo.api.http.request_ids import TRACE, name_of
from octavo.api.http.response import FileResponse, LiveResponse, Response
from octavo.api.http.router import Known, Router
from octavo.api.http.sending import (
    PIECE,
    LiveAnswers,
    Transfer,
    Transfers,
    answer_too_late,
    close_websocket,
    refuse_crowded,
    send_file,
)
from octavo.api.http.static import Files
from octavo.core.plurals import counted
from octavo.events.origin import WORK

Callback = Callable[[], Awaitable[object]]

logger = logging.getLogger("octavo.api.http")

_SWEEP_SECONDS = 1.0
_PATIENCE_SECONDS = 5.0
_LOOK_SECONDS = 0.005


class HttpApplication:
    """The ASGI callable."""

    def __init__(
        self,
        router: Router,
        options: HttpOptions | None = None,
        *,
        static: Files | None = None,
        around: Around | None = None,
        following: RequestTracer | None = None,
        on_startup: Sequence[Callback] = (),
        on_shutdown: Sequence[Callback] = (),
    ) -> None:
        self._dispatcher = self._make_dispatcher(router, options or HttpOptions(), static, around, following)
        self._on_startup = list(on_startup)
        self._on_shutdown = on_shutdown
        self._running: dict[Request, Dispatcher] = {}
        self._live = LiveAnswers()
        self._arrivals = Arrivals()
        self._transfers = Transfers()
        self._looking_up = 0
        self._sending: dict[asyncio.Task[object] | None, float] = {}  # quick responses and their deadlines
        self._sweeper: asyncio.TimerHandle | None = None
        self._waiting: list[tuple[Dispatcher | None, asyncio.Event]] = []
        self._stopped = False
        self._gate: asyncio.Event | None = None
        self._at_gate: set[Request] = set()  # running requests that wait for the gate
        self._logged = -inf
        self.look: Look = Nobody()
        """Observes finished requests."""
        self.leave: Callable[[], float] = lambda: 0.0
        """Called before the service stops. Returns for how many seconds it still accepts requests."""
        self.problem: str | None = None
        """Why the served site is outdated, shown on the start page and logged with requests."""

    def before_start(self, callback: Callback) -> None:
        """Add a callback that runs first at the start."""
        self._on_startup.insert(0, callback)

    def after_start(self, callback: Callback) -> None:
        """Add a callback that runs last at the start."""
        self._on_startup.append(callback)

    def replace(
        self,
        router: Router,
        options: HttpOptions,
        static: Files | None = None,
        around: Around | None = None,
        following: RequestTracer | None = None,
    ) -> Dispatcher:
        """Use a new dispatcher for later requests. Return the previous one."""
        before = self._dispatcher
        self._dispatcher = self._make_dispatcher(router, options, static, around, following)
        return before

    def _make_dispatcher(
        self,
        router: Router,
        options: HttpOptions,
        static: Files | None,
        around: Around | None,
        following: RequestTracer | None,
    ) -> Dispatcher:
        return Dispatcher(router, options, static, self._current_problem, around, following, self._newer)

    async def _newer(self, dispatcher: Dispatcher, request: Request) -> Dispatcher | None:
        """Return the dispatcher that has replaced another one, or is about to, for one of its running requests."""
        if self._gate is not None:
            self._at_gate.add(request)
            try:
                await self._gate.wait()
            finally:
                self._at_gate.discard(request)
        self._running[request] = self._dispatcher
        if self._waiting:
            self._notify_drained()
        return None if self._dispatcher is dispatcher else self._dispatcher

    async def drain(self, dispatcher: Dispatcher | None = None) -> None:
        """Wait until no request is running, of one dispatcher or at all. Return at once after the stop."""
        if self._stopped or not self._is_busy(dispatcher):
            return
        waiting = (dispatcher, asyncio.Event())
        self._waiting.append(waiting)
        try:
            await waiting[1].wait()
        finally:
            self._waiting.remove(waiting)

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Hold new requests during the block, after waiting for running ones except the caller's.

        Requests that take longer than a few seconds, or that wait for the end of the block, are not waited for.
        """
        self._gate = asyncio.Event()
        patience = monotonic() + _PATIENCE_SECONDS
        try:
            while self._running.keys() - self._at_gate - {WORK.get()} and monotonic() < patience:  # noqa: ASYNC110 - rare, and for milliseconds
                await asyncio.sleep(_LOOK_SECONDS)
            yield
        finally:
            gate, self._gate = self._gate, None
            gate.set()

    def running(self) -> int:
        """Return the number of running requests."""
        return len(self._running)

    def _is_busy(self, dispatcher: Dispatcher | None) -> bool:
        if self._looking_up or self._sending:
            return True
        if dispatcher is None:
            return bool(self._running) or bool(self._live)
        return dispatcher in self._running.values() or self._live.of(dispatcher)

    def end_live(self, dispatcher: Dispatcher | None = None) -> None:
        """End live responses of one dispatcher, or all current and future ones."""
        self._live.end(dispatcher)

    @property
    def shutdown_seconds(self) -> float:
        """The time for running requests at a stop."""
        return self._dispatcher.options.shutdown_seconds

    def cut_running(self) -> None:
        """Answer requests that are still running with 503, because the service stops, and log their number."""
        if self._running:
            logger.warning("Cut off %s that had not finished at the stop", counted(len(self._running), "request"))
        for request in tuple(self._running):
            request.cut()

    def _notify_drained(self) -> None:
        for dispatcher, drained in self._waiting:
            if self._stopped or not self._is_busy(dispatcher):
                drained.set()

    def _current_problem(self) -> str | None:
        return self.problem

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, for servers that check for a coroutine function."""
        await self.answer(scope, receive, send)

    def answer(self, scope: Scope, receive: Receive, send: Send) -> Coroutine[Any, Any, None]:
        """Return the coroutine that handles a request. Cached responses avoid an extra step."""
        if scope["type"] != "http":
            return self._lifespan(receive, send) if scope["type"] == "lifespan" else close_websocket(receive, send)
        dispatcher, headers = self._dispatcher, dict(reversed(scope["headers"]))
        if dispatcher.kept_path:
            scope = without_prefix(scope, dispatcher.kept_path)
        following = dispatcher.following
        followed = (
            following is not None
            and (random() < following.share or TRACE in headers)  # noqa: S311 - no secret
            and following.chooses(headers)
        )
        if self._gate is not None:
            return self._serve_later(None, headers, followed, scope, receive, send)
        hosts = dispatcher.hosts
        allowed = hosts is None or hosts.allow_all(headers)
        if dispatcher.quick is not None and allowed and not followed and self.problem is None:
            known = dispatcher.quick(scope, headers)
            if isinstance(known, tuple):
                return self._give(known, headers, dispatcher, scope, receive, send)
            if known is not None:
                return self._serve_later(known, headers, followed, scope, receive, send)
        request = Request(scope, receive, dispatcher.options, headers)
        request.is_host_allowed = allowed
        if followed:
            request.is_followed = True
        return self._serve(request, dispatcher, send)

    async def _serve_later(
        self,
        asked: Awaitable[Known | None] | None,
        headers: Mapping[bytes, bytes],
        followed: bool,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Handle a request after looking up a cached response, or after the gate opens."""
        dispatcher = self._dispatcher
        if asked is not None:
            self._looking_up += 1
            known = None
            try:
                known = await asked
            finally:
                self._looking_up -= 1
                if known is None and self._waiting:
                    self._notify_drained()
            if known is not None:
                await self._give(known, headers, dispatcher, scope, receive, send)
                return
        if self._gate is not None:
            await self._gate.wait()
        dispatcher = self._dispatcher
        request = Request(scope, receive, dispatcher.options, headers)
        request.is_followed = followed
        await self._serve(request, dispatcher, send)

    async def _give(
        self,
        known: Known,
        given: Mapping[bytes, bytes],
        dispatcher: Dispatcher,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Send a cached response."""
        (response, route), loop = known, asyncio.get_running_loop()
        started, name, task = monotonic(), name_of(given), asyncio.current_task(loop)

        def request() -> Request:
            request = Request(scope, receive, dispatcher.options, given)
            request.started, request.operation, request.route = started, route.operation, route.template
            request.use_request_id(name)
            return request

        self._sending[task] = started + dispatcher.options.request_seconds
        if self._sweeper is None:
            self._watch_time(loop)
        try:
            head = dispatcher.headers_again(response, given, name, request)
            await send({"type": "http.response.start", "status": response.status, "headers": head})
            body = response.body
            if len(body) <= PIECE:
                await send({"type": "http.response.body", "body": body})
            else:
                await self._send_known(body, request(), task, send)
        except (OSError, RuntimeError):
            logger.debug("The client disconnected")
        except asyncio.CancelledError:
            if task is None or task in self._sending:
                raise
            task.uncancel()  # the client does not read the response
        finally:
            self._sending.pop(task, None)
            if self._waiting:
                self._notify_drained()
        look, seconds = self.look, monotonic() - started
        if look.noted is not None:
            look.noted[scope["method"], route.template, response.status].append(seconds)
        look.left -= 1
        if look.left <= 0 or seconds >= look.slow_from or response.status >= FAILED:
            self._observe(look, request(), response, seconds)

    async def _send_known(self, body: bytes, request: Request, task: asyncio.Task[object] | None, send: Send) -> None:
        """Send the large body of a cached response."""
        options = request.options

        def touch() -> None:
            latest = request.started + options.upload_seconds
            self._sending[task] = min(monotonic() + options.request_seconds, latest)

        transfer = Transfer(request.client_key, len(body), monotonic(), partial(self._end_sending, task))
        await self._transfers.send(body, send, transfer, options, touch)

    def _end_sending(self, task: asyncio.Task[object] | None) -> None:
        self._sending.pop(task, None)
        if task is not None:
            task.cancel()

    async def _serve(self, request: Request, dispatcher: Dispatcher, send: Send) -> None:
        work = WORK.set(request)
        running, most = self._running, dispatcher.crowded_from
        refused = None if len(running) < most else refuse_crowded(request, running, len(self._arrivals), most)
        self._start(request, dispatcher)
        try:
            try:
                response = refused or await dispatcher.respond(request)
            except asyncio.CancelledError:
                if not request.overdue:
                    raise
                response = answer_too_late(request, dispatcher.options.request_seconds)
            if self.problem is not None:
                self._log_answer(request, response)
            await self._send(request, response, dispatcher, send)
            look, seconds = self.look, monotonic() - request.started
            if look.noted is not None:
                lasted = (
                    0.0 if isinstance(response, LiveResponse) else seconds
                )  # live ones last for hours: count the start
                look.noted[request.method, request.route, response.status].append(lasted)
            look.left -= 1
            if look.left <= 0 or seconds >= look.slow_from or response.status >= FAILED:
                self._observe(look, request, response, seconds)
            is_read = request.body_complete or refused is not None or request.method in ALWAYS_ALLOWED
            if not is_read and (not request.overdue or request.is_cut):
                await request.drain()
        except asyncio.CancelledError:
            # The request timed out while its response was sent, which the client did not read.
            if not request.overdue:
                raise
        finally:
            WORK.reset(work)
            self._running.pop(request, None)
            request.close()
            if self._waiting:
                self._notify_drained()

    def _observe(self, look: Look, request: Request, response: Response, seconds: float) -> None:
        """Pass a finished request to the observer."""
        work = WORK.set(request)
        try:
            look(request, response, seconds)
        except Exception:  # observers must not break responses
            logger.exception("Could not observe a request")
        finally:
            WORK.reset(work)

    def _start(self, request: Request, dispatcher: Dispatcher) -> None:
        loop = asyncio.get_running_loop()
        request.task, request.started = asyncio.current_task(loop), monotonic()
        request.deadline = request.started + dispatcher.options.request_seconds
        request.arrivals = self._arrivals
        self._running[request] = dispatcher
        if self._sweeper is None:
            self._watch_time(loop)

    def _watch_time(self, loop: asyncio.AbstractEventLoop) -> None:
        self._sweeper = loop.call_later(_SWEEP_SECONDS, self._sweep, loop)

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        """Cancel requests that exceed their deadline. Checking all once a second costs less than a timer for each."""
        now = monotonic()
        for request in self._running:
            if request.deadline < now:
                request.give_up()
        for task in [task for task, deadline in self._sending.items() if deadline < now]:
            self._end_sending(task)
        self._live.stop_late(now)
        self._transfers.close_slow(self._dispatcher.options)
        busy = self._running or self._live or self._sending
        self._sweeper = loop.call_later(_SWEEP_SECONDS, self._sweep, loop) if busy else None

    def _log_answer(self, request: Request, response: Response) -> None:
        """Log a request that the outdated site answered, at most once a second."""
        if request.started < self._logged + _SWEEP_SECONDS:
            return
        self._logged = request.started
        status, path, problem = response.status, request.scope["path"], self.problem
        logger.warning(
            "%s %r: %d, served by the previous version of the site. %s", request.method, path, status, problem
        )

    async def _send(self, request: Request, response: Response, dispatcher: Dispatcher, send: Send) -> None:
        headers = dispatcher.headers(request, response)
        try:
            await send({"type": "http.response.start", "status": response.status, "headers": headers})
            if isinstance(response, FileResponse):
                await send_file(request, response, send)
            elif isinstance(response, LiveResponse):
                await self._live.send(request, response, self._running.pop(request), send)
            else:
                body = b"" if request.method == "HEAD" else response.body
                if len(body) <= PIECE:
                    await send({"type": "http.response.body", "body": body})
                else:
                    transfer = Transfer(request.client_key, len(body), monotonic(), request.give_up)
                    await self._transfers.send(body, send, transfer, dispatcher.options, request.touch)
        except (OSError, RuntimeError):
            # The connection broke during the response, so no error can be sent.
            logger.debug("The client disconnected")

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        """Handle the lifespan protocol: start before the first request, stop after the last."""
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
        """Run the callbacks before the first request. For servers without the lifespan protocol."""
        for callback in self._on_startup:
            await callback()

    async def stop(self) -> None:
        """Finish running requests, then close."""
        self.end_live()
        with suppress(TimeoutError):
            await asyncio.wait_for(self.drain(), self._dispatcher.options.shutdown_seconds)
        self._stopped = True
        self._notify_drained()
        if self._sweeper is not None:
            self._sweeper.cancel()
        for callback in self._on_shutdown:
            await callback()
