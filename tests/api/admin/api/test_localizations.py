"""Localizations, single types and locales in the content manager."""

import asyncio
from typing import Any

import pytest

from tests.api.admin.newsroom import FRONT, STORY, TOPIC, Newsroom

pytestmark = pytest.mark.anyio

LOCALES = "/i18n/locales"
HOME = f"/content-manager/single-types/{FRONT}"
BEGIN = "/i18n/content-manager/actions/get-non-localized-fields"


@pytest.fixture
async def french(newsroom: Newsroom) -> Newsroom:
    """Add French and Dutch to the newsroom."""
    known = {locale["code"] for locale in (await newsroom.ask("GET", LOCALES)).json}
    for code, name in {"fr": "French (fr)", "nl": "Dutch (nl)"}.items():
        if code not in known:
            added = await newsroom.ask("POST", LOCALES, {"code": code, "isDefault": False})
            assert added.json["name"] == name
    await newsroom.allow_nothing()  # adding a locale changes permissions of roles
    return newsroom


async def test_a_topic_in_two_languages(french: Newsroom) -> None:
    base = await french.make("topic.topic", {"name": "One", "code": "c1", "box": {"text": "b"}})
    made = await french.make(f"topic.topic?locale=fr&relatedEntityId={base['id']}", {"name": "Un"})
    assert (made["locale"], made["code"], made["box"]["text"]) == ("fr", "c1", "b")
    assert [(one["id"], one["locale"]) for one in made["localizations"]] == [(base["id"], "en")]
    changed = await french.ask("PUT", f"topic.topic/{made['id']}", {"code": "c2", "box": {"text": "x"}, "name": "Deux"})
    assert changed.status == 200
    seen = (await french.ask("GET", f"topic.topic/{base['id']}")).json
    assert (seen["name"], seen["code"], seen["box"]["text"], seen["locale"]) == ("One", "c2", "x", "en")
    assert seen["box"]["id"] != changed.json["box"]["id"]
    response = await french.ask("POST", BEGIN, {"model": TOPIC, "id": base["id"], "locale": "fr"})
    assert response.json["nonLocalizedFields"] == {"code": "c2", "box": {"text": "x", "unique": None}}
    assert [(one["id"], one["locale"]) for one in response.json["localizations"]] == [
        (made["id"], "fr"),
        (base["id"], "en"),
    ]
    copy = await french.make(f"topic.topic/clone/{made['id']}", {"name": "Copie"})
    assert (copy["locale"], copy["code"], copy["localizations"]) == ("fr", "c2", [])


@pytest.mark.parametrize(
    "asked, message",
    [
        ("locale=xx", "This locale doesn't exist"),
        ("locale=", "This locale doesn't exist"),
        ("locale=fr&relatedEntityId=9999", "The related entity doesn't exist or the entity already exists"),
        ("relatedEntityId={id}", "The related entity doesn't exist or the entity already exists"),
        ("locale=fr&relatedEntityId=x", "The related entity doesn't exist or the entity already exists"),
        ("locale=fr&locale=en", "locale must be a `string` type"),
    ],
)
async def test_localizations_that_cannot_be(french: Newsroom, asked: str, message: str) -> None:
    base = await french.make("topic.topic", {"name": "One"})
    answer = await french.ask("POST", f"topic.topic?{asked.format(id=base['id'])}", {"name": "x"})
    assert answer.status == 400
    assert answer.json["error"]["message"].startswith(message)


async def test_a_role_of_one_language(french: Newsroom) -> None:
    await french.allow("read", TOPIC, locales=["en", "fr"])
    for action in ("create", "update", "delete"):
        await french.allow(action, TOPIC, locales=["fr"])
    assert (await french.ask("POST", "topic.topic", {"name": "x"}, by="edi")).status == 403
    assert (await french.ask("POST", "topic.topic?locale=fr", {"name": "x"}, by="edi")).status == 200
    english = (await french.make("topic.topic", {"name": "One"}))["id"]
    assert (await french.ask("PUT", f"topic.topic/{english}", {"name": "x"}, by="edi")).status == 403
    assert (await french.ask("DELETE", f"topic.topic/{english}", by="edi")).status == 403
    over_rest = f"/api/topics/{english}/localizations"
    assert (await french.ask("POST", over_rest, {"locale": "nl", "name": "x"}, by="edi")).status == 403
    assert (await french.ask("POST", over_rest, {"locale": "fr", "name": "x"}, by="edi")).status == 200
    given = {"model": TOPIC, "id": english, "locale": "fr"}
    assert (await french.ask("POST", BEGIN, given, by="edi")).json["nonLocalizedFields"] != {}
    await french.allow_nothing()
    assert (await french.ask("POST", BEGIN, given, by="edi")).status == 403


