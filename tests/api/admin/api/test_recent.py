"""The home page lists recent entries and schedules that the administrator can read."""

from typing import Any

import pytest

from tests.api.admin.newsroom import BADGE, IS_CREATOR, STORY, Newsroom

pytestmark = pytest.mark.anyio

SOON, LATER = "2999-01-01T06:00:00.000Z", "2999-02-01T06:00:00.000Z"


async def recent(newsroom: Newsroom, by: str = "ada") -> dict[str, list[dict[str, Any]]]:
    answer = await newsroom.ask("GET", "/octavo/recent", by=by)
    assert answer.status == 200, answer.body
    found: dict[str, list[dict[str, Any]]] = answer.json["data"]
    return found


async def test_the_latest_of_all_content_types(newsroom: Newsroom) -> None:
    story = await newsroom.make("story.story", {"title": "Latest story"})
    badge = await newsroom.make("badge.badge", {"label": "Latest badge"})
    found = await recent(newsroom)
    assert [line["name"] for line in found["changed"][:2]] == ["Latest badge", "Latest story"]
    ada = {"id": 1, "firstname": "Ada", "lastname": None, "username": None}
    assert found["changed"][1] == {
        "uid": STORY,
        "id": story["id"],
        "name": "Latest story",
        "locale": None,
        "isDraft": True,
        "updatedAt": story["updatedAt"],
        "updatedBy": ada,
    }
    assert not found["changed"][0]["isDraft"], badge
    assert found["drafts"][0]["name"] == "Latest story"
    assert all(line["isDraft"] for line in found["drafts"])


async def test_the_number_of_recent_entries_is_limited(newsroom: Newsroom) -> None:
    for number in range(12):
        await newsroom.make("story.story", {"title": f"Story {number}"})
    found = await recent(newsroom)
    assert (len(found["changed"]), len(found["drafts"])) == (10, 10)
    assert found["changed"][0]["name"] == "Story 11"


async def test_schedules_are_carried_out_on_time(newsroom: Newsroom) -> None:
    first, second = [await newsroom.make("story.story", {"title": title}) for title in ("First", "Second")]
    await newsroom.ask("PUT", f"/octavo/schedules/{STORY}/{first['id']}", {"publishAt": SOON, "unpublishAt": LATER})
    await newsroom.ask("PUT", f"/octavo/schedules/{STORY}/{second['id']}", {"publishAt": SOON.replace("06", "05")})
    ids = (first["id"], second["id"])
    found = [
        (line["name"], line["plan"], line["due"]) for line in (await recent(newsroom))["planned"] if line["id"] in ids
    ]
    assert found == [
        ("Second", "publish", SOON.replace("06", "05")),
        ("First", "publish", SOON),
        ("First", "unpublish", LATER),
    ]


async def test_schedules_of_a_content_type(newsroom: Newsroom) -> None:
    made = await newsroom.make("story.story", {"title": "Planned"})
    await newsroom.ask("PUT", f"/octavo/schedules/{STORY}/{made['id']}", {"publishAt": SOON})
    answer = await newsroom.ask("GET", f"/octavo/schedules/{STORY}")
    assert {"id": made["id"], "plan": "publish", "due": SOON} in answer.json["data"]
    assert (await newsroom.ask("GET", f"/octavo/schedules/{BADGE}")).json == {"data": []}
    assert (await newsroom.ask("GET", f"/octavo/schedules/{STORY}", by="edi")).status == 403
    await newsroom.allow("read", STORY, conditions=[IS_CREATOR])
    assert (await newsroom.ask("GET", f"/octavo/schedules/{STORY}", by="edi")).json == {"data": []}


async def test_schedules_of_entries_that_lack_values_name_them(newsroom: Newsroom) -> None:
    """From the save that removes the values until one completes the entry."""
    made = await newsroom.make("story.story", {"title": "Complete"})
    path = f"/octavo/schedules/{STORY}/{made['id']}"
    assert (await newsroom.ask("PUT", path, {"publishAt": SOON, "unpublishAt": LATER})).status == 200

    async def problems() -> list[dict[str, Any]]:
        listed = (await newsroom.ask("GET", f"/octavo/schedules/{STORY}")).json["data"]
        home = (await recent(newsroom))["planned"]
        found = [
            {one["plan"]: one.get("problems") for one in lines if one["id"] == made["id"]} for lines in (listed, home)
        ]
        return [*found, {"publish": (await newsroom.ask("GET", path)).json["data"].get("problems")}]

    assert [one["publish"] for one in await problems()] == [None, None, None]
    await newsroom.ask("PUT", f"story.story/{made['id']}", {"title": None})
    listed, home, entry = await problems()
    assert "title" in listed["publish"][0]
    assert listed == home == {**entry, "unpublish": None}
    await newsroom.ask("PUT", f"story.story/{made['id']}", {"title": "Again"})
    assert [one["publish"] for one in await problems()] == [None, None, None]


async def test_the_callers_permissions_and_conditions(newsroom: Newsroom) -> None:
    made = await newsroom.make("story.story", {"title": "Of Ada"})
    await newsroom.ask("PUT", f"/octavo/schedules/{STORY}/{made['id']}", {"publishAt": SOON})
    assert await recent(newsroom, "edi") == {"changed": [], "drafts": [], "planned": []}
    await newsroom.allow("read", STORY, conditions=[IS_CREATOR])
    await newsroom.allow("create", STORY)
    assert await recent(newsroom, "edi") == {"changed": [], "drafts": [], "planned": []}
    path = f"/content-manager/collection-types/{STORY}"
    own = (await newsroom.ask("POST", path, {"title": "Of Edi"}, by="edi")).json
    found = await recent(newsroom, "edi")
    assert [line["id"] for line in found["changed"]] == [line["id"] for line in found["drafts"]] == [own["id"]]
    assert (await newsroom.office.club.ask("GET", "/octavo/recent")).status == 401


async def test_names_need_read_permission(newsroom: Newsroom) -> None:
    made = await newsroom.make("story.story", {"title": "Nobody's"})
    await newsroom.allow("read", STORY, "words")
    found = await recent(newsroom, "edi")
    assert (found["changed"][0]["id"], found["changed"][0]["name"]) == (made["id"], str(made["id"]))
    assert made["id"] not in [line["id"] for line in found["drafts"]]
