"""Complete writes through HTTP in the same process, on each database; each is committed."""

from collections.abc import Iterator

import orjson

from benchmarks.client import Client
from benchmarks.harness import Bench
from benchmarks.world import World
from tests.models.site import Site

SMALL = {"title": "A small one", "pages": 12}
LARGE = SMALL | {
    "author": 1,
    "genres": [1, 2, 3],
    "cover": 1,
    "details": {"binding": "hard", "weight": 1.5},
    "chapters": [{"title": "one", "pages": 1}, {"title": "two", "pages": 2, "footnote": {"text": "note"}}],
    "extras": [{"__component": "shop.quote", "text": "quote", "source": 1}],
}


def benches(world: World) -> Iterator[Bench]:
    for database, site in world.sites.items():
        asgi = site.octavo.asgi
        for name, data in (("small", SMALL), ("large", LARGE)):
            yield Bench("write", f"create, {name}, {database}", Client(asgi, "POST", "/api/books", data).send)
            yield Bench("write", f"update, {name}, {database}", Client(asgi, "PUT", "/api/books/1", data).send)
            deletion = _Deletion(site, data)
            yield Bench("write", f"delete, {name}, {database}", deletion.delete, deletion.create)


class _Deletion:
    """Creates an entry, so that it can be deleted."""

    def __init__(self, site: Site, data: object) -> None:
        self._create = Client(site.octavo.asgi, "POST", "/api/books", data)
        self._delete = Client(site.octavo.asgi, "DELETE", "/api/books/:id")
        self._id = 0

    async def create(self) -> None:
        self._id = orjson.loads(await self._create.send())["data"]["id"]

    async def delete(self) -> None:
        await self._delete.send(self._id)
