"""The whole road of a read whose shape was never seen: parsed, planned and compiled anew, on each database."""

from collections.abc import Iterator
from itertools import count

from benchmarks.client import Client
from benchmarks.harness import Bench
from benchmarks.world import World
from octavo.api.http.application import HttpApplication

FIELDS = ("title", "slug", "blurb", "pages", "price", "createdAt", "updatedAt", "publishedAt", "locale", "rating")
SHAPES = {
    "flat list": "",
    "populate=*": "&populate=*",
    "deep page": (
        "&populate[author][populate][books][populate]=*&populate[genres][populate]=*&populate[chapters][populate]=*"
    ),
}


def benches(world: World) -> Iterator[Bench]:
    names = [name for name in FIELDS if name in world.books.attributes]
    for database, site in world.sites.items():
        for shape, text in SHAPES.items():
            yield Bench("cold", f"{shape}, {database}", _NewShapes(site.octavo.asgi, names, text).send)


class _NewShapes:
    """Asks for other fields each time, so that neither the text nor the statement is known."""

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
