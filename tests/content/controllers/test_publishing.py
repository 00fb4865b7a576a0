"""An update that publishes a draft requires a complete entry; under `validation: loose` it requires as much as v4."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from octavo.core.errors import ValidationError
from octavo.database.synchronize import continue_ids
from tests.api.graphql.asking import send
from tests.api.http.asgi import Answer, call
from tests.models.bookshop import BOOK, FULL_TOKEN
from tests.models.fixtures import open_copy
from tests.models.site import COUNTED, Site
from tests.models.templates import Copy

pytestmark = pytest.mark.anyio

NOW = "2024-05-01T10:00:00.000Z"
REFUSED = (False, [["title"]])
FORM = b'--B\r\nContent-Disposition: form-data; name="data"\r\n\r\n%b\r\n--B--\r\n'


@pytest.fixture(params=["strict", "loose"])
async def shop(
    request: pytest.FixtureRequest, anyio_backend: str, tmp_path: Path, bookshop_copy: Copy
) -> AsyncIterator[Site]:
    site = await open_copy(tmp_path, bookshop_copy, {**COUNTED, "OCTAVO_API__COMPAT__VALIDATION": request.param})
    await site.octavo.asgi.start()
    await continue_ids(site.database, site.octavo.site.registry)
    yield site
    await site.octavo.asgi.stop()


def is_strict(site: Site) -> bool:
    return site.octavo.settings.api.compat.validation == "strict"


async def ask(site: Site, method: str, path: str, body: bytes, content_type: str = "application/json") -> Answer:
    headers = [("Authorization", f"Bearer {FULL_TOKEN}"), ("Content-Type", content_type)]
    return await call(site.octavo.asgi, method, path, headers, [body])


async def draft(site: Site, **data: Any) -> int:
    answer = await ask(site, "POST", "/api/books", orjson.dumps({"data": {"publishedAt": None, **data}}))
    return int(answer.json["data"]["id"])


def problems(error: Any) -> list[list[str]]:
    return [problem["path"] for problem in error["details"]["errors"]]


Outcome = tuple[bool, list[list[str]]]


async def by_rest(site: Site, entry_id: int, data: dict[str, Any]) -> Outcome:
    answer = await ask(site, "PUT", f"/api/books/{entry_id}", orjson.dumps({"data": data}))
    return (True, []) if answer.status == 200 else (False, problems(answer.json["error"]))


async def by_form(site: Site, entry_id: int, data: dict[str, Any]) -> Outcome:
    body, kind = FORM % orjson.dumps(data), "multipart/form-data; boundary=B"
    answer = await ask(site, "PUT", f"/api/books/{entry_id}", body, kind)
    return (True, []) if answer.status == 200 else (False, problems(answer.json["error"]))


async def by_graphql(site: Site, entry_id: int, data: dict[str, Any]) -> Outcome:
    text = "mutation ($id: ID!, $data: BookInput!) { updateBook(id: $id, data: $data) { data { id } } }"
    answer = (await send(site, {"query": text, "variables": {"id": entry_id, "data": data}}, FULL_TOKEN)).json
    if "errors" not in answer:
        return True, []
    return False, problems(answer["errors"][0]["extensions"]["error"])


async def by_code(site: Site, entry_id: int, data: dict[str, Any]) -> Outcome:
    entries = site.octavo.site.extending.app.entries(BOOK)
    return await refusals(entries.update(entry_id, data))


async def by_code_at_once(site: Site, entry_id: int, data: dict[str, Any]) -> Outcome:
    entries = site.octavo.site.extending.app.entries(BOOK)
    return await refusals(entries.update_many(data, filters={"id": entry_id}))


async def refusals(work: Awaitable[Any]) -> Outcome:
    try:
        await work
    except ValidationError as error:
        return False, [list(problem["path"]) for problem in (error.details or {})["errors"]]
    return True, []


@pytest.mark.parametrize("way", [by_rest, by_form, by_graphql, by_code, by_code_at_once])
async def test_incomplete_drafts_are_not_published(
    shop: Site, way: Callable[[Site, int, dict[str, Any]], Awaitable[Outcome]]
) -> None:
    one = await draft(shop, pages=3)
    assert await way(shop, one, {"pages": 4}) == (True, []), "a draft can lack required values"
    found = await way(shop, one, {"pages": 5, "publishedAt": NOW})
    assert found == (REFUSED if is_strict(shop) else (True, []))
    shown = (await shop.get(f"/api/books/{one}", FULL_TOKEN)).json["data"]["attributes"]
    kept = (4, None) if is_strict(shop) else (5, NOW)
    assert (shown["pages"], shown["publishedAt"]) == kept, "the update is stored completely or not at all"
    assert await way(shop, one, {"title": "Tides", "publishedAt": NOW}) == (True, []), (
        "the body contains the missing value"
    )
    assert await way(shop, one, {"publishedAt": None}) == (True, [])
    assert await way(shop, one, {"publishedAt": NOW}) == (True, [])


async def test_published_entries_can_be_published_again_without_required_values(shop: Site) -> None:
    """Adopted entries may lack values that a later schema requires."""
    one = await draft(shop, title="Tides", publishedAt=NOW)
    await shop.database.execute(f"UPDATE books SET title = NULL WHERE id = {one}")
    assert await by_rest(shop, one, {"pages": 7, "publishedAt": NOW}) == (True, [])
