"""Stage: a Query loses the parts that the actor may not read."""

from collections.abc import Iterator
from functools import partial

from benchmarks.harness import Bench
from benchmarks.world import QUERIES, World
from octavo.access.authorization.query_sanitizer import QuerySanitizer
from octavo.api.http.query_string import parse_query_string
from octavo.query.params import PageLimits, read_query


def benches(world: World) -> Iterator[Bench]:
    sanitizer = QuerySanitizer(world.registry, world.ability)
    for name, text in QUERIES.items():
        query = read_query(parse_query_string(text), PageLimits())
        yield Bench("sanitize", name, partial(sanitizer.sanitize, query, world.books))
