"""Inputs of content types contain `createdAt` and `updatedAt`, which are stored if present."""

import pytest

from tests.api.graphql.asking import ask
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio

DATES = "data { id attributes { createdAt updatedAt } }"
EARLY, LATER = "2001-02-03T04:05:06.789Z", "2002-02-03T04:05:06.000Z"


async def test_dates_that_are_given_are_stored(scratch: Site) -> None:
    create = f"mutation($d: GenreInput!) {{ it: createGenre(data: $d) {{ {DATES} }} }}"
    made = await ask(scratch, create, FULL_TOKEN, d={"name": "Dated", "createdAt": EARLY, "updatedAt": LATER})
    assert made["data"]["it"]["data"]["attributes"] == {"createdAt": EARLY, "updatedAt": LATER}
    update = f"mutation($i: ID!, $d: GenreInput!) {{ it: updateGenre(id: $i, data: $d) {{ {DATES} }} }}"
    changed = await ask(scratch, update, FULL_TOKEN, i=made["data"]["it"]["data"]["id"], d={"createdAt": LATER})
    attributes = changed["data"]["it"]["data"]["attributes"]
    assert attributes["createdAt"] == LATER
    assert attributes["updatedAt"] > LATER


async def test_dates_that_are_not_given_are_now(scratch: Site) -> None:
    create = f'mutation {{ it: createGenre(data: {{ name: "Now", createdAt: null }}) {{ {DATES} }} }}'
    made = (await ask(scratch, create, FULL_TOKEN))["data"]["it"]["data"]["attributes"]
    assert made["createdAt"] == made["updatedAt"] > LATER
