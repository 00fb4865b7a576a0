"""The connection of the proxy to the comparison process, which runs beside it so that visitors never wait for it."""

import asyncio
import logging
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.operations.comparison.requests import DEFAULT_GRAPHQL
from octavo.operations.shadowing.exchanges import MEGABYTE, Exchange, Recorder, message_frame, to_frames

logger = logging.getLogger(__name__)

_RESTART_SECONDS: Final = 1.0
_EXIT_SECONDS: Final = 2.0
"""The pipe that shows the end of a process closes shortly before the process exits."""
_LONGEST_RESTART_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class ShadowOptions:
    """Options of the comparison process. `log` and `html` are paths, or empty."""

    old_url: str
    new_url: str
    paths: tuple[str, ...]
    hosts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    exact: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    graphql: str = DEFAULT_GRAPHQL
    rate: float = 20.0
    concurrency: int = 4
    timeout: float = 30.0
    memory: int = 32 * MEGABYTE
    log: str = ""
    html: str = ""
    as_json: bool = False


class Feed:
    """Sends exchanges to the comparison process, and starts it again if it ends.

    `target` is the function of that process. It gets a socket and the options.
    """

    def __init__(
        self, target: Callable[[socket.socket, ShadowOptions], None], options: ShadowOptions, recorder: Recorder
    ) -> None:
        self._target, self._options, self._recorder = target, options, recorder
        self._writer: asyncio.StreamWriter | None = None
        self._process: BaseProcess | None = None

    async def run(self) -> None:
        """Keep the comparison process running until cancelled."""
        pause = _RESTART_SECONDS
        while True:
            await self._start()
            started = asyncio.get_running_loop().time()
            await self._ended()
            self._close()
            logger.error("The comparison process ended unexpectedly and is restarted; its results are lost")
            if asyncio.get_running_loop().time() - started > _LONGEST_RESTART_SECONDS:
                pause = _RESTART_SECONDS
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_RESTART_SECONDS)

    async def _start(self) -> None:
        own, other = socket.socketpair()
        with other:
            self._process = get_context("spawn").Process(target=self._target, args=(other, self._options), daemon=True)
            self._process.start()
        _, self._writer = await asyncio.open_connection(sock=own)

    async def _ended(self) -> None:
        process, loop = self._process, asyncio.get_running_loop()
        assert process is not None
        ended = asyncio.Event()
        loop.add_reader(process.sentinel, ended.set)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(process.sentinel)

    def offer(self, exchange: Exchange) -> None:
        """Send an exchange, unless the process is too slow. Does not wait."""
        writer, recorder = self._writer, self._recorder
        if writer is None or writer.is_closing():
            recorder.skipped["comparison process not ready"] += 1
        elif recorder.used + writer.transport.get_write_buffer_size() + exchange.size > recorder.memory:
            recorder.skipped["memory limit"] += 1
        else:
            for data in to_frames(exchange):
                writer.write(data)

    def report(self) -> None:
        """Let the process write the summary of the results so far."""
        self._send({"report": True, "skipped": dict(self._recorder.skipped)})

    async def stop(self, seconds: float) -> None:
        """Let the process finish and write its summary."""
        self._send({"stop": True, "skipped": dict(self._recorder.skipped)})
        self._close()
        if self._process is not None and self._process.is_alive():
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._ended()
                self._process.join(_EXIT_SECONDS)
            if self._process.is_alive():
                logger.error("The comparison process took too long to end, so there may be no summary")
                self._process.kill()

    def _send(self, message: Mapping[str, Any]) -> None:
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(message_frame(dict(message)))

    def _close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._writer = None
