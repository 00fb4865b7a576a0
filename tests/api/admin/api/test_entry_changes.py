"""Entries written in the content manager: stored values, responses and statement counts."""

import asyncio
from typing import Any

import pytest

from tests.api.admin.newsroom import BADGE, IS_CREATOR, STORY, Newsroom

pytestmark = pytest.mark.anyio

FULL = {
    "title": "One",
    "code": "one",
    "secret": "s",
    "pin": "1234",
    "teaser": {"text": "t"},
    "links": [{"text": "a"}, {"text": "b"}],
    "parts": [{"__component": "shared.note", "text": "n"}],
}


async def badges(newsroom: Newsroom, count: int) -> list[int]:
    return [(await newsroom.make("badge.badge", {"label": f"B{number}"}))["id"] for number in range(count)]


async def related(newsroom: Newsroom, story: int) -> list[int]:
    """Return the ids of a story's `badges`, in order."""
    query = f"SELECT badge_id FROM storys_badges_links WHERE story_id = {story} ORDER BY badge_order"
    return [int(row[0]) for row in await newsroom.office.club.database.fetch_all(query)]


async def test_a_story_from_draft_to_bin(newsroom: Newsroom) -> None:
    first, second, third = await badges(newsroom, 3)
    made = await newsroom.make("story.story", {**FULL, "badges": {"connect": [{"id": first}, {"id": second}]}})
    path = f"story.story/{made['id']}"
    assert (made["title"], made["words"], made["secret"], made["publishedAt"]) == ("One", 7, "s", None)
    assert made["badges"] == {"count": 2}
    assert "pin" not in made
    assert made["createdBy"] == made["updatedBy"] == {"id": 1, "firstname": "Ada", "lastname": None, "username": None}
    moves = [{"id": third, "position": {"before": first}, "__temp_key__": "a"}, {"id": second}]
    changed = {"title": None, "links": [{"id": made["links"][1]["id"], "text": "B"}], "badges": {"connect": moves}}
    answer = await newsroom.ask("PUT", path, changed)
    assert answer.status == 200
    assert [link["text"] for link in answer.json["links"]] == ["B"]
    assert answer.json["links"][0]["id"] == made["links"][1]["id"]
    assert await related(newsroom, made["id"]) == [third, first, second]
    refused = await newsroom.ask("POST", f"{path}/actions/publish")
    message = "title must be a `string` type, but the final value was: `null`."
    assert (refused.status, refused.json["error"]["message"]) == (400, message)
    await newsroom.ask("PUT", path, {"title": "Two"})
    published = await newsroom.ask("POST", f"{path}/actions/publish")
    assert published.status == 200
    assert published.json["publishedAt"] is not None
    again = await newsroom.ask("POST", f"{path}/actions/publish")
    assert (again.status, again.json["error"]["message"]) == (400, "already.published")
    assert (await newsroom.ask("PUT", path, {"title": None})).status == 400
    assert (await newsroom.ask("POST", f"{path}/actions/unpublish")).json["publishedAt"] is None
    assert (await newsroom.ask("POST", f"{path}/actions/unpublish")).json["error"]["message"] == "already.draft"
    assert (await newsroom.ask("DELETE", path)).json["title"] == "Two"
    assert [(await newsroom.ask(method, path, {})).status for method in ("PUT", "DELETE", "GET")] == [404] * 3


async def test_a_body_sets_only_attributes(newsroom: Newsroom) -> None:
    given = {"id": 77, "createdBy": 2, "publishedAt": "2020-01-01T00:00:00.000Z", "created_by_id": 2, "__proto__": {}}
    made = await newsroom.make("story.story", {**given, "createdAt": "2020-01-01T00:00:00.000Z", "nothing": 1})
    assert made["id"] != 77
    assert made["createdBy"]["id"] == 1
    assert made["publishedAt"] is None
    assert not made["createdAt"].startswith("2020")
    assert (await newsroom.make("story.story", []))["title"] is None
    answer = await newsroom.ask("POST", "badge.badge/1/actions/publish")
    assert answer.status == 403, "badges have no drafts"


