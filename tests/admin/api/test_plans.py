"""Plans that administrators make for entries, and where these are found from outside."""

from typing import Any

import pytest

from tests.admin.newsroom import BADGE, FRONT, STORY, Newsroom

pytestmark = pytest.mark.anyio

SOON, LATER = "2999-01-01T06:00:00.000Z", "2999-02-01T06:00:00.000Z"


async def test_plans_are_made_shown_and_taken_back(newsroom: Newsroom) -> None:
    made = await newsroom.make("story.story", {"title": "One"})
    path = f"/octavo/schedules/{STORY}/{made['id']}"
    assert (await newsroom.ask("GET", path)).json == {"data": {"publishAt": None, "unpublishAt": None}}
    planned = await newsroom.ask("PUT", path, {"publishAt": SOON, "unpublishAt": LATER})
    assert planned.json == {"data": {"publishAt": SOON, "unpublishAt": LATER}}
    assert (await newsroom.ask("PUT", path, {"publishAt": None})).json["data"]["publishAt"] is None
    refused = await newsroom.ask("PUT", path, {"publishAt": LATER, "unpublishAt": SOON})
    assert (refused.status, refused.json["error"]["message"]) == (400, "unpublishAt must be later than publishAt")
    wrong: tuple[Any, ...] = ([], {"when": SOON}, {"publishAt": "soon"})
    for body in wrong:
        assert (await newsroom.ask("PUT", path, body)).status == 400


async def test_plans_are_for_those_who_may_publish(newsroom: Newsroom) -> None:
    made = await newsroom.make("story.story", {"title": "One"})
    path = f"/octavo/schedules/{STORY}/{made['id']}"
    assert (await newsroom.ask("GET", path, by="edi")).status == 403
    await newsroom.allow("update", STORY)
    assert (await newsroom.ask("GET", path, by="edi")).status == 200
    assert (await newsroom.ask("PUT", path, {"publishAt": SOON}, by="edi")).status == 403
    await newsroom.allow("publish", STORY)
    assert (await newsroom.ask("PUT", path, {"publishAt": SOON}, by="edi")).status == 200


async def test_what_has_no_plans(newsroom: Newsroom) -> None:
    assert (await newsroom.ask("GET", f"/octavo/schedules/{STORY}/999999")).status == 404
    badge = await newsroom.make("badge.badge", {"label": "B"})
    assert (await newsroom.ask("GET", f"/octavo/schedules/{BADGE}/{badge['id']}")).status == 400
    assert (await newsroom.ask("GET", "/octavo/schedules/api::no.no/1")).status == 403


async def test_where_entries_are_found(newsroom: Newsroom) -> None:
    async def found(uid: str, by: str = "ada") -> object:
        answer = await newsroom.ask("GET", f"/octavo/entry-addresses/{uid}", by=by)
        return answer.json["data"] if answer.status == 200 else answer.status

    assert await found(STORY) == {"api": "/api/storys", "preview": None}
    assert await found(FRONT) == {"api": "/api/front", "preview": None}
    assert await found("plugin::users-permissions.user") == {"api": "/api/users", "preview": None}
    assert await found(STORY, "edi") == 403
