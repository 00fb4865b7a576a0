"""Run a service with granian until it gets a signal, then finish running requests.

A single worker runs in this process. Several are child processes of a supervisor, which restarts failed ones. Raises
`StartFailed` if the service cannot start; the start is not retried.
"""

import asyncio
import errno
import gc
import logging
import multiprocessing
import os
import shutil
import signal
import socket
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from multiprocessing.util import Finalize
from tempfile import TemporaryDirectory
from typing import Any, Final

from granian.constants import Interfaces, Loops
from granian.log import LogLevels
from granian.server.embed import Server as EmbeddedServer
from granian.server.mp import MPServer

from octavo.api.http.application import HttpApplication
from octavo.operations.runtime.allocator import forget_readers, give_back_start, keep_freed_memory, mapped_files
from octavo.operations.runtime.asgi import create_service
from octavo.operations.runtime.listening import BACKLOG, ListeningServer, listening, wait_until_served
from octavo.operations.runtime.logs import flush_log, set_log_levels, set_up_log
from octavo.operations.runtime.prepare_database import StartFailed
from octavo.operations.runtime.process import FOR_PEOPLE, INVALID_CHANGE, Process, build
from octavo.operations.runtime.reload_signal import ReloadOnSignal, ignore_during_start
from octavo.operations.runtime.service_manager import ENDING, READY, notify_service_manager, reloading, report_alive
from octavo.operations.runtime.start_wait import StartWait
from octavo.operations.runtime.starting_server import StartingServer
from octavo.operations.telemetry.workers import VARIABLE as WORKERS_FOLDER
from octavo.settings import Settings
from octavo.settings.files.server import Server as ServerOptions

try:
    from uvloop import new_event_loop
except ImportError:
    from asyncio import new_event_loop  # type: ignore[assignment]

logger = logging.getLogger(__name__)
_ENDING = (signal.SIGTERM, signal.SIGINT)
_LISTEN_POLL_SECONDS = 0.005
_DRAIN_SHARE = 0.9
"""Share of the shutdown time for running requests. The rest is for closing the database."""
_CUT_SHARE = 0.8
"""Share of the shutdown time after which running requests, such as long uploads, get 503 responses."""
_FLUSH_SECONDS = 0.05
"""Time for the server's threads to send the last bytes of responses."""
_LISTENING = "OCTAVO_LISTENING"
"""The variable with the workers' address. It can differ from the settings: command options take precedence. The last
word says whether the socket is open before the server starts."""
_OPEN = "open"
_LOADING_SECONDS = 0.5
"""Longer than it takes to load a library."""
_NEW_OBJECTS = 10_000
"""Number of new objects between garbage collections: more than running requests hold, which each one traverses."""
_tasks: set[asyncio.Task[None]] = set()
Announce = Callable[[Process], None]
Announcement = Callable[[Process], Callable[[], None]]
Companion = Callable[[Process], Coroutine[Any, Any, None]]

SUPERVISOR: Final = "OCTAVO_SUPERVISOR"
"""The variable with the supervisor's process id."""
_LOOK_SECONDS: Final = 1.0


async def end_with_supervisor(seconds: float) -> None:
    """Wait until the supervisor has ended, then stop this worker as a signal does.

    The worker exits after `seconds` at the latest, and removes the supervisor's folder.
    """
    supervisor = int(os.environ[SUPERVISOR])
    while os.getppid() == supervisor:  # noqa: ASYNC110 - the system reports it in no other way
        await asyncio.sleep(_LOOK_SECONDS)
    logger.error("The supervisor, process %d, has ended. This worker ends as well", supervisor)
    Finalize(None, _remove_folder, exitpriority=-1)
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.sleep(seconds)
    _remove_folder()
    os._exit(1)


def _remove_folder() -> None:
    folder = os.environ.get(WORKERS_FOLDER)
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


def serve(
    read_settings: Callable[[], Settings], announcement: Announcement, passed: socket.socket | None = None
) -> None:
    """Serve a project until SIGTERM or SIGINT. SIGHUP reloads it, and so reads the settings again.

    `announcement` returns a function to call when the service is ready. `passed` is the socket of the service manager.
    """
    settings = read_settings()
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
        runner.run(_try_start(service))
    announce()
    _serve_with_workers(settings, listener)


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