async def test_fields_without_write_permission_are_left_out(newsroom: Newsroom) -> None:
    await newsroom.allow("create", STORY, "title", "teaser.text", "badges")
    await newsroom.allow("read", STORY, "title", "words")
    await newsroom.allow("update", STORY, "title")
    (badge,) = await badges(newsroom, 1)
    given = {**FULL, "words": 9, "badges": [badge], "teaser": {"text": "t", "by": {"connect": [{"id": badge}]}}}
    made = await newsroom.make("story.story", given, by="edi")
    assert (made["title"], made["words"]) == ("One", 7), "it has its default"
    assert "code" not in made
    assert "badges" not in made
    path = f"story.story/{made['id']}"
    assert (await newsroom.ask("PUT", path, {"title": "Two", "words": 8}, by="edi")).json["words"] == 7
    seen = (await newsroom.ask("GET", path)).json
    assert (seen["title"], seen["code"], seen["secret"], seen["links"]) == ("Two", None, None, [])
    assert seen["badges"] == {"count": 1}, "permission to write the field includes linking"
    assert seen["teaser"]["by"] == {"count": 0}
    assert seen["createdBy"]["id"] == seen["updatedBy"]["id"] == 2
    refused = {"DELETE": path, "POST": f"{path}/actions/publish"}
    assert [(await newsroom.ask(method, at, by="edi")).status for method, at in refused.items()] == [403, 403]
    assert (await newsroom.ask("POST", "badge.badge", {"label": "x"}, by="edi")).status == 403


async def test_entries_of_others(newsroom: Newsroom) -> None:
    for action in ("create", "read", "update"):
        await newsroom.allow(action, STORY, conditions=[IS_CREATOR])
    for action in ("delete", "publish"):
        await newsroom.allow(action, STORY, conditions=[IS_CREATOR])
    theirs = (await newsroom.make("story.story", {"title": "Hers"}))["id"]
    own = (await newsroom.make("story.story", {"title": "His"}, by="edi"))["id"]
    for method, path in (("PUT", ""), ("DELETE", ""), ("POST", "/actions/publish"), ("POST", "/actions/unpublish")):
        assert (await newsroom.ask(method, f"story.story/{theirs}{path}", {}, by="edi")).status == 403
        assert (await newsroom.ask(method, f"story.story/999{path}", {}, by="edi")).status == 404
    assert (await newsroom.ask("POST", f"story.story/clone/{theirs}", {}, by="edi")).status == 403
    answer = await newsroom.ask("POST", "story.story/actions/bulkPublish", {"ids": [theirs, own]}, by="edi")
    assert answer.status == 403
    answer = await newsroom.ask("POST", "story.story/actions/bulkPublish", {"ids": [own]}, by="edi")
    assert answer.json == {"count": 1}
    answer = await newsroom.ask("POST", "story.story/actions/bulkDelete", {"ids": [theirs, own, 999]}, by="edi")
    assert answer.json == {"count": 1}
    assert (await newsroom.ask("GET", f"story.story/{theirs}")).json["publishedAt"] is None


async def test_responses_to_writers_contain_only_readable_fields(newsroom: Newsroom) -> None:
    await newsroom.allow("update", STORY)
    await newsroom.allow("read", STORY, conditions=[IS_CREATOR])
    made = await newsroom.make("story.story", {"title": "Hers", "secret": "s"})
    answer = await newsroom.ask("PUT", f"story.story/{made['id']}", {"words": 8}, by="edi")
    assert answer.status == 200
    assert set(answer.json) == {"id", "createdAt", "updatedAt", "publishedAt", "createdBy", "updatedBy"}


