"""Stage: nested values become a Query."""

from collections.abc import Iterator
from functools import partial

from benchmarks.harness import Bench
from benchmarks.world import QUERIES, World
from octavo.api.http.query_string import parse_query_string
from octavo.query.params import PageLimits, read_query


def benches(world: World) -> Iterator[Bench]:
    for name, text in QUERIES.items():
        yield Bench("query", name, partial(read_query, parse_query_string(text), PageLimits()))