def _most_connections(settings: Settings) -> int:
    """Return the maximum number of connections of a worker. Listeners of the change feed keep theirs for hours."""
    events = settings.api.events
    return max(1, BACKLOG // settings.server.workers) + (events.listeners if events.enabled else 0)


def check_address(host: str, port: int) -> None:
    """Raise StartFailed if the address cannot be used. Servers share ports silently, so they would not notice."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            raise StartFailed(_address_problem(host, port, error)) from error


def _address_problem(host: str, port: int, error: OSError | OverflowError) -> str:
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return f"Port {port} of {host} is in use; choose another with --port or the variable PORT"
    return f"Cannot listen on port {port} of {host}: {error}"


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
        backpressure=_most_connections(service.settings),
        log_enabled=False,
    )
    server.listener = listener
    await service.asgi.start()
    await service.follow_live_settings()
    if companion is None:
        await spare_what_stays()
    keep_freed_memory()
    reloading = None if companion is not None else ReloadOnSignal(service, partial(_settle, service))
    try:
        loop = asyncio.get_running_loop()
        asked = asyncio.Event()
        for number in _ENDING:
            loop.add_signal_handler(number, asked.set)
        if reloading is not None:
            reloading.listen()
        serving = loop.create_task(server.serve())
        resting = None if companion is not None else loop.create_task(_rest(service))
        beside = loop.create_task(_accompany(service, companion)) if companion is not None else None
        ending = loop.create_task(_end_when_asked(asked, server, serving, announce, service.asgi, options))
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


async def spare_what_stays() -> None:
    """Exclude objects of the start from garbage collection, and collect less often."""
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, *gc.get_threshold()[1:])


async def _settle(service: Process) -> None:
    """Do for a reloaded version what follows a start."""
    await spare_what_stays()
    await _rest(service)


async def _rest(service: Process) -> None:
    """Release memory that only the start needed, after background loading."""
    with suppress(Exception):  # the first request that needs it reports the error
        await service.site.complete()
    mapped = mapped_files()
    await asyncio.sleep(_LOADING_SECONDS)
    give_back_start(mapped)


async def _accompany(service: Process, companion: Companion) -> None:
    try:
        await companion(service)
    except Exception:
        logger.exception("Stopped watching the project for changes")


async def _end_when_asked(
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
    wait = _wait_until_open if server.listener is None else wait_until_served
    await wait(options.host, options.port)
    announce()
    notify_service_manager(READY)
    await asked.wait()
    notify_service_manager(ENDING)
    await asyncio.sleep(application.leave())
    application.end_live()
    server.stop()  # type: ignore[no-untyped-call]
    await asyncio.sleep(options.shutdown * _CUT_SHARE)
    application.cut_running()
    await asyncio.sleep(options.shutdown * (_DRAIN_SHARE - _CUT_SHARE))
    serving.cancel()


async def _stop(service: Process, seconds: float) -> None:
    try:
        await asyncio.wait_for(service.asgi.stop(), seconds)
    except TimeoutError:
        logger.warning("Stopped while requests were still running")
    await asyncio.sleep(_FLUSH_SECONDS)


async def _wait_until_open(host: str, port: int) -> None:
    """Wait until connections succeed. The server does not report when it listens."""
    while True:
        try:
            _, writer = await asyncio.open_connection(host, port)
        except OSError:
            await asyncio.sleep(_LISTEN_POLL_SECONDS)
        else:
            writer.close()
            return


async def _try_start(service: Process) -> None:
    """Start and stop the service, so that an error is reported once and not by every worker."""
    await service.asgi.start()
    await service.asgi.stop()


def create_worker() -> Callable[..., Coroutine[Any, Any, None]]:
    """Return a worker's request handler.

    A worker that gets a signal during assembly ends immediately. Later signals are deferred until it can handle them.
    """
    _forget_handlers()
    service = create_service()
    Finalize(None, flush_log, exitpriority=0)  # workers end without the functions of `atexit`
    set_log_levels(service.settings)  # can have changed since the supervisor read them
    forget_readers()
    application = service.asgi
    keep_freed_memory()
    application.before_start(partial(hear_of_the_end, application))
    application.before_start(_notify_once_open)
    application.before_start(partial(_watch_supervisor, service.settings.server))
    application.after_start(service.follow_live_settings)
    application.after_start(spare_what_stays)
    application.after_start(partial(_rest_soon, service))
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    return application.answer


async def _watch_supervisor(options: ServerOptions) -> None:
    _keep(end_with_supervisor(_most_ending_seconds(options)))


def _most_ending_seconds(options: ServerOptions) -> int:
    """Return after how many seconds a worker that should stop is killed."""
    return max(1, options.shutdown + options.drain)


async def _rest_soon(service: Process) -> None:
    _keep(_rest(service))


def _keep(work: Coroutine[Any, Any, None]) -> None:
    _tasks.add(task := asyncio.get_running_loop().create_task(work))
    task.add_done_callback(_tasks.discard)


async def _notify_once_open() -> None:
    """Notify the service manager when the first worker listens, and that this worker is alive from then on."""
    place, _, is_open = os.environ[_LISTENING].rpartition(" ")
    host, _, port = place.rpartition(" ")
    wait = wait_until_served if is_open == _OPEN else _wait_until_open

    async def tell() -> None:
        await wait(host, int(port))
        notify_service_manager(READY)
        await report_alive(int(os.environ[SUPERVISOR]))

    _keep(tell())


async def hear_of_the_end(application: HttpApplication) -> None:
    """End open streams on SIGTERM, then let the server stop with SIGINT. It waits for all responses.

    SIGTERM has a Python signal handler: handlers of event loops, such as the server's, are not called for signals that
    arrive while the loop does not run, such as between the start and serving. SIGINT is blocked until then: the server
    can handle it only once, and a second call of its handler would block the loop.
    """
    loop = asyncio.get_running_loop()

    def leave() -> None:
        loop.call_later(application.leave(), end)

    def end() -> None:
        application.end_live()
        loop.call_later(application.shutdown_seconds * _CUT_SHARE, application.cut_running)
        os.kill(os.getpid(), signal.SIGINT)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def hear(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        loop.call_soon_threadsafe(leave)

    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    loop.remove_signal_handler(signal.SIGTERM)
    signal.signal(signal.SIGTERM, hear)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})


def end_workers_when_told() -> None:
    """Make forked processes handle stop signals from the first moment.

    Otherwise they would ignore them: a worker inherits the supervisor's handlers until the server sets its own. Signals
    during the fork are blocked until those handlers are gone.
    """
    os.register_at_fork(
        before=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING),
        after_in_parent=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING),
        after_in_child=_begin_child,
    )


def _begin_child() -> None:
    _forget_handlers()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)


def _forget_handlers() -> None:
    for number in _ENDING:
        signal.signal(number, signal.SIG_DFL)


class _Supervisor(ListeningServer, MPServer):
    """Replaces its workers one by one at SIGHUP, if the project can start."""

    def _reload(self, spawn_target: Any, target_loader: Any) -> None:
        self.reload_signal = False
        self.main_loop_interrupt.clear()
        logger.info("SIGHUP: reloading the project")
        notify_service_manager(reloading())
        if _can_start() and not self.interrupt_signal:
            super()._reload(spawn_target, target_loader)  # type: ignore[no-untyped-call]
            logger.info("Reloaded the project: all workers are replaced")
        if self.interrupt_signal or self.interrupt_children:
            self.main_loop_interrupt.set()  # arrived during the reload, and may have been cleared
        notify_service_manager(READY)


def _can_start() -> bool:
    """Return whether the project starts, in a process of its own. Workers that cannot start would end the service."""
    trial = multiprocessing.get_context().Process(target=_try_project)
    trial.start()
    trial.join()
    return trial.exitcode == 0


def _try_project() -> None:
    """Start and stop the project. Log the error and exit with 1 if that fails."""
    try:
        service = create_service()
        service.start_wait = StartWait(0)
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(_try_start(service))
    except Exception as error:
        told = isinstance(error, FOR_PEOPLE)
        logger.error(INVALID_CHANGE, error, exc_info=None if told else error)
        sys.exit(1)
    finally:
        flush_log()


def _serve_with_workers(settings: Settings, listener: socket.socket | None) -> None:
    with TemporaryDirectory(prefix="octavo-") as folder:
        _serve_from(settings, {WORKERS_FOLDER: folder} if settings.server.metrics.token else {}, listener)


def _options_of_command(settings: Settings) -> dict[str, str]:
    """Return the variables for settings that options of the command can override. Workers read the settings again."""
    server = settings.server
    return {
        "OCTAVO_SERVER__HOST": server.host,
        "OCTAVO_SERVER__PORT": str(server.port),
        "OCTAVO_SERVER__WORKERS": str(server.workers),
        "OCTAVO_DATABASE__UPDATE_TABLES": str(settings.database.update_tables).lower(),
    }


def _serve_from(settings: Settings, variables: dict[str, str], listener: socket.socket | None) -> None:
    """Serve until stopped, with additional environment variables for the workers."""
    options = settings.server
    end_workers_when_told()
    os.environ |= variables
    os.environ |= {"OCTAVO_PROJECT": str(settings.project), "OCTAVO_ENV": settings.mode}
    os.environ[SUPERVISOR] = str(os.getpid())
    os.environ[_LISTENING] = f"{options.host} {options.port} {_OPEN if listener else ''}"
    os.environ |= _options_of_command(settings)
    if listener is not None:
        multiprocessing.set_start_method("fork", force=True)  # workers inherit the socket
    supervisor = _Supervisor(
        f"{create_worker.__module__}:{create_worker.__name__}",
        factory=True,
        address=options.host,
        port=options.port,
        workers=options.workers,
        interface=Interfaces.ASGI,
        loop=Loops.auto,
        websockets=False,
        backlog=BACKLOG,
        backpressure=_most_connections(settings),
        log_level=LogLevels.warning,
        log_dictconfig={"loggers": {}},  # its messages, such as died workers, use the normal log
        respawn_failed_workers=True,
        workers_kill_timeout=_most_ending_seconds(options),
    )
    supervisor.listener = listener
    supervisor.serve()