async def test_fields_that_can_be_updated_in_own_entries_only(newsroom: Newsroom) -> None:
    """One permission covers the title of every story, another one more fields of the editor's own stories."""
    await newsroom.allow("read", STORY)
    await newsroom.allow("update", STORY, "title")
    await newsroom.allow("update", STORY, "title", "words", "teaser.text", conditions=[IS_CREATOR])
    await newsroom.allow("create", STORY)
    change = {"title": "Two", "words": 1, "teaser": {"text": "x"}}
    theirs = await newsroom.make("story.story", {"title": "Hers"})
    own = await newsroom.make("story.story", {"title": "His"}, by="edi")
    hers = (await newsroom.ask("PUT", f"story.story/{theirs['id']}", change, by="edi")).json
    his = (await newsroom.ask("PUT", f"story.story/{own['id']}", change, by="edi")).json
    assert (hers["title"], hers["words"], hers["teaser"]) == ("Two", 7, None)
    assert (his["title"], his["words"], his["teaser"]["text"]) == ("Two", 1, "x")


async def test_bulk_actions_are_one_change(newsroom: Newsroom) -> None:
    database = newsroom.office.club.database
    path = "story.story/actions"

    async def counted(action: str, ids: list[Any]) -> tuple[int, int]:
        before = database.statements
        answer = await newsroom.ask("POST", f"{path}/{action}", {"ids": ids})
        assert answer.status == 200, answer.body
        return answer.json["count"], database.statements - before

    ids = [(await newsroom.make("story.story", {"title": f"S{number}"}))["id"] for number in range(9)]
    for action in ("bulkPublish", "bulkUnpublish", "bulkDelete"):
        few, many = await counted(action, ids[:1]), await counted(action, ids[1:])
        assert (few[0], many[0]) == (1, 8)
        assert few[1] == many[1], "the number of statements does not depend on the entries"
    unfinished, finished = [(await newsroom.make("story.story", one))["id"] for one in ({}, {"title": "x"})]
    answer = await newsroom.ask("POST", f"{path}/bulkPublish", {"ids": [finished, unfinished]})
    assert (answer.status, answer.json["error"]["details"]["errors"][0]["path"]) == (400, ["title"])
    assert (await newsroom.ask("POST", f"{path}/bulkPublish", {"ids": [finished, 999]})).status == 404
    assert (await newsroom.ask("GET", f"story.story/{finished}")).json["publishedAt"] is None
    wrong: list[Any] = [[], "1", [{}], None]
    for ids_of_body in wrong:
        assert (await newsroom.ask("POST", f"{path}/bulkDelete", {"ids": ids_of_body})).status == 400


async def test_incomplete_drafts_are_listed_before_they_are_published(newsroom: Newsroom) -> None:
    path = "/octavo/incomplete-drafts/api::story.story"
    bodies: list[dict[str, Any]] = [{}, {"title": "x"}, {"links": [{}]}]
    empty, complete, link = [(await newsroom.make("story.story", one))["id"] for one in bodies]
    missing = "title must be a `string` type, but the final value was: `null`."
    title = {"path": ["title"], "message": missing, "name": "ValidationError"}
    text = {
        "path": ["links", "0", "text"],
        "message": "links[0]." + missing.replace("title", "text"),
        "name": "ValidationError",
    }
    answer = await newsroom.ask("POST", path, {"ids": [link, complete, empty]})
    assert answer.json == {"data": [{"id": empty, "errors": [title]}, {"id": link, "errors": [title, text]}]}
    assert (await newsroom.ask("POST", path, {"ids": [complete]})).json == {"data": []}
    await newsroom.ask("POST", "story.story/actions/bulkPublish", {"ids": [complete]})
    assert (await newsroom.ask("POST", path, {"ids": [complete]})).json == {"data": []}, "it is published"
    assert (await newsroom.ask("POST", path, {"ids": [complete, 999]})).status == 404
    assert (await newsroom.ask("POST", path, {"ids": [empty]}, by="edi")).status == 403
    await newsroom.allow("publish", STORY, conditions=[IS_CREATOR])
    assert (await newsroom.ask("POST", path, {"ids": [empty]}, by="edi")).status == 403, "it belongs to Ada"
    assert (await newsroom.ask("POST", "/octavo/incomplete-drafts/api::badge.badge", {"ids": [1]})).status == 403
    database = newsroom.office.club.database
    database.read_only_message = "Back at 6 pm"
    assert (await newsroom.ask("POST", path, {"ids": [complete]})).status == 200, "it writes nothing"
    database.read_only_message = None
    invalid: list[Any] = [[], "1", [{}], None, list(range(1, 1002))]
    for wrong in invalid:
        assert (await newsroom.ask("POST", path, {"ids": wrong})).status == 400, wrong


