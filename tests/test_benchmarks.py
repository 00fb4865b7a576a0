"""Run the benchmarks once, and count calls and statements of plans, requests and writes, which no load can change."""

import asyncio
import gc
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from rich.console import Console

import octavo
from benchmarks.__main__ import table_of
from benchmarks.client import Client
from benchmarks.cold import first_requests
from benchmarks.harness import Bench, Measured, measure, once
from benchmarks.load import WORKLOADS, Load, load_by_ourselves
from benchmarks.load_data import TOKEN_FILE, fill, write_project
from benchmarks.stages import STAGES
from benchmarks.world import QUERIES, World, open_world
from benchmarks.write import LARGE, SMALL
from octavo.database.connection import LARGEST_ANSWER
from octavo.query.plan.read import plan_read
from octavo.query.sql.read.select import compile_read
from tests.cli.processes import serving
from tests.dialects import DIALECTS
from tests.models.fixtures import hold_clocks
from tests.postgresql_server import PostgresqlServer

pytestmark = pytest.mark.anyio

# Most calls of Python functions to plan, and to compile for one database: about a tenth more than now.
MOST_CALLS = {
    "nothing asked": (85, 205),
    "filter, sort, page": (245, 325),
    "four relations": (295, 610),
    "five levels": (310, 710),
    "components and zones": (650, 1330),
}

# Most calls of our own functions for a whole request, on SQLite and on PostgreSQL. For reads as many as now, because
# each affects the rate of requests; for writes a twentieth more.
MOST_REQUEST_CALLS = {
    "read an entry": (42, 57),
    "list entries": (45, 60),
    "create, small": (212, 239),
    "update, small": (201, 229),
    "update, large": (1642, 1881),
}

# Most calls of Python functions for the first request of a shape: about a twentieth more than now.
MOST_FIRST_CALLS = {"flat list": 950, "populate=*": 3700, "deep page": 5600, "GraphQL": 5000}

WRITES = {
    "create, small": ("POST", "/api/books", SMALL),
    "create, large": ("POST", "/api/books", LARGE),
    "update, small": ("PUT", "/api/books/2", SMALL),
    "update, large": ("PUT", "/api/books/2", LARGE),
}
# Statements of a write, and its round trips to the server: for the transaction, its locks and its statements. As many
# as now.
ROUND_TRIPS = {
    "sqlite": {
        "create, small": (2, 0),
        "create, large": (13, 0),
        "update, small": (2, 0),
        "update, large": (19, 0),
    },
    "postgresql": {
        "create, small": (2, 4),
        "create, large": (2, 4),
        "update, small": (2, 4),
        "update, large": (6, 9),
    },
}
OWN = str(Path(octavo.__file__).parent)


@pytest.fixture(scope="module")
async def world(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory, postgresql_server: PostgresqlServer
) -> AsyncIterator[World]:
    url = postgresql_server.create_database()
    with pytest.MonkeyPatch.context() as patch:
        hold_clocks(patch)
        async with open_world(tmp_path_factory.mktemp("benchmarks") / "world", url) as opened:
            yield opened
    postgresql_server.drop_database(url)


@pytest.mark.parametrize("stage", STAGES)
async def test_every_bench_runs(world: World, stage: str) -> None:
    benches = list(STAGES[stage](world))
    for bench in benches:
        await once(bench)
    assert {bench.stage for bench in benches} == {stage}
    assert len({bench.title for bench in benches}) == len(benches)


@contextmanager
def counted_calls(own: bool = False) -> Iterator[Counter[str]]:
    """Count the Python functions that are called inside, by name. `own`: only our own ones."""
    calls: Counter[str] = Counter()

    def count(frame: Any, event: str, argument: Any) -> None:
        code = frame.f_code
        # Comprehensions are calls up to Python 3.11 and none later; `dataclasses.replace` is two from Python 3.13 on.
        if event == "call" and code.co_name not in ("<listcomp>", "<dictcomp>", "<setcomp>", "_replace"):
            calls[code.co_qualname] += code.co_filename.startswith(OWN) if own else 1

    gc.disable()  # so that its calls do not count
    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(None)
        gc.enable()


def calls_of(work: Callable[[], Any]) -> int:
    """Return the number of calls of Python functions, when it runs for the second time."""
    work()
    with counted_calls() as calls:
        work()
    return calls.total()


@pytest.mark.parametrize("name", QUERIES)
async def test_planning_and_compiling_cost_no_more_calls(world: World, name: str) -> None:
    request = world.request(QUERIES[name])
    planned = world.planned(QUERIES[name])
    most_to_plan, most_to_compile = MOST_CALLS[name]
    assert calls_of(lambda: plan_read(request, world.registry)) <= most_to_plan
    for dialect in DIALECTS.values():
        assert calls_of(lambda: compile_read(planned.plan, world.registry, dialect, LARGEST_ANSWER)) <= most_to_compile  # noqa: B023


