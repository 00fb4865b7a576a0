"""Reads of a new shape over REST and GraphQL, which are parsed, planned and compiled, on each database."""

from collections.abc import Awaitable, Callable, Iterator
from itertools import count

import orjson

from benchmarks.client import Client
from benchmarks.harness import Bench
from benchmarks.world import World
from octavo.api.http.application import HttpApplication
from tests.api.http.asgi import call

FIELDS = ("title", "slug", "blurb", "pages", "price", "createdAt", "updatedAt", "publishedAt", "locale", "rating")
SHAPES = {
    "flat list": "",
    "populate=*": "&populate=*",
    "deep page": (
        "&populate[author][populate][books][populate]=*&populate[genres][populate]=*&populate[chapters][populate]=*"
    ),
}
OPERATION = (
    "query Books%d { books(pagination: {limit: 25}) { data { id attributes { text%d: title slug pages "
    "author { data { id attributes { name } } } genres { data { id attributes { name } } } } } "
    "meta { pagination { total } } } }"
)


def benches(world: World) -> Iterator[Bench]:
    for database, site in world.sites.items():
        for shape, send in first_requests(world, site.octavo.asgi).items():
            yield Bench("cold", f"{shape}, {database}", send)


def first_requests(world: World, app: HttpApplication) -> dict[str, Callable[[], Awaitable[bytes]]]:
    """Return functions that send requests of a new shape each time, by the kind of request."""
    names = [name for name in FIELDS if name in world.books.attributes]
    rest = {shape: _NewShapes(app, names, text).send for shape, text in SHAPES.items()}
    return {**rest, "GraphQL": _NewOperations(app).send}


class _NewShapes:
    """Requests other fields each time, so that neither the text nor the statement is cached."""

    def __init__(self, app: HttpApplication, names: list[str], text: str) -> None:
        self._app = app
        self._names = names
        self._text = text
        self._numbers = count(1)

    async def send(self) -> bytes:
        number = next(self._numbers)
        chosen = [name for place, name in enumerate(self._names) if number >> place & 1] or ["id"]
        fields = "&".join(f"fields[{place}]={name}" for place, name in enumerate(chosen))
        target = f"/api/books?{fields}&sort=id&filters[id][$ne]={number}{self._text}"
        return await Client(self._app, "GET", target).send()


class _NewOperations:
    """Sends a new document each time."""

    def __init__(self, app: HttpApplication) -> None:
        self._app = app
        self._numbers = count(1)

    async def send(self) -> bytes:
        number = next(self._numbers)
        body = orjson.dumps({"query": OPERATION % (number, number)})
        answer = await call(self._app, "POST", "/graphql", [("Content-Type", "application/json")], [body])
        assert answer.status == 200, answer.body
        return answer.body
