"""Components that a dynamic zone does not list: written like others, but not part of the union that is read."""

from typing import Any

import pytest

from tests.api.graphql.asking import ask, messages
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site, another

pytestmark = pytest.mark.anyio

ZONE = "data { id attributes { extras { __typename ... on ComponentShopQuote { text } } } }"
CREATE = (
    f'mutation($z: [BookExtrasDynamicZoneInput!]) {{ it: createBook(data: {{ title: "t", extras: $z }}) {{ {ZONE} }} }}'
)
EXTRAS = [
    {"__typename": "ComponentShopFootnote", "text": "unlisted"},
    {"__typename": "ComponentShopQuote", "text": "listed"},
    {"__typename": "ComponentShopDetails", "binding": "hard"},
]
SHOWN = [None, {"__typename": "ComponentShopQuote", "text": "listed"}, None]
MESSAGE = 'A component that is stored is not a possible type for "BookExtrasDynamicZone".'


async def test_unlisted_components_are_null_with_an_error(scratch: Site) -> None:
    made = await ask(scratch, CREATE, FULL_TOKEN, z=EXTRAS)
    assert made["data"]["it"]["data"]["attributes"]["extras"] == SHOWN
    assert messages(made) == [MESSAGE] * 2
    text = f"query($i: ID) {{ book(id: $i) {{ {ZONE} }} }}"
    for _ in range(2):  # the second response, from prepared data, is equal
        read: Any = await ask(scratch, text, FULL_TOKEN, i=made["data"]["it"]["data"]["id"])
        assert read["data"]["book"] == made["data"]["it"]
        assert read["errors"] == made["errors"]
    assert read["errors"][0]["extensions"]["code"] == "INTERNAL_SERVER_ERROR"


async def test_resolvers_in_zones_get_listed_components(coded: Site) -> None:
    made = await ask(coded, CREATE, FULL_TOKEN, z=EXTRAS)
    upper = {"__typename": "ComponentShopQuote", "text": "LISTED"}
    assert made["data"]["it"]["data"]["attributes"]["extras"] == [None, upper, None]
    assert messages(made) == [MESSAGE] * 2


async def test_missing_components_are_left_out(scratch: Site) -> None:
    made = await ask(scratch, CREATE, FULL_TOKEN, z=EXTRAS)
    gone = "UPDATE books_components SET component_type = 'shop.gone' WHERE component_type = 'shop.footnote'"
    book = made["data"]["it"]["data"]["id"]
    await scratch.database.execute(f"{gone} AND entity_id = {book}")
    read = await ask(scratch, f"{{ book(id: {book}) {{ {ZONE} }} }}", FULL_TOKEN)
    assert read["data"]["book"]["data"]["attributes"]["extras"] == SHOWN[1:]


async def test_the_rule_refuses_unlisted_components_and_shows_stored_ones(scratch: Site) -> None:
    stored = (await ask(scratch, CREATE, FULL_TOKEN, z=EXTRAS))["data"]["it"]
    async with another(scratch, zone_components="allowed") as strict:
        refused = await ask(strict, CREATE, FULL_TOKEN, z=EXTRAS[:2])
        allowed = "shop.quote, shop.chapter, shop-odd.banner-2"
        message = f"extras[0].__component must be one of the following values: {allowed}"
        problem = {"path": ["extras", "0", "__component"], "message": message, "name": "ValidationError"}
        assert refused["data"] == {"it": None}
        assert refused["errors"][0]["extensions"]["error"]["details"] == {"errors": [problem]}
        assert refused["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"
        read = await ask(strict, f"{{ book(id: {stored['data']['id']}) {{ {ZONE} }} }}", FULL_TOKEN)
        assert read["data"]["book"] == stored
