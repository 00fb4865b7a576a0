"""Duplicating entries, counts of drafts, hooks and account pages in the content manager."""

from typing import Any

import pytest

from tests.api.admin.newsroom import BADGE, EXPLORER, IS_CREATOR, STORY, Newsroom

pytestmark = pytest.mark.anyio

USERS = "/content-manager/collection-types/plugin::users-permissions.user"


async def test_a_copy_of_a_story(newsroom: Newsroom) -> None:
    first, second, third = [(await newsroom.make("badge.badge", {"label": "B"}))["id"] for _ in range(3)]
    teasers = [{"text": "a", "by": {"connect": [{"id": first}]}}, {"text": "b"}]
    given = {"title": "One", "code": "copy-1", "pin": "1", "links": teasers, "lead": first}
    made = await newsroom.make("story.story", {**given, "badges": [first, second]})
    await newsroom.ask("POST", f"story.story/{made['id']}/actions/publish")
    moved = {"connect": [{"id": third, "position": {"start": True}}], "disconnect": [{"id": first}]}
    body = {"code": "copy-2", "badges": moved, "links": [{"id": made["links"][0]["id"], "text": "A"}]}
    copy = await newsroom.make(f"story.story/clone/{made['id']}", body)
    assert (copy["title"], copy["publishedAt"], copy["badges"], copy["lead"]) == (
        "One",
        None,
        {"count": 2},
        {"count": 1},
    )
    assert [(link["text"], link["by"]) for link in copy["links"]] == [("A", {"count": 1})]
    assert copy["links"][0]["id"] != made["links"][0]["id"]
    kept = (await newsroom.ask("GET", f"story.story/{made['id']}")).json
    assert [link["text"] for link in kept["links"]] == ["a", "b"]
    assert kept["badges"] == {"count": 2}
    refused = await newsroom.ask("POST", f"story.story/clone/{made['id']}", {})
    assert refused.json["error"]["details"]["errors"][0]["path"] == ["code"]
    assert (await newsroom.ask("POST", "story.story/clone/9999", {"code": "q"})).status == 404


async def test_components_of_a_copy_without_an_id_of_the_original_are_new(newsroom: Newsroom) -> None:
    badge = (await newsroom.make("badge.badge", {"label": "B"}))["id"]
    item = {"text": "a", "by": {"connect": [{"id": badge}]}}
    made = await newsroom.make("story.story", {"title": "One", "teaser": item, "links": [item, item]})
    first, second = made["links"]
    for links in (
        [{"id": second["id"]}],
        [{"id": None, "text": "n"}],
        [{"id": None, "text": "n"}, {"id": first["id"]}],
    ):
        code = f"copy-{len(links)}-{links[0]['id'] is None}"
        body = {"code": code, "teaser": {"id": None, "text": "t"}, "links": links}
        copy = await newsroom.make(f"story.story/clone/{made['id']}", body)
        assert (copy["teaser"]["text"], copy["teaser"]["by"]) == ("t", {"count": 0})
        wanted = [("n", 0) if link["id"] is None else ("a", 1) for link in links]
        assert [(link["text"], link["by"]["count"]) for link in copy["links"]] == wanted


async def test_unreadable_fields_are_not_duplicated(newsroom: Newsroom) -> None:
    await newsroom.allow("create", STORY, "title", "words", "code", "parts", "secret")
    await newsroom.allow("read", STORY, "title", "words", "parts")
    made = await newsroom.make("story.story", {"title": "One", "words": 3, "code": "hers", "secret": "s"})
    copy = await newsroom.make(f"story.story/clone/{made['id']}", {}, by="edi")
    seen = (await newsroom.ask("GET", f"story.story/{copy['id']}")).json
    assert (seen["title"], seen["words"], seen["code"], seen["secret"]) == ("One", 3, None, None)
    assert seen["createdBy"]["id"] == 2


async def test_copies_as_they_are(newsroom: Newsroom) -> None:
    badge = (await newsroom.make("badge.badge", {"label": "B"}))["id"]
    assert (await newsroom.ask("POST", f"badge.badge/auto-clone/{badge}")).json["label"] == "B"
    refused = await newsroom.ask("POST", "story.story/auto-clone/1")
    assert refused.status == 400
    expected = [[["code"], "unique"], [["parts", "Note", "unique"], "unique"]]
    assert refused.json["error"]["details"] == {"prohibitedFields": expected}


async def test_related_drafts(newsroom: Newsroom) -> None:
    badge = (await newsroom.make("badge.badge", {"label": "B"}))["id"]
    stories = [await newsroom.make("story.story", {"title": "S", "badges": [badge]}) for _ in range(2)]
    await newsroom.ask("POST", f"story.story/{stories[0]['id']}/actions/publish")
    one = await newsroom.ask("GET", f"badge.badge/{badge}/actions/countDraftRelations")
    assert one.json == {"data": 1}
    many = "badge.badge/actions/countManyEntriesDraftRelations"
    assert (await newsroom.ask("GET", f"{many}?ids[0]={badge}&ids[1]=9999")).json == {"data": 1}
    assert (await newsroom.ask("GET", f"{many}?ids=x")).json == {"data": 0}
    assert (await newsroom.ask("GET", many)).status == 400
    assert (await newsroom.ask("GET", "badge.badge/9999/actions/countDraftRelations")).status == 404
    assert (await newsroom.ask("GET", many, by="edi")).status == 403
    assert (await newsroom.ask("GET", f"story.story/{stories[0]['id']}/actions/numberOfDraftRelations")).status == 404


