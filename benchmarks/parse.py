"""Stage: a query string becomes nested values."""

from collections.abc import Iterator
from functools import partial

from benchmarks.harness import Bench
from benchmarks.world import QUERIES, World
from octavo.api.http.query_string import parse_query_string


def benches(world: World) -> Iterator[Bench]:
    for name, text in QUERIES.items():
        yield Bench("parse", name, partial(parse_query_string, text))
