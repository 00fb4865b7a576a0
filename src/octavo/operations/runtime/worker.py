"""A worker: one of several processes that serve a project. It ends at a signal, or with its supervisor."""

import asyncio
import logging
import os
import shutil
import signal
from collections.abc import Callable, Coroutine
from functools import partial
from multiprocessing.util import Finalize
from typing import Any, Final

from octavo.api.http.application import HttpApplication
from octavo.operations.runtime.allocator import (
    forget_readers,
    freeze_start_objects,
    keep_freed_memory,
    release_start_memory,
)
from octavo.operations.runtime.asgi import create_service
from octavo.operations.runtime.listening import wait_until_open, wait_until_served
from octavo.operations.runtime.logs import flush_log, set_log_levels
from octavo.operations.runtime.process import Process
from octavo.operations.runtime.service_manager import READY, notify_service_manager, report_alive
from octavo.operations.runtime.tasks import BackgroundTasks
from octavo.operations.telemetry.workers import VARIABLE as WORKERS_FOLDER
from octavo.settings.files.server import Server as ServerOptions

logger = logging.getLogger(__name__)

STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
CUT_SHARE: Final = 0.8
"""Share of the shutdown time after which running requests, such as long uploads, get 503 responses."""
LISTENING: Final = "OCTAVO_LISTENING"
"""The variable with the workers' address. It can differ from the settings: command options take precedence. The last
word says whether the socket is open before the server starts."""
OPEN: Final = "open"
SUPERVISOR: Final = "OCTAVO_SUPERVISOR"
"""The variable with the supervisor's process id."""
_LOOK_SECONDS: Final = 1.0
_tasks = BackgroundTasks()


def create_worker() -> Callable[..., Coroutine[Any, Any, None]]:
    """Return a worker's request handler.

    A worker that gets a signal during assembly ends immediately. Later signals are deferred until it can handle them.
    """
    reset_stop_signals()
    service = create_service()
    Finalize(None, flush_log, exitpriority=0)  # workers end without the functions of `atexit`
    set_log_levels(service.settings)  # can have changed since the supervisor read them
    forget_readers()
    application = service.asgi
    keep_freed_memory()
    application.before_start(partial(stop_on_sigterm, application))
    application.before_start(_notify_once_open)
    application.before_start(partial(_watch_supervisor, service.settings.server))
    application.after_start(service.follow_live_settings)
    application.after_start(freeze_start_objects)
    application.after_start(partial(_release_memory_soon, service))
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    return application.answer


async def _release_memory_soon(service: Process) -> None:
    _tasks.start(release_start_memory(service.site.complete))


async def _notify_once_open() -> None:
    """Notify the service manager when the first worker listens, and that this worker is alive from then on."""
    place, _, is_open = os.environ[LISTENING].rpartition(" ")
    host, _, port = place.rpartition(" ")
    wait = wait_until_served if is_open == OPEN else wait_until_open

    async def tell() -> None:
        await wait(host, int(port))
        notify_service_manager(READY)
        await report_alive(int(os.environ[SUPERVISOR]))

    _tasks.start(tell())


async def stop_on_sigterm(application: HttpApplication) -> None:
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
        loop.call_later(application.shutdown_seconds * CUT_SHARE, application.cut_running)
        os.kill(os.getpid(), signal.SIGINT)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def note_stop(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        loop.call_soon_threadsafe(leave)

    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    loop.remove_signal_handler(signal.SIGTERM)
    signal.signal(signal.SIGTERM, note_stop)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})


async def _watch_supervisor(options: ServerOptions) -> None:
    _tasks.start(end_with_supervisor(most_ending_seconds(options)))


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


def most_ending_seconds(options: ServerOptions) -> int:
    """Return after how many seconds a worker that should stop is killed."""
    return max(1, options.shutdown + options.drain)


def reset_stop_signals() -> None:
    """Let stop signals end this process at once."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