@pytest.mark.usefixtures("measured_quick")
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
async def test_requests_cost_no_more_calls(world: World, database: str) -> None:
    asgi, position = world.sites[database].octavo.asgi, ("sqlite", "postgresql").index(database)
    clients = {
        "read an entry": Client(asgi, "GET", "/api/books/2"),
        "list entries": Client(asgi, "GET", "/api/books?populate=author&pagination[pageSize]=10"),
        "create, small": Client(asgi, "POST", "/api/books", SMALL),
        "update, small": Client(asgi, "PUT", "/api/books/2", SMALL),
        "update, large": Client(asgi, "PUT", "/api/books/2", LARGE),
    }
    for name, client in clients.items():
        for _ in range(3):
            await client.send()
        calls = min([await calls_of_request(client) for _ in range(5)], key=Counter.total)
        assert calls.total() <= MOST_REQUEST_CALLS[name][position], (name, calls.most_common(20))


@pytest.mark.usefixtures("measured_quick")
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
async def test_first_requests_of_a_shape_cost_no_more_calls(world: World, database: str) -> None:
    for name, send in first_requests(world, world.sites[database].octavo.asgi).items():
        for _ in range(3):
            await send()
        calls = min([await calls_of_first(send) for _ in range(4)], key=Counter.total)
        assert calls.total() <= MOST_FIRST_CALLS[name], (name, calls.most_common(20))


async def calls_of_first(send: Callable[[], Awaitable[bytes]]) -> Counter[str]:
    """Return the calls of a request by function, including libraries."""
    with counted_calls() as calls:
        await send()
    return calls


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
async def test_writes_take_so_many_round_trips(world: World, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    for name in ("execute", "fetch", "fetchrow"):
        monkeypatch.setattr(asyncpg.Connection, name, _noted(sent, getattr(asyncpg.Connection, name)))
    site, trips = world.sites[database], {}
    for name, (method, path, body) in WRITES.items():
        client = Client(site.octavo.asgi, method, path, body)
        for _ in range(4):  # frequent shapes are written with fewer statements
            await client.send()
        counts = []
        for _ in range(3):  # caches with a time to live can be due for a refresh meanwhile
            before, sent[:] = site.database.statements, ()
            await client.send()
            counts.append((site.database.statements - before, len(sent)))
        trips[name] = min(counts)
    assert trips == ROUND_TRIPS[database], sent


def _noted(sent: list[str], method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a connection's method that also records each call: one round trip, if its text was prepared before."""

    def noted(connection: Any, text: str, *values: Any, **named: Any) -> Any:
        sent.append(text)
        return method(connection, text, *values, **named)

    return noted


async def calls_of_request(client: Client) -> Counter[str]:
    """Return the calls of our own functions by name. A write makes more if its connection has not prepared its text."""
    with counted_calls(own=True) as calls:
        await client.send()
    return calls


async def test_the_load_reads_and_writes(tmp_path: Path) -> None:
    settings = write_project(tmp_path / "magazine", {})
    await fill(settings, lambda done, total: None, articles=100)
    token = (settings.project / TOKEN_FILE).read_text("utf-8")
    with serving("start", settings.project) as server:
        load = Load(f"http://127.0.0.1:{server.port}", token, 4, 0.1, 100, server.process.pid)
        found = [await asyncio.to_thread(load_by_ourselves, load, workload) for workload in WORKLOADS.values()]
    assert [round.failed for round in found] == [0] * len(WORKLOADS)
    assert all(0 < round.p50 <= round.p99 for round in found)


async def test_measuring_counts_calls_without_the_preparation() -> None:
    said: list[str] = []

    async def call() -> None:
        said.append("call")

    found = await measure(Bench("stage", "name", call, lambda: said.append("before"), few=True), seconds=0)
    assert said == ["before", "call"] * 6
    assert found.median_us > 0
    assert found.calls_per_second == pytest.approx(1e6 / found.median_us)


async def test_the_table_compares_with_an_earlier_one() -> None:
    found = {"plan: a": Measured(1500.0, 666.6, 3.25), "plan: b": Measured(2.0, 500_000.0, 0.0)}
    console = Console(width=80)
    with console.capture() as captured:
        console.print(table_of(found, {"plan: a": {"median_us": 1000.0}}))
    assert [line.split() for line in captured.get().splitlines()] == [
        ["median", "µs", "per", "second", "peak", "kB", "now", "/", "before"],
        ["plan:", "a", "1,500.0", "667", "3.2", "1.50"],
        ["plan:", "b", "2.0", "500,000", "0.0", "new"],
    ]