async def test_only_readable_drafts_are_counted(newsroom: Newsroom) -> None:
    await newsroom.allow("create", BADGE)
    badges = [(await newsroom.make("badge.badge", {"label": "B"}, by=who))["id"] for who in ("ada", "edi")]
    for badge in badges:
        await newsroom.make("story.story", {"title": "S", "badges": [badge]})
    await newsroom.allow_nothing()

    async def counted() -> list[Any]:
        ids = "&".join(f"ids={badge}" for badge in badges)
        paths = [f"badge.badge/actions/countManyEntriesDraftRelations?{ids}"]
        paths += [f"badge.badge/{badge}/actions/countDraftRelations" for badge in badges]
        return [(await newsroom.ask("GET", path, by="edi")).json.get("data") for path in paths]

    await newsroom.allow("read", BADGE, "label")
    assert await counted() == [0, 0, 0]
    await newsroom.allow("read", BADGE, "stories", conditions=[IS_CREATOR])
    assert await counted() == [1, 0, 1]
    await newsroom.allow_nothing()
    await newsroom.allow("read", BADGE, "label", "stories", conditions=[IS_CREATOR])
    assert await counted() == [1, None, 1]


async def test_hooks_are_called_as_by_every_api(newsroom: Newsroom) -> None:
    made = await newsroom.make("medal.medal", {"label": " gold "})
    assert made["label"] == "gold!", "stripped before storing, and changed by the read hook"
    assert (await newsroom.ask("GET", f"medal.medal/{made['id']}")).json["label"] == "gold!"
    assert (await newsroom.ask("GET", "medal.medal")).json["results"][0]["label"] == "gold?"
    refused = await newsroom.ask("POST", "medal.medal", {"label": "refused"})
    assert (refused.status, refused.json["error"]["message"]) == (400, "No such medal")
    assert (await newsroom.ask("GET", f"medal.medal/{made['id']}/actions/countDraftRelations")).json == {"data": 0}


async def test_users_keep_the_rules_of_accounts(newsroom: Newsroom) -> None:
    role: dict[str, Any] = {"connect": [{"id": 1}], "disconnect": []}
    given = {"username": "zoe", "email": "ZOE@example.org", "password": "secret 1", "role": role}
    made = await newsroom.ask("POST", USERS, {**given, "provider": "google", "resetPasswordToken": "x"})
    assert made.status == 201, made.body
    assert (made.json["email"], made.json["role"]) == ("zoe@example.org", {"count": 1})
    assert not {"password", "provider", "resetPasswordToken"} & set(made.json)
    assert (await newsroom.office.club.log_in("zoe", "secret 1")).status == 200
    path = f"{USERS}/{made.json['id']}"
    for body, message in (
        ({"username": "ann"}, "Username already taken"),
        ({"role": {"connect": [], "disconnect": [{"id": 1}]}}, "Cannot remove role"),
        ({"role": {"connect": [{"id": 1}]}}, "role.disconnect is a required field"),
        ({"role": None}, "role must be a `object` type, but the final value was: `null`."),
        ({"password": None}, "password must be a `string` type, but the final value was: `null`."),
    ):
        refused = await newsroom.ask("PUT", path, body)
        assert (refused.status, refused.json["error"]["message"]) == (400, message)
    again = await newsroom.ask("POST", USERS, {**given, "username": "zoe2"})
    assert again.json["error"]["message"] == "Email already taken"
    wrong: dict[str, Any] = {"role": {"connect": []}}
    errors = (await newsroom.ask("POST", USERS, wrong)).json["error"]["details"]["errors"]
    assert [one["path"][0] for one in errors] == ["email", "username", "password", "role"]
    assert (await newsroom.ask("PUT", path, {"blocked": True, "password": "secret 2"})).json["blocked"] is True
    assert (await newsroom.office.club.log_in("zoe", "secret 2")).status == 400
    copied = await newsroom.ask("POST", f"{USERS}/clone/{made.json['id']}", {"username": "zoe3"})
    assert copied.json["error"]["message"] == "password is a required field"
    assert (await newsroom.ask("PUT", f"{USERS}/9999", {})).json["error"]["message"] == "Entity not found"
    assert (await newsroom.ask("DELETE", path)).status == 200
    await newsroom.allow("create", "plugin::users-permissions.user", "username", "email", "password")
    bare = await newsroom.ask("POST", USERS, {**given, "username": "max", "email": "max@example.org"}, by="edi")
    assert bare.json["error"]["message"] == "role is a required field", f"{EXPLORER} names no role"
