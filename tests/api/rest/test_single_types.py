"""Single types, localizations and missing values: rules observed on v4, on each database."""

import json
from typing import Any

import pytest

from tests.api.http.asgi import Answer, call
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio

PAGE = "/api/front-page"


async def write(site: Site, method: str, target: str, body: Any = None) -> Answer:
    headers = [("Content-Type", "application/json"), ("Authorization", f"Bearer {FULL_TOKEN}")]
    return await call(site.octavo.asgi, method, target, headers, [json.dumps(body).encode()] if body else [])


async def test_deletions_return_all_fields_and_no_relations(own_bookshop: Site) -> None:
    answer = await write(own_bookshop, "DELETE", f"{PAGE}?populate=*&fields=locale")
    shown = {"headline", "createdAt", "updatedAt", "publishedAt", "locale"}
    assert (answer.status, set(answer.json["data"]["attributes"])) == (200, shown)
    assert (await own_bookshop.get(PAGE)).status == 404
    assert (await own_bookshop.get(f"{PAGE}?locale=fr")).status == 200


async def test_a_draft_is_found_by_changes_and_not_by_deletion(own_bookshop: Site) -> None:
    await own_bookshop.database.execute("UPDATE front_pages SET published_at = NULL")
    assert (await write(own_bookshop, "DELETE", PAGE)).status == 404
    changed = await write(own_bookshop, "PUT", PAGE, {"data": {"headline": "changed"}})
    assert (changed.status, changed.json["data"]["id"]) == (200, 1)
    deleted = await write(own_bookshop, "DELETE", f"{PAGE}?publicationState=preview")
    assert (deleted.status, deleted.json["data"]["attributes"]["headline"]) == (200, "changed")


async def test_a_localization_is_added_to_any_existing_one(own_bookshop: Site) -> None:
    assert (await write(own_bookshop, "DELETE", PAGE)).status == 200
    body = {"locale": "de-AT", "headline": "hallo"}
    added = await write(own_bookshop, "POST", f"{PAGE}/localizations?locale=nowhere", body)
    assert added.status == 200
    assert [one["locale"] for one in added.json["localizations"]] == ["fr"]
    assert (added.json["locale"], added.json["publishedAt"]) == ("de-AT", None)
    for locale in ("fr", "de-AT"):
        query = f"locale={locale}&publicationState=preview"
        assert (await write(own_bookshop, "DELETE", f"{PAGE}?{query}")).status == 200
    nothing = await write(own_bookshop, "POST", f"{PAGE}/localizations", body)
    assert (nothing.status, nothing.json["error"]["message"]) == (404, "Entity not found")


LOCALIZED = [
    ({}, 400, "title must be defined."),
    ({"publishedAt": None}, 200, None),
    ({"publishedAt": "2020-01-01T00:00:00.000Z"}, 400, "title must be defined."),
    ({"title": "titre"}, 200, None),
    ({"title": "titre", "publishedAt": "2020-01-01T00:00:00.000Z"}, 200, "2020-01-01T00:00:00.000Z"),
]


@pytest.mark.parametrize("given, status, told", LOCALIZED)
async def test_only_explicit_drafts_can_be_incomplete(
    own_bookshop: Site, given: dict[str, Any], status: int, told: str | None
) -> None:
    answer = await write(own_bookshop, "POST", "/api/books/1/localizations", {"locale": "fr", "slug": None, **given})
    assert answer.status == status
    found = answer.json["error"]["message"] if status == 400 else answer.json["publishedAt"]
    assert found == told


async def localized_pair(site: Site) -> tuple[int, int]:
    """Create a book and its French localization, last updated long ago."""
    book = {"title": "one", "slug": None, "body": "b", "cover": 1, "gallery": [2, 1], "chapters": [{"title": "c"}]}
    made = (await write(site, "POST", "/api/books", {"data": book})).json["data"]["id"]
    french = {"locale": "fr", "title": "un"}
    added = (await write(site, "POST", f"/api/books/{made}/localizations", french)).json["id"]
    await site.database.execute("UPDATE books SET updated_at = created_at")
    return made, added


async def shown(site: Site, entry_id: int, query: str = "") -> dict[str, Any]:
    answer = await site.get(f"/api/books/{entry_id}?publicationState=preview&{query}", FULL_TOKEN)
    attributes: dict[str, Any] = answer.json["data"]["attributes"]
    return attributes


async def test_siblings_of_a_new_localization_count_as_changed(own_bookshop: Site) -> None:
    made, added = await localized_pair(own_bookshop)
    before = [await shown(own_bookshop, entry_id) for entry_id in (made, added)]
    german = {"locale": "de-AT", "title": "eins"}
    assert (await write(own_bookshop, "POST", f"/api/books/{added}/localizations", german)).status == 200
    for entry_id, old in zip((made, added), before, strict=True):
        new = await shown(own_bookshop, entry_id)
        assert new.pop("updatedAt") > old.pop("updatedAt")
        assert new == old


