"""Deletes of a frequent type are one statement on PostgreSQL, and remove the same rows as the regular path."""

import asyncio
from typing import Any

import pytest

from octavo.content.entry_unit import EntryUnit
from octavo.content.reader import EntryReader
from octavo.content.writer import EntryWriter
from octavo.database.change_feed import ChangeFeed, DataChange, Presence
from octavo.query.plan.read import plan_read
from octavo.query.request import By, Drafts, ReadRequest
from tests.models.workshop_fixtures import Workshop

pytestmark = pytest.mark.anyio

LEG = {"length": 3, "by": 1, "helpers": [2, 3], "picture": 1}
TOOL: dict[str, Any] = {
    "name": "Saw",
    "photo": 1,
    "photos": [1, 2],
    "maker": 1,
    "users": [1, 2],
    "notes": [1],
    "badge": 2,
    "frame": {"front": LEG, "legs": [LEG, LEG]},
    "legs": [LEG],
    "story": [{"__component": "part.frame", "legs": [LEG]}, {"__component": "part.leg", "length": 4}],
}
TABLES = (
    "tools",
    "tools_components",
    "tools_maker_links",
    "tools_users_links",
    "components_part_legs",
    "components_part_legs_helpers_links",
    "components_part_frames",
    "components_part_frames_components",
    "files_related_morphs",
    "makers_subjects_morphs",
)


async def stored(shop: Workshop) -> list[int]:
    pointing = await shop.database.fetch_value("SELECT count(*) FROM makers WHERE target_id IS NOT NULL")
    return [*[await shop.count(table) for table in TABLES], int(pointing)]


async def learn(shop: Workshop, **data: Any) -> None:
    """Delete tools until their delete is prepared."""
    for _ in range(3):
        assert await shop.delete("tool", await shop.create("tool", name="Saw", **data))


def is_joined(shop: Workshop) -> bool:
    return shop.database.dialect.name == "postgresql"


async def statements(shop: Workshop, tool: int) -> int:
    before = shop.database.statements
    assert await shop.delete("tool", tool)
    return shop.database.statements - before


async def test_all_rows_of_an_entry_are_deleted(shop: Workshop) -> None:
    other = await shop.create("tool", **TOOL)
    before = await stored(shop)
    counts = []
    for _ in range(6):
        tool = await shop.create("tool", **{**TOOL, "notes": [3], "badge": 3})
        assert await stored(shop) != before
        counts.append(await statements(shop, tool))
        assert await stored(shop) == before
    assert counts[4:] == ([1, 1] if is_joined(shop) else counts[:2])
    assert not await shop.delete("tool", tool)
    assert await shop.delete("tool", other)
    assert await stored(shop) == [0] * len(before)


async def test_entries_with_other_components_take_the_regular_path(shop: Workshop) -> None:
    await learn(shop)
    before = await stored(shop)
    tool = await shop.create("tool", name="Saw", legs=[LEG])
    frame = await shop.create("tool", name="Saw", story=[{"__component": "part.frame", "legs": [LEG]}])
    leg = "SELECT component_id FROM tools_components WHERE entity_id ="
    for owner in (tool, frame):
        await shop.database.execute(
            "INSERT INTO tools_components (entity_id, component_id, component_type, field)"
            f" VALUES ({owner}, 99, 'part.removed', 'legs')"
        )
    assert await statements(shop, tool) > 1
    assert await statements(shop, frame) > 1
    assert await stored(shop) == before
    assert not await shop.database.fetch_all(f"{leg} {tool}")


async def test_changes_are_recorded_with_their_state(shop: Workshop) -> None:
    recorded: list[DataChange] = []
    feed = ChangeFeed()

    async def keep(_: Any, changes: Any) -> None:
        recorded.extend(changes)

    feed.keep(keep)
    writer = EntryWriter(shop.database, shop.registry, feed=feed)
    for published in (None, "2024-01-02T03:04:05.000Z") * 4:
        page = await writer.create(shop.type("page"), {"title": "A", "publishedAt": published})
        recorded.clear()
        assert await writer.delete(shop.type("page"), page)
        was = Presence.DRAFT if published is None else Presence.LIVE
        assert [(one.id, one.locale, one.was, one.became) for one in recorded] == [(page, "en", was, Presence.ABSENT)]


async def test_one_of_two_simultaneous_deletes_finds_the_entry(shop: Workshop) -> None:
    await learn(shop)
    tool = await shop.create("tool", **TOOL)
    assert sorted(await asyncio.gather(*[shop.delete("tool", tool) for _ in range(4)])) == [False, False, False, True]


async def test_no_component_is_left_of_an_update_at_the_same_time(shop: Workshop) -> None:
    await learn(shop)
    before = await stored(shop)
    for _ in range(8):
        tool = await shop.create("tool", name="Saw")
        await asyncio.gather(shop.update("tool", tool, legs=[LEG]), shop.delete("tool", tool), return_exceptions=True)
        assert await stored(shop) == before


async def test_the_statement_returns_the_response(shop: Workshop) -> None:
    tool, reader = shop.type("tool"), EntryReader(shop.database, shop.registry)
    read = reader.prepare(plan_read(ReadRequest(content_type=tool, by=By.ID, drafts=Drafts.ANY), shop.registry))
    answered: list[bool] = []

    async def delete(unit: EntryUnit, entry_id: int) -> None:
        expected = await reader.read_one(read.bind(id=entry_id), unit.connection)
        answered.append(unit.answers_delete(tool, read))
        assert await unit.delete(tool, entry_id)
        assert unit.take_answer() == (expected if answered[-1] else None)

    for _ in range(6):
        entry_id = await shop.create("tool", **TOOL)
        await shop.writer.run(lambda unit, entry_id=entry_id: delete(unit, entry_id))  # type: ignore[misc]
    assert answered == [False] * 3 + [is_joined(shop)] * 3


@pytest.mark.parametrize("workshop_database", ["postgresql"], indirect=True)
async def test_triggers_before_a_delete_see_separate_statements(shop: Workshop) -> None:
    await shop.database.execute_script(
        "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN OLD; END $$;"
        "CREATE TRIGGER keep BEFORE DELETE ON components_part_legs FOR EACH ROW EXECUTE FUNCTION keep()"
    )
    await learn(shop)
    assert await statements(shop, await shop.create("tool", name="Saw", legs=[LEG])) > 1
