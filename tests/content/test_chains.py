"""Frequent writes use one statement for all tables if the database supports it, with equal results."""

import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from octavo.core.errors import ValidationError
from octavo.query.sql.dialects.chains import ChainPart, with_chain
from tests.models.workshop_fixtures import Workshop

pytestmark = pytest.mark.anyio

LEG = {"length": 1, "by": 1, "helpers": [1, 2]}
WHOLE: dict[str, Any] = {
    "name": "Saw",
    "maker": 1,
    "users": [2, 1],
    "photos": [2, 1],
    "legs": [{"length": 3}, LEG],
    "frame": {"front": LEG, "legs": [{"length": 2}]},
    "story": [{"__component": "part.leg", "length": 4}],
}


def some_legs(chance: random.Random) -> list[dict[str, Any]]:
    """Return a few random legs, with and without maker and helpers."""
    return [chance.choice((LEG, {"length": 5}, {"helpers": [3, 1]})) for _ in range(chance.randrange(4))]


def some_makers(chance: random.Random) -> list[int]:
    """Return a few of three ids, in random order."""
    return chance.sample((1, 2, 3), chance.randrange(4))


REPLACED: Mapping[str, Callable[[random.Random], Any]] = {
    "name": lambda chance: chance.choice(("Saw", "Plane")),
    "maker": lambda chance: chance.choice((None, 1, 2)),
    "users": some_makers,
    "photos": lambda chance: chance.sample((1, 2), chance.randrange(3)),
    "legs": some_legs,
    "frame": lambda chance: chance.choice(
        (None, {"legs": [LEG, *some_legs(chance)][:3]}, {"legs": [LEG], "front": LEG})
    ),
    "story": lambda chance: [leg | {"__component": "part.leg"} for leg in some_legs(chance)],
}
TABLES = ("tools", "tools_components", "components_part_legs", "tools_users_links", "files_related_morphs")
_LEGS = "id IN (SELECT component_id FROM {} WHERE component_type = 'part.leg' AND entity_id IN ({}))"
_HELD = (
    "tools_components WHERE component_type = 'part.leg'"
    " UNION SELECT component_id FROM components_part_frames_components WHERE component_type = 'part.leg')"
)
_FRAMES = "SELECT component_id FROM tools_components WHERE component_type = 'part.frame' AND entity_id = {}"


async def told(shop: Workshop, tool: int) -> list[Any]:
    """Return all stored values of a tool, from all tables."""
    frames = _FRAMES.format(tool)
    legs = _LEGS.format("tools_components", tool)
    return [
        await shop.rows("tools", "name", "kind", "sharp", where=f"id = {tool}"),
        await shop.rows("tools_components", "component_type", "field", "order", where=f"entity_id = {tool}"),
        await shop.rows("components_part_legs", "length", where=legs),
        await shop.rows(
            "components_part_legs", "length", where=_LEGS.format("components_part_frames_components", frames)
        ),
        await shop.rows("components_part_legs_helpers_links", "maker_id", "maker_order", where=f"leg_{legs}"),
        await shop.rows("files_related_morphs", "file_id", "field", "order", where=f"related_id = {tool}"),
        await shop.rows("tools_maker_links", "maker_id", where=f"tool_id = {tool}"),
        await shop.rows("tools_users_links", "maker_id", "maker_order", where=f"tool_id = {tool}"),
    ]


async def test_a_chain_writes_the_same_as_single_statements(shop: Workshop) -> None:
    tools, counts = [], []
    for _ in range(5):
        before = shop.database.statements
        tools.append(await shop.create("tool", **WHOLE))
        counts.append(shop.database.statements - before)
    one_by_one = 11
    chains = shop.database.dialect.name == "postgresql"
    assert counts == [
        one_by_one,
        one_by_one,
        *([3, 2, 2] if chains else [one_by_one] * 3),
    ]  # the third one reads the triggers
    first = await told(shop, tools[0])
    assert all(first)
    for tool in tools:
        assert await told(shop, tool) == first
    assert await shop.rows("tools_maker_links", "tool_order") == [(1,), (2,), (3,), (4,), (5,)]


async def test_updates_are_chained(shop: Workshop) -> None:
    tools = [await shop.create("tool", name="Saw") for _ in range(4)]
    counts = []
    for tool in tools:
        before = shop.database.statements
        await shop.update("tool", tool, weight=3, maker=2, users=[1, 2])
        counts.append(shop.database.statements - before)
    assert counts[0] == 4
    assert counts[-1] == (2 if shop.database.dialect.name == "postgresql" else 4)
    assert await shop.rows("tools", "weight") == [(3,)] * 4
    assert await shop.rows("tools_maker_links", "tool_id", "maker_id") == [(tool, 2) for tool in tools]


