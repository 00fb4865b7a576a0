"""`python -m benchmarks.large` compares requests with 10,000 and with 1,000,000 articles, in alternating rounds.

A magazine of 1,000 articles is created as for the load, and copied within the database with its authors and links, so
that responses keep their size. Each request goes to both magazines alternately, for different entries each time. The
minimum of all rounds counts, because other programs use the machine too.
"""

import asyncio
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter

import click
from rich.console import Console
from rich.table import Table as Printed

from benchmarks.client import Client
from benchmarks.load_data import AUTHORS, fill, write_project
from benchmarks.world import COUNT_ON
from octavo.database.connection import Connection, Database
from octavo.database.declared_indexes import make_declared_indexes
from octavo.database.maintained_counts import CountMaintenance
from octavo.database.substring_indexes import SubstringIndexMaintenance
from octavo.database.synchronize import found_tables
from octavo.operations.runtime.open_resources import open_project_database
from octavo.operations.runtime.process import Process, build
from octavo.query.sql.ddl.tables import Table
from octavo.schema.loader import load_registry
from octavo.settings import Settings
from tests.models.site import postgresql_variables

BASE = 1_000
SHIFTED: Mapping[str, int] = {"articles": BASE, "authors": AUTHORS}
"""The tables to copy, and how much ids grow with each copy."""
LEFT_OUT = ("articles_components",)
"""Tables that are not copied: they fill the disk and do not affect the result."""
AT_ONCE = 50
"""Copies per statement."""
WHOLE, PART = 1.5, 3.0

_HASTE: Mapping[str, str] = {
    "sqlite": "PRAGMA cache_size = -1500000",
    "postgresql": "SET LOCAL session_replication_role = replica; SET LOCAL work_mem = '256MB'",
}
"""Statements that speed up filling: keep pages in memory, do not check foreign keys."""

Ask = Callable[[Random, int], str]


@dataclass(frozen=True, slots=True)
class Workload:
    """A request to a magazine of this size, and how many times as long it may take in the large one."""

    path: Ask
    most: float


def _number(random: Random) -> int:
    number = random.randint(1, BASE)
    return number - 1 if number % 50 == 0 else number


def _one(random: Random, articles: int) -> str:
    return f"/api/articles/{_number(random) + BASE * random.randrange(articles // BASE)}"


