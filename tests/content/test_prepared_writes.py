"""Bodies of a frequent shape use a prepared write, with the same result for every caller."""

import asyncio
from typing import Any

import pytest

from octavo.content.entry_unit import EntryUnit
from octavo.content.reader import EntryReader
from octavo.content.writer import EntryWriter
from octavo.core.errors import OctavoError, ValidationError
from octavo.query.plan.read import plan_read
from octavo.query.request import By, Drafts, ReadRequest
from tests.models.workshop_fixtures import Workshop

pytestmark = pytest.mark.anyio

LEG = {"length": 1, "by": 1, "helpers": [1, 2]}
SOUND: dict[str, Any] = {
    "name": "Saw",
    "code": "saw",
    "serial": "A-1",
    "kind": "power",
    "contact": "a@example.com",
    "weight": 1.5,
    "price": 2,
    "stock": 3,
    "barcode": 4,
    "sharp": False,
    "bought": "2024-01-02",
    "opens": "10:00:00.000",
    "servicedAt": "2024-01-02T03:04:05.678Z",
    "stamp": 1704164645678,
    "extra": {"b": 2},
    "photo": 1,
    "photos": [2, 1],
    "maker": 1,
    "users": [2, 1],
    "fans": [3],
    "owner": 2,
    "frame": {"front": LEG, "legs": [{"length": 2}]},
    "legs": [{"length": 3}, {"length": 1}],
    "story": [{"__component": "part.leg", "length": 4}],
}
"""A value for each attribute that bodies of a known shape may set."""

TEXTS = ["", "x", "y" * 21, "z" * 300, "é" * 20, "😀" * 11, "a\0b", "A-\u2028", "2", "true", "Saw"]
NUMBERS = [0, -1, 1, 90.5, 1e9, 2**31, 2**53 + 1, 2**63, 1e300, 0.1]
DATES = ["2024-02-30", "2024-02-29", "0000-01-01", "25:00", "23:59:59.9", "2024-01-02T03:04:05+02:00"]
OBJECTS = [
    {},
    [],
    [1],
    [1, 1],
    [1, "2"],
    [99],
    [None],
    [True],
    "1",
    "01",
    " 1",
    "+1",
    "0",
    "99",
    "9" * 30,
    "١",
    ["1"],
    ["2", "1"],
    ["1", "01"],
    ["1", 1],
    ["1", 2],
    ["x"],
    {"id": 1},
    {"set": [1]},
    {"connect": [2]},
    {"length": 1},
]
COMPONENTS = [
    [{}],
    [{"length": "2"}],
    [{"length": 1, "id": 1}],
    [{"length": 1}] * 5,
    [{"__component": "part.leg"}, {"__component": "part.nothing"}],
    {"front": {"length": 1}, "legs": []},
    {"front": {"helpers": [9]}},
]
ODD: list[Any] = [None, True, False, *TEXTS, *NUMBERS, *DATES, *OBJECTS, *COMPONENTS]
OWN = [name for name in SOUND if not isinstance(SOUND[name], list | dict) and name not in ("photo", "maker", "owner")]


async def stored(shop: Workshop, tool: int) -> list[Any]:
    """Return a tool's stored values without ids and times."""
    held = f"SELECT component_id FROM tools_components WHERE component_type = 'part.leg' AND entity_id = {tool}"
    legs = f"id IN ({held})"
    columns = ["name", "code", "serial", "kind", "contact", "weight", "price", "stock", "barcode", "sharp", "bought"]
    return [
        await shop.rows("tools", *columns, "opens", "serviced_at", "stamp", "extra", where=f"id = {tool}"),
        await shop.rows("tools_components", "component_type", "field", "order", where=f"entity_id = {tool}"),
        await shop.rows("components_part_legs", "length", where=legs),
        await shop.rows("files_related_morphs", "file_id", "field", "order", where=f"related_id = {tool}"),
        *[
            await shop.rows(f"tools_{name}_links", "maker_id", where=f"tool_id = {tool}")
            for name in ("maker", "users", "fans", "owner")
        ],
    ]


def said(error: OctavoError) -> list[Any]:
    return [type(error).__name__, str(error), getattr(error, "details", None)]


