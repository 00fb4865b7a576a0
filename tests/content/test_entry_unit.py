"""EntryUnit on both databases: recorded changes, and the events that subscribers receive."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import orjson
import pytest

from octavo.content.entry_unit import EntryUnit
from octavo.content.i18n.locale_management import LocaleManagement
from octavo.content.writer import EntryWriter
from octavo.core.errors import ValidationError
from octavo.database.change_feed import ChangeFeed, ChangeKind, DataChange
from tests.models.workshop_fixtures import Workshop

pytestmark = pytest.mark.anyio

TOOL, MAKER = "api::tool.tool", "api::maker.maker"
CREATE, UPDATE, DELETE = ChangeKind.CREATE, ChangeKind.UPDATE, ChangeKind.DELETE
Work = Callable[[EntryUnit], Awaitable[object]]


class Told:
    """The workshop's writer with a subscriber, optionally one that requests images."""

    def __init__(self, shop: Workshop, *, images: bool = False) -> None:
        feed = ChangeFeed()
        feed.subscribe(self._hear, images=images)
        self._shop = shop
        self._heard: list[Sequence[DataChange]] = []
        self.writer = EntryWriter(shop.database, shop.registry, feed=feed)

    def _hear(self, changes: Sequence[DataChange]) -> None:
        self._heard.append(changes)

    async def of(self, work: Work) -> list[tuple[str, int, str]]:
        """Return the changes that a unit reports: UID, id, kind."""
        return [(change.uid, change.id, change.kind) for change in await self.changes(work)]

    async def changes(self, work: Work) -> Sequence[DataChange]:
        self._heard.clear()
        await self.writer.run(work)
        assert len(self._heard) <= 1
        return self._heard[0] if self._heard else ()


def update(shop: Workshop, name: str, entry_id: int, data: Any) -> Work:
    return lambda unit: unit.update(shop.type(name), entry_id, data)


async def test_created_updated_and_deleted_entries(shop: Workshop) -> None:
    reported, tool = Told(shop), shop.type("tool")
    assert await reported.of(lambda unit: unit.create(tool, {"name": "Saw", "legs": [{"length": 1}]})) == [
        (TOOL, 1, "create")
    ]
    assert await reported.of(update(shop, "tool", 1, {"legs": []})) == [(TOOL, 1, "update")]
    assert await reported.of(lambda unit: unit.delete(tool, 1)) == [(TOOL, 1, "delete")]


async def test_missing_entries_are_not_reported(shop: Workshop) -> None:
    reported = Told(shop)
    assert await reported.of(update(shop, "tool", 1, {"name": "Axe"})) == []
    assert await reported.of(lambda unit: unit.delete(shop.type("tool"), 1)) == []


@pytest.mark.parametrize(
    "before, data, kind",
    [
        (None, {"publishedAt": "2024-01-01T00:00:00Z"}, "publish"),
        (None, {"publishedAt": None}, "update"),
        (None, {"weight": 3}, "update"),
        ("2024-01-01T00:00:00Z", {"publishedAt": None}, "unpublish"),
        ("2024-01-01T00:00:00Z", {"publishedAt": "2025-01-01T00:00:00Z"}, "update"),
        ("2024-01-01T00:00:00Z", {"weight": 3}, "update"),
    ],
)
async def test_an_update_that_publishes_is_reported_as_one(
    shop: Workshop, before: str | None, data: dict[str, Any], kind: str
) -> None:
    tool = await shop.create("tool", name="Saw", publishedAt=before)
    assert await Told(shop).of(update(shop, "tool", tool, data)) == [(TOOL, tool, kind)]


async def test_a_unit_reports_all_its_changes_in_order(shop: Workshop) -> None:
    async def work(unit: EntryUnit) -> None:
        tool = await unit.create(shop.type("tool"), {"name": "Saw"})
        await unit.update(shop.type("maker"), 2, {"name": "other"})
        await unit.delete(shop.type("tool"), tool)
        assert [change.kind for change in unit.changes] == [CREATE, UPDATE, DELETE]

    assert await Told(shop).of(work) == [(TOOL, 1, "create"), (MAKER, 2, "update"), (TOOL, 1, "delete")]


