"""Shared and own values of translations: values disappear only if a request changes them."""

from typing import Any

import pytest

from tests.translations.studio import BOARD, PIECE, Studio

pytestmark = pytest.mark.anyio

FULL: dict[str, Any] = {
    "price": 2.5,
    "note": "n",
    "extra": {"a": 1},
    "seo": {"text": "s", "image": 1, "links": [{"text": "in", "tag": 1, "code": "c1"}]},
    "items": [{"text": "x", "tag": 2}, {"text": "y"}],
    "zone": [{"__component": "parts.quote", "text": "q"}, {"__component": "parts.link", "text": "l"}],
    "cover": 1,
    "gallery": [2, 1],
    "tag": 1,
    "tags": [1, 2],
    "lead": 3,
}
COMPOUND = ("seo", "items", "zone", "cover", "gallery")
RELATIONS = ("tag", "tags", "lead")
PIECES = f"collection-types/{PIECE}"
BOARDS = f"single-types/{BOARD}"


def some(entry: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: entry[name] for name in names}


@pytest.mark.parametrize("by", ["rest", "graphql", "manager", "create"])
async def test_a_translation_starts_with_all_shared_values(studio: Studio, by: str) -> None:
    made = await studio.make(**FULL)
    before = await studio.piece(made)
    if by == "rest":
        await studio.translate(made)
    elif by == "graphql":
        translate = 'createPieceLocalization(id: $id, locale: "de", data: {title: "zwei"})'
        document = f"mutation($id: ID!) {{ {translate} {{ data {{ id }} }} }}"
        assert "errors" not in (await studio.graphql(document, id=made)).json
    elif by == "manager":
        answer = await studio.manage("POST", f"{PIECES}?locale=de&relatedEntityId={made}", {"title": "zwei"})
        assert answer.status == 200, answer.body
    else:
        data = {"title": "zwei", "locale": "de", "localizations": [made]}
        assert (await studio.rest("POST", "/pieces", {"data": data})).status == 200
    english, german = (await studio.pieces()).values()
    assert some(english, *FULL) == some(before, *FULL)
    seo = {**before["seo"], "links": [{"text": "in", "tag": 1}]}
    assert some(german, *COMPOUND) == {**some(before, *COMPOUND), "seo": seo}
    assert some(german, "price", "views", "note", "extra") == some(before, "price", "views", "note", "extra")
    assert (german["title"], german["own"], german["lead"]) == ("zwei", None, None)
    assert (len(english["localizations"]), len(german["localizations"])) == (1, 1)


async def test_a_translation_copies_relations_that_can_have_several_sources(
    safe_studio: Studio,
) -> None:
    made = await safe_studio.make(**FULL)
    german = await safe_studio.piece(await safe_studio.translate(made))
    assert some(german, *RELATIONS) == {"tag": 1, "tags": [1, 2], "lead": None}
    own = await safe_studio.piece(await safe_studio.translate(made, locale="fr", tag=2, tags=[]))
    assert some(own, *RELATIONS) == {"tag": 2, "tags": [], "lead": None}


async def test_relations_of_a_translation_are_its_own_in_v4(v4_studio: Studio) -> None:
    made = await v4_studio.make(**FULL)
    german = await v4_studio.piece(await v4_studio.translate(made))
    assert some(german, *RELATIONS) == {"tag": None, "tags": [], "lead": None}


@pytest.mark.parametrize("query", ["", "populate=localizations", "populate=*"])
async def test_a_save_clears_no_values_of_other_locales(studio: Studio, query: str) -> None:
    made = await studio.make(**FULL)
    added = await studio.translate(made)
    await studio.office.club.database.execute("DELETE FROM pieces_components WHERE entity_id = 2")  # as v4 left it
    await studio.office.club.database.execute("DELETE FROM files_related_morphs WHERE related_id = 2")
    before = await studio.piece(made)
    answer = await studio.rest("PUT", f"/pieces/{added}?{query}", {"data": {"title": "drei"}})
    assert answer.status == 200
    assert (await studio.manage("PUT", f"{PIECES}/{added}", {"title": "vier"})).status == 200
    assert (await studio.manage("POST", f"{PIECES}/{added}/actions/publish")).status == 200
    assert await studio.piece(made) == before


