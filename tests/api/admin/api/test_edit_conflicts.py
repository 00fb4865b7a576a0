"""Edit conflicts: a save is refused if another user has changed the entry since it was loaded."""

import asyncio
from typing import Any

import pytest

from tests.api.admin.newsroom import FRONT, STORY, Newsroom
from tests.api.http.asgi import Answer

pytestmark = pytest.mark.anyio

STORIES = f"/content-manager/collection-types/{STORY}"
SINGLE = f"/content-manager/single-types/{FRONT}"


async def change(
    newsroom: Newsroom, path: str, body: Any, seen: str | None, method: str = "PUT", by: str = "ada"
) -> Answer:
    """Send a change based on the given state, and return the response."""
    await newsroom.ask("GET", STORIES, by=by)  # signs in
    headers = () if seen is None else (("X-Octavo-Seen", seen),)
    return await newsroom.office.club.ask(method, path, body, newsroom.tokens[by], headers=headers)


async def test_a_change_of_an_older_state_is_refused_with_the_present_one(newsroom: Newsroom) -> None:
    made = await newsroom.make("story.story", {"title": "One", "secret": "s"})
    path = f"{STORIES}/{made['id']}"
    first = await change(newsroom, path, {"title": "Two"}, made["updatedAt"])
    assert first.status == 200
    second = await change(newsroom, path, {"words": 9}, made["updatedAt"])
    assert (second.status, second.json["error"]["name"]) == (409, "ConflictError")
    present = second.json["error"]["details"]["entry"]
    assert present == (await newsroom.ask("GET", path)).json
    assert (present["title"], present["words"]) == ("Two", 7)
    assert (await change(newsroom, path, {"words": 9}, present["updatedAt"])).status == 200
    assert (await change(newsroom, path, {"words": 10}, None)).status == 200  # v4's own panel sends no state


async def test_one_of_several_simultaneous_changes_succeeds(newsroom: Newsroom) -> None:
    made = await newsroom.make("story.story", {"title": "One"})
    await asyncio.sleep(0.002)  # states differ by their milliseconds
    path = f"{STORIES}/{made['id']}"
    bodies = [{"words": 100 + number} for number in range(6)]
    answers = await asyncio.gather(*(change(newsroom, path, body, made["updatedAt"]) for body in bodies))
    assert sorted(answer.status for answer in answers) == [200, 409, 409, 409, 409, 409]


async def test_publishing_an_older_state_is_refused(newsroom: Newsroom) -> None:
    made = await newsroom.make("story.story", {"title": "One"})
    await asyncio.sleep(0.002)  # states differ by their milliseconds
    path = f"{STORIES}/{made['id']}"
    changed = (await newsroom.ask("PUT", path, {"title": "Other"})).json
    refused = await change(newsroom, f"{path}/actions/publish", None, made["updatedAt"], "POST")
    assert refused.status == 409
    assert (await change(newsroom, f"{path}/actions/publish", None, changed["updatedAt"], "POST")).status == 200


async def test_conflicts_show_only_readable_fields(newsroom: Newsroom) -> None:
    made = await newsroom.make("story.story", {"title": "One", "secret": "s"})
    await newsroom.allow("read", STORY, "title")
    await newsroom.allow("update", STORY, "title")
    path = f"{STORIES}/{made['id']}"
    refused = await change(newsroom, path, {"title": "Two"}, "2020-01-01T00:00:00.000Z", by="edi")
    assert refused.status == 409
    assert refused.json["error"]["details"]["entry"]["title"] == "One"
    assert "secret" not in refused.json["error"]["details"]["entry"]


async def test_rows_without_a_timestamp_can_be_changed(newsroom: Newsroom) -> None:
    made = await newsroom.make("story.story", {"title": "One"})
    path = f"{STORIES}/{made['id']}"
    await newsroom.office.club.database.execute(f"UPDATE storys SET updated_at = NULL WHERE id = {made['id']}")
    assert (await newsroom.ask("GET", path)).json["updatedAt"] is None
    assert (await change(newsroom, path, {"title": "Two"}, made["updatedAt"])).status == 409
    assert (await change(newsroom, path, {"title": "Two"}, "null")).status == 200


async def test_missing_entries_are_not_found(newsroom: Newsroom) -> None:
    assert (await change(newsroom, f"{STORIES}/999999", {"title": "x"}, "then")).status == 404


async def test_if_match_accepts_the_etag_of_the_entry(newsroom: Newsroom) -> None:
    made = await newsroom.make("story.story", {"title": "One"})
    path = f"{STORIES}/{made['id']}"
    read = await newsroom.ask("GET", path)
    tag = read.headers["etag"]
    assert tag == f'"{made["updatedAt"]}"'
    first = await change_tagged(newsroom, path, {"title": "Two"}, tag)
    assert (first.status, first.headers["etag"]) == (200, f'"{first.json["updatedAt"]}"')
    refused = await change_tagged(newsroom, path, {"words": 9}, tag)
    assert (refused.status, refused.json["error"]["name"]) == (412, "PreconditionFailedError")
    assert refused.json["error"]["details"]["entry"]["title"] == "Two"
    assert (await change_tagged(newsroom, path, {"words": 9}, "*")).status == 200
    assert (await change_tagged(newsroom, f"{path}/actions/publish", None, tag, "POST")).status == 412


async def test_lists_of_single_type_routes_have_no_etag(newsroom: Newsroom) -> None:
    """v4 answers the route of single types for collection types, too."""
    await newsroom.make("story.story", {"title": "One"})
    listed = await newsroom.ask("GET", f"/content-manager/single-types/{STORY}")
    assert (listed.status, type(listed.json), "etag" in listed.headers) == (200, list, False)


@pytest.mark.parametrize("tag", ["", "2026-01-01T00:00:00.000Z", '"a", "b"', 'W/"a"', '"'])
async def test_if_match_accepts_only_one_entity_tag(newsroom: Newsroom, tag: str) -> None:
    made = await newsroom.make("story.story", {"title": "One"})
    refused = await change_tagged(newsroom, f"{STORIES}/{made['id']}", {"title": "Two"}, tag)
    assert refused.status == 400
    assert "If-Match" in refused.json["error"]["message"]


async def change_tagged(newsroom: Newsroom, path: str, body: Any, tag: str, method: str = "PUT") -> Answer:
    await newsroom.ask("GET", STORIES)  # signs in
    return await newsroom.office.club.ask(method, path, body, newsroom.tokens["ada"], headers=(("If-Match", tag),))


async def test_single_types(newsroom: Newsroom) -> None:
    gone = await change(newsroom, SINGLE, {"headline": "Zero"}, "2020-01-01T00:00:00.000Z")
    assert gone.status == 404
    made = await change(newsroom, SINGLE, {"headline": "One"}, "nothing")
    assert made.status == 200
    assert (await change(newsroom, SINGLE, {"headline": "Two"}, "nothing")).status == 409
    assert (await change(newsroom, SINGLE, {"headline": "Two"}, made.json["updatedAt"])).status == 200
    await newsroom.ask("DELETE", SINGLE)