async def test_bulk_changes_are_independent(newsroom: Newsroom) -> None:
    path, [badge] = "/octavo/batch-edits/api::story.story", await badges(newsroom, 1)
    made = [await newsroom.make("story.story", {"title": f"S{n}"}) for n in range(4)]
    seen = [{"id": one["id"], "updatedAt": one["updatedAt"]} for one in made]
    await newsroom.ask("PUT", f"story.story/{made[1]['id']}", {"words": 1})
    await newsroom.ask("POST", f"story.story/{made[2]['id']}/actions/publish")
    seen[2] = {"id": made[2]["id"]}
    data = {"title": None, "badges": {"connect": [{"id": badge}]}}
    answer = await newsroom.ask("POST", path, {"entries": [*seen, {"id": 999}], "data": data})
    assert answer.status == 200, answer.body
    errors = {one["id"]: [(error["path"], error["name"]) for error in one["errors"]] for one in answer.json["data"]}
    assert errors == {
        made[1]["id"]: [([], "ConflictError")],
        made[2]["id"]: [(["title"], "ValidationError")],
        999: [([], "NotFoundError")],
    }
    titles = [(await newsroom.ask("GET", f"story.story/{one['id']}")).json["title"] for one in made]
    assert titles == [None, "S1", "S2", None]
    assert [await related(newsroom, one["id"]) for one in made] == [[badge], [], [], [badge]]
    assert (await newsroom.ask("POST", path, {"entries": seen, "data": data}, by="edi")).status == 403
    await newsroom.allow("update", STORY, "words", conditions=[IS_CREATOR])
    own = (await newsroom.make("story.story", {"title": "own"}))["id"]
    refused = (await newsroom.ask("POST", path, {"entries": [{"id": own}], "data": {"words": 2}}, by="edi")).json
    assert [one["errors"][0]["name"] for one in refused["data"]] == ["ForbiddenError"]
    invalid: list[Any] = [{}, {"entries": [], "data": data}, {"entries": seen}, {"entries": seen, "data": {}}]
    invalid += [{"entries": [{"id": n + 1} for n in range(101)], "data": data}, {"entries": [{}], "data": data}, []]
    invalid += [{"entries": [{"id": wrong}], "data": data} for wrong in ("abc", "1e1", 0, 10**30)]
    for body in invalid:
        assert (await newsroom.ask("POST", path, body)).status == 400, body


async def test_unpublishing_is_undone_with_the_same_date(newsroom: Newsroom) -> None:
    made = await newsroom.make("story.story", {"title": "Old"})
    path, again = f"story.story/{made['id']}", "/octavo/publications/api::story.story"
    since = (await newsroom.ask("POST", f"{path}/actions/publish")).json["publishedAt"]
    entries = [{"id": made["id"], "publishedAt": since}]
    assert (await newsroom.ask("POST", again, {"entries": entries})).json == {"count": 0}, "it is published"
    await newsroom.ask("POST", "story.story/actions/bulkUnpublish", {"ids": [made["id"]]})
    assert (await newsroom.ask("POST", again, {"entries": entries}, by="edi")).status == 403
    for wrong in ("2999-01-01T00:00:00.000Z", "yesterday", 7, None):
        refused = await newsroom.ask("POST", again, {"entries": [{"id": made["id"], "publishedAt": wrong}]})
        assert refused.status == 400, wrong
    assert (await newsroom.ask("POST", again, {"entries": [*entries, {**entries[0], "id": 999}]})).status == 404
    assert (await newsroom.ask("POST", again, {"entries": entries})).json == {"count": 1}
    assert (await newsroom.ask("GET", path)).json["publishedAt"] == since


