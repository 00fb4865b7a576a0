"""Plugins in a project's `src/plugins`: content types and code with the prefix `plugin::`."""

import json
from pathlib import Path
from typing import Any

import pytest

from octavo.schema.loader import inspect_definitions
from octavo.testing import open_site
from octavo.v4.code.porting import read_ported
from tests.project.test_plugins import write

pytestmark = pytest.mark.anyio

PRICES = "plugin::shop.price"
WHO: dict[str, Any] = {"type": "relation", "relation": "manyToOne", "target": PRICES}


def definition(singular: str, attributes: dict[str, Any], kind: str = "collectionType") -> str:
    info = {"singularName": singular, "pluralName": f"{singular}s", "displayName": singular}
    return json.dumps({"kind": kind, "collectionName": f"{singular}s", "info": info, "attributes": attributes})


RATE = definition("rate", {"usd": {"type": "float"}}, "singleType")
FILES = {
    "src/api/pan/content-types/pan/schema.json": definition("pan", {"name": {"type": "string"}, "price": WHO}),
    "src/plugins/shop/content-types/price/schema.json": definition("price", {"cents": {"type": "integer"}}),
    "src/plugins/shop/content-types/price/lifecycles.py": (
        "def before_create(event):\n    event.params.data['cents'] += 1\n"
    ),
    "src/plugins/shop/server/content-types/rate/schema.json": RATE,
    "src/plugins/old/server/content-types/thing/schema.json": definition("thing", {"name": {"type": "string"}}),
    "src/plugins/shop/services/price.py": """
from octavo import Service

class PriceService(Service):
    async def cheapest(self):
        return await self.entries.find_first(sort="cents")
""",
    "src/plugins/shop/policies/always.py": "def policy(context):\n    return context.actor.kind != 'nobody'\n",
    "src/plugins/shop/controllers/till.py": """
from octavo import Controller

class TillController(Controller):
    async def cheapest(self, request):
        price = await self.app.service("plugin::shop.price").cheapest()
        rate = await self.app.service("plugin::shop.rate").find({})
        return {"cents": price["cents"], "usd": rate and rate["usd"]}
""",
    "src/plugins/shop/routes/till.py": """
from octavo import Route

routes = [
    Route("GET", "/shop/cheapest", "till.cheapest", auth=False, policies=["always"]),
    Route("GET", "/shop/prices", "price.find", auth=False),
]
""",
}


async def test_a_local_plugin_has_types_services_routes_and_hooks(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    async with open_site(tmp_path) as site:
        price = await site.make(PRICES, cents=4)
        await site.app.entries("plugin::shop.rate").create({"usd": 0.5})
        pan = await site.make("api::pan.pan", name="flat", price=price.id)
        shown = await site.app.entries("api::pan.pan").find_one(pan.id, populate=["price"])
        assert shown is not None
        assert shown["price"]["cents"] == 5
        assert (await site.get("/api/shop/cheapest")).json() == {"cents": 5, "usd": 0.5}
        assert (await site.get("/api/shop/prices")).json()["data"][0]["attributes"]["cents"] == 5
        assert (await site.get("/api/prices")).status_code == 404, "a plugin's routes are those that it declares"
        token = await site.token("full-access")
        asked = "{ shopPrices { data { attributes { cents } } } }"
        assert await site.graphql(asked, token=token) == {"shopPrices": {"data": [{"attributes": {"cents": 5}}]}}


def test_javascript_definitions_apply_without_javascript_code(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    found = inspect_definitions(tmp_path)
    assert found.registry is not None
    plugins = {uid for uid in found.registry.content_types if uid.startswith(("plugin::shop", "plugin::old"))}
    assert plugins == {PRICES, "plugin::shop.rate"}
    assert read_ported(tmp_path, found.registry.content_types).plugins.keys() == {"plugin::shop"}


def test_built_in_types_belong_to_no_plugin(tmp_path: Path) -> None:
    write(tmp_path, {"src/plugins/upload/content-types/file/schema.json": definition("file", {})})
    found = inspect_definitions(tmp_path)
    assert found.registry is None
    assert [item.message for item in found.problems] == ["plugin::upload.file is built in; change it in src/extensions"]
