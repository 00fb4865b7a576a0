"""Deleted entries leave no links of morphToMany relations behind, whether or not they declare the other side."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from octavo.database.synchronize import continue_ids
from tests.api.graphql.asking import send
from tests.api.http.asgi import call
from tests.models.bookshop import FULL_TOKEN, VAULT
from tests.models.fixtures import open_copy
from tests.models.site import COUNTED, Site
from tests.models.templates import Copy

pytestmark = pytest.mark.anyio

LINKS = "SELECT subjects_type, subjects_id FROM notes_subjects_morphs WHERE note_id = {}"


@pytest.fixture
async def shop(anyio_backend: str, tmp_path: Path, bookshop_copy: Copy) -> AsyncIterator[Site]:
    site = await open_copy(tmp_path, bookshop_copy, COUNTED)
    await site.octavo.asgi.start()
    await continue_ids(site.database, site.octavo.site.registry)
    yield site
    await site.octavo.asgi.stop()


async def ask(site: Site, method: str, path: str, data: Any = None) -> Any:
    headers = [("Authorization", f"Bearer {FULL_TOKEN}"), ("Content-Type", "application/json")]
    body = [orjson.dumps({"data": data})] if data is not None else []
    answer = await call(site.octavo.asgi, method, f"/api/{path}", headers, body)
    assert answer.status == 200, answer.body
    return answer.json


async def links(site: Site, note: int) -> set[tuple[str, int]]:
    return {(uid, entry_id) for uid, entry_id in await site.database.fetch_all(LINKS.format(note))}


async def test_links_are_deleted_with_their_targets(shop: Site) -> None:
    vaults = [(await ask(shop, "POST", "vaults", {"code": f"v{number}"}))["data"]["id"] for number in range(5)]
    subjects = [{"__type": VAULT, "id": one} for one in vaults]
    note = (await ask(shop, "POST", "notes", {"subjects": subjects}))["data"]["id"]
    other = (await ask(shop, "POST", "notes", {"subjects": [{"__type": "api::genre.genre", "id": 1}]}))["data"]["id"]
    assert await links(shop, note) == {(VAULT, one) for one in vaults}
    await ask(shop, "DELETE", f"vaults/{vaults[0]}")
    assert await links(shop, note) == {(VAULT, one) for one in vaults[1:]}
    text = f"mutation {{ deleteVault(id: {vaults[1]}) {{ data {{ id }} }} }}"
    assert "errors" not in (await send(shop, {"query": text}, FULL_TOKEN)).json
    entries = shop.octavo.site.extending.app.entries(VAULT)
    await entries.delete(vaults[2])
    assert await links(shop, note) == {(VAULT, one) for one in vaults[3:]}
    await entries.delete_many(filters={"id": {"$in": vaults[3:]}})
    assert await links(shop, note) == set()
    assert await links(shop, other) == {("api::genre.genre", 1)}, "entries of another type with the same id stay linked"
