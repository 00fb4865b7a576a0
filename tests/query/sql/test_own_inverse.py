"""Relations whose `inversedBy` names themselves: v4 swaps the columns of their tables."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from octavo.access.authorization.role_grants import grant
from octavo.operations.runtime.process import build
from octavo.settings import load_settings
from tests.api.http.asgi import call
from tests.models.bookshop import SECRETS
from tests.models.v4_project import TEXT, write_project

pytestmark = pytest.mark.anyio

TYPES = {
    "node": {
        "name": TEXT,
        "friends": {"type": "relation", "relation": "manyToMany", "target": "api::node.node", "inversedBy": "friends"},
        "buddy": {"type": "relation", "relation": "oneToOne", "target": "api::node.node", "inversedBy": "buddy"},
    }
}
ROWS = {
    "SELECT node_id, inv_node_id, node_order, inv_node_order FROM nodes_friends_links ORDER BY id": [
        (2, 1, 1, 1),
        (3, 1, 1, 2),
        (1, 2, 1, 1),
    ],
    "SELECT node_id, inv_node_id FROM nodes_buddy_links": [(2, 3)],
}
"""Rows that v4 4.26.2 writes for the same updates."""


async def test_columns_are_those_of_v4(tmp_path: Path) -> None:
    write_project(tmp_path, TYPES, {})
    (tmp_path / ".tmp").mkdir()
    (tmp_path / ".tmp/data.db").touch()
    octavo = build(load_settings(tmp_path, SECRETS, mode="development"))
    await octavo.asgi.start()
    await grant(octavo.database, "public", [f"api::node.node.{name}" for name in ("create", "update", "find")])
    octavo.infrastructure.authenticator.invalidate()

    async def send(method: str, path: str, data: object) -> None:
        body = json.dumps({"data": data}).encode()
        answer = await call(octavo.asgi, method, f"/api/nodes{path}", [("Content-Type", "application/json")], [body])
        assert answer.status == 200, answer.json

    for name in "abc":
        await send("POST", "", {"name": name})
    for path, data in (
        ("/1", {"friends": [2, 3]}),
        ("/2", {"friends": [1]}),
        ("/1", {"buddy": 2}),
        ("/3", {"buddy": 2}),
    ):
        await send("PUT", path, data)
    found = await call(octavo.asgi, "GET", "/api/nodes?sort=id&populate=*&filters[friends][name]=c")
    await octavo.asgi.stop()
    with closing(sqlite3.connect(tmp_path / ".tmp/data.db")) as connection:
        assert {query: connection.execute(query).fetchall() for query in ROWS} == ROWS
    [entry] = found.json["data"]
    assert [friend["id"] for friend in entry["attributes"]["friends"]["data"]] == [2, 3]
    assert entry["attributes"]["buddy"] == {"data": None}
