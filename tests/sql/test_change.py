"""Changes as text, for both databases, with their values."""

from pathlib import Path

import pytest

from octavo.plan.changes import (
    AddLinks,
    Change,
    DeleteRows,
    DetachFiles,
    InsertRows,
    OrderLinks,
    RemoveLinks,
    RowRef,
    TypedTarget,
    UpdateRow,
)
from octavo.plan.facts import EntryFact, Fact, LinksFact, TargetsFact, UniqueFact
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry
from octavo.sql.change import ChangeCompiler
from octavo.sql.facts import compile_facts
from tests.content.workshop import DEFINITIONS, MAKER, TOOL
from tests.layouts import registry_of


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    folder: Path = tmp_path_factory.mktemp("workshop")
    return registry_of(DEFINITIONS, folder)


def compiled(registry: Registry, change: Change, dialect: str) -> list[tuple[str, tuple[object, ...]]]:
    compiler = ChangeCompiler(registry, dialect)
    if isinstance(change, InsertRows):
        return [(statement.text, statement.values) for statement, _ in compiler.insert(change)]
    return [(statement.text, statement.values) for statement in compiler.compile(change)]


def test_insert(registry: Registry) -> None:
    attributes = ("name", "servicedAt", "sharp")
    rows = (("Saw", 1500, True), ("Axe", None, None))
    change = InsertRows(
        definition=registry.definition(TOOL), attributes=attributes, rows=rows, refs=(RowRef(), RowRef())
    )
    assert compiled(registry, change, "sqlite") == [
        (
            'INSERT INTO "tools" ("name", "serviced_at", "sharp") VALUES (?1, ?2, ?3), (?4, ?5, ?6) RETURNING id',
            ("Saw", 1500, 1, "Axe", None, None),
        )
    ]
    assert compiled(registry, change, "postgresql") == [
        (
            'INSERT INTO "tools" ("name", "serviced_at", "sharp") VALUES ($1::text, $2::timestamp, $3::boolean),'
            " ($4::text, $5::timestamp, $6::boolean) RETURNING id",
            ("Saw", "1970-01-01T00:00:01.500", True, "Axe", None, None),
        )
    ]


def test_update(registry: Registry) -> None:
    target = TypedTarget(TOOL, 4)
    maker = registry.definition(MAKER)
    change = UpdateRow(definition=maker, id=3, attributes=("name", "subject"), values=("Ann", target))
    assert compiled(registry, change, "sqlite") == [
        ('UPDATE "makers" SET "name" = ?1, "target_id" = ?2, "target_type" = ?3 WHERE id = ?4', ("Ann", 4, TOOL, 3))
    ]


def test_delete(registry: Registry) -> None:
    change = DeleteRows(definition=registry.definition(TOOL), ids=(1, 2))
    assert compiled(registry, change, "postgresql") == [
        ('DELETE FROM "tools" WHERE "id" IN ($1::integer, $2::integer)', (1, 2))
    ]


def test_links(registry: Registry) -> None:
    tool = registry.definition(TOOL)
    users = tool.relation("users")
    add = AddLinks(owner=tool, relation=users, links=((1, 2, 1.0),))
    assert compiled(registry, add, "sqlite") == [
        (
            'INSERT INTO "tools_users_links" ("tool_id", "maker_id", "maker_order", "tool_order")'
            " SELECT n.column1, n.column2, n.column3,"
            ' coalesce((SELECT max(o."tool_order") FROM "tools_users_links" o WHERE o."maker_id" = n.column2), 0) + 1'
            " FROM (VALUES (?1, ?2, ?3)) n WHERE true ON CONFLICT DO NOTHING",
            (1, 2, 1.0),
        )
    ]
    remove = RemoveLinks(owner=tool, relation=users, source=1, targets=(2, 3))
    assert compiled(registry, remove, "sqlite") == [
        (
            'DELETE FROM "tools_users_links" WHERE ("tool_id", "maker_id") IN (VALUES (?1, ?2), (?3, ?4))',
            (1, 2, 1, 3),
        )
    ]
    order = OrderLinks(owner=tool, relation=users, source=1, orders=((2, 1.0),))
    assert compiled(registry, order, "sqlite") == [
        (
            'UPDATE "tools_users_links" SET "maker_order" = n.column2 FROM (VALUES (?1, ?2)) n'
            ' WHERE "tool_id" = ?3 AND "maker_id" = n.column1',
            (2, 1.0, 1),
        )
    ]


def test_files_by_field_and_altogether(registry: Registry) -> None:
    change = DetachFiles(places=((TOOL, 1, "photo"), (TOOL, 2, None)))
    assert compiled(registry, change, "sqlite") == [
        (
            'DELETE FROM "files_related_morphs" WHERE ("related_type", "related_id", "field") IN (VALUES (?1, ?2, ?3))',
            (TOOL, 1, "photo"),
        ),
        (
            'DELETE FROM "files_related_morphs" WHERE ("related_type", "related_id") IN (VALUES (?1, ?2))',
            (TOOL, 2),
        ),
    ]


def test_very_many_values_take_several_statements(registry: Registry) -> None:
    change = DeleteRows(definition=registry.definition(TOOL), ids=tuple(range(70_000)))
    assert [len(values) for _, values in compiled(registry, change, "sqlite")] == [30_000, 30_000, 10_000]


def test_facts_are_asked_together(registry: Registry) -> None:
    tool: ContentType = registry.content_types[TOOL]
    facts: list[Fact] = [
        EntryFact(content_type=tool, id=1),
        TargetsFact(definition=registry.definition(MAKER), ids=(2, 3)),
        UniqueFact(definition=tool, attribute="serial", value="A-1", own_id=1),
        LinksFact(owner=tool, relation="users", source=1),
    ]
    [statement] = compile_facts(facts, registry, "sqlite")
    none = ("CAST(NULL AS INTEGER)", "CAST(NULL AS VARCHAR(255))", "CAST(NULL AS DOUBLE PRECISION)")
    integer, text, number = none
    assert statement.text.split(" UNION ALL ") == [
        f"SELECT 0, id, CASE WHEN published_at IS NOT NULL THEN 1 ELSE 0 END, {text}, {text}, {number}"
        ' FROM "tools" WHERE id = ?1',
        f'SELECT 1, id, {integer}, {text}, {text}, {number} FROM "makers" WHERE id IN (?2, ?3)',
        f"SELECT 2, 1, {integer}, {text}, {text}, {number} WHERE EXISTS"
        ' (SELECT 1 FROM "tools" WHERE "serial" = ?4 AND id <> ?5)',
        f'SELECT 3, "maker_id", {integer}, {text}, {text}, "maker_order" FROM "tools_users_links" WHERE "tool_id" = ?6',
    ]
    assert statement.values == (1, 2, 3, "A-1", 1, 1)
