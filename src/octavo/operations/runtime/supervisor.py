"""Serve a project with several worker processes. A supervisor restarts failed ones, and replaces all at SIGHUP."""

import asyncio
import logging
import multiprocessing
import os
import signal
import socket
import sys
from tempfile import TemporaryDirectory
from typing import Any

from granian.constants import Interfaces, Loops
from granian.log import LogLevels
from granian.server.mp import MPServer

from octavo.operations.runtime.asgi import create_service
from octavo.operations.runtime.listening import BACKLOG, ListeningServer, most_connections
from octavo.operations.runtime.logs import flush_log
from octavo.operations.runtime.process import INVALID_CHANGE, WITHOUT_TRACEBACK, Process
from octavo.operations.runtime.service_manager import READY, notify_service_manager, reloading
from octavo.operations.runtime.start_wait import StartWait
from octavo.operations.runtime.worker import (
    LISTENING,
    OPEN,
    STOP_SIGNALS,
    SUPERVISOR,
    create_worker,
    most_ending_seconds,
    reset_stop_signals,
)
from octavo.operations.telemetry.workers import VARIABLE as WORKERS_FOLDER
from octavo.settings import Settings

try:
    from uvloop import new_event_loop as new_event_loop
except ImportError:
    from asyncio import new_event_loop as new_event_loop  # type: ignore[assignment]

logger = logging.getLogger(__name__)


def serve_with_workers(settings: Settings, listener: socket.socket | None) -> None:
    """Serve until stopped. Workers of a service with metrics share a folder for them."""
    with TemporaryDirectory(prefix="octavo-") as folder:
        _serve_from(settings, {WORKERS_FOLDER: folder} if settings.server.metrics.token else {}, listener)


def _serve_from(settings: Settings, variables: dict[str, str], listener: socket.socket | None) -> None:
    """Serve until stopped, with additional environment variables for the workers."""
    options = settings.server
    reset_signals_in_forks()
    os.environ |= variables
    os.environ |= {"OCTAVO_PROJECT": str(settings.project), "OCTAVO_ENV": settings.mode}
    os.environ[SUPERVISOR] = str(os.getpid())
    os.environ[LISTENING] = f"{options.host} {options.port} {OPEN if listener else ''}"
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
        backpressure=most_connections(settings),
        log_level=LogLevels.warning,
        log_dictconfig={"loggers": {}},  # its messages, such as died workers, use the normal log
        respawn_failed_workers=True,
        workers_kill_timeout=most_ending_seconds(options),
    )
    supervisor.listener = listener
    supervisor.serve()


def _options_of_command(settings: Settings) -> dict[str, str]:
    """Return the variables for settings that options of the command can override. Workers read the settings again."""
    server = settings.server
    return {
        "OCTAVO_SERVER__HOST": server.host,
        "OCTAVO_SERVER__PORT": str(server.port),
        "OCTAVO_SERVER__WORKERS": str(server.workers),
        "OCTAVO_DATABASE__UPDATE_TABLES": str(settings.database.update_tables).lower(),
    }


def reset_signals_in_forks() -> None:
    """Make forked processes handle stop signals from the first moment.

    Otherwise they would ignore them: a worker inherits the supervisor's handlers until the server sets its own. Signals
    during the fork are blocked until those handlers are gone.
    """
    os.register_at_fork(
        before=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS),
        after_in_parent=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS),
        after_in_child=_begin_child,
    )


def _begin_child() -> None:
    reset_stop_signals()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)


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
            runner.run(try_start(service))
    except Exception as error:
        told = isinstance(error, WITHOUT_TRACEBACK)
        logger.error(INVALID_CHANGE, error, exc_info=None if told else error)
        sys.exit(1)
    finally:
        flush_log()


async def try_start(service: Process) -> None:
    """Start and stop the service, so that an error is reported once and not by every worker."""
    await service.asgi.start()
    await service.asgi.stop()
