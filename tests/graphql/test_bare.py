"""A content-type without attributes has nothing to write, and is written all the same."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from octavo.app import build
from tests.graphql.asking import ask
from tests.graphql.conftest import open_scratch
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio

VISIT = {
    "kind": "collectionType",
    "collectionName": "visits",
    "info": {"singularName": "visit", "pluralName": "visits", "displayName": "Visit"},
    "options": {"draftAndPublish": False},
    "attributes": {},
}


@pytest.fixture(params=["sqlite", "postgresql"])
async def visited(request: pytest.FixtureRequest, anyio_backend: str, tmp_path: Path) -> AsyncIterator[Site]:
    plain = await open_scratch(request, tmp_path)
    await plain.database.close()
    schema = tmp_path / "src/api/visit/content-types/visit/schema.json"
    schema.parent.mkdir(parents=True)
    schema.write_text(json.dumps(VISIT))
    octavo = build(plain.octavo.settings)
    await octavo.asgi.start()
    yield Site(octavo)
    await octavo.asgi.stop()


async def test_it_is_written_with_and_without_data(visited: Site) -> None:
    made = await ask(visited, "mutation { createVisit { data { id attributes { createdAt } } } }", FULL_TOKEN)
    entry = made["data"]["createVisit"]["data"]["id"]
    text = "mutation ($i: ID!) { updateVisit(id: $i) { data { id } } }"
    assert await ask(visited, text, FULL_TOKEN, i=entry) == {"data": {"updateVisit": {"data": {"id": entry}}}}
    day = "2020-01-02T03:04:05.000Z"
    text = "mutation ($d: DateTime) { createVisit(data: { createdAt: $d }) { data { attributes { createdAt } } } }"
    dated = await ask(visited, text, FULL_TOKEN, d=day)
    assert dated["data"]["createVisit"]["data"]["attributes"] == {"createdAt": day}
    found = await ask(visited, '{ visits(filters: { id: { gt: 0 } }, sort: "id") { data { id } } }', FULL_TOKEN)
    assert len(found["data"]["visits"]["data"]) == 2
