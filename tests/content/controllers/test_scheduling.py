"""Scheduled publishing: scheduled over REST and in code, and carried out once, like every other write."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from octavo.content.schedules import TOPIC
from octavo.core.clock import this_moment
from octavo.core.errors import NotFoundError, ValidationError
from octavo.database.synchronize import continue_ids
from octavo.events.messages import Message, Undeliverable
from octavo.query.ast import EVERYTHING, Populate, PublicationState, Query
from octavo.query.plan.nesting import nesting
from octavo.query.plan.nodes import Parameter, ParameterKind, Slot
from octavo.query.plan.read import plan_read
from octavo.query.request import ReadRequest
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.dialects.postgresql import POSTGRESQL
from octavo.query.sql.dialects.sqlite import SQLITE
from octavo.query.sql.read.select import compile_read
from octavo.schema.registry import Registry
from tests.api.http.asgi import Answer, call
from tests.api.rest.feed_client import ON, subscribed, write
from tests.models.bookshop import FULL_TOKEN, SOME_TOKEN
from tests.models.fixtures import open_copy
from tests.models.site import COUNTED, Site
from tests.models.templates import Copy

pytestmark = pytest.mark.anyio

BOOK, GENRE = "api::book.book", "api::genre.genre"
PAST, LATER = "2020-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z"
FAILURES: list[Any] = []
HIDDEN = {"OCTAVO_API__COMPAT__FUTURE_PUBLICATION": "hidden"}


@pytest.fixture
async def shop(anyio_backend: str, tmp_path: Path, bookshop_copy: Copy) -> AsyncIterator[Site]:
    site = await open_copy(tmp_path, bookshop_copy, {**ON, **HIDDEN, **COUNTED})
    heard: list[tuple[str, str]] = []
    app = site.octavo.site.extending.app
    for event in ("before_publish", "after_publish", "before_unpublish"):
        app.on(event, GENRE, lambda told: heard.append((told.action, told.source)))
    app.on("after_commit_schedule_failed", BOOK, hear_failure)
    await site.octavo.asgi.start()
    await continue_ids(site.database, site.octavo.site.registry)
    setattr(site.octavo, "heard", heard)  # noqa: B010
    yield site
    await site.octavo.asgi.stop()


def hear_failure(event: Any) -> None:
    FAILURES.append((event.id, event.source, event.result["pages"], event.params.data))


def soon(milliseconds: int = 300) -> str:
    """Return a time that arrives during a test."""
    moment = datetime.fromtimestamp((this_moment() + milliseconds) / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def ask(site: Site, method: str, path: str, data: Any = None, token: str = FULL_TOKEN) -> Answer:
    headers = [("Authorization", f"Bearer {token}"), ("Content-Type", "application/json")]
    body = [orjson.dumps({"data": data})] if data is not None else []
    return await call(site.octavo.asgi, method, f"/api/{path}", headers, body)


async def is_live(site: Site, genre: int) -> bool:
    return bool((await site.get(f"/api/genres?filters[id]={genre}")).json["data"])


async def counts(site: Site) -> tuple[int, int]:
    """Return the number of schedules and of their messages."""
    plans = await site.database.fetch_value("SELECT count(*) FROM octavo_schedules")
    return plans, await site.database.fetch_value("SELECT count(*) FROM octavo_outbox WHERE topic = 'publication'")


async def plans(site: Site) -> set[str]:
    return {plan for (plan,) in await site.database.fetch_all("SELECT plan FROM octavo_schedules")}


async def draft(site: Site, **data: Any) -> int:
    made = await write(site, "POST", "genres", {"name": "g", "publishedAt": None, **data})
    return int(made["id"])


async def test_due_entries_are_published_and_unpublished(shop: Site) -> None:
    one = await draft(shop)
    async with subscribed(shop, f"?types={GENRE}") as subscriber:
        due = soon()
        answer = await ask(shop, "PUT", f"genres/{one}/actions/schedule", {"publishAt": due})
        assert (answer.status, answer.json) == (200, {"data": {"publishAt": due, "unpublishAt": None}})
        await subscriber.expect(("entry.publish", one))
        assert (await shop.get(f"/api/genres/{one}")).json["data"]["attributes"]["publishedAt"] == due
        await ask(shop, "PUT", f"genres/{one}/actions/schedule", {"unpublishAt": soon()})
        await subscriber.expect(("entry.publish", one), ("entry.unpublish", -one))
    assert (await counts(shop))[0] == 0
    assert shop.octavo.heard == [  # type: ignore[attr-defined]
        ("before_publish", "schedule"),
        ("after_publish", "schedule"),
        ("before_unpublish", "schedule"),
    ]


async def test_schedules_are_shown_changed_and_canceled(shop: Site) -> None:
    one = await draft(shop)
    place = f"genres/{one}/actions/schedule"
    both = {"publishAt": LATER, "unpublishAt": "2999-02-01T00:00:00.000Z"}
    assert (await ask(shop, "PUT", place, both)).json == {"data": both}
    assert (await ask(shop, "GET", place)).json == {"data": both}
    assert await counts(shop) == (2, 2)
    assert (await ask(shop, "PUT", place, {"publishAt": None})).json == {"data": {**both, "publishAt": None}}
    assert await counts(shop) == (1, 1)
    assert (await ask(shop, "DELETE", place)).json == {"data": {"publishAt": None, "unpublishAt": None}}
    assert await counts(shop) == (0, 0)
    await ask(shop, "PUT", place, both)
    await ask(shop, "DELETE", f"genres/{one}")
    assert await counts(shop) == (0, 0)


async def test_schedules_are_deleted_with_their_entries(shop: Site) -> None:
    """One statement for each entry with a schedule, none for the others."""
    entries = shop.octavo.site.extending.app.entries(BOOK)
    kept = (await entries.create({"title": "kept"})).id
    await entries.schedule(kept, publish_at=LATER)

    async def statements(count: int) -> int:
        ids = await entries.create_many([{"title": f"t{number}", "publishedAt": None} for number in range(count)])
        await entries.schedule(ids[0], publish_at=LATER, unpublish_at="2999-02-01")
        before = shop.database.statements
        await entries.delete_many(filters={"id": {"$in": ids}})
        return shop.database.statements - before

    assert await statements(32) - await statements(4) < 8, "many entries, few statements"
    assert await counts(shop) == (1, 1)


async def test_refused_requests(shop: Site) -> None:
    one = await draft(shop)
    place = f"genres/{one}/actions/schedule"
    refused: tuple[Any, ...] = (
        {"publishAt": "soon"},
        {"publishAt": 5},
        {"publishAt": "9999-12-31T23:59:59-23:00"},
        {"other": LATER},
        {"publishAt": LATER, "unpublishAt": PAST},
        {"publishAt": "2999-02-01", "unpublishAt": LATER},
        {"publishAt": PAST},
        {"unpublishAt": PAST},
        [],
    )
    for data in refused:
        assert (await ask(shop, "PUT", place, data)).status == 400, data
    assert (await ask(shop, "PUT", "genres/999999/actions/schedule", {"publishAt": LATER})).status == 404
    assert (await ask(shop, "GET", "genres/999999/actions/schedule")).status == 404
    assert (await ask(shop, "PUT", place, {"publishAt": LATER}, SOME_TOKEN)).status == 403
    assert (await ask(shop, "GET", place, token=SOME_TOKEN)).status == 403
    assert (await ask(shop, "GET", "authors/1/actions/schedule")).status == 404
    assert await counts(shop) == (0, 0)


async def test_a_schedule_is_carried_out_once_unless_it_was_changed(shop: Site) -> None:
    topic = shop.octavo.site.topics[TOPIC]

    def message(due_at: int, plan: str = "publish") -> Message:
        return Message(1, TOPIC, "", {"uid": GENRE, "id": one, "plan": plan, "dueAt": due_at}, 1, 0)

    one = await draft(shop)
    entries = shop.octavo.site.extending.app.entries(GENRE)
    later = datetime(2999, 1, 1, tzinfo=UTC)
    planned = await entries.schedule(one, publish_at=later, unpublish_at="2999-02-01")
    assert planned == {"publish_at": later, "unpublish_at": datetime(2999, 2, 1, tzinfo=UTC)}
    due_at = int(later.timestamp() * 1000)
    await topic.handler(message(due_at - 1))
    assert await plans(shop) == {"publish", "unpublish"}
    await topic.handler(message(due_at))
    assert await plans(shop) == {"appear", "unpublish"}, "it was done before its time"
    await ask(shop, "PUT", f"genres/{one}", {"publishedAt": None})
    await topic.handler(message(due_at))
    assert await plans(shop) == {"unpublish"}
    shown = await entries.find_one(one)
    assert shown is not None
    assert shown["publishedAt"] is None
    with pytest.raises(NotFoundError):
        await entries.schedule(999999, publish_at=later)
    with pytest.raises(ValidationError, match="has no drafts"):
        await shop.octavo.site.extending.app.entries("api::author.author").schedule(1, publish_at=later)


async def test_a_time_in_the_past_is_refused_with_its_place(shop: Site) -> None:
    one = await draft(shop)
    answer = await ask(shop, "PUT", f"genres/{one}/actions/schedule", {"publishAt": PAST, "unpublishAt": PAST})
    assert [error["path"] for error in answer.json["error"]["details"]["errors"]] == [["publishAt"], ["unpublishAt"]]
    assert "publishAt must be in the future" in answer.json["error"]["details"]["errors"][0]["message"]
    with pytest.raises(ValidationError, match="unpublishAt must be in the future"):
        await shop.octavo.site.extending.app.entries(GENRE).schedule(one, unpublish_at="2020-01-01")
    assert not await is_live(shop, one)


async def test_incomplete_entries_are_not_scheduled(shop: Site) -> None:
    books = shop.octavo.site.extending.app.entries(BOOK)
    book = (await books.create({"pages": 3, "publishedAt": None})).id
    place = f"books/{book}/actions/schedule"
    refused = await ask(shop, "PUT", place, {"publishAt": LATER})
    assert (refused.status, refused.json["error"]["details"]["errors"][0]["path"]) == (400, ["title"])
    assert await counts(shop) == (0, 0)
    await books.update(book, {"title": "ready"})
    assert (await ask(shop, "PUT", place, {"publishAt": LATER})).json["data"] == {
        "publishAt": LATER,
        "unpublishAt": None,
    }
    await books.update(book, {"title": None})
    state = (await ask(shop, "GET", place)).json["data"]
    assert state["publishAt"] == LATER
    assert "title" in " ".join(state["problems"]), "the save removed it"


async def test_incomplete_entries_are_not_published(shop: Site) -> None:
    """It is published once the missing value is added."""
    books, topic = shop.octavo.site.extending.app.entries(BOOK), shop.octavo.site.topics[TOPIC]
    book = (await books.create({"title": "t", "pages": 3, "publishedAt": None})).id
    async with asyncio.timeout(60):
        await books.schedule(book, publish_at=(planned := soon(1000)))
        await books.update(book, {"title": None})
        while not FAILURES:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.02)
    assert await plans(shop) == {"publish"}
    [(failed, source, pages, said)] = FAILURES
    assert (failed, source, pages, said["plan"], said["dueAt"]) == (book, "schedule", 3, "publish", planned)
    assert "title" in said["error"]
    FAILURES.clear()
    state = (await ask(shop, "GET", f"books/{book}/actions/schedule")).json["data"]
    assert (state["publishAt"], state["failure"]["plan"], state["failure"]["dueAt"]) == (None, "publish", planned)
    assert "title" in state["failure"]["error"]
    due_at = round(datetime.fromisoformat(planned).timestamp() * 1000)
    due = Message(1, TOPIC, "", {"uid": BOOK, "id": book, "plan": "publish", "dueAt": due_at}, 1, 0)
    with pytest.raises(Undeliverable, match=f"^{BOOK} {book} cannot be published: .*title"):
        await topic.handler(due)
    await books.update(book, {"title": "ready"})
    await topic.handler(due)
    shown = await books.find_one(book)
    assert shown is not None
    assert shown["publishedAt"] == planned
    nothing = {"publishAt": None, "unpublishAt": None}
    assert (await ask(shop, "GET", f"books/{book}/actions/schedule")).json["data"] == nothing
    async with asyncio.timeout(60):
        while not FAILURES:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.02)
    FAILURES.clear()


async def test_entries_published_in_the_future_appear_on_time(shop: Site) -> None:
    due = this_moment() + 1500
    moment = datetime.fromtimestamp(due / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    async with subscribed(shop, f"?types={GENRE}") as subscriber:
        one = await draft(shop, publishedAt=moment)
        other = await draft(shop, publishedAt=LATER)
        assert not await is_live(shop, other)
        assert await counts(shop) == (2, 2)
        await subscriber.expect(("entry.publish", one))
        assert this_moment() >= due
        assert await is_live(shop, one)
        assert (await shop.get(f"/api/genres/{one}")).json["data"]["attributes"]["publishedAt"] == moment
        await write(shop, "PUT", f"genres/{other}", {"publishedAt": PAST})
        await subscriber.expect(("entry.publish", one), ("entry.publish", other))
    assert (await counts(shop))[0] == 0
    assert [action for action, _ in shop.octavo.heard] == [  # type: ignore[attr-defined]
        *("before_publish", "after_publish") * 2,
    ]


async def test_future_publications_by_other_software_are_carried_out_unless_withdrawn(shop: Site) -> None:
    """Other software is v4 on the same database, or SQL by hand."""
    plans_of = shop.octavo.site.services.controller.schedules
    assert plans_of is not None
    ours, theirs, back = [await draft(shop) for _ in range(3)]
    due = this_moment() + 2000
    moment = datetime.fromtimestamp(due / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    for one in (ours, back):
        await write(shop, "PUT", f"genres/{one}", {"publishedAt": moment})
    await plans_of.adopt()  # the service does this after its start
    assert await counts(shop) == (2, 2)
    stored = f"SELECT published_at FROM (SELECT published_at FROM genres WHERE id = {ours} LIMIT 1) g"
    await shop.database.execute(f"UPDATE genres SET published_at = ({stored}) WHERE id = {theirs}")
    await shop.database.execute(f"UPDATE genres SET published_at = NULL WHERE id = {back}")
    await plans_of.adopt()
    assert await plans_of.adopt() == 0
    assert await counts(shop) == (3, 3)
    async with asyncio.timeout(60):
        while await counts(shop) != (0, 0):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.02)
    assert [await is_live(shop, one) for one in (ours, theirs, back)] == [True, True, False]
    assert [action for action, _ in shop.octavo.heard].count("after_publish") == 2  # type: ignore[attr-defined]


async def test_times_between_two_milliseconds_are_rounded_up(shop: Site) -> None:
    one = await draft(shop)
    moment = "32472144000001" if shop.database.dialect is SQLITE else "'2999-01-01 00:00:00.000400'"
    await shop.database.execute(f"UPDATE genres SET published_at = {moment} WHERE id = {one}")
    plans_of = shop.octavo.site.services.controller.schedules
    assert plans_of is not None
    await plans_of.adopt()
    assert [planned.due_at for planned in await plans_of.next(9)] == [32_472_144_000_001]


@pytest.mark.parametrize("dialect", [SQLITE, POSTGRESQL], ids=["sqlite", "postgresql"])
def test_the_current_time_is_a_bound_value(registry: Registry, dialect: Dialect) -> None:
    """So equal requests share a statement, and all parts of a read use the same time."""
    genres = ReadRequest(
        content_type=registry.content_types[GENRE],
        query=Query(populate=(Populate(name="children", query=EVERYTHING),), publication_state=PublicationState.LIVE),
    )
    planned, again = (plan_read(genres, registry, hides_future=True) for _ in range(2))
    assert planned.plan == again.plan
    assert planned.plan != plan_read(genres, registry).plan
    assert planned.values.count(Slot.NOW) == 1
    statement = compile_read(planned.plan, registry, dialect, 1000, nesting(planned.plan))
    mark = dialect.parameter(Parameter(planned.values.index(Slot.NOW), ParameterKind.INSTANT))
    assert statement.count(f"<= {mark}") == 3, "the list, its total, and what is populated"
    assert '"published_at" IS NOT NULL' not in statement
