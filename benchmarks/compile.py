"""Stage: a plan becomes a statement; also the lookup of the statement of a cached plan."""

from collections.abc import Iterator
from functools import partial

from benchmarks.harness import Bench
from benchmarks.world import QUERIES, World
from octavo.content.reader import EntryReader
from octavo.database.connection import LARGEST_ANSWER
from octavo.query.sql.dialects.postgresql import POSTGRESQL
from octavo.query.sql.dialects.sqlite import SQLITE
from octavo.query.sql.read.select import compile_read


def benches(world: World) -> Iterator[Bench]:
    for name, text in QUERIES.items():
        plan = world.planned(text).plan
        for dialect in (SQLITE, POSTGRESQL):
            arguments = plan, world.registry, dialect, LARGEST_ANSWER
            yield Bench("compile", f"{name}, {dialect.name}", partial(compile_read, *arguments))
    reader = EntryReader(world.sites["sqlite"].database, world.registry)
    yield Bench("compile", "five levels, known", lambda: reader.prepare(world.planned(QUERIES["five levels"])))
