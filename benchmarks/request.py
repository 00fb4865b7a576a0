"""Complete reads through HTTP in the same process, on each database."""

from collections.abc import Iterator
from itertools import count

from benchmarks.client import Client
from benchmarks.harness import Bench
from benchmarks.world import QUERIES, World
from octavo.api.http.application import HttpApplication


def benches(world: World) -> Iterator[Bench]:
    for database, site in world.sites.items():
        asgi = site.octavo.asgi
        yield Bench("request", f"an entry, {database}", Client(asgi, "GET", "/api/books/1").send)
        for name, text in QUERIES.items():
            yield Bench("request", f"list: {name}, {database}", Client(asgi, "GET", f"/api/books?{text}").send)
        yield Bench("request", f"list: known shape, new values, {database}", _Changing(asgi).send)


class _Changing:
    """Sends the same request with a different value each time, so that no text repeats."""

    def __init__(self, app: HttpApplication) -> None:
        self._app = app
        self._numbers = count()

    async def send(self) -> bytes:
        target = f"/api/books?filters[title][$eq]=title {next(self._numbers)}&sort=title"
        return await Client(self._app, "GET", target.replace(" ", "%20")).send()