async def created(shop: Workshop, writer: EntryWriter, body: dict[str, Any]) -> list[Any]:
    """Return the values that a body results in, and roll back."""
    try:
        tool = await writer.create(shop.type("tool"), body)
    except OctavoError as error:
        return said(error)
    found = await stored(shop, tool)
    await writer.delete(shop.type("tool"), tool)
    return found


async def updated(shop: Workshop, writer: EntryWriter, tool: int, body: dict[str, Any]) -> list[Any]:
    try:
        await writer.update(shop.type("tool"), tool, body)
    except OctavoError as error:
        return said(error)
    return await stored(shop, tool)


@pytest.mark.parametrize("name", SOUND)
async def test_creates_of_known_and_unknown_shapes_have_the_same_result(shop: Workshop, name: str) -> None:
    for sound in ({"name": "Saw", name: SOUND[name]}, {"name": "Saw", name: None}, {"name": "Saw", name: []}):
        for _ in range(4):
            await created(shop, shop.writer, sound)
    for value in ODD:
        body = {"name": "Saw", name: value}
        unknown = await created(shop, EntryWriter(shop.database, shop.registry), body)
        assert await created(shop, shop.writer, body) == unknown, body


@pytest.mark.parametrize("name", OWN)
async def test_updates_of_known_and_unknown_shapes_have_the_same_result(shop: Workshop, name: str) -> None:
    tool = await shop.create("tool", name="Saw")
    for sound in (SOUND[name], None):
        for _ in range(4):
            await updated(shop, shop.writer, tool, {name: sound})
    for value in ODD:
        unknown = await updated(shop, EntryWriter(shop.database, shop.registry), tool, {name: value})
        await shop.update("tool", tool, name="Saw", **({} if name == "name" else {name: None}))
        assert await updated(shop, shop.writer, tool, {name: value}) == unknown, value


@pytest.mark.parametrize("users", [[1], ["1"], [2], ["2"], ["99"], [99]])
@pytest.mark.parametrize("maker", [1, "1", 2, "2", "99", 99])
async def test_an_id_in_two_forms_is_refused_in_both_ways(shop: Workshop, maker: Any, users: Any) -> None:
    for sound in ((1, [1]), ("1", ["1"]), (1, ["2"]), ("2", [1])):
        for _ in range(4):
            await created(shop, shop.writer, {"name": "Saw", "maker": sound[0], "users": sound[1]})
    body = {"name": "Saw", "maker": maker, "users": users}
    unknown = await created(shop, EntryWriter(shop.database, shop.registry), body)
    assert await created(shop, shop.writer, body) == unknown


async def test_ids_as_texts_are_prepared_too(shop: Workshop) -> None:
    counts = []
    for links in ({"maker": 1, "users": [1, 2], "photo": 1}, {"maker": "1", "users": ["1", "2"], "photo": "1"}):
        for _ in range(5):
            before = shop.database.statements
            await shop.create("tool", name="Saw", **links)
        counts.append(shop.database.statements - before)
    assert counts == ([1, 1] if shop.database.dialect.name == "postgresql" else [5, 5])


async def test_complete_bodies_have_the_same_result(shop: Workshop) -> None:
    first = await created(shop, shop.writer, SOUND)
    assert len(first) == 8
    for _ in range(5):
        assert await created(shop, shop.writer, SOUND) == first


async def test_a_known_shape_needs_fewer_statements(shop: Workshop) -> None:
    counts, is_joined = [], shop.database.dialect.name == "postgresql"
    for _ in range(5):
        before = shop.database.statements
        tool = await shop.create("tool", name="Saw", maker=1, users=[1, 2])
        counts.append(shop.database.statements - before)
    assert counts == ([4, 4, 4, 1, 1] if is_joined else [4, 4, 4, 4, 4])
    counts.clear()
    for _ in range(5):
        before = shop.database.statements
        await shop.update("tool", tool, weight=2)
        counts.append(shop.database.statements - before)
    assert counts == [2, 2, 2, 1, 1]


