"""Run the two processes of `octavo shadow`: the proxy, and the one that compares."""

import asyncio
import logging
import os
import signal
import socket
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from logging.handlers import RotatingFileHandler
from typing import Any, Final

import orjson

from octavo.core.errors import ApplicationError
from octavo.operations.comparison.masks import Masks
from octavo.operations.comparison.results import Outcome, Results
from octavo.operations.comparison.sending import Service
from octavo.operations.runtime.supervisor import new_event_loop
from octavo.operations.shadowing.comparing import Comparer
from octavo.operations.shadowing.exchanges import MEGABYTE, Recorder, read_frame
from octavo.operations.shadowing.feed import Feed, ShadowOptions
from octavo.operations.shadowing.open_files import allow_connections
from octavo.operations.shadowing.proxy import Proxy
from octavo.operations.shadowing.upstream import CHUNK, UpstreamPool

logger = logging.getLogger(__name__)

_BACKLOG: Final = 2_048
_ENDING_SECONDS: Final = 20.0
_FINISHING_SECONDS: Final = 5.0
_SUMMARY_SECONDS: Final = 15.0
_LARGEST_LOG: Final = 64 * MEGABYTE

Work = Callable[[socket.socket, ShadowOptions], None]


def run_proxy(host: str, port: int, options: ShadowOptions, recorder: Recorder, work: Work, ready: Any) -> None:
    """Serve until SIGTERM or SIGINT. `ready` is called with the port. Raises ApplicationError."""
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(_run_proxy(host, port, options, recorder, work, ready))


async def _run_proxy(
    host: str, port: int, options: ShadowOptions, recorder: Recorder, work: Work, ready: Callable[[int], None]
) -> None:
    loop, stopping = asyncio.get_running_loop(), asyncio.Event()
    feed = Feed(work, options, recorder)
    proxy = Proxy(UpstreamPool(Service(options.old_url).url), recorder, feed.offer, allow_connections())
    try:
        server = await asyncio.start_server(proxy.accept, host, port, limit=CHUNK, backlog=_BACKLOG)
    except OSError as error:
        raise ApplicationError(f"--listen {host}:{port}: {error.strerror or error}; choose another address") from error
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    loop.add_signal_handler(signal.SIGUSR1, feed.report)
    feeding = loop.create_task(feed.run())
    ready(server.sockets[0].getsockname()[1])
    try:
        await stopping.wait()
    finally:
        server.close()
        await proxy.stop(_ENDING_SECONDS)
        feeding.cancel()
        await asyncio.gather(feeding, return_exceptions=True)
        await feed.stop(_SUMMARY_SECONDS)


def run_comparison(channel: socket.socket, options: ShadowOptions, summarize: Callable[[Results], None]) -> None:
    """Compare the exchanges of a channel until it ends. `summarize` writes the summary."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
        signal.signal(number, signal.SIG_IGN)
    with suppress(OSError):
        os.nice(10)
    asyncio.run(_run_comparison(channel, options, summarize))


async def _run_comparison(channel: socket.socket, options: ShadowOptions, summarize: Callable[[Results], None]) -> None:
    rate, seconds = options.rate, options.timeout
    old, new = (Service(url, rate=rate, seconds=seconds) for url in (options.old_url, options.new_url))
    masks = Masks(frozenset({*old.hosts, *new.hosts, *options.hosts}), options.names, options.exact)
    results = Results(str(old.url), str(new.url))
    log = OutcomeLog(options.log, results)
    comparer = Comparer(
        old,
        new,
        masks,
        results,
        paths=options.paths,
        private=frozenset(options.private),
        graphql=options.graphql,
        memory=options.memory,
        report=log.add,
    )
    tasks = [asyncio.create_task(comparer.run()) for _ in range(options.concurrency)]
    reader, _ = await asyncio.open_connection(sock=channel)
    skipped: dict[str, int] = {}
    with suppress(asyncio.IncompleteReadError, OSError):
        while True:
            frame = await read_frame(reader)
            if not isinstance(frame, dict):
                comparer.add(frame)
                continue
            skipped = frame["skipped"]
            if "stop" in frame:
                break
            summarize(_with_skipped(results, skipped))
    await comparer.finish(_FINISHING_SECONDS)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    log.close()
    summarize(_with_skipped(results, skipped))


def _with_skipped(results: Results, skipped: dict[str, int]) -> Results:
    """Return the results with the requests that the proxy has not recorded."""
    return replace(results, skipped=results.skipped + Counter(skipped))


class _PrivateFile(RotatingFileHandler):
    """A log that only its owner can read, also after a rotation."""

    def _open(self) -> Any:
        def opener(path: str, flags: int) -> int:
            return os.open(path, flags, 0o600)

        return open(self.baseFilename, self.mode, encoding=self.encoding, opener=opener)


class OutcomeLog:
    """Logs new groups of differences, and writes each outcome to a file of limited size."""

    def __init__(self, file: str, results: Results) -> None:
        self._results, self._groups = results, 0
        self._file = _PrivateFile(file, maxBytes=_LARGEST_LOG, backupCount=1) if file else None

    def add(self, outcome: Outcome) -> None:
        """Log an outcome."""
        if len(self._results.groups) > self._groups:
            self._groups = len(self._results.groups)
            first = outcome.differences[0]
            reason = f" ({first.reason})" if first.reason else ""
            text = f"{outcome.method} {outcome.target}: {first.cause} at {first.place}: {first.old} -> {first.new}"
            logger.warning("New difference%s: %s", reason, text)
        if self._file is not None:
            names = ("role", "method", "target", "state", "old_ms", "new_ms", "failure", "differences")
            value = outcome.as_json()
            line = orjson.dumps({name: value[name] for name in names}).decode()
            self._file.handle(logging.makeLogRecord({"msg": line}))

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
