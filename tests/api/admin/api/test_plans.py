"""Schedules of entries in the admin API, and how other APIs show them."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from octavo.content.schedules import TOPIC
from octavo.core.clock import this_moment
from octavo.events.messages import Message, Undeliverable
from tests.api.admin.newsroom import BADGE, FRONT, STORY, Newsroom

pytestmark = pytest.mark.anyio

SOON, LATER = "2999-01-01T06:00:00.000Z", "2999-02-01T06:00:00.000Z"


async def test_schedules_are_created_shown_and_canceled(newsroom: Newsroom) -> None:
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


async def test_schedules_need_permission_to_publish(newsroom: Newsroom) -> None:
    made = await newsroom.make("story.story", {"title": "One"})
    path = f"/octavo/schedules/{STORY}/{made['id']}"
    assert (await newsroom.ask("GET", path, by="edi")).status == 403
    await newsroom.allow("update", STORY)
    assert (await newsroom.ask("GET", path, by="edi")).status == 200
    assert (await newsroom.ask("PUT", path, {"publishAt": SOON}, by="edi")).status == 403
    await newsroom.allow("publish", STORY)
    assert (await newsroom.ask("PUT", path, {"publishAt": SOON}, by="edi")).status == 200


async def test_content_types_without_schedules(newsroom: Newsroom) -> None:
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


async def test_a_failed_schedule_is_shown_and_mailed_to_its_author(newsroom: Newsroom) -> None:
    club = newsroom.office.club
    made = await newsroom.make("story.story", {"title": "One"})
    path = f"/octavo/schedules/{STORY}/{made['id']}"
    due_at = this_moment() + 50
    due = datetime.fromtimestamp(due_at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert (await newsroom.ask("PUT", path, {"publishAt": due})).status == 200
    await newsroom.ask("PUT", f"story.story/{made['id']}", {"title": None})
    while this_moment() <= due_at:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.01)
    before = len(await club.mails(0))
    payload = {"uid": STORY, "id": made["id"], "plan": "publish", "dueAt": due_at, "by": 1}
    with pytest.raises(Undeliverable):
        await club.octavo.site.topics[TOPIC].handler(Message(1, TOPIC, "", payload, 1, 0))
    state = (await newsroom.ask("GET", path)).json["data"]
    assert (state["publishAt"], state["failure"]["plan"], state["failure"]["dueAt"]) == (None, "publish", due)
    assert "title" in state["failure"]["error"]
    [line] = [
        one for one in (await newsroom.ask("GET", f"/octavo/schedules/{STORY}")).json["data"] if one["id"] == made["id"]
    ]
    assert "title" in line["error"]
    home = (await newsroom.ask("GET", "/octavo/recent")).json["data"]["planned"]
    assert ["title" in one["error"] for one in home if one["id"] == made["id"]] == [True]
    mail = (await club.mails(before + 1))[-1]
    assert mail["Subject"] == f"Schedule failed: Story {made['id']}"
    text = mail.get_body(("plain",))
    assert text is not None
    assert f"Story {made['id']} was not published at {due}." in text.get_content()
    assert f"/admin/content-manager/collection-types/{STORY}/{made['id']}" in text.get_content()
    assert (await newsroom.ask("PUT", path, {"publishAt": None})).json["data"] == {
        "publishAt": None,
        "unpublishAt": None,
    }


async def test_invalid_schedules(newsroom: Newsroom) -> None:
    made = await newsroom.make("story.story", {"words": 3})
    path = f"/octavo/schedules/{STORY}/{made['id']}"
    refused = await newsroom.ask("PUT", path, {"publishAt": SOON})
    assert (refused.status, refused.json["error"]["details"]["errors"][0]["path"]) == (400, ["title"])
    past = await newsroom.ask("PUT", path, {"publishAt": "2020-01-01T00:00:00.000Z"})
    assert (past.status, past.json["error"]["details"]["errors"][0]["path"]) == (400, ["publishAt"])