async def test_rolled_back_changes_are_not_reported(shop: Workshop) -> None:
    reported = Told(shop)

    async def fail(unit: EntryUnit) -> None:
        await unit.create(shop.type("tool"), {"name": "Saw"})
        await unit.create(shop.type("tool"), {"name": 1})

    with pytest.raises(ValidationError):
        await reported.writer.run(fail)
    assert await reported.of(update(shop, "maker", 1, {"name": "next"})) == [(MAKER, 1, "update")]


async def test_changes_of_the_default_locale(shop: Workshop) -> None:
    """Caches of locales are notified, although no entry of theirs has changed."""
    writer = shop.writer
    await LocaleManagement(writer).add("en")
    assert (await writer.locales.known()).codes == {"en"}
    await LocaleManagement(writer).add("fr", default=True)
    assert await writer.locales.default() == "fr"
    await LocaleManagement(writer).make_default("en")
    assert await writer.locales.default() == "en"
    await LocaleManagement(writer).remove("fr")
    assert (await writer.locales.known()).codes == {"en"}


def told_names(images: Sequence[bytes | None]) -> list[Any]:
    return [None if image is None else orjson.loads(image)["name"] for image in images]


async def test_images_contain_entries_before_and_after_the_change(shop: Workshop) -> None:
    reported, maker = Told(shop, images=True), shop.type("maker")

    async def work(unit: EntryUnit) -> None:
        made = await unit.create(maker, {"name": "Ann"})
        await unit.update(maker, made, {"name": "Bea"})
        await unit.update(maker, 1, {"name": "Cleo"})
        await unit.delete(maker, 2)

    changes = await reported.changes(work)
    assert told_names([change.before for change in changes]) == [None, "Ann", "maker 1", "maker 2"]
    assert told_names([change.after for change in changes]) == ["Bea", "Bea", "Cleo", None]


async def test_images_show_no_secrets(shop: Workshop) -> None:
    reported = Told(shop, images=True)
    (change,) = await reported.changes(lambda unit: unit.create(shop.type("tool"), {"name": "Saw", "key": "secret"}))
    assert change.after is not None
    shown = orjson.loads(change.after)
    assert (shown["name"], "key" in shown) == ("Saw", False)


async def test_images_cost_nothing_without_a_subscriber(shop: Workshop) -> None:
    async def statements(writer: EntryWriter, *asked: Any) -> int:
        before = shop.database.statements
        await writer.update(*asked)
        return shop.database.statements - before

    asked = (shop.type("maker"), 1, {"name": "Ann"})
    bare = await statements(shop.writer, *asked)
    assert await statements(Told(shop).writer, *asked) == bare
    assert await statements(Told(shop, images=True).writer, *asked) == bare + 2


async def test_simultaneous_updates_do_not_mix(shop: Workshop) -> None:
    tool = await shop.create("tool", name="Saw", legs=[{"length": 99}])

    async def change(length: int) -> None:
        await shop.update("tool", tool, legs=[{"length": length}] * 3)

    await asyncio.gather(*map(change, range(1, 17)))
    lengths = [length for (length,) in await shop.rows("components_part_legs", "length")]
    assert len(lengths) == 3
    assert len(set(lengths)) == 1


async def test_components_without_a_definition_are_ignored(shop: Workshop) -> None:
    tool, story = shop.type("tool"), [{"__component": "part.leg", "length": 1}]
    made = [await shop.create("tool", name=f"Saw {number}", story=story) for number in range(4)]
    await shop.database.execute(f"UPDATE {tool.collection_name}_components SET component_type = 'part.gone'")
    assert await shop.update("tool", made[0], story=[])
    assert await shop.delete("tool", made[1])
    assert await shop.writer.run(lambda unit: unit.delete_many(tool, made[2:])) == 2
    assert await shop.count(tool.collection_name) == 1
