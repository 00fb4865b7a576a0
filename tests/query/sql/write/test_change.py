"""Changes as SQL with their values, for each database."""

from pathlib import Path

import pytest

from octavo.query.plan.changes import (
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
    UpdateRows,
)
from octavo.query.plan.present_state import EntryFact, Fact, LinksFact, TargetsFact, UniqueFact
from octavo.query.sql.dialects.sqlite import SQLITE
from octavo.query.sql.write.change import ChangeCompiler
from octavo.query.sql.write.present_state import compile_facts
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry
from tests.dialects import DIALECTS
from tests.layouts import registry_of
from tests.models.workshop import DEFINITIONS, MAKER, TOOL


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    folder: Path = tmp_path_factory.mktemp("workshop")
    return registry_of(DEFINITIONS, folder)


def compiled(registry: Registry, change: Change, dialect: str) -> list[tuple[str, tuple[object, ...]]]:
    compiler = ChangeCompiler(registry, DIALECTS[dialect])
    if isinstance(change, InsertRows):
        return [(statement.text, statement.values) for statement, _ in compiler.steps(change)]
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
    sizes = [len(values) for _, values in compiled(registry, change, "sqlite")]
    assert sizes == [2048] * 34 + [256, 64, 48]


def test_facts_are_read_with_one_statement(registry: Registry) -> None:
    tool: ContentType = registry.content_types[TOOL]
    facts: list[Fact] = [
        EntryFact(content_type=tool, id=1),
        TargetsFact(definition=registry.definition(MAKER), ids=(2, 3)),
        UniqueFact(definition=tool, attribute="serial", value="A-1", own_id=1),
        LinksFact(owner=tool, relation="users", source=1),
    ]
    [statement] = compile_facts(facts, registry, SQLITE)
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


def test_rows_are_updated_at_once(registry: Registry) -> None:
    change = UpdateRows(
        definition=registry.definition(TOOL),
        ids=(7, 8),
        attributes=("name", "servicedAt"),
        rows=(("Saw", 1500), ("Axe", None)),
    )
    assert compiled(registry, change, "sqlite") == [
        (
            'UPDATE "tools" SET "name" = n.column2, "serviced_at" = n.column3'
            " FROM (VALUES (?1, ?2, ?3), (?4, ?5, ?6)) n WHERE id = n.column1",
            (7, "Saw", 1500, 8, "Axe", None),
        )
    ]
    assert compiled(registry, change, "postgresql") == [
        (
            'UPDATE "tools" SET "name" = n.column2, "serviced_at" = n.column3'
            " FROM (VALUES ($1::integer, $2::text, $3::timestamp), ($4::integer, $5::text, $6::timestamp)) n"
            " WHERE id = n.column1",
            (7, "Saw", "1970-01-01T00:00:01.500", 8, "Axe", None),
        )
    ]


def test_many_rows_need_few_statements_of_few_sizes(registry: Registry) -> None:
    texts = set()
    for count in range(3_000, 3_100):
        change = DeleteRows(definition=registry.definition(TOOL), ids=tuple(range(count)))
        statements = compiled(registry, change, "sqlite")
        assert [one for _, values in statements for one in values] == list(range(count))
        assert max(len(values) for _, values in statements) <= SQLITE.most_values
        texts |= {text for text, values in statements if len(values) > 64}
    assert len(texts) == 5  # 2048, 1024, 512, 256, 128
