"""Stage: a Query becomes a plan."""

from collections.abc import Iterator
from functools import partial

from benchmarks.harness import Bench
from benchmarks.world import QUERIES, World
from octavo.query.plan.read import plan_read


def benches(world: World) -> Iterator[Bench]:
    for name, text in QUERIES.items():
        yield Bench("plan", name, partial(plan_read, world.request(text), world.registry))
