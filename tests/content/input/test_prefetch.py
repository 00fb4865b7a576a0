"""Prefetch: the current state that a write reads first."""

from typing import Any

import pytest

from octavo.content.input.input_tree import read_body
from octavo.content.input.prefetch import components_facts, prefetch, state_facts
from octavo.database.unit_of_work import unit_of_work
from octavo.query.plan.present_state import ComponentsFact, EntryFact, Fact, LinksFact, TargetsFact, UniqueFact
from octavo.schema.registry import Registry
from tests.models.workshop_fixtures import Workshop

TOOL, MAKER = "api::tool.tool", "api::maker.maker"


def asked(fact: Fact) -> tuple[Any, ...]:
    """Return a fact as plain values."""
    match fact:
        case ComponentsFact():
            return ("components", fact.owner.uid, fact.ids, fact.fields)
        case LinksFact():
            return ("links", fact.owner.uid, fact.source, fact.relation)
        case _:
            raise TypeError(fact)


@pytest.mark.parametrize(
    "data, facts",
    [
        ({}, []),
        ({"name": "Saw", "photo": 1}, []),
        ({"maker": 1, "users": {"connect": [2]}}, [("links", TOOL, 9, "maker"), ("links", TOOL, 9, "users")]),
        ({"notes": [1]}, []),
        ({"legs": [], "frame": None}, [("components", TOOL, (9,), ("frame", "legs"))]),
        (
            {"legs": [{"id": 4, "by": 1}, {"id": "5", "helpers": []}, {"by": 2}]},
            [
                ("components", TOOL, (9,), ("legs",)),
                ("links", "part.leg", 4, "by"),
                ("links", "part.leg", 5, "helpers"),
            ],
        ),
        (
            {"legs": [{"id": True, "by": 1}, {"id": -1, "by": 1}, {"id": 2**31, "by": 1}, {"id": "x", "by": 1}]},
            [("components", TOOL, (9,), ("legs",))],
        ),
    ],
)
def test_facts_about_updated_rows(workshop: Registry, data: dict[str, Any], facts: list[tuple[Any, ...]]) -> None:
    body = read_body(workshop, workshop.content_types[TOOL], data)
    assert [asked(fact) for fact in state_facts(body, 9)] == facts


@pytest.mark.parametrize("uid, facts", [(TOOL, [("components", TOOL, (1, 2), None)]), (MAKER, []), ("part.leg", [])])
def test_components_are_read_where_there_can_be_some(
    workshop: Registry, uid: str, facts: list[tuple[Any, ...]]
) -> None:
    definition = workshop.content_types.get(uid) or workshop.components[uid]
    assert [asked(fact) for fact in components_facts(definition, (1, 2))] == facts


@pytest.mark.anyio
async def test_all_facts_are_read_by_one_statement(shop: Workshop) -> None:
    tool = await shop.create(
        "tool", name="Saw", serial="A-1", users=[3, 1], legs=[{"length": 1}, {"length": 2}], publishedAt=None
    )
    tool_type, maker_type = shop.type("tool"), shop.type("maker")
    entry, missing = EntryFact(content_type=tool_type, id=tool), EntryFact(content_type=tool_type, id=99)
    targets = TargetsFact(definition=maker_type, ids=(1, 6, 7))
    taken, free, own = (
        UniqueFact(definition=tool_type, attribute="serial", value=value, own_id=own_id)
        for value, own_id in (("A-1", None), ("A-2", None), ("A-1", tool))
    )
    links = LinksFact(owner=tool_type, relation="users", source=tool)
    components = ComponentsFact(owner=tool_type, ids=(tool,))
    facts: list[Fact] = [entry, missing, targets, taken, free, own, links, components]
    before = shop.database.statements
    async with unit_of_work(shop.database) as unit:
        found = await prefetch(unit, shop.registry, shop.database.dialect, facts)
    assert shop.database.statements - before == 1
    row = found.entry(entry)
    assert row is not None
    assert (row.id, bool(row.owner)) == (tool, False)
    assert found.entry(missing) is None
    assert found.existing(maker_type) == {1, 6}
    assert [found.is_taken(fact) for fact in (taken, free, own)] == [True, False, False]
    assert [target for target, _ in found.links()[tool_type, tool, "users"]] == [3, 1]
    assert found.components_by_place() == {(tool_type, tool, "legs"): [("part.leg", 1), ("part.leg", 2)]}


@pytest.mark.anyio
async def test_no_facts_need_no_statement(shop: Workshop) -> None:
    before = shop.database.statements
    async with unit_of_work(shop.database) as unit:
        found = await prefetch(unit, shop.registry, shop.database.dialect, [])
    assert (found.answers, shop.database.statements - before) == ({}, 0)
