"""Reload a service at SIGHUP: settings, secrets in files, definitions, project code and log levels.

Requests in progress finish on the previous version. If the project is invalid, the previous version stays in use.
"""

import asyncio
import gc
import logging
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress

from octavo.operations.runtime.allocator import forget_readers
from octavo.operations.runtime.logs import set_log_levels
from octavo.operations.runtime.process import Process
from octavo.operations.runtime.service_manager import READY, notify_service_manager, reloading
from octavo.operations.runtime.tasks import BackgroundTasks

logger = logging.getLogger(__name__)

HANGUP = getattr(signal, "SIGHUP", None)
"""The signal, or None on platforms without it."""


def ignore_during_start() -> None:
    """Log the signal until the service handles it. By default, it would end the process."""
    if HANGUP is not None:
        signal.signal(HANGUP, lambda *_: logger.info("SIGHUP is ignored during the start"))


class ReloadOnSignal:
    """Reloads the service of this process. `after_reload` releases memory after the previous version is closed."""

    def __init__(self, service: Process, after_reload: Callable[[], Awaitable[object]]) -> None:
        self._service = service
        self._after_reload = after_reload
        self._tasks = BackgroundTasks()

    def listen(self) -> None:
        """Handle the signal from now on."""
        if HANGUP is not None:
            asyncio.get_running_loop().add_signal_handler(HANGUP, lambda: self._tasks.start(self.reload()))

    async def close(self) -> None:
        """Ignore further signals, and cancel a running reload."""
        if HANGUP is not None:
            asyncio.get_running_loop().remove_signal_handler(HANGUP)
            signal.signal(HANGUP, signal.SIG_IGN)
        await self._tasks.cancel()

    async def reload(self) -> None:
        """Reload. Failures are logged by the service."""
        logger.info("SIGHUP: reloading the project")
        notify_service_manager(reloading())
        gc.unfreeze()  # so that the previous version can be collected
        try:
            with suppress(Exception):  # logged by the service
                await self._service.reload()
                set_log_levels(self._service.settings)
                logger.info("Reloaded the project")
        finally:
            notify_service_manager(READY)
        await self._service.retired()
        forget_readers()
        gc.collect()
        await self._after_reload()
