"""End a worker whose supervisor was killed. Nobody else would stop it, and it would keep the address."""

import asyncio
import logging
import os
import shutil
import signal
from multiprocessing.util import Finalize
from typing import Final

from octavo.operations.telemetry.workers import VARIABLE as WORKERS_FOLDER

logger = logging.getLogger(__name__)

VARIABLE: Final = "OCTAVO_SUPERVISOR"
"""The variable with the supervisor's process id."""
_LOOK_SECONDS: Final = 1.0


async def end_with_supervisor(seconds: float) -> None:
    """Wait until the supervisor has ended, then stop this worker as a signal does.

    The worker exits after `seconds` at the latest, and removes the supervisor's folder.
    """
    supervisor = int(os.environ[VARIABLE])
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
