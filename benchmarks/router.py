"""Stage: method and path become a handler."""

from collections.abc import Iterator
from functools import partial

from benchmarks.harness import Bench
from benchmarks.world import World

PATHS = {
    "a list": "/api/books",
    "an entry": "/api/books/12",
    "unusual case": "/API/Books/12/",
    "a localization": "/api/books/12/localizations",
    "nothing": "/nothing/here",
}


def benches(world: World) -> Iterator[Bench]:
    router = world.sites["sqlite"].octavo.site.router
    for name, path in PATHS.items():
        yield Bench("router", name, partial(router.find, "POST" if "localization" in name else "GET", path))