async def test_saved_components_are_copied_to_other_locales(studio: Studio) -> None:
    made = await studio.make(**FULL)
    added = await studio.translate(made)
    before = await studio.piece(made)
    changed = {"seo": {"text": "t", "links": [{"text": "k", "tag": 3}]}, "zone": [], "gallery": [1]}
    assert (await studio.manage("PUT", f"{PIECES}/{added}", changed)).status == 200
    assert await studio.piece(made) == {**before, **changed}


async def test_components_that_need_a_unique_value_stay_with_their_entry(studio: Studio) -> None:
    made = await studio.make(tickets=[{"number": "1"}], price=2.5)
    added = await studio.translate(made)
    assert (await studio.manage("PUT", f"{PIECES}/{added}", {"title": "drei"})).status == 200
    found = [await studio.piece(one) for one in (made, added)]
    assert [(one["tickets"], one["price"]) for one in found] == [([{"number": "1"}], 2.5), ([], 2.5)]


async def test_an_empty_list_in_json_is_a_value(studio: Studio) -> None:
    made = await studio.make(extra={"a": 1})
    answer = await studio.manage("POST", f"{PIECES}?locale=de&relatedEntityId={made}", {"title": "zwei", "extra": []})
    assert answer.status == 200, answer.body
    assert [piece["extra"] for piece in (await studio.pieces()).values()] == [[], []]


async def test_every_save_reaches_other_locales(safe_studio: Studio) -> None:
    made = await safe_studio.make(**FULL)
    added = await safe_studio.translate(made)
    document = "mutation($id: ID!, $data: PieceInput!) { updatePiece(id: $id, data: $data) { data { id } } }"
    answer = await safe_studio.graphql(document, id=added, data={"note": "g", "items": [{"text": "z"}]})
    assert "errors" not in answer.json
    assert some(await safe_studio.piece(made), "note", "items") == {"note": "g", "items": [{"text": "z"}]}
    await safe_studio.rest("PUT", f"/pieces/{made}", {"data": {"price": None, "cover": 2}})
    assert some(await safe_studio.piece(added), "price", "cover", "note") == {"price": None, "cover": 2, "note": "g"}


async def test_under_v4_saves_reach_other_locales_only_if_populated(v4_studio: Studio) -> None:
    made = await v4_studio.make(**FULL)
    added = await v4_studio.translate(made)
    await v4_studio.rest("PUT", f"/pieces/{added}", {"data": {"note": "left"}})
    shown = "data { attributes { localizations { data { id } } } }"
    document = f"mutation($id: ID!) {{ updatePiece(id: $id, data: {{price: 7}}) {{ {shown} }} }}"
    await v4_studio.graphql(document, id=added)
    assert some(await v4_studio.piece(made), "note", "price") == {"note": "n", "price": 2.5}
    await v4_studio.rest("PUT", f"/pieces/{added}?populate=localizations", {"data": {"title": "drei", "seo": None}})
    english = await v4_studio.piece(made)
    assert (english["note"], english["price"], english["seo"]["text"]) == ("left", 7, "s")


async def test_a_partial_save_of_the_content_manager_completes_shared_scalars(v4_studio: Studio) -> None:
    made = await v4_studio.make(**FULL)
    added = await v4_studio.translate(made)
    left = {"price": 9, "note": None, "items": [{"text": "left"}]}
    await v4_studio.rest("PUT", f"/pieces/{added}", {"data": left})
    assert (await v4_studio.manage("PUT", f"{PIECES}/{added}", {"title": "drei"})).status == 200
    english = await v4_studio.piece(made)
    assert some(english, "price", "note", "items") == {
        "price": 9,
        "note": "n",
        "items": [{"text": "x", "tag": 2}, {"text": "y"}],
    }


@pytest.mark.parametrize("action, follows", [("publish", True), ("unpublish", True), ("bulkPublish", False)])
async def test_publishing_completes_shared_scalars(v4_studio: Studio, action: str, follows: bool) -> None:
    made = await v4_studio.make(**FULL)
    added = await v4_studio.translate(made)
    if action == "unpublish":
        await v4_studio.manage("POST", f"{PIECES}/{added}/actions/publish")
    await v4_studio.rest("PUT", f"/pieces/{added}", {"data": {"price": 9, "items": []}})
    if action == "bulkPublish":
        answer = await v4_studio.manage("POST", f"{PIECES}/actions/bulkPublish", {"ids": [added]})
    else:
        answer = await v4_studio.manage("POST", f"{PIECES}/{added}/actions/{action}")
    assert answer.status == 200, answer.body
    english = await v4_studio.piece(made)
    assert (english["price"], len(english["items"])) == (9 if follows else 2.5, 2)


