"""plan_write and plan_delete: which changes, in which order."""

from pathlib import Path

import pytest

from octavo.query.plan.changes import (
    AddLinks,
    AttachComponents,
    ComponentLink,
    DeleteRows,
    DetachComponents,
    DetachFiles,
    InsertRows,
    OrderLinks,
    RemoveInverseMorphs,
    RemoveLinks,
    TakeLinks,
    UpdateRow,
)
from octavo.query.plan.write import Links, RowNode, plan_delete, plan_write
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry
from tests.layouts import registry_of
from tests.models.workshop import DEFINITIONS, MAKER, TOOL


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    folder: Path = tmp_path_factory.mktemp("workshop")
    return registry_of(DEFINITIONS, folder)


@pytest.fixture
def tool(registry: Registry) -> Definition:
    return registry.definition(TOOL)


@pytest.fixture
def leg(registry: Registry) -> Definition:
    return registry.definition("part.leg")


def test_a_creation_puts_components_first_and_equal_ones_together(
    registry: Registry, tool: Definition, leg: Definition
) -> None:
    legs = [RowNode(definition=leg, values={"length": length}) for length in (1, 2)]
    row = RowNode(definition=tool, values={"name": "Saw"}, components={"legs": legs}, links={"users": [4, 3]})
    assert plan_write([row], registry, {}) == [
        InsertRows(
            definition=leg, attributes=("length",), rows=((1,), (2,)), refs=tuple(inside.ref for inside in legs)
        ),
        InsertRows(definition=tool, attributes=("name",), rows=(("Saw",),), refs=(row.ref,)),
        AttachComponents(
            owner=tool,
            links=(
                ComponentLink(row.ref, legs[0].ref, "part.leg", "legs", 1.0),
                ComponentLink(row.ref, legs[1].ref, "part.leg", "legs", 2.0),
            ),
        ),
        AddLinks(owner=tool, relation=tool.relation("users"), links=((row.ref, 4, 1.0), (row.ref, 3, 2.0))),
    ]


def test_an_update_changes_the_difference(registry: Registry, tool: Definition, leg: Definition) -> None:
    kept = RowNode(definition=leg, id=7, values={"length": 5})
    row = RowNode(definition=tool, id=1, components={"legs": [kept]}, links={"users": [4, 2, 9]})
    users = tool.relation("users")
    current = {(tool, 1, "users"): [(2, 1.0), (3, 2.0), (4, 3.0)]}
    assert plan_write([row], registry, current, [(leg, 8)]) == [
        DetachFiles(places=(("part.leg", 8, None),)),
        DeleteRows(definition=leg, ids=(8,)),
        UpdateRow(definition=leg, id=7, attributes=("length",), values=(5,)),
        DetachComponents(owner=tool, places=((1, "legs"),)),
        AttachComponents(owner=tool, links=(ComponentLink(1, 7, "part.leg", "legs", 1.0),)),
        RemoveLinks(owner=tool, relation=users, source=1, targets=(3,)),
        OrderLinks(owner=tool, relation=users, source=1, orders=((2, 2.0), (4, 1.0))),
        AddLinks(owner=tool, relation=users, links=((1, 9, 3.0),)),
    ]


def test_existing_links_change_nothing(registry: Registry, tool: Definition) -> None:
    row = RowNode(definition=tool, id=1, links={"maker": [2], "users": [3]})
    current: Links = {(tool, 1, "maker"): [(2, None)], (tool, 1, "users"): [(3, 1.0)]}
    assert plan_write([row], registry, current) == []


def test_targets_with_one_owner_are_taken_first(registry: Registry) -> None:
    maker = registry.definition(MAKER)
    row = RowNode(definition=maker, id=1, links={"tools": [5]})
    tools = maker.relation("tools")
    assert plan_write([row], registry, {(maker, 1, "tools"): []}) == [
        TakeLinks(owner=maker, relation=tools, targets=(5,)),
        AddLinks(owner=maker, relation=tools, links=((1, 5, 1.0),)),
    ]


def test_a_deletion_removes_owned_rows_and_the_entry_last(
    registry: Registry, tool: Definition, leg: Definition
) -> None:
    changes = plan_delete(tool, [1], registry, [(leg, 7), (leg, 8)])
    assert [change for change in changes if isinstance(change, DeleteRows | DetachFiles)] == [
        DetachFiles(places=(("part.leg", 7, None), ("part.leg", 8, None), (TOOL, 1, None))),
        DeleteRows(definition=leg, ids=(7, 8)),
        DeleteRows(definition=tool, ids=(1,)),
    ]
    assert any(isinstance(change, RemoveInverseMorphs) for change in changes)
