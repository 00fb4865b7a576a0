"""The calendar: schedules of all content types in a period, for administrators who can read the entries."""

from typing import Any

import pytest

from tests.api.admin.newsroom import FRONT, IS_CREATOR, STORY, Newsroom

pytestmark = pytest.mark.anyio

PERIOD = "from=2999-01-01T00:00:00.000Z&to=2999-02-01T00:00:00.000Z"


def at(day: int, month: int = 1) -> str:
    return f"2999-{month:02}-{day:02}T06:00:00.000Z"


async def calendar(newsroom: Newsroom, by: str = "ada", period: str = PERIOD) -> list[dict[str, Any]]:
    answer = await newsroom.ask("GET", f"/octavo/calendar?{period}", by=by)
    assert answer.status == 200, answer.body
    assert answer.json["isTruncated"] is False
    found: list[dict[str, Any]] = answer.json["data"]
    return found


async def schedule(newsroom: Newsroom, title: str, **times: str) -> dict[str, Any]:
    made = await newsroom.make("story.story", {"title": title})
    answer = await newsroom.ask("PUT", f"/octavo/schedules/{STORY}/{made['id']}", times)
    assert answer.status == 200, answer.body
    return made


@pytest.fixture(autouse=True)
async def nothing_scheduled(newsroom: Newsroom) -> None:
    await newsroom.office.club.database.execute("DELETE FROM octavo_schedules")


async def test_schedules_of_all_types_in_a_period(newsroom: Newsroom) -> None:
    first = await schedule(newsroom, "First", publishAt=at(5), unpublishAt=at(31))
    await schedule(newsroom, "Later", publishAt=at(1, 2))
    front = (await newsroom.ask("PUT", f"/content-manager/single-types/{FRONT}", {"headline": "Hello"})).json
    await newsroom.ask("PUT", f"/octavo/schedules/{FRONT}/{front['id']}", {"publishAt": at(7)})
    found = await calendar(newsroom)
    lines = [(one["uid"], one["id"], one["name"], one["plan"], one["due"], one["mayChange"]) for one in found]
    assert lines == [
        (STORY, first["id"], "First", "publish", at(5), True),
        (FRONT, front["id"], "Hello", "publish", at(7), True),
        (STORY, first["id"], "First", "unpublish", at(31), True),
    ]
    assert [one["locale"] for one in found] == [None, "en", None]
    end_is_open = "from=2999-01-05T06:00:00.000Z&to=2999-01-07T06:00:00.000Z"
    assert [one["name"] for one in await calendar(newsroom, period=end_is_open)] == ["First"]


async def test_administrators_see_what_they_can_read(newsroom: Newsroom) -> None:
    await schedule(newsroom, "Ada's", publishAt=at(5))
    assert await calendar(newsroom, "edi") == []
    await newsroom.allow("read", STORY, conditions=[IS_CREATOR])
    assert await calendar(newsroom, "edi") == []
    await newsroom.allow("read", STORY)
    [seen] = await calendar(newsroom, "edi")
    assert (seen["name"], seen["mayChange"]) == ("Ada's", False)
    for action in ("update", "publish"):
        await newsroom.allow(action, STORY)
    [seen] = await calendar(newsroom, "edi")
    assert seen["mayChange"] is True


async def test_a_calendar_is_few_statements(newsroom: Newsroom) -> None:
    for day in range(1, 9):
        await schedule(newsroom, f"Day {day}", publishAt=at(day), unpublishAt=at(day + 10))
    database = newsroom.office.club.database
    await calendar(newsroom)
    before = database.statements
    assert len(await calendar(newsroom)) == 16
    assert database.statements - before == 2, "the schedules, and the entries of one type"
    before = database.statements
    assert await calendar(newsroom, period="from=2998-01-01T00:00:00Z&to=2998-02-01T00:00:00Z") == []
    assert database.statements - before == 1


async def test_a_calendar_is_limited(newsroom: Newsroom) -> None:
    made = await schedule(newsroom, "One of many", publishAt=at(1))
    database = newsroom.office.club.database
    await database.execute(f"""
        INSERT INTO octavo_schedules (uid, entry_id, plan, due_at, message_id)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
        SELECT uid, 900000 + i, plan, due_at + i, message_id FROM octavo_schedules, n WHERE entry_id = {made["id"]}
    """)
    answer = await newsroom.ask("GET", f"/octavo/calendar?{PERIOD}")
    assert ([one["name"] for one in answer.json["data"]], answer.json["isTruncated"]) == (["One of many"], True)


@pytest.mark.parametrize(
    "query, message",
    [
        ("", "from must be a time such as 2026-01-31T09:30:00.000Z"),
        ("from=2999-01-01T00:00:00Z&to=x", "to must be a time such as 2026-01-31T09:30:00.000Z"),
        ("from[]=2999-01-01T00:00:00Z&to=x", "from must be a time such as 2026-01-31T09:30:00.000Z"),
        ("from[x]=2999-01-01T00:00:00Z&to=x", "from must be a time such as 2026-01-31T09:30:00.000Z"),
        ("from=99999-01-01T00:00:00Z&to=x", "from must be a time such as 2026-01-31T09:30:00.000Z"),
        ("from=0001-01-01T00:00:00%2B23:00&to=x", "from must be a time such as 2026-01-31T09:30:00.000Z"),
        (
            "from=9999-12-31T23:59:59-23:00&to=9999-12-31T23:59:59Z",
            "from must be a time such as 2026-01-31T09:30:00.000Z",
        ),
        ("from=%00&to=x", "from must be a time such as 2026-01-31T09:30:00.000Z"),
        ("from=2999-01-02T00:00:00Z&to=2999-01-01T00:00:00Z", "to must be later than from, and at most 45 days later"),
        ("from=2999-01-01T00:00:00Z&to=2999-03-01T00:00:00Z", "to must be later than from, and at most 45 days later"),
    ],
)
async def test_invalid_periods_are_refused(newsroom: Newsroom, query: str, message: str) -> None:
    answer = await newsroom.ask("GET", f"/octavo/calendar?{query}")
    assert (answer.status, answer.json["error"]["message"]) == (400, message)


async def test_titles_need_permission_for_the_field(newsroom: Newsroom) -> None:
    made = await schedule(newsroom, "Secret", publishAt=at(5))
    await newsroom.allow("read", STORY, "words")
    [seen] = await calendar(newsroom, "edi")
    assert (seen["id"], seen["name"]) == (made["id"], str(made["id"]))
