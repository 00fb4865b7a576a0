"""Run v4 or Octavo on the copy, in a separate process group."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from octavo.core.errors import ApplicationError
from octavo.operations.comparison.redaction import Redaction
from octavo.operations.runtime.listening import wait_until_served

_ENDING_SECONDS: Final = 20.0
_SHOWN_LINES: Final = 15
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


@asynccontextmanager
async def running(
    name: str, command: Sequence[str], folder: Path, variables: Mapping[str, str], port: int, seconds: float
) -> AsyncIterator[None]:
    """Run a service until the block ends. Raises ApplicationError if it does not start in time."""
    output = folder.parent / f"{name}.log"
    starting = asyncio.create_task(_start(name, command, folder, variables, os.open(output, _NEW, 0o600)))
    try:
        await _wait(name, await asyncio.shield(starting), port, seconds, output)
        yield
    finally:
        await _stop(await starting)  # also if it was cancelled while the process started


async def _start(
    name: str, command: Sequence[str], folder: Path, variables: Mapping[str, str], output: int
) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env=dict(variables),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    except OSError as error:
        raise ApplicationError(f"{name}: {command[0]} cannot be started: {error.strerror}") from error
    finally:
        os.close(output)


async def _wait(name: str, process: asyncio.subprocess.Process, port: int, seconds: float, output: Path) -> None:
    served = asyncio.create_task(wait_until_served("127.0.0.1", port))
    ended = asyncio.create_task(process.wait())
    try:
        done, _ = await asyncio.wait((served, ended), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if served not in done:
            reason = f"ended with exit code {ended.result()}" if ended in done else f"did not start in {seconds:g} s"
            raise ApplicationError(f"{name} {reason}. The end of its output:\n{_last_lines(output)}")
    finally:
        for task in (served, ended):
            task.cancel()
        await asyncio.gather(served, ended, return_exceptions=True)


def _last_lines(output: Path) -> str:
    lines = output.read_text("utf-8", errors="replace").splitlines()[-_SHOWN_LINES:]
    redaction = Redaction()
    return "\n".join(f"  {redaction.text(line)}" for line in lines)


async def _stop(process: asyncio.subprocess.Process) -> None:
    """End all processes of the service: npm and a shell do not always pass signals on."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(TimeoutError):
            async with asyncio.timeout(_ENDING_SECONDS):
                await process.wait()