STATES = f"/octavo/localizations/{TOPIC}"


async def test_localizations_are_drafts_or_outdated(french: Newsroom) -> None:
    base = await french.make("topic.topic", {"name": "One", "code": "s1"})
    made = await french.make(f"topic.topic?locale=fr&relatedEntityId={base['id']}", {"name": "Un"})
    dutch = await french.make(f"topic.topic?locale=nl&relatedEntityId={base['id']}", {"name": "Een"})
    alone = await french.make("topic.topic?locale=nl", {"name": "Alleen"})
    changed = (await french.ask("PUT", f"topic.topic/{base['id']}", {"name": "First"})).json
    current = (await french.ask("PUT", f"topic.topic/{dutch['id']}", {"name": "Eerste"})).json
    database = french.office.club.database
    await french.ask("GET", f"{STATES}?ids={base['id']}")
    before = database.statements
    answer = await french.ask("GET", f"{STATES}?ids={dutch['id']},{alone['id']},{made['id']},{base['id']}")
    assert database.statements - before == 1, "for all entries"
    found = {one["id"]: one["localizations"] for one in answer.json["data"]}
    family = {
        (base["id"], "en", False, changed["updatedAt"], None),
        (made["id"], "fr", False, made["updatedAt"], changed["updatedAt"]),
        (dutch["id"], "nl", False, current["updatedAt"], None),
    }
    for entry in (base, made, dutch):
        assert {tuple(one.values()) for one in found[entry["id"]]} == family
        assert found[entry["id"]][0]["id"] == entry["id"]
    assert [tuple(one.values()) for one in found[alone["id"]]] == [(alone["id"], "nl", False, alone["updatedAt"], None)]
    front = (await french.ask("PUT", HOME, {"headline": "Home"})).json
    answer = await french.ask("GET", f"/octavo/localizations/{FRONT}?ids={front['id']}")
    assert [one["isDraft"] for one in answer.json["data"][0]["localizations"] if one["id"] == front["id"]] == [True]


async def test_shared_values_do_not_make_the_saved_localization_outdated(french: Newsroom) -> None:
    base = await french.make("topic.topic", {"name": "One", "code": "s3"})
    made = await french.make(f"topic.topic?locale=fr&relatedEntityId={base['id']}", {"name": "Un"})
    before = max(base["updatedAt"], made["updatedAt"])
    for number, saved in enumerate((made["id"], base["id"], made["id"], made["id"], base["id"])):
        changed = (await french.ask("PUT", f"topic.topic/{saved}", {"code": f"s3-{number}"})).json
        answer = await french.ask("GET", f"{STATES}?ids={saved}")
        states = answer.json["data"][0]["localizations"]
        assert [(one["updatedAt"], one["outdatedSince"]) for one in states] == [(changed["updatedAt"], None)] * 2
        assert changed["updatedAt"] > before
        before = changed["updatedAt"]


async def test_shared_values_are_no_translation(french: Newsroom) -> None:
    """An outdated localization stays outdated until its own texts are saved, whichever entry gets the shared value."""
    base = await french.make("topic.topic", {"name": "One", "code": "s4"})
    ids = {"en": base["id"]}
    for locale in ("fr", "nl"):
        made = await french.make(f"topic.topic?locale={locale}&relatedEntityId={base['id']}", {"name": locale})
        ids[locale] = made["id"]

    async def outdated_after(locale: str, body: dict[str, str]) -> list[str]:
        before = await states()
        assert (await french.ask("PUT", f"topic.topic/{ids[locale]}", body)).status == 200
        after = await states()
        assert all(after[code]["updatedAt"] >= before[code]["updatedAt"] for code in ids), "never earlier"
        return sorted(one["locale"] for one in after.values() if one["outdatedSince"])

    async def states() -> dict[str, Any]:
        answer = await french.ask("GET", f"{STATES}?ids={base['id']}")
        return {one["locale"]: one for one in answer.json["data"][0]["localizations"]}

    assert await outdated_after("en", {"name": "First"}) == ["fr", "nl"]
    assert await outdated_after("nl", {"name": "Eerste"}) == ["fr"]
    for number, locale in enumerate(("en", "fr", "nl", "fr", "en")):
        assert await outdated_after(locale, {"code": f"s4-{number}"}) == ["fr"], locale
    assert await outdated_after("fr", {"name": "Premier", "code": "s4-f"}) == []
    assert await outdated_after("fr", {"code": "s4-g"}) == []
    assert await outdated_after("en", {"name": "Very first", "code": "s4-h"}) == ["fr", "nl"]