async def test_a_write_is_few_statements(newsroom: Newsroom) -> None:
    database = newsroom.office.club.database
    made = await newsroom.make("story.story", {**FULL, "code": "few"})
    before = database.statements
    await newsroom.ask("PUT", f"story.story/{made['id']}", {"title": "Two"})
    assert database.statements - before <= 5, "begin, read, update, read the response, commit"


async def test_two_simultaneous_editors(newsroom: Newsroom) -> None:
    made = await newsroom.make("story.story", {"title": "One"})
    await newsroom.allow("update", STORY)
    path = f"story.story/{made['id']}"
    changes = [newsroom.ask("PUT", path, {"title": f"T{n}", "links": [{"text": f"T{n}"}] * 3}) for n in range(4)]
    others = [newsroom.ask("PUT", path, {"words": n}, by="edi") for n in range(4)]
    assert {answer.status for answer in await asyncio.gather(*changes, *others)} == {200}
    seen = (await newsroom.ask("GET", path)).json
    assert [link["text"] for link in seen["links"]] == [seen["title"]] * 3
    assert seen["words"] in range(4)
    assert seen["createdBy"]["id"] == 1
    rows = "SELECT count(*) FROM storys_components WHERE field = 'links' AND entity_id = "
    assert await newsroom.office.club.database.fetch_value(f"{rows}{made['id']}") == 3


async def test_badges_are_no_drafts(newsroom: Newsroom) -> None:
    answer = await newsroom.ask("POST", "badge.badge", {})
    assert answer.json["error"]["details"]["errors"][0]["message"] == "label must be defined."
    assert (await newsroom.ask("POST", "badge.badge/actions/bulkPublish", {"ids": [1]})).status == 403
    await newsroom.allow("create", BADGE, conditions=["admin::unknown"])
    assert (await newsroom.ask("POST", "badge.badge", {"label": "x"}, by="edi")).status == 403


async def test_permissions_apply_to_the_content_api(newsroom: Newsroom) -> None:
    """An editor's API token is limited over REST as the editor is in the panel."""
    await newsroom.allow("read", STORY)
    await newsroom.allow("create", STORY, "title")
    await newsroom.allow("update", STORY, "title", conditions=[IS_CREATOR])
    made = await newsroom.ask("POST", "/api/storys", {"data": {"title": "One", "words": 1}}, by="edi")
    assert made.status == 200, made.body
    assert made.json["data"]["attributes"]["publishedAt"] is None, "without permission to publish, the entry is a draft"
    assert made.json["data"]["attributes"]["words"] == 7
    live = {"data": {"title": "Two", "publishedAt": "2020-01-01T00:00:00.000Z"}}
    assert (await newsroom.ask("POST", "/api/storys", live, by="edi")).status == 403
    path = f"/api/storys/{made.json['data']['id']}"
    assert (await newsroom.ask("PUT", path, live, by="edi")).status == 403
    assert (await newsroom.ask("PUT", path, {"data": {"title": "Two"}}, by="edi")).status == 200
    plan = {"data": {"publishAt": "2999-01-01T00:00:00.000Z"}}
    assert (await newsroom.ask("PUT", f"{path}/actions/schedule", plan, by="edi")).status == 403
    assert (await newsroom.ask("GET", f"{path}/actions/schedule", by="edi")).status == 200
    theirs = await newsroom.make("story.story", {"title": "Hers"})
    assert (await newsroom.ask("PUT", f"/api/storys/{theirs['id']}", {"data": {"title": "x"}}, by="edi")).status == 404
    await newsroom.allow("publish", STORY, conditions=[IS_CREATOR])
    assert (await newsroom.ask("PUT", f"{path}/actions/schedule", plan, by="edi")).status == 200
    published = await newsroom.ask("PUT", path, live, by="edi")
    assert published.json["data"]["attributes"]["publishedAt"].startswith("2020")
    assert (await newsroom.ask("POST", "/api/storys", live, by="edi")).status == 200
