"""`python -m benchmarks.hostile` measures the longest stall of a service, and its memory, under the worst known bodies.

It sends every body of `tests.robustness.corpus`, one after the other, and those of `uid/generate` as an administrator,
to a service in its own process. Requests that stall it are repeated, and the shortest of three stalls counts, because
other programs cause some too.
"""

import asyncio
import http.client
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from time import perf_counter

import click
from rich.console import Console
from rich.table import Table

from tests.cli.processes import ROOT, free_port
from tests.models.bookshop import SECRETS
from tests.models.club import NEVER, SAFE
from tests.models.site import postgresql_variables
from tests.postgresql_server import start_server
from tests.robustness.corpus import (
    LARGEST_BODY,
    HostileCall,
    administrator_calls,
    anonymous_calls,
    open_attacked_shop,
    sign_in_administrator,
)

MOST_STALL = 50.0
"""Milliseconds."""
MOST_MEMORY = 150.0
"""Megabytes above the memory of the service just before the request."""
ROUNDS = 3
PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Service:
    """A running service that reports the effect of each request."""

    process: subprocess.Popen[str]
    port: int

    def watch(self) -> dict[str, float]:
        """Return the longest stall in milliseconds and the most memory in megabytes since the last call, and the memory
        now."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        told: dict[str, float] = json.loads(self.process.stdout.readline())
        return told

    def send(self, call: HostileCall) -> int:
        """Return the status of the response, or 0 if the server closed the connection."""
        return self.exchange(call)[0]

    def exchange(self, call: HostileCall) -> tuple[int, bytes]:
        """Return the status and the body of the response; 0 and nothing if the server closed the connection."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            with suppress(ConnectionError, http.client.HTTPException):
                headers = {"Content-Type": call.content_type} if call.body else {}
                connection.request(call.method, call.target, call.body or None, {**headers, **dict(call.headers)})
                answer = connection.getresponse()
                body = answer.read()
                return answer.status, body
            return 0, b""


@dataclass(frozen=True, slots=True)
class Found:
    """The effect of a request."""

    call: HostileCall
    status: int
    seconds: float
    stall: float
    memory: float


@contextmanager
def on_database(kind: str) -> Iterator[dict[str, str]]:
    """Yield the variables that name a new database; none for SQLite."""
    if kind == "sqlite":
        yield {}
        return
    server = start_server()
    try:
        yield postgresql_variables(server.create_database())
    finally:
        server.remove()


@contextmanager
def serving(folder: Path, profile: str, database: dict[str, str]) -> Iterator[Service]:
    """Serve a bookshop in its own process."""
    asyncio.run(_fill(folder, database))
    port = free_port()
    profiled = SAFE if profile == "safe" else {}
    variables = {**SECRETS, **NEVER, **profiled, **database, "PYTHONPATH": str(ROOT / "src")}
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.hostile_service", str(folder), str(port)],
        cwd=ROOT,
        env=variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        while process.stdout.readline() != "ready\n":
            assert process.poll() is None, "the service did not start"
        yield Service(process, port)
    finally:
        process.terminate()
        process.wait(PATIENCE)


async def _fill(folder: Path, database: dict[str, str]) -> None:
    site = await open_attacked_shop(folder, database)
    await site.database.close()


def measure(service: Service, size: int, only: str) -> Iterator[Found]:
    """Send all requests and return the effect of each."""

    async def body_of(call: HostileCall) -> bytes:
        return service.exchange(call)[1]

    token = asyncio.run(sign_in_administrator(body_of))
    for call in (*anonymous_calls(1000), *administrator_calls(1000, token)):  # load everything that is loaded only once
        service.send(call)
    for call in chain(anonymous_calls(size), administrator_calls(size, token)):
        if only not in call.name:
            continue
        found = once(service, call)
        for _ in range(ROUNDS - 1):
            if found.stall <= MOST_STALL:
                break
            found = min(found, once(service, call), key=lambda one: one.stall)
        yield found


def once(service: Service, call: HostileCall) -> Found:
    before = service.watch()["now"]
    start = perf_counter()
    status = service.send(call)
    seconds = perf_counter() - start
    told = service.watch()
    return Found(call, status, seconds, told["stall"], told["peak"] - before)


def table_of(found: list[Found]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("", "status", "seconds", "stall ms", "memory MB"):
        table.add_column(column, justify="left" if not column else "right")
    for one in found:
        style = "red" if one.stall > MOST_STALL or one.memory > MOST_MEMORY or one.status >= 500 else None
        cells = (str(one.status), f"{one.seconds:.2f}", f"{one.stall:.0f}", f"{one.memory:.0f}")
        table.add_row(one.call.name, *cells, style=style)
    return table


@click.command()
@click.argument("only", default="")
@click.option("--size", default=LARGEST_BODY, show_default=True, help="Bytes of a body.")
@click.option("--profile", type=click.Choice(["v4", "safe"]), default="v4", show_default=True)
@click.option("--database", type=click.Choice(["sqlite", "postgresql"]), default="sqlite", show_default=True)
@click.option("--rows", default=25, show_default=True, help="How many of the worst are shown.")
def main(only: str, size: int, profile: str, database: str, rows: int) -> None:
    """Send the corpus, or the requests whose name contains ONLY. Exit with code 1 if a goal is missed."""
    with (
        tempfile.TemporaryDirectory(prefix="octavo-hostile-") as folder,
        on_database(database) as named,
        serving(Path(folder), profile, named) as service,
    ):
        found = list(measure(service, size, only))
        resident = service.watch()["now"]
    worst = sorted(found, key=lambda one: -one.stall)[:rows]
    largest = sorted(found, key=lambda one: -one.memory)[:5]
    failed = [one for one in found if one.status >= 500]
    console = Console(width=140)
    console.print(table_of(list({id(one): one for one in (*worst, *largest, *failed)}.values())))
    console.print(
        f"{len(found)} requests: longest stall {worst[0].stall:.0f} ms (goal {MOST_STALL:.0f}), "
        f"peak {largest[0].memory:.0f} MB (goal {MOST_MEMORY:.0f}), {len(failed)} answers of 5xx; "
        f"{resident:.0f} MB resident at the end"
    )
    sys.exit(worst[0].stall > MOST_STALL or largest[0].memory > MOST_MEMORY or bool(failed))


if __name__ == "__main__":
    main()
