"""`python -m benchmarks.telemetry` measures the cost of telemetry in processor time per request.

Four services in this process, on one database, answer the same requests in turns of some milliseconds: one without any
telemetry, which is not possible otherwise, and three with more and more of it. The result is the median of the
differences by turn, in processor time of the serving thread, and its share of a complete request: of the time that a
process takes per request over HTTP, which wrk measures in turns. Other work on the machine affects neither much.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from benchmarks.load import WORKLOADS, Load, make
from benchmarks.load_data import ARTICLES, TOKEN_FILE
from octavo.api.http.observers import Nobody
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.operations.runtime.logs import set_up_log
from octavo.operations.runtime.process import Process, build
from octavo.settings import load_settings
from tests.cli.processes import serving

WORK = ("one entry", "list of 25")
TURN = 100
"""Requests."""
WHOLE_ROUNDS = 9
METRICS = {
    "OCTAVO_SERVER__METRICS__TOKEN": "a-token-for-those-who-look",
    "OCTAVO_SERVER__LOG__ACCESS": "true",
    "OCTAVO_SERVER__LOG__ACCESS_SAMPLE": "100",
}
NOTHING = "nothing"


def see_nothing(service: Process) -> None:
    """Turn off request ids and the list of slow requests of a service."""
    dispatcher = service.asgi._dispatcher  # noqa: SLF001 - no service has a way to be like this
    headers = dispatcher.headers

    def unnamed(request: Request, response: Response) -> list[tuple[bytes, bytes]]:
        request._id = ""  # noqa: SLF001 - else one is made up
        return headers(request, response)

    dispatcher.headers = unnamed  # type: ignore[method-assign]
    service.asgi.look = Nobody()


async def answer(service: Process, paths: list[tuple[bytes, bytes]]) -> float:
    """Send some requests, and return the processor time of this thread in microseconds per request."""
    statuses: list[int] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    start = time.thread_time()
    for path, query in paths:
        headers = [(b"host", b"127.0.0.1:1337"), (b"accept", b"*/*")]
        scope = {
            "type": "http",
            "method": "GET",
            "path": path.decode(),
            "raw_path": path,
            "query_string": query,
            "headers": headers,
            "client": ("127.0.0.1", 50000),
        }
        await service.asgi.answer(scope, receive, send)
    used = time.thread_time() - start
    assert set(statuses) == {200}, set(statuses)
    return used / len(paths) * 1e6


async def in_threads(service: Process, paths: list[tuple[bytes, bytes]], turns: int) -> float:
    """Return the processor time of all other threads in microseconds per request."""
    process, thread = time.process_time(), time.thread_time()
    for _ in range(turns):
        await answer(service, paths)
    if service.infrastructure.traces is not None:
        await service.infrastructure.traces.flush()
    return (time.process_time() - process - time.thread_time() + thread) / (turns * len(paths)) * 1e6


@contextmanager
def collecting() -> Iterator[int]:
    """Run a collector in its own process, and yield its port."""
    code = "from tests.operations.telemetry.collector import Collector; print(Collector().port, flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


async def measure(folder: Path, ways: Mapping[str, Mapping[str, str]], turns: int, articles: int) -> dict[str, Any]:
    """Return, for each workload, the time of a request by turn and service, and the additional time of spans per
    request."""
    services = [build(load_settings(folder, given, default_mode="production")) for given in ways.values()]
    set_up_log(services[-1].settings)
    for service in services:
        await service.asgi.start()
    see_nothing(services[0])
    found: dict[str, Any] = {}
    for name in WORK:
        random = Random(5)
        targets = [path.encode().partition(b"?")[::2] for path in WORKLOADS[name].paths(articles)]
        chosen = [(path, query) for path, query in random.choices(targets, k=TURN)]
        for service in services:
            for _ in range(5):
                await answer(service, chosen)
        rounds = []
        for number in range(turns):
            times = [0.0] * len(services)
            for index in range(len(services))[:: -1 if number % 2 else 1]:
                times[index] = await answer(services[index], chosen)
            rounds.append(times)
        *_, before, followed = services
        found[name] = rounds, await in_threads(followed, chosen, turns) - await in_threads(before, chosen, turns)
    for service in services:
        await service.asgi.stop()
    return found


def whole(folder: Path, articles: int) -> dict[str, float]:
    """Return the microseconds of processor time that a service takes for a request over HTTP."""
    token = (folder / TOKEN_FILE).read_text("utf-8")
    with serving("start", folder) as server:
        load = Load(f"http://127.0.0.1:{server.port}", token, 8, 1, articles, server.process.pid)
        found = {name: [load.run(WORKLOADS[name]).cpu * 1000 for _ in range(WHOLE_ROUNDS)] for name in WORK}
        server.stop()
    return {name: median(times) for name, times in found.items()}


@click.command()
@click.option("--project", type=click.Path(path_type=Path), help="Folder of the content, kept for later runs.")
@click.option("--turns", type=click.IntRange(20), default=600, show_default=True)
@click.option("--articles", type=click.IntRange(100), default=ARTICLES, show_default=True)
def main(project: Path | None, turns: int, articles: int) -> None:
    """Print the cost of telemetry."""
    with ExitStack() as stack:
        folder = project or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="octavo-load-"))) / "magazine"
        make(folder, {}, articles)
        endpoint = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{stack.enter_context(collecting())}"}
        traces = {**endpoint, "OCTAVO_SERVER__TRACES__SAMPLE": "0.01"}
        ways: Mapping[str, Mapping[str, str]] = {
            NOTHING: {},
            "as it comes": {},
            "and metrics, access log of 1 %": METRICS,
            "and OpenTelemetry of 1 %": {**METRICS, **traces},
        }
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stderr(nowhere):
            found = asyncio.run(measure(folder, ways, turns, articles))
        wholes = whole(folder, articles)
        for name in WORK:
            rounds, other = found[name]
            Console().print(table_of(f"{name}: {wholes[name]:.0f} µs", list(ways), rounds, wholes[name]))
            Console().print(f"Creating and sending spans takes {other:.2f} µs per request, in another thread.\n")


def table_of(title: str, ways: list[str], rounds: list[list[float]], of: float) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", title=title, title_justify="left")
    for column in ("", "µs in our code", "more, µs", "half of the turns", "of a request"):
        table.add_column(column, justify="right" if column else "left", no_wrap=True)
    for index, way in enumerate(ways):
        more = [times[index] - times[0] for times in rounds]
        low, middle, high = quantiles(more, n=4)
        cells = [f"{middle:+.2f}", f"{low:+.2f} to {high:+.2f}", f"{middle / of:+.1%}"] if index else []
        table.add_row(way, f"{median(times[index] for times in rounds):.1f}", *cells)
    return table


if __name__ == "__main__":
    main()
