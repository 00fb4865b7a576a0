"""Creating entries as translations of existing ones: over REST, in project code and in its hooks."""

import asyncio
from typing import Any

import pytest

from octavo.core.errors import ApplicationError, NotFoundError, ValidationError
from octavo.sdk.entries import Entries
from tests.models.club import SOME
from tests.models.people import write
from tests.translations.conftest import PROFILES, OpenStudio
from tests.translations.studio import PIECE, TAG, Studio

pytestmark = pytest.mark.anyio

FORMS: tuple[Any, ...] = (
    [1],
    1,
    "1",
    {"id": 1},
    [{"id": 1}],
    {"connect": [1]},
    {"connect": [{"id": 1}]},
    {"set": [1]},
)
HOOK = """
def before_create(event):
    if event.params.data["title"] == "linked":
        event.params.data["localizations"] = [1]
"""


def entries(studio: Studio, uid: str = PIECE) -> Entries:
    site = studio.office.club.octavo.site
    return Entries(site.services.controller, site.registry.content_types[uid])


async def linked(studio: Studio) -> list[tuple[str, list[int]]]:
    """Return each piece's locale and the ids of its localizations."""
    pieces = await studio.pieces()
    return [(piece["locale"], sorted(piece["localizations"])) for piece in pieces.values()]


@pytest.mark.parametrize("form", FORMS)
async def test_all_forms_of_a_relation_link_both_ways(v4_studio: Studio, form: Any) -> None:
    await v4_studio.make(price=2.5)
    data = {"title": "zwei", "locale": "de", "localizations": form, "note": "n"}
    answer = await v4_studio.rest("POST", "/pieces?populate=localizations", {"data": data})
    assert answer.status == 200, answer.body
    attributes = answer.json["data"]["attributes"]
    assert [one["id"] for one in attributes["localizations"]["data"]] == [1]
    assert (attributes["price"], attributes["publishedAt"] is not None) == (2.5, True)
    assert await linked(v4_studio) == [("en", [2]), ("de", [1])]
    assert (await v4_studio.piece(1))["note"] == "n"


async def test_a_third_translation_is_linked_with_all(studio: Studio) -> None:
    await studio.make()
    await studio.translate(1)
    answer = await studio.rest("POST", "/pieces", {"data": {"title": "un", "locale": "fr", "localizations": [2]}})
    assert answer.status == 200
    assert await linked(studio) == [("en", [2, 3]), ("de", [1, 3]), ("fr", [1, 2])]


@pytest.mark.parametrize("nothing", [[], None, {"connect": []}, {"set": []}, {"disconnect": [1]}])
async def test_empty_localizations_link_nothing(v4_studio: Studio, nothing: Any) -> None:
    await v4_studio.make()
    data = {"title": "zwei", "locale": "de", "localizations": nothing}
    assert (await v4_studio.rest("POST", "/pieces", {"data": data})).status == 200
    assert await linked(v4_studio) == [("en", []), ("de", [])]


@pytest.mark.parametrize(
    "data, message",
    [
        ({"localizations": [99]}, f"1 relation(s) of type {PIECE} associated with this entity do not exist"),
        ({"localizations": "x"}, f"1 relation(s) of type {PIECE} associated with this entity do not exist"),
        ({"localizations": [2**70]}, f"1 relation(s) of type {PIECE} associated with this entity do not exist"),
        ({"localizations": [{"ID": 1}]}, "Invalid relations"),
        ({"localizations": [1], "locale": "en"}, "locale is already used"),
        ({"localizations": [1], "locale": None}, "locale is already used"),
        ({"localizations": [1], "locale": "xx"}, "This locale doesn't exist"),
    ],
)
async def test_invalid_links_are_refused(studio: Studio, data: dict[str, Any], message: str) -> None:
    await studio.make()
    answer = await studio.rest("POST", "/pieces", {"data": {"title": "zwei", "locale": "de", **data}})
    assert answer.status == 400
    assert answer.json["error"]["message"].endswith(message)
    assert await linked(studio) == [("en", [])]


async def test_linking_needs_the_permission_to_change_the_other_entry(studio: Studio) -> None:
    await studio.make(note="n")
    database = studio.office.club.database

    async def allow(action: str) -> None:
        text = "INSERT INTO strapi_api_token_permissions (action) VALUES ({v1})"
        await write(database, text, f"{PIECE}.{action}")
        text = """INSERT INTO strapi_api_token_permissions_token_links (api_token_permission_id, api_token_id)
            SELECT max(p.id), (SELECT id FROM strapi_api_tokens WHERE name = {v1})
            FROM strapi_api_token_permissions p"""
        await write(database, text, SOME)
        studio.office.club.octavo.infrastructure.authenticator.invalidate()

    async def create() -> int:
        data = {"title": "zwei", "locale": "de", "localizations": [1], "note": "m"}
        return (await studio.office.club.ask("POST", "/api/pieces", {"data": data}, SOME)).status

    for action in ("create", "find"):
        await allow(action)
    assert await create() == 403
    assert (await studio.piece(1))["note"] == "n"
    await allow("createLocalization")
    assert await create() == 200
    assert (await studio.piece(1))["note"] == "m"


