"""Entries in the content manager, over HTTP."""

import pytest

from tests.api.admin.conftest import Office
from tests.models.people import write

pytestmark = pytest.mark.anyio

NOTES = "/content-manager/collection-types/api::note.note"


async def test_an_entry_contains_the_names_of_its_creators(office: Office) -> None:
    text = "INSERT INTO notes (title, locale, created_by_id) VALUES ({v1}, 'en', 1)"
    await write(office.club.database, text, "One")
    token, _ = await office.session()
    answer = await office.club.ask("GET", f"{NOTES}/1", token=token)
    assert (answer.status, answer.headers["cache-control"]) == (200, "no-store")
    assert answer.json["title"] == "One"
    assert answer.json["createdBy"] == {"id": 1, "firstname": "Ada", "lastname": None, "username": None}
    assert answer.json["updatedBy"] is None


@pytest.mark.parametrize(
    "uid, entry_id, status",
    [
        ("api::note.note", "99", 404),
        ("api::note.note", "-1", 404),
        ("api::note.note", "x", 404),
        ("api::nothing.nothing", "1", 403),
        ("admin::user", "1", 403),
        ("plugin::upload.file", "1", 403),
        ("plugin::users-permissions.user", "99", 404),
    ],
)
async def test_missing_and_unmanaged_content_types(office: Office, uid: str, entry_id: str, status: int) -> None:
    token, _ = await office.session()
    path = f"/content-manager/collection-types/{uid}/{entry_id}"
    assert (await office.club.ask("GET", path, token=token)).status == status
    assert (await office.club.ask("GET", path)).status == 401


async def test_a_list_has_its_pagination(office: Office) -> None:
    for title in ("One", "Two", "Three"):
        await write(office.club.database, "INSERT INTO notes (title, locale) VALUES ({v1}, 'en')", title)
    token, _ = await office.session()
    answer = await office.club.ask("GET", f"{NOTES}?pageSize=2&sort=title:DESC", token=token)
    assert [note["title"] for note in answer.json["results"]] == ["Two", "Three"]
    assert answer.json["pagination"] == {"page": 1, "pageSize": 2, "pageCount": 2, "total": 3}
    single = await office.club.ask("GET", "/content-manager/single-types/api::nothing.nothing", token=token)
    assert single.status == 403
    assert (await office.club.ask("GET", f"{NOTES}?pageSize=0", token=token)).status == 400
