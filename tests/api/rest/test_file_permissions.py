"""Under `safe`, replacing or linking a file requires the permission to delete or find files."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from octavo.access.authentication.api_tokens import create_token
from tests.api.rest.test_uploads import BOOK, ONE, TWO, Shop, open_writable
from tests.models.bookshop import SECRETS
from tests.models.site import under_safe
from tests.models.templates import Copy

pytestmark = pytest.mark.anyio

FILES = "plugin::upload.content-api"
WRITES = (f"{BOOK}.find", f"{BOOK}.create", f"{BOOK}.update", f"{FILES}.upload")


@pytest.fixture
async def shops(anyio_backend: str, tmp_path: Path, bookshop_copy: Copy) -> AsyncIterator[tuple[Shop, Shop]]:
    """Yield one bookshop under both profiles: `v4`, `safe`."""
    site = await open_writable(tmp_path / "shop", bookshop_copy, {})
    folder = tmp_path / "shop/public/uploads"
    async with under_safe(site) as safe:
        yield Shop(site, folder), Shop(safe, folder)
    await site.database.close()


async def token(shops: tuple[Shop, Shop], name: str, *actions: str) -> str:
    """Create a token that both sites accept immediately."""
    secret = await create_token(shops[0].site.database, SECRETS["API_TOKEN_SALT"], name, "custom", actions)
    for shop in shops:
        shop.site.octavo.infrastructure.forget()
    return secret


async def mutate(shop: Shop, text: str, by: str) -> Any:
    answer = await shop.send("POST", "/graphql", json.dumps({"query": text}).encode(), token=by)
    return answer.json


async def test_replacing(shops: tuple[Shop, Shop]) -> None:
    v4, safe = shops
    [file] = await v4.add(ONE)
    one, info = f"/api/upload?id={file['id']}", ("fileInfo", json.dumps({"name": "mine.png"}))
    describing = f'mutation {{ updateFileInfo(id: {file["id"]}, info: {{ name: "mine" }}) {{ data {{ id }} }} }}'
    removing = f"mutation {{ removeFile(id: {file['id']}) {{ data {{ id }} }} }}"
    uploads = await token(shops, "uploads", f"{FILES}.upload")
    destroys = await token(shops, "destroys", f"{FILES}.upload", f"{FILES}.destroy")
    for parts in ((TWO,), (info,), (TWO, info)):
        assert (await v4.post(one, *parts, token=uploads)).status == 200
        assert (await safe.post(one, *parts, token=uploads)).status == 403
        assert (await safe.post(one, *parts, token=destroys)).status == 200
    assert "errors" not in await mutate(v4, describing, uploads)
    assert "errors" in await mutate(safe, describing, uploads)
    assert "errors" not in await mutate(safe, describing, destroys)
    for shop in shops:
        assert "errors" in await mutate(shop, removing, uploads)
    assert (await safe.post("/api/upload", ONE, token=uploads)).status == 200, "new files need no other permission"


FORMS = ("{id}", "[{id}]", '{{"id": {id}}}', '{{"set": [{id}]}}', '{{"connect": [{{"id": {id}}}]}}', '["{id}"]')


@pytest.mark.parametrize("form", FORMS)
async def test_linking_in_every_form(shops: tuple[Shop, Shop], form: str) -> None:
    v4, safe = shops
    [file] = await v4.add(ONE)
    writes = await token(shops, "writes", *WRITES)
    value = json.loads(form.format(id=file["id"]))
    book = await v4.book()
    for method, target in (("POST", "/api/books"), ("PUT", f"/api/books/{book}")):
        for data in ({"cover": value}, {"gallery": value}):
            body = json.dumps({"data": {"title": "B", **data}}).encode()
            assert (await v4.send(method, target, body, token=writes)).status == 200
            refused = await safe.send(method, target, body, token=writes)
            assert refused.status == 403
            assert f"{FILES}.find" in refused.json["error"]["message"]
            assert refused.json["error"]["details"]["errors"][0]["path"] == [*data]


@pytest.mark.parametrize("action", ["find", "findOne"])
async def test_linking_requires_permission_to_find(shops: tuple[Shop, Shop], action: str) -> None:
    v4, safe = shops
    [file] = await v4.add(ONE)
    finds = await token(shops, action, *WRITES, f"{FILES}.{action}")
    body = json.dumps({"data": {"title": "B", "cover": file["id"]}}).encode()
    made = await safe.send("POST", "/api/books", body, token=finds)
    assert made.status == 200
    assert await safe.media(made.json["data"]["id"], "cover") == [file["id"]]


@pytest.mark.parametrize("value", [None, [], {"set": []}, {"disconnect": [1]}])
async def test_removing_links_requires_only_permission_to_write(shops: tuple[Shop, Shop], value: Any) -> None:
    v4, safe = shops
    writes = await token(shops, "writes", *WRITES)
    book = await v4.book()
    body = json.dumps({"data": {"gallery": value}}).encode()
    assert (await safe.send("PUT", f"/api/books/{book}", body, token=writes)).status == 200


async def test_files_in_forms(shops: tuple[Shop, Shop]) -> None:
    """New files in a form need no permission; ids in the form's data are links like any other."""
    v4, safe = shops
    [file] = await v4.add(ONE)
    writes = await token(shops, "writes", *WRITES)
    cover = ("files.cover", "one.png", ONE[2], "image/png")  # type: ignore[misc]
    made = await safe.post("/api/books", ("data", '{"title": "B"}'), cover, token=writes)
    assert made.status == 200, made.body
    book = made.json["data"]["id"]
    assert len(await safe.media(book, "cover")) == 1
    placed = (("ref", BOOK), ("refId", str(book)), ("field", "cover"))
    assert (await safe.post("/api/upload", TWO, *placed, token=writes)).status == 200
    linked = ("data", json.dumps({"title": "B", "gallery": [file["id"]]}))
    assert (await safe.post("/api/books", linked, cover, token=writes)).status == 403


async def test_linking_by_graphql(shops: tuple[Shop, Shop]) -> None:
    v4, safe = shops
    [file] = await v4.add(ONE)
    writes = await token(shops, "writes", *WRITES)
    text = f'mutation {{ createBook(data: {{ title: "B", cover: "{file["id"]}" }}) {{ data {{ id }} }} }}'
    assert "errors" not in await mutate(v4, text, writes)
    assert "errors" in await mutate(safe, text, writes)