async def test_cleared_values_of_a_new_translation_are_filled(studio: Studio) -> None:
    made = await studio.make(**FULL)
    before = await studio.piece(made)
    emptied: dict[str, Any] = {
        "title": "zwei",
        "price": None,
        "note": "",
        "seo": None,
        "items": [],
        "cover": None,
        "gallery": [],
    }
    answer = await studio.manage("POST", f"{PIECES}?locale=de&relatedEntityId={made}", emptied)
    assert answer.status == 200, answer.body
    german, english = await studio.piece(answer.json["id"]), await studio.piece(made)
    assert some(german, "price", "items", "cover", "gallery") == some(before, "price", "items", "cover", "gallery")
    assert (german["seo"]["text"], german["note"], english["note"]) == ("s", "", "")
    assert english == {**before, "note": "", "localizations": english["localizations"]}


@pytest.mark.parametrize("by", ["rest", "manager", "create"])
async def test_a_unique_value_is_shared(studio: Studio, by: str) -> None:
    made = await studio.make(sku="s1")
    other = await studio.make(sku="s2")
    data = {"title": "zwei", "sku": "s2"}
    if by == "rest":
        answer = await studio.rest("POST", f"/pieces/{made}/localizations", {**data, "locale": "de"})
    elif by == "manager":
        answer = await studio.manage("POST", f"{PIECES}?locale=de&relatedEntityId={made}", data)
    else:
        answer = await studio.rest("POST", "/pieces", {"data": {**data, "locale": "de", "localizations": [made]}})
    assert answer.status == 200, answer.body
    pieces = await studio.pieces()
    assert sorted(one["sku"] for one in pieces.values()) == ["s1", "s1", "s2"]
    german = next(one for one, piece in pieces.items() if piece["locale"] == "de")
    again = await studio.manage("PUT", f"{PIECES}/{german}", {"sku": "s1", "title": "drei"})
    assert again.status == 200, again.body
    assert (await studio.manage("PUT", f"{PIECES}/{german}", {"sku": "s3"})).status == 200
    assert (await studio.piece(made))["sku"] == "s3"
    taken = await studio.manage("PUT", f"{PIECES}/{german}", {"sku": "s2"})
    assert (taken.status, taken.json["error"]["message"]) == (400, "This attribute must be unique")
    taken = await studio.rest("PUT", f"/pieces/{other}", {"data": {"sku": "s3"}})
    assert taken.status == 400


async def test_a_single_type_in_another_locale_needs_an_existing_entry(studio: Studio) -> None:
    refused = await studio.manage("PUT", f"{BOARDS}?locale=de&relatedEntityId=999", {"title": "x"})
    assert refused.status == 400
    message = "The related entity doesn't exist or the entity already exists in this locale"
    assert refused.json["error"]["message"] == message
    assert (await studio.manage("PUT", f"{BOARDS}?locale=de", {"title": "x"})).status == 200
    assert (await studio.manage("PUT", f"{BOARDS}?locale=fr&relatedEntityId=999", {"title": "y"})).status == 200
    assert (await studio.manage("PUT", f"{BOARDS}?locale=de&relatedEntityId=999", {"title": "z"})).status == 200


async def test_graphql_creates_the_board_of_the_default_locale(studio: Studio) -> None:
    assert (await studio.manage("PUT", f"{BOARDS}?locale=de", {"title": "x", "price": 4})).status == 200
    document = "mutation($data: BoardInput!) { updateBoard(data: $data) { data { attributes { title locale } } } }"
    answer = await studio.graphql(document, data={"title": "y"})
    assert answer.json["data"]["updateBoard"]["data"]["attributes"] == {"title": "y", "locale": "en"}, answer.json
    again = await studio.graphql(document, data={"title": "z"})
    assert again.json["data"]["updateBoard"]["data"]["attributes"] == {"title": "z", "locale": "en"}
    german = await studio.rest("GET", "/board?locale=de&publicationState=preview")
    assert german.json["data"]["attributes"]["price"] == 4
