"""`python -m benchmarks.pieces` measures what each kind of request costs a node, its database and the database's log.

Processor time comes from the counters of the system, so the result is also meaningful on a busy machine.
`docs/scaling.md` calculates with these figures.
"""

import asyncio
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import httpx
import psutil  # type: ignore[import-untyped]
from rich.console import Console
from rich.table import Table

from benchmarks.load_data import TOKEN_FILE, fill, write_project
from tests.cli.processes import Server, run, serving
from tests.models.site import postgresql_variables
from tests.postgresql_server import PostgresqlServer, database_name, start_server

ARTICLES = 10_000
LIST = "/api/articles?pagination[pageSize]=25"
POPULATED = f"{LIST}&populate[author]=true&populate[category]=true&populate[tags]=true&populate[cover]=true"
QUERY = "{ articles(pagination: {limit: 25}) { data { id attributes { title } } meta { pagination { total } } } }"
PASSWORD = "correct horse"
_WAL = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"

Call = Callable[[int], httpx.Response]


@dataclass(frozen=True)
class Pieces:
    """The cost of one request: milliseconds of processor time, and bytes."""

    node: float
    database: float
    log: float
    answer: int
    seconds: float


class Desk:
    """A service on PostgreSQL, and a client that keeps its connection."""

    def __init__(self, server: Server, postgresql: PostgresqlServer, name: str, token: str) -> None:
        self._node = psutil.Process(server.process.pid)
        self._postmaster = psutil.Process(int((postgresql.data / "postmaster.pid").read_text().split()[0]))
        self._postgresql, self._name = postgresql, name
        self._client = httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=60)
        self._full = {"Authorization": f"Bearer {token}"}
        self._ids: list[int] = []
        self._known = ""

    def calls(self) -> dict[str, tuple[int, Call]]:
        """Return each kind of request with its number."""
        get, post = self._client.get, self._client.post
        return {
            "one entry by id": (3000, lambda number: get(f"/api/articles/{number % ARTICLES + 1}")),
            "list of 25 with total": (1500, lambda number: get(LIST)),
            "four relations populated": (400, lambda number: get(POPULATED)),
            "GraphQL list of 25 with total": (1500, lambda number: post("/graphql", json={"query": QUERY})),
            "the same list, unchanged (304)": (1500, self._unchanged),
            "create (author, two tags)": (800, self._create),
            "update (one attribute)": (800, self._update),
            "sign in": (20, lambda number: post("/api/auth/local", json={"identifier": "bob", "password": PASSWORD})),
        }

    def _create(self, number: int) -> httpx.Response:
        title = f"New {number} {time.time_ns()}"
        data = {"title": title, "slug": f"new-{time.time_ns()}", "author": 1, "tags": [1, 2]}
        answer = self._client.post("/api/articles", json={"data": data}, headers=self._full)
        self._ids.append(answer.json()["data"]["id"])
        return answer

    def _update(self, number: int) -> httpx.Response:
        path = f"/api/articles/{self._ids[number % len(self._ids)]}"
        data = {"readingMinutes": number % 50 + 1}
        return self._client.put(path, json={"data": data}, headers=self._full)

    def _unchanged(self, number: int) -> httpx.Response:
        self._known = self._known or self._client.get(LIST).headers.get("etag", "")
        return self._client.get(LIST, headers={"If-None-Match": self._known})

    def measure(self, count: int, call: Call) -> Pieces:
        """Return the cost of one request, from this many sent one after the other."""
        answer = call(0)
        for number in range(1, 30 if count > 100 else 3):
            answer = call(number)
        assert answer.status_code in (200, 304), answer.text
        self._postgresql.run_sql("postgres", "CHECKPOINT")
        before, began = self._counts(), time.perf_counter()
        for number in range(count):
            call(number)
        seconds = time.perf_counter() - began
        node, database, log = (now - then for now, then in zip(self._counts(), before, strict=True))
        return Pieces(node / count * 1000, database / count * 1000, log / count, len(answer.content), seconds / count)

    def _counts(self) -> tuple[float, float, float]:
        log = float(self._postgresql.run_sql(self._name, _WAL))
        return _seconds(self._node), sum(map(_seconds, self._postmaster.children())), log

    def idle(self, seconds: float) -> tuple[float, float, str]:
        """Return the cost of a second without requests, and its number of statements."""
        text = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"
        before, then = self._counts(), int(self._postgresql.run_sql(self._name, text))
        time.sleep(seconds)
        node, database, _ = (now - was for now, was in zip(self._counts(), before, strict=True))
        done = int(self._postgresql.run_sql(self._name, text)) - then
        return node / seconds * 1000, database / seconds * 1000, f"{done / seconds:.1f}"


def _seconds(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)


@contextmanager
def _desk() -> Iterator[Desk]:
    postgresql = start_server()
    folder = Path(tempfile.mkdtemp(prefix="octavo-pieces-"))
    try:
        url = postgresql.create_database()
        postgresql.run_sql("postgres", "ALTER SYSTEM SET full_page_writes = on; SELECT pg_reload_conf()")
        variables: dict[str, Any] = postgresql_variables(url)
        settings = write_project(folder / "project", variables)
        asyncio.run(fill(settings, lambda done, of: None, ARTICLES))
        code, said = run("users", "create", "bob", "bob@example.org", "--password", PASSWORD,
                         "--project", str(settings.project), **variables)  # fmt: skip
        assert code == 0, said
        limits = {"OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__RATELIMIT__ENABLED": "false"}
        postgresql.run_sql(database_name(url), "VACUUM ANALYZE")
        with serving("start", settings.project, **variables, **limits) as server:
            token = (settings.project / TOKEN_FILE).read_text().strip()
            yield Desk(server, postgresql, database_name(url), token)
    finally:
        postgresql.remove()
        shutil.rmtree(folder, ignore_errors=True)


@click.command()
def main() -> None:
    """Print the costs."""
    console = Console(width=int(os.environ.get("COLUMNS", "120")))
    table = Table("", "node, ms", "PostgreSQL, ms", "log, bytes", "answer, bytes", "requests/s of one client")
    with _desk() as desk:
        for name, (count, call) in desk.calls().items():
            found = desk.measure(count, call)
            row = (f"{found.node:.2f}", f"{found.database:.2f}", f"{found.log:,.0f}", f"{found.answer:,}")
            table.add_row(name, *row, f"{1 / found.seconds:,.0f}")
        node, database, statements = desk.idle(10)
    console.print(table)
    costs = f"{node:.1f} ms of the node, {database:.1f} ms of PostgreSQL, {statements} transactions"
    console.print(f"A second without requests: {costs}.")


if __name__ == "__main__":
    main()