async def test_a_new_localization_updates_shared_values_in_all_locales(own_bookshop: Site) -> None:
    """Attributes that are not localized get the new entry's values, or those of the entry that it is based on."""
    made, added = await localized_pair(own_bookshop)
    await write(own_bookshop, "PUT", f"/api/books/{added}", {"data": {"body": "changed", "pages": 7}})
    assert (await shown(own_bookshop, made))["body"] == "b", "an update changes only its own entry"
    german = {"locale": "de-AT", "title": "eins", "pages": 8}
    third = (await write(own_bookshop, "POST", f"/api/books/{added}/localizations", german)).json
    family = [await shown(own_bookshop, entry_id) for entry_id in (made, added, third["id"])]
    assert [(one["title"], one["body"], one["pages"]) for one in family] == [
        ("one", "changed", 8),
        ("un", "changed", 8),
        ("eins", "changed", 8),
    ]
    assert [sibling["body"] for sibling in third["localizations"]] == ["changed", "b"], "the siblings before the change"


async def test_each_localization_has_its_own_uid(own_bookshop: Site) -> None:
    english = {"title": "one", "slug": "one"}
    made = (await write(own_bookshop, "POST", "/api/books", {"data": english})).json["data"]["id"]
    french, german = {"locale": "fr", "title": "un"}, {"locale": "de-AT", "title": "eins", "slug": "eins"}
    added = [await write(own_bookshop, "POST", f"/api/books/{made}/localizations", body) for body in (french, german)]
    assert [answer.status for answer in added] == [200, 200]
    ids = (made, *(answer.json["id"] for answer in added))
    assert [(await shown(own_bookshop, entry_id))["slug"] for entry_id in ids] == ["one", None, "eins"]


async def test_responses_show_localizations_with_shared_values(own_bookshop: Site) -> None:
    made, added = await localized_pair(own_bookshop)
    query = "populate[cover][fields][0]=id&populate[gallery][fields][0]=id&populate[chapters]=true"

    def shared(entry: dict[str, Any]) -> tuple[Any, ...]:
        gallery = [file["id"] for file in entry["gallery"]["data"] or ()]
        cover = entry["cover"]["data"] and entry["cover"]["data"]["id"]
        return entry["title"], entry["body"], cover, gallery, [chapter["title"] for chapter in entry["chapters"]]

    taken = (1, [2, 1], ["c"])
    assert shared(await shown(own_bookshop, added, query)) == ("un", "b", *taken)
    await write(own_bookshop, "PUT", f"/api/books/{made}", {"data": {"body": "alone"}})
    assert shared(await shown(own_bookshop, added, query)) == ("un", "b", *taken)
    await write(own_bookshop, "PUT", f"/api/books/{made}?populate=localizations", {"data": {"body": "both"}})
    assert shared(await shown(own_bookshop, added, query)) == ("un", "both", *taken)
    named = {"body": "all", "title": "two", "chapters": [{"title": "d"}]}
    answer = await write(own_bookshop, "PUT", f"/api/books/{made}?populate=*", {"data": named})
    before = answer.json["data"]["attributes"]["localizations"]["data"]
    assert [(one["id"], one["attributes"]["body"]) for one in before] == [(added, "both")]
    assert shared(await shown(own_bookshop, added, query)) == ("un", "all", 1, [2, 1], ["d"])
    await write(own_bookshop, "PUT", f"/api/books/{made}?populate=localizations", {"data": {"cover": None}})
    assert shared(await shown(own_bookshop, added, query)) == ("un", "all", 1, [2, 1], ["d"])
    some = "populate=localizations&fields=pages"
    await write(own_bookshop, "PUT", f"/api/books/{added}?{some}", {"data": {"body": "mine", "pages": 7}})
    changed = await shown(own_bookshop, made)
    assert (changed["pages"], changed["body"], changed["title"]) == (7, "all", "two")


async def test_a_uid_is_not_generated_from_its_target_field(own_bookshop: Site) -> None:
    """Only the content manager generates it; over REST, missing values stay null, as in v4."""
    made = await write(own_bookshop, "POST", "/api/books?fields=slug", {"data": {"title": "Some Title"}})
    assert (made.status, made.json["data"]["attributes"]) == (200, {"slug": None})
    await write(own_bookshop, "PUT", "/api/books/1", {"data": {"title": "Another Title"}})
    assert (await own_bookshop.get("/api/books/1?fields=slug")).json["data"]["attributes"] == {"slug": "book-01"}


async def test_related_components_of_files_need_permission_like_types(bookshop: Site) -> None:
    def kinds(answer: Answer) -> set[str]:
        return {one["__type"] for file in answer.json for one in file["related"]}

    target = "/api/upload/files?populate=related"
    for_all, for_some = kinds(await bookshop.get(target, FULL_TOKEN)), kinds(await bookshop.get(target))
    components = {"shop.chapter", "shop-odd.banner-2"}
    assert components <= for_all
    assert for_some == for_all - components