async def test_project_code_links_translations(studio: Studio) -> None:
    pieces = entries(studio)
    made = await pieces.create({"title": "one", "price": 2.5, "items": [{"text": "x"}]})
    french = await pieces.create({"title": "un", "locale": "fr", "localizations": [made.id]}, populate=["items"])
    assert (french["locale"], french["price"], french["items"][0]["text"]) == ("fr", 2.5, "x")
    german = await pieces.localize(made.id, "de", {"title": "eins", "price": 3})
    assert (german["locale"], german["price"], german["publishedAt"]) == ("de", 3, None)
    ids = await pieces.create_many([{"title": "een", "locale": "nl", "localizations": [made.id]}, {"title": "two"}])
    family = [made.id, french.id, german.id, ids[0]]
    found = await linked(studio)
    assert [others for _, others in found] == [*(sorted({*family} - {one}) for one in family), []]
    assert {piece["price"] for piece in (await studio.pieces()).values()} == {3, None}


async def test_bulk_updates_by_project_code_reach_other_locales(safe_studio: Studio) -> None:
    pieces = entries(safe_studio)
    made = await pieces.create({"title": "one", "price": 2.5, "items": [{"text": "x"}]})
    await pieces.localize(made.id, "de", {"title": "eins"})
    assert await pieces.update_many({"price": 3, "title": "two"}, filters={}) == 1
    await pieces.update(made.id, {"note": "n"})
    found = [
        (one["title"], one["price"], one["note"], len(one["items"])) for one in (await safe_studio.pieces()).values()
    ]
    assert found == [("two", 3, "n", 1), ("eins", 3, "n", 1)]


async def test_translations_that_project_code_cannot_create(studio: Studio) -> None:
    pieces = entries(studio)
    made = await pieces.create({"title": "one"})
    with pytest.raises(NotFoundError):
        await pieces.localize(99, "de", {"title": "x"})
    with pytest.raises(ApplicationError, match="locale is already used"):
        await pieces.localize(made.id, "en", {"title": "x"})
    with pytest.raises(ApplicationError, match="locale is invalid"):
        await pieces.localize(made.id, "xx", {"title": "x"})
    with pytest.raises(ValidationError, match="title must be defined"):
        await pieces.localize(made.id, "de")
    with pytest.raises(ValidationError, match="has no writable attribute 'localizations'"):
        await pieces.update(made.id, {"localizations": [1]})
    with pytest.raises(ValidationError, match="has no locales"):
        await entries(studio, TAG).localize(1, "de")
    with pytest.raises(ValidationError, match="has no writable attribute 'localizations'"):
        await entries(studio, TAG).create({"name": "x", "localizations": [1]})
    assert await linked(studio) == [("en", [])]


@pytest.mark.parametrize("profile", PROFILES)
async def test_a_hook_links_a_translation(open_studio: OpenStudio, tmp_path: Any, profile: str) -> None:
    hooks = tmp_path / "src/api/piece/content-types/piece/lifecycles.py"
    hooks.parent.mkdir(parents=True)
    hooks.write_text(HOOK)
    studio = await open_studio(profile)
    await studio.make(price=2.5)
    answer = await studio.rest("POST", "/pieces", {"data": {"title": "linked", "locale": "de"}})
    assert answer.status == 200, answer.body
    named = {"title": "un", "locale": "fr", "localizations": [1]}
    assert (await studio.rest("POST", "/pieces", {"data": named})).status == 200
    assert await linked(studio) == [("en", [2, 3]), ("de", [1, 3]), ("fr", [1, 2])]
    assert {piece["price"] for piece in (await studio.pieces()).values()} == {2.5}


@pytest.mark.parametrize("by", ["rest", "manager", "create"])
async def test_simultaneous_requests_create_one_translation_for_each_locale(v4_studio: Studio, by: str) -> None:
    made = await v4_studio.make(price=2.5)
    other = await v4_studio.translate(made, locale="fr")
    bases = [made, other] * 5

    async def translate(base: int) -> int:
        data = {"title": "eins", "locale": "de"}
        if by == "rest":
            answer = await v4_studio.rest("POST", f"/pieces/{base}/localizations", data)
        elif by == "manager":
            path = f"collection-types/{PIECE}?locale=de&relatedEntityId={base}"
            answer = await v4_studio.manage("POST", path, {"title": "eins"})
        else:
            answer = await v4_studio.rest("POST", "/pieces", {"data": {**data, "localizations": [base]}})
        return answer.status

    statuses = await asyncio.gather(*(translate(base) for base in bases))
    assert sorted(statuses) == [200] + [400] * 9
    assert sorted(locale for locale, _ in await linked(v4_studio)) == ["de", "en", "fr"]