def _author(random: Random, articles: int) -> str:
    copy = random.randrange(1, articles // BASE)
    name = f"Author%20{random.randint(1, AUTHORS):04}%20{copy}"
    return f"/api/articles?filters[author][name][$eq]={name}&fields[0]=title&fields[1]=slug"


def _middle(random: Random, articles: int) -> str:
    return f"/api/articles?pagination[page]={articles // 25 // 2 - random.randrange(1, 40)}"


def _part(random: Random, articles: int, operator: str = "$containsi", word: str = "ARTICLE") -> str:
    copy = random.randrange(1, articles // BASE)
    part = f"-{copy}-%20{word}%20{_number(random):05}"
    return f"/api/articles?filters[title][{operator}]={part}&pagination[withCount]=false"


def _shared(random: Random, articles: int) -> str:
    return f"/api/articles?filters[title][$containsi]={'ARTICLE'[: random.randint(4, 7)]}&pagination[withCount]=false"


WORKLOADS: Mapping[str, Workload] = {
    "findOne": Workload(_one, WHOLE),
    "list of 25 with total": Workload(lambda random, n: "/api/articles", WHOLE),
    "filter through a relation": Workload(_author, WHOLE),
    "four relations populated": Workload(lambda random, n: "/api/articles?populate=author,category,tags,cover", WHOLE),
    "page in the middle": Workload(_middle, PART),
    "sort by a declared index": Workload(lambda random, n: "/api/articles?sort=title:desc", PART),
    "$containsi": Workload(_part, PART),
    "$containsi of what all have": Workload(_shared, PART),
    "$contains": Workload(lambda random, n: _part(random, n, "$contains", "Article"), PART),
}


def project(folder: Path, variables: Mapping[str, str]) -> Settings:
    """Create the magazine, with indexes declared for its articles."""
    settings = write_project(folder, variables)
    file = folder / "src/api/article/content-types/article/schema.json"
    definition = json.loads(file.read_text("utf-8"))
    definition["pluginOptions"]["octavo"] = {"indexes": [["title"], {"attributes": ["title"], "kind": "contains"}]}
    file.write_text(json.dumps(definition), "utf-8")
    return settings


async def multiply(settings: Settings, articles: int) -> None:
    """Fill a magazine with this number of articles."""
    await fill(settings, lambda done, all_: None, BASE)
    database = open_project_database(settings)
    await database.connect()
    try:
        found = await found_tables(database, database.dialect)
        async with database.transaction(exclusive=True) as transaction:
            await transaction.execute_script(_HASTE[database.dialect.name])
            for table in _copied(found):
                for first in range(1, articles // BASE, AT_ONCE):
                    last = min(first + AT_ONCE, articles // BASE) - 1
                    await transaction.execute_script(_copy_text(database, table, first, last))
            await _end(transaction, database)
        if database.dialect.aside is not None:
            await make_declared_indexes(database, load_registry(settings.project))
            async with database.apart() as connection:
                await connection.execute("VACUUM (ANALYZE)")
        await CountMaintenance(database, load_registry(settings.project)).keep()
        await SubstringIndexMaintenance(database, load_registry(settings.project)).keep()
    finally:
        await database.close()


async def _end(transaction: Connection, database: Database) -> None:
    if database.dialect.name == "postgresql":
        await transaction.execute(COUNT_ON)
    await transaction.execute("ANALYZE")


def _copied(found: Mapping[str, Table]) -> Iterator[Table]:
    yield from (found[name] for name in SHIFTED)
    for table in found.values():
        leads_there = any(key.target in SHIFTED for key in table.foreign_keys)
        if (leads_there and table.name not in (*SHIFTED, *LEFT_OUT)) or table.name == "files_related_morphs":
            yield table


def _copy_text(database: Database, table: Table, first: int, last: int) -> str:
    quote = database.dialect.quote
    keys = {key.column: SHIFTED[key.target] for key in table.foreign_keys if key.target in SHIFTED}
    values = {column.name: f"r.{quote(column.name)}" for column in table.columns}
    if table.name in SHIFTED:
        keys["id"] = SHIFTED[table.name]
    else:
        del values["id"]
    if table.name == "files_related_morphs":
        keys["related_id"] = BASE
    values |= {name: f"r.{quote(name)} + n.i * {step}" for name, step in keys.items()}
    texts = {"slug": "r.slug || '-' || n.i", "title": "'-' || n.i || '- ' || r.title", "name": "r.name || ' ' || n.i"}
    if table.name in SHIFTED:
        values |= {name: text for name, text in texts.items() if name in values}
    if "body" in values:
        values["body"] = "substr(r.body, 1, 300)"
    where = " AND ".join(f"r.{quote(name)} <= {step}" for name, step in keys.items())
    if table.name == "files_related_morphs":
        where += " AND r.related_type = 'api::article.article'"
    return (
        f"WITH RECURSIVE n(i) AS (SELECT {first} UNION ALL SELECT i + 1 FROM n WHERE i < {last})"
        f" INSERT INTO {quote(table.name)} ({', '.join(map(quote, values))})"
        f" SELECT {', '.join(values.values())} FROM n CROSS JOIN {quote(table.name)} r WHERE {where} ORDER BY n.i, r.id"
    )


async def _until_kept(process: Process) -> None:
    """Wait until totals are maintained, which begins a second after a start."""
    keeper = CountMaintenance(process.database, process.site.registry)
    while any(not state.is_kept for state in await keeper.states()):  # noqa: ASYNC110 - nobody tells when
        await asyncio.sleep(0.2)


async def times(
    small: Process, large: Process, sizes: tuple[int, int], workload: Workload, rounds: int
) -> list[list[float]]:
    """Return the milliseconds of each call, in the small and in the large magazine."""
    random, took = Random(7), list[list[float]]([[], []])
    for number in range(rounds + 5):
        for place, (process, size) in enumerate(zip((small, large), sizes, strict=True)):
            client = Client(process.asgi, "GET", workload.path(random, size))
            begin = perf_counter()
            await client.send()
            if number >= 5:
                took[place].append((perf_counter() - begin) * 1000)
    return took


async def measure(folder: Path, client: str, url: Callable[[], str], sizes: tuple[int, int], rounds: int) -> Printed:
    """Create both magazines on one kind of database, and measure."""
    table = Printed("request", "small ms", "large ms", "times", "median", "may be", title=client)
    async with AsyncExitStack() as stack:
        processes = []
        for size in sizes:
            variables = {} if client == "sqlite" else postgresql_variables(url())
            settings = project(folder / f"{client}-{size}", variables)
            begin = perf_counter()
            await multiply(settings, size)
            Console(stderr=True).print(f"{client}: {size:,} articles in {perf_counter() - begin:.0f} s")
            process = build(settings)
            await process.asgi.start()
            stack.push_async_callback(process.asgi.stop)
            processes.append(process)
            await _until_kept(process)
        for name, workload in WORKLOADS.items():
            small, large = await times(processes[0], processes[1], sizes, workload, rounds)
            least, half = min(large) / min(small), median(large) / median(small)
            cells = (f"{min(small):.2f}", f"{min(large):.2f}", f"{least:.2f}", f"{half:.2f}", f"{workload.most:g}")
            table.add_row(name, *cells)
    return table


@click.command()
@click.option("--small", default=10_000, help="Articles in the small magazine.")
@click.option("--large", default=1_000_000, help="Articles in the large magazine.")
@click.option("--rounds", default=40, help="Calls of each request to each magazine.")
@click.option("--database", type=click.Choice(["sqlite", "postgresql"]), multiple=True, help="Only this database.")
@click.option("--folder", type=click.Path(path_type=Path), help="Folder for the magazines; a temporary one by default.")
def main(small: int, large: int, rounds: int, database: tuple[str, ...], folder: Path | None) -> None:
    """Measure and print a table for each database."""
    from tests.postgresql_server import start_server

    with tempfile.TemporaryDirectory(dir=folder) as place:
        for client in database or ("sqlite", "postgresql"):
            server = start_server() if client == "postgresql" else None
            try:
                made = server.create_database if server else str
                Console().print(asyncio.run(measure(Path(place), client, made, (small, large), rounds)))
            finally:
                if server:
                    server.remove()


if __name__ == "__main__":
    main()