async def test_localizations_that_cannot_be_read_are_left_out(french: Newsroom) -> None:
    base = await french.make("topic.topic", {"name": "One", "code": "s2"})
    made = await french.make(f"topic.topic?locale=fr&relatedEntityId={base['id']}", {"name": "Un"})
    await french.ask("PUT", f"topic.topic/{base['id']}", {"name": "First"})
    asked = f"{STATES}?ids={base['id']},{made['id']}"
    assert (await french.ask("GET", asked, by="edi")).status == 403
    await french.allow("read", TOPIC, locales=["fr"])
    [entry] = (await french.ask("GET", asked, by="edi")).json["data"]
    assert [tuple(one.values()) for one in entry["localizations"]] == [
        (made["id"], "fr", False, made["updatedAt"], None)
    ], "nothing about English"


@pytest.mark.parametrize("ids", ["", "?ids=", "?ids=x", "?ids[]=1", "?ids=1,,2", f"?ids={','.join(['1'] * 101)}"])
async def test_localizations_of_invalid_ids(french: Newsroom, ids: str) -> None:
    answer = await french.ask("GET", f"{STATES}{ids}")
    message = "ids must be 1 to 100 entry ids, separated by commas"
    assert (answer.status, answer.json["error"]["message"]) == (400, message)


async def test_localizations_of_a_type_without_locales(french: Newsroom) -> None:
    answer = await french.ask("GET", f"/octavo/localizations/{STORY}?ids=1")
    message = f"{STORY} is not localized. Enable i18n in its pluginOptions first"
    assert (answer.status, answer.json["error"]["message"]) == (400, message)


async def test_the_front_page(french: Newsroom) -> None:
    while (await french.ask("DELETE", HOME)).status == 200:
        pass
    assert (await french.ask("POST", f"{HOME}/actions/publish")).status == 404
    made = await asyncio.gather(*(french.ask("PUT", HOME, {"headline": f"H{number}"}) for number in range(3)))
    assert sorted({answer.status for answer in made}) in ([200], [200, 400])
    assert len({answer.json["id"] for answer in made if answer.status == 200}) == 1
    first = await french.ask("PUT", HOME, {"headline": "Home"})
    second = await french.ask("PUT", f"{HOME}?locale=fr", {"headline": "Maison"})
    assert second.json["locale"] == "fr"
    assert [one["id"] for one in second.json["localizations"]] == [first.json["id"]]
    assert (await french.ask("POST", f"{HOME}/actions/publish?locale=fr")).json["id"] == second.json["id"]
    assert (await french.ask("PUT", f"{HOME}?locale=xx", {})).status == 400
    assert (await french.ask("PUT", f"/content-manager/single-types/{TOPIC}", {})).status == 404
    assert (await french.ask("DELETE", f"{HOME}?locale=fr")).status == 200
    assert (await french.ask("DELETE", f"{HOME}?locale=fr")).status == 404
    await french.allow("read", FRONT)
    assert (await french.ask("PUT", HOME, {"headline": "x"}, by="edi")).status == 403


async def test_locales_are_added_changed_and_removed(french: Newsroom) -> None:
    added = (await french.ask("POST", LOCALES, {"code": "de", "name": "Deutsch", "isDefault": False})).json
    assert (added["code"], added["name"], added["isDefault"]) == ("de", "Deutsch", False)
    again = await french.ask("POST", LOCALES, {"code": "de", "name": "x", "isDefault": False})
    assert (again.status, again.json["error"]["message"]) == (400, "This locale already exists")
    path = f"{LOCALES}/{added['id']}"
    assert (await french.ask("PUT", path, {"name": "German", "isDefault": True})).json["isDefault"] is True
    assert (await french.ask("DELETE", path)).json["error"]["message"] == "Cannot delete the default locale"
    english = next(one["id"] for one in (await french.ask("GET", LOCALES)).json if one["code"] == "en")
    assert (await french.ask("PUT", f"{LOCALES}/{english}", {"isDefault": True})).json["isDefault"] is True
    topic = await french.make("topic.topic?locale=de", {"name": "Eins"})
    assert (await french.ask("DELETE", path)).json["name"] == "German"
    assert (await french.ask("GET", f"topic.topic/{topic['id']}")).status == 404
    assert (await french.ask("DELETE", path)).json["error"]["message"] == "locale.notFound"
    wrong = await french.ask("POST", LOCALES, {"code": "xx", "other": 1})
    assert [one["path"] for one in wrong.json["error"]["details"]["errors"]] == [["code"], ["isDefault"], []]
    refused = [("GET", "/i18n/iso-locales"), ("POST", LOCALES), ("PUT", path), ("DELETE", path)]
    assert {(await french.ask(method, to, {}, by="edi")).status for method, to in refused} == {403}
    assert (await french.ask("GET", LOCALES, by="edi")).status == 200
    known = (await french.ask("GET", "/i18n/iso-locales")).json
    assert {"code": "fr-CA", "name": "French (Canada) (fr-CA)"} in known