async def test_existing_values_and_missing_targets_are_refused(shop: Workshop) -> None:
    for number in range(5):
        await shop.create("tool", name="Saw", serial=f"A-{number}", maker=1)
    before = await shop.count("tools"), await shop.count("tools_maker_links")
    for body, path in (({"serial": "A-1", "maker": 1}, ["serial"]), ({"serial": "A-9", "maker": 99}, [])):
        with pytest.raises(ValidationError) as caught:
            await shop.create("tool", name="Saw", **body)
        assert [problem["path"] for problem in (caught.value.details or {})["errors"]] == [path]
    assert (await shop.count("tools"), await shop.count("tools_maker_links")) == before


async def test_one_of_two_simultaneous_creates_gets_a_unique_value(shop: Workshop) -> None:
    for number in range(5):
        await shop.create("tool", name="Saw", serial=f"A-{number}")
    made = await asyncio.gather(
        *[shop.create("tool", name="Saw", serial="B-1") for _ in range(8)], return_exceptions=True
    )
    assert sum(isinstance(one, int) for one in made) == 1
    assert {str(one) for one in made if not isinstance(one, int)} == {"This attribute must be unique"}


async def test_targets_with_one_owner_keep_the_last_one(shop: Workshop) -> None:
    tools = [await shop.create("tool", name="Saw", owner=1, fans=[2, 3]) for _ in range(5)]
    assert await shop.rows("tools_owner_links", "tool_id", "maker_id") == [(tools[-1], 1)]
    assert await shop.rows("tools_fans_links", "tool_id", "maker_id") == [
        (tool, maker) for tool in tools for maker in (2, 3)
    ]


async def test_updating_a_missing_entry_creates_none(shop: Workshop) -> None:
    tool = await shop.create("tool", name="Saw")
    assert [await shop.update("tool", tool, weight=2) for _ in range(5)] == [True] * 5
    assert await shop.update("tool", tool + 1, weight=2) is False


async def test_on_postgresql_the_write_statement_returns_the_response(shop: Workshop) -> None:
    tool, reader = shop.type("tool"), EntryReader(shop.database, shop.registry)
    read = reader.prepare(plan_read(ReadRequest(content_type=tool, by=By.ID, drafts=Drafts.ANY), shop.registry))
    counts: list[int] = []

    async def write(unit: EntryUnit, entry_id: int | None) -> None:
        before, unit.answering = shop.database.statements, read
        if entry_id is None:
            entry_id = await unit.create(tool, {"name": "Saw", "maker": 1, "legs": [{"length": 2}]})
        else:
            await unit.update(tool, entry_id, {"weight": 2.5, "bought": "2024-01-02"})
        counts.append(shop.database.statements - before)
        answer = unit.take_answer()
        assert (answer is not None) == (counts[-1] == 1 and shop.database.dialect.name == "postgresql")
        assert answer in (None, await reader.read_one(read.bind(id=entry_id), unit.connection))
        assert unit.take_answer() is None

    for _ in range(5):
        await shop.writer.run(lambda unit: write(unit, None))
    for _ in range(5):
        await shop.writer.run(lambda unit: write(unit, 1))
    if shop.database.dialect.name == "postgresql":
        assert (counts[4], counts[9]) == (1, 1)


@pytest.mark.parametrize("workshop_database", ["postgresql"], indirect=True)
async def test_the_written_row_is_read_again_if_a_trigger_changes_it(shop: Workshop) -> None:
    await shop.database.execute_script(
        "CREATE FUNCTION sharpen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " UPDATE tools SET weight = 7 WHERE id = NEW.id AND weight IS DISTINCT FROM 7; RETURN NULL; END $$;"
        "CREATE TRIGGER sharpen AFTER INSERT OR UPDATE ON tools FOR EACH ROW EXECUTE FUNCTION sharpen()"
    )
    tool, reader = shop.type("tool"), EntryReader(shop.database, shop.registry)
    read = reader.prepare(plan_read(ReadRequest(content_type=tool, by=By.ID, drafts=Drafts.ANY), shop.registry))

    async def write(unit: EntryUnit) -> None:
        unit.answering = read
        entry_id = await unit.create(tool, {"name": "Saw"})
        assert unit.take_answer() is None
        unit.answering = read
        await unit.update(tool, entry_id, {"price": 2})
        assert unit.take_answer() is None

    for _ in range(5):
        await shop.writer.run(write)
