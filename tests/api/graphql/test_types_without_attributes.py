"""Unusual content types are served too: without attributes, or with an object as an attribute's default."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from octavo.operations.runtime.process import build
from tests.api.graphql.asking import ask, messages, send
from tests.api.graphql.conftest import open_scratch
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
PLAN = {
    "kind": "collectionType",
    "collectionName": "plans",
    "info": {"singularName": "plan", "pluralName": "plans", "displayName": "Plan"},
    "options": {"draftAndPublish": False},
    "attributes": {"steps": {"type": "json", "default": {"first": [1, 2]}}},
}


@pytest.fixture(params=["sqlite", "postgresql"])
async def visited(request: pytest.FixtureRequest, anyio_backend: str, tmp_path: Path) -> AsyncIterator[Site]:
    plain = await open_scratch(request, tmp_path)
    await plain.database.close()
    for name, definition in (("visit", VISIT), ("plan", PLAN)):
        schema = tmp_path / f"src/api/{name}/content-types/{name}/schema.json"
        schema.parent.mkdir(parents=True)
        schema.write_text(json.dumps(definition))
    octavo = build(plain.octavo.settings)
    await octavo.asgi.start()
    yield Site(octavo)
    await octavo.asgi.stop()


async def test_it_is_written_without_data(visited: Site) -> None:
    made = await ask(visited, "mutation { createVisit { data { id attributes { createdAt } } } }", FULL_TOKEN)
    entry = made["data"]["createVisit"]["data"]["id"]
    text = "mutation ($i: ID!) { updateVisit(id: $i) { data { id } } }"
    assert await ask(visited, text, FULL_TOKEN, i=entry) == {"data": {"updateVisit": {"data": {"id": entry}}}}
    text = "mutation { createVisit(data: {}) { data { id } } }"  # as in v4: there is nothing to write
    refused = (await send(visited, {"query": text}, FULL_TOKEN)).json
    assert messages(refused) == ['Unknown argument "data" on field "Mutation.createVisit".']
    found = await ask(visited, '{ visits(filters: { id: { gt: 0 } }, sort: "id") { data { id } } }', FULL_TOKEN)
    assert found["data"]["visits"]["data"] == [{"id": entry}]


async def test_objects_as_defaults(visited: Site) -> None:
    made = await ask(visited, "mutation { createPlan(data: {}) { data { id attributes { steps } } } }", FULL_TOKEN)
    assert made["data"]["createPlan"]["data"]["attributes"] == {"steps": {"first": [1, 2]}}
    found = await ask(visited, "{ plans { data { attributes { steps } } } }", FULL_TOKEN)
    assert found["data"]["plans"]["data"] == [{"attributes": {"steps": {"first": [1, 2]}}}]
    assert (await visited.get("/api/plans", FULL_TOKEN)).status == 200