async def test_replaced_rows_need_few_statements(shop: Workshop) -> None:
    """One statement deletes old rows from all tables, another creates new ones, and a third one orders both."""
    tools = [await shop.create("tool", **WHOLE) for _ in range(6)]
    other: dict[str, Any] = {
        "name": "Plane",
        "maker": 2,
        "users": [1, 3],
        "photos": [1],
        "legs": [{"length": 7, "helpers": [3]}],
        "frame": {"legs": [LEG, LEG]},
        "story": [LEG | {"__component": "part.leg"}, {"__component": "part.leg", "length": 5}],
    }
    counts = []
    for tool in tools:
        before = shop.database.statements
        await shop.update("tool", tool, **other)
        counts.append(shop.database.statements - before)
    chains = shop.database.dialect.name == "postgresql"
    assert counts == ([20, 20, 8, 5, 5, 5] if chains else [20] * 6)
    first = await told(shop, tools[0])
    assert all(first)
    for tool in tools:
        assert await told(shop, tool) == first


async def test_replacements_by_chains_have_the_same_result(shop: Workshop) -> None:
    """Of four equal tools, the first ones are written one statement at a time and the last ones by a chain."""
    chance = random.Random(13)
    tools = [await shop.create("tool", **WHOLE) for _ in range(4)]
    for _ in range(25):
        body = {name: make(chance) for name, make in REPLACED.items() if chance.random() < 0.6}
        for tool in tools:
            await shop.update("tool", tool, **body)
        first, *others = [await told(shop, tool) for tool in tools]
        assert others == [first] * 3, body
    assert await shop.rows("components_part_legs", "id", where="id NOT IN (SELECT component_id FROM " + _HELD) == []


async def test_entries_are_deleted_by_few_statements(shop: Workshop) -> None:
    tools = [await shop.create("tool", **WHOLE) for _ in range(5)]
    counts = []
    for tool in tools:
        before = shop.database.statements
        await shop.delete("tool", tool)
        counts.append(shop.database.statements - before)
        assert not any(await told(shop, tool))
    chains = shop.database.dialect.name == "postgresql"
    assert counts == ([8, 8, 7, 1, 1] if chains else [8] * 5)


@pytest.mark.parametrize("workshop_database", ["postgresql"], indirect=True)
async def test_tables_that_do_not_support_chains_are_written_one_by_one(shop: Workshop) -> None:
    await shop.database.execute("CREATE RULE also AS ON INSERT TO components_part_frames DO ALSO NOTIFY linked")
    tools = [await shop.create("tool", **WHOLE) for _ in range(5)]
    assert [await told(shop, tool) for tool in tools] == [await told(shop, tools[0])] * 5


@pytest.mark.parametrize("workshop_database", ["postgresql"], indirect=True)
async def test_before_triggers_see_the_same_rows(shop: Workshop) -> None:
    await shop.database.execute_script(
        "CREATE FUNCTION note_weight() RETURNS trigger STABLE LANGUAGE plpgsql AS $$ BEGIN"
        " NEW.maker_order := (SELECT weight FROM tools WHERE id = NEW.tool_id); RETURN NEW; END $$;"
        "CREATE TRIGGER note_weight BEFORE INSERT ON tools_users_links FOR EACH ROW EXECUTE FUNCTION note_weight()"
    )
    for weight in range(1, 6):
        tool = await shop.create("tool", **WHOLE, weight=weight)
        assert await shop.rows("tools_users_links", "maker_order", where=f"tool_id = {tool}") == [(weight,)] * 2


async def test_a_failed_chain_has_the_errors_of_single_statements(shop: Workshop) -> None:
    await shop.database.execute("CREATE UNIQUE INDEX tools_weight_unique ON tools (weight)")
    for weight in range(1, 5):
        await shop.create("tool", **WHOLE, weight=weight)
    counts = [await shop.count(table) for table in TABLES]
    with pytest.raises(ValidationError) as caught:
        await shop.create("tool", **WHOLE, weight=3)
    assert [problem["path"] for problem in (caught.value.details or {})["errors"]] == [["weight"]]
    with pytest.raises(ValidationError, match="relation"):
        await shop.create("tool", **WHOLE | {"maker": 99}, weight=9)
    assert [await shop.count(table) for table in TABLES] == counts


def test_values_are_renumbered() -> None:
    parts = (
        ChainPart('INSERT INTO "a$1" ("b") VALUES ($1::text), ($2::text) RETURNING id', 2, 2, ()),
        ChainPart("INSERT INTO c (d, e) VALUES ($1::integer, $2), ($3::integer, '$2')", 3, 0, ((0, 0, 0), (2, 0, 1))),
    )
    ids = [f"(SELECT id FROM octavo_written_0 ORDER BY id OFFSET {row} LIMIT 1)" for row in (0, 1)]
    assert with_chain(parts) == (
        'WITH octavo_written_0 AS (INSERT INTO "a$1" ("b") VALUES ($1::text), ($2::text) RETURNING id),'
        f" octavo_written_1 AS (INSERT INTO c (d, e) VALUES ({ids[0]}::integer, $3), ({ids[1]}::integer, '$2'))"
        f" SELECT {ids[0]}, {ids[1]}"
    )
