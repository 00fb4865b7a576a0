"""The later of two changes of an entry has the later `updatedAt`, whatever the clock does."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from octavo.content.entry_unit import EntryUnit
from octavo.content.writer import EntryWriter
from octavo.core import clock
from octavo.database.change_feed import ChangeFeed
from octavo.events.event import Event
from octavo.events.hooks import Hooks
from tests.models.workshop_fixtures import Workshop

pytestmark = pytest.mark.anyio

THEN = "2001-02-03T04:05:06.000Z"
MILLISECOND = timedelta(milliseconds=1)


@pytest.fixture(autouse=True)
def right_clock() -> Iterator[None]:
    """Reset the clock after a test."""
    yield
    clock.move(0)


async def changed_at(shop: Workshop, tool: int, connection: Any = None) -> datetime:
    value = await (connection or shop.database).fetch_value(f"SELECT updated_at FROM tools WHERE id = {tool}")
    if isinstance(value, int):
        return datetime.fromtimestamp(value / 1000, UTC)
    return datetime.fromisoformat(value).replace(tzinfo=UTC)


async def test_simultaneous_updates_have_different_times(shop: Workshop) -> None:
    tool = await shop.create("tool", name="Saw")
    bodies: list[dict[str, Any]] = [{"weight": 2}, {"legs": [{"length": 2}]}, {"maker": 1}]
    seen: list[datetime] = []

    async def change(unit: EntryUnit, body: dict[str, Any]) -> None:
        assert await unit.update(shop.type("tool"), tool, body)
        seen.append(await changed_at(shop, tool, unit.connection))

    await asyncio.gather(*(shop.writer.run(partial(change, body=body)) for body in bodies * 10))
    assert len(set(seen)) == 30
    assert await changed_at(shop, tool) == max(seen)


async def test_updated_at_grows_if_the_clock_goes_back(shop: Workshop) -> None:
    tools = [await shop.create("tool", name=name) for name in ("Saw", "Axe", "Adze")]
    clock.move(-3600)
    before = [await changed_at(shop, tool) for tool in tools]
    await shop.update("tool", tools[0], weight=2)
    assert await changed_at(shop, tools[0]) == before[0] + MILLISECOND
    await shop.writer.run(lambda unit: unit.update_many(shop.type("tool"), tools, {"weight": 3}))
    after = [await changed_at(shop, tool) for tool in tools]
    assert after == [before[0] + 2 * MILLISECOND, before[1] + MILLISECOND, before[2] + MILLISECOND]


async def test_entries_without_updated_at_get_the_current_time(shop: Workshop) -> None:
    tool = await shop.create("tool", name="Saw")
    before = await changed_at(shop, tool)
    await shop.database.execute("UPDATE tools SET updated_at = NULL")
    await shop.update("tool", tool, weight=2)
    assert await changed_at(shop, tool) >= before


async def test_a_given_updated_at_is_stored(shop: Workshop) -> None:
    tool = await shop.create("tool", name="Saw")
    await shop.writer.run(lambda unit: unit.update(shop.type("tool"), tool, {"weight": 2}, dates={"updatedAt": THEN}))
    assert await changed_at(shop, tool) == datetime.fromisoformat(THEN)


@pytest.mark.parametrize("given", [None, THEN])
async def test_hooks_can_set_updated_at(shop: Workshop, given: str | None) -> None:
    hooks = Hooks(shop.registry.content_types, shop.registry.components)
    writer = EntryWriter(shop.database, shop.registry, feed=ChangeFeed(), hooks=hooks)
    tool = await shop.create("tool", name="Saw")
    before = await changed_at(shop, tool)

    def hook(event: Event) -> None:
        if given is not None:
            event.params.data["updatedAt"] = given

    hooks.add("before_update", "api::tool.tool", hook)
    clock.move(-3600)
    await writer.update(shop.type("tool"), tool, {"weight": 2})
    assert await changed_at(shop, tool) == (datetime.fromisoformat(THEN) if given else before + MILLISECOND)
