"""Run a service with granian until it gets a signal, then finish running requests.

A single worker runs in this process. Several are child processes of a supervisor. Raises `StartFailed` if the service
cannot start; the start is not retried.
"""

import asyncio
import logging
import os
import socket
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final

from granian.constants import Interfaces
from granian.server.embed import Server as EmbeddedServer

from octavo.api.http.application import HttpApplication
from octavo.operations.runtime.allocator import (
    forget_readers,
    freeze_start_objects,
    keep_freed_memory,
    release_start_memory,
)
from octavo.operations.runtime.listening import (
    BACKLOG,
    ListeningServer,
    check_address,
    listening,
    most_connections,
    wait_until_open,
    wait_until_served,
)
from octavo.operations.runtime.logs import flush_log, set_up_log
from octavo.operations.runtime.prepare_database import StartFailed
from octavo.operations.runtime.process import Process, build
from octavo.operations.runtime.reload_signal import ReloadOnSignal, ignore_during_start
from octavo.operations.runtime.service_manager import ENDING, READY, notify_service_manager, report_alive
from octavo.operations.runtime.start_wait import StartingServer
from octavo.operations.runtime.supervisor import new_event_loop, serve_with_workers, try_start
from octavo.operations.runtime.worker import CUT_SHARE, STOP_SIGNALS
from octavo.settings import Settings
from octavo.settings.files.server import Server as ServerOptions

logger = logging.getLogger(__name__)
_DRAIN_SHARE: Final = 0.9
"""Share of the shutdown time for running requests. The rest is for closing the database."""
_FLUSH_SECONDS: Final = 0.05
"""Time for the server's threads to send the last bytes of responses."""
Announce = Callable[[Process], None]
Announcement = Callable[[Process], Callable[[], None]]
Companion = Callable[[Process], Coroutine[Any, Any, None]]


def serve(
    settings: Settings,
    read_settings: Callable[[], Settings],
    announcement: Announcement,
    passed: socket.socket | None = None,
) -> None:
    """Serve a project until SIGTERM or SIGINT. SIGHUP reloads it, with the settings of `read_settings`.

    `announcement` returns a function to call when the service is ready. `passed` is the socket of the service manager.
    """
    set_up_log(settings)
    ignore_during_start()
    try:
        with listening(settings.server, passed) as listener:
            _serve(settings, read_settings, announcement, listener)
    finally:
        flush_log()


def _serve(
    settings: Settings,
    read_settings: Callable[[], Settings],
    announcement: Announcement,
    listener: socket.socket | None,
) -> None:
    service = build(settings, read_settings)
    announce = announcement(service)
    forget_readers()
    if listener is None:
        check_address(settings.server.host, settings.server.port)
    service.start_wait.observer = _starting_server(settings, listener)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        if settings.server.workers == 1:
            runner.run(_serve_here(service, announce, listener))
            return
        runner.run(try_start(service))
    announce()
    serve_with_workers(settings, listener)


def serve_changing(read_settings: Callable[[], Settings], announce: Announce, companion: Companion) -> None:
    """Serve a changing project in this process. `companion` runs beside the server and reloads it."""
    settings = read_settings()
    set_up_log(settings, waits=True)  # in order with the lines that the companion prints
    service = build(settings, read_settings)
    with listening(settings.server, None) as listener:
        if listener is None:
            check_address(settings.server.host, settings.server.port)
        service.start_wait.observer = _starting_server(settings, listener)
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(_serve_here(service, partial(announce, service), listener, companion))


def _starting_server(settings: Settings, listener: socket.socket | None) -> StartingServer:
    server = settings.server
    return StartingServer(server.host, server.port, server.kept_path, listener)


class _Server(ListeningServer, EmbeddedServer):
    """A server in this process."""


async def _serve_here(
    service: Process,
    announce: Callable[[], None],
    listener: socket.socket | None,
    companion: Companion | None = None,
) -> None:
    options = service.settings.server
    server = _Server(
        service.asgi.answer,
        address=options.host,
        port=options.port,
        interface=Interfaces.ASGINL,
        websockets=False,
        backlog=BACKLOG,
        backpressure=most_connections(service.settings),
        log_enabled=False,
    )
    server.listener = listener
    await service.asgi.start()
    await service.follow_live_settings()
    if companion is None:
        await freeze_start_objects()
    keep_freed_memory()
    reloading = None if companion is not None else ReloadOnSignal(service, partial(_after_reload, service))
    try:
        loop = asyncio.get_running_loop()
        asked = asyncio.Event()
        for number in STOP_SIGNALS:
            loop.add_signal_handler(number, asked.set)
        if reloading is not None:
            reloading.listen()
        serving = loop.create_task(server.serve())
        resting = None if companion is not None else loop.create_task(release_start_memory(service.site.complete))
        beside = loop.create_task(_accompany(service, companion)) if companion is not None else None
        ending = loop.create_task(_stop_on_signal(asked, server, serving, announce, service.asgi, options))
        alive = loop.create_task(report_alive(os.getpid()))
        await asyncio.wait((serving,))
        ending.cancel()
        alive.cancel()
        if reloading is not None:
            await reloading.close()
        if resting is not None:
            resting.cancel()
        if beside is not None:
            beside.cancel()
            await asyncio.wait((beside,))
        if server.interrupt_children:
            raise StartFailed(f"Cannot listen on port {options.port} of {options.host}")
    finally:
        await _stop(service, options.shutdown * (1 - _DRAIN_SHARE))


async def _after_reload(service: Process) -> None:
    """Do for a reloaded version what follows a start."""
    await freeze_start_objects()
    await release_start_memory(service.site.complete)


async def _accompany(service: Process, companion: Companion) -> None:
    try:
        await companion(service)
    except Exception:
        logger.exception("Stopped watching the project for changes")


async def _stop_on_signal(
    asked: asyncio.Event,
    server: _Server,
    serving: asyncio.Task[None],
    announce: Callable[[], None],
    application: HttpApplication,
    options: ServerOptions,
) -> None:
    """Wait until the server listens, since it ignores a stop before that. Then wait for the stop signal and end it.

    The server stops accepting connections and finishes running requests, up to a time limit.
    """
    wait = wait_until_open if server.listener is None else wait_until_served
    await wait(options.host, options.port)
    announce()
    notify_service_manager(READY)
    await asked.wait()
    notify_service_manager(ENDING)
    await asyncio.sleep(application.leave())
    application.end_live()
    server.stop()  # type: ignore[no-untyped-call]
    await asyncio.sleep(options.shutdown * CUT_SHARE)
    application.cut_running()
    await asyncio.sleep(options.shutdown * (_DRAIN_SHARE - CUT_SHARE))
    serving.cancel()


async def _stop(service: Process, seconds: float) -> None:
    try:
        await asyncio.wait_for(service.asgi.stop(), seconds)
    except TimeoutError:
        logger.warning("Stopped while requests were still running")
    await asyncio.sleep(_FLUSH_SECONDS)
