"""All stages in the order of a request, then complete requests, writes and starts."""

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

STAGES: Mapping[str, Callable[[World], Iterable[Bench]]] = {
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


def all_benches(world: World, stages: Iterable[str] = STAGES) -> Iterator[Bench]:
    """Return the benchmarks of these stages."""
    for stage in stages:
        yield from STAGES[stage](world)
