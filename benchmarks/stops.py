"""All stops, in the order of a request's road; then whole requests, writes and starts."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from benchmarks import (
    authenticate,
    cold,
    compile,
    envelope,
    parse,
    plan,
    query,
    request,
    router,
    sanitize,
    start,
    write,
)
from benchmarks.harness import Bench
from benchmarks.world import World

STOPS: Mapping[str, Callable[[World], Iterable[Bench]]] = {
    "router": router.benches,
    "authenticate": authenticate.benches,
    "parse": parse.benches,
    "query": query.benches,
    "sanitize": sanitize.benches,
    "plan": plan.benches,
    "compile": compile.benches,
    "envelope": envelope.benches,
    "request": request.benches,
    "cold": cold.benches,
    "write": write.benches,
    "start": start.benches,
}


def all_benches(world: World, stops: Iterable[str] = STOPS) -> Iterator[Bench]:
    """What there is to measure at these stops."""
    for stop in stops:
        yield from STOPS[stop](world)
