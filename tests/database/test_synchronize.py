"""Synchronization of tables with definitions on each database: created, extended, unchanged."""

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from octavo.database.connection import Database
from octavo.database.synchronize import SyncReport, found_tables, plan_changes, synchronize
from octavo.query.sql.ddl.tables import SystemTable
from octavo.schema.loader import builtin_registry
from octavo.schema.registry import Registry
from tests.layouts import MODELS, as_recorded, recorded, registry_of

pytestmark = pytest.mark.anyio

Definition = dict[str, Any]


def content_type(name: str, attributes: Mapping[str, Any], **rest: Any) -> dict[str, Definition]:
    info = {"singularName": name, "pluralName": f"{name}s", "displayName": name}
    definition = {"collectionName": f"{name}s", "info": info, "attributes": attributes, **rest}
    return {f"api/{name}/content-types/{name}/schema.json": definition}


def note(**attributes: Any) -> dict[str, Definition]:
    return content_type("note", {"title": {"type": "string"}, **attributes})


def lines(report: SyncReport) -> dict[str, Any]:
    """Return a report as text."""
    return {
        "applied": [str(change) for change in report.applied],
        "left": [str(change) for change in report.left],
        "warnings": list(report.warnings),
    }


async def columns_of(database: Database, table: str) -> dict[str, str]:
    found = await found_tables(database, database.dialect)
    return {column.name: column.type for column in found[table].columns}


@pytest.mark.parametrize("model", MODELS)
async def test_tables_equal_the_reference(database: Database, tmp_path: Path, model: str) -> None:
    registry = registry_of(recorded(model)["definitions"], tmp_path)
    await synchronize(database, registry)
    assert as_recorded(await found_tables(database, database.dialect)) == recorded(model)[database.dialect.name]


@pytest.mark.parametrize("model", MODELS)
async def test_an_unchanged_database_takes_only_the_inspection(database: Database, tmp_path: Path, model: str) -> None:
    registry = registry_of(recorded(model)["definitions"], tmp_path)
    await synchronize(database, registry)
    count = database.statements
    assert await synchronize(database, registry) == SyncReport()
    localized = any(content_type.localized for content_type in registry.content_types.values())
    assert database.statements - count == 6 + localized  # the options of types, and whether entries lack a locale


async def test_names_beyond_the_limit_stay_distinct(database: Database, tmp_path: Path) -> None:
    """v4 cannot create these tables on PostgreSQL: it truncates all index names to the same name."""
    other = {"type": "relation", "relation": "manyToMany", "target": "api::note.note"}
    definitions = content_type("note", {"r" * 70: other, "x" * 70: {"type": "string"}}, collectionName="n" * 60)
    registry = registry_of(definitions, tmp_path)
    report = await synchronize(database, registry)
    assert (report.left, report.warnings) == ((), ())
    assert await synchronize(database, registry) == SyncReport()


async def test_a_dropped_table_column_and_index_come_back(database: Database, tmp_path: Path) -> None:
    registry = registry_of(note(slug={"type": "uid"}, tags={"type": "string"}), tmp_path)
    await synchronize(database, registry)
    await database.execute_script(
        "DROP TABLE strapi_webhooks; ALTER TABLE notes DROP COLUMN tags; DROP INDEX notes_created_by_id_fk"
    )
    varchar = "varchar(255)" if database.dialect.name == "sqlite" else "character varying(255)"
    assert lines(await synchronize(database, registry)) == {
        "applied": [
            "create table strapi_webhooks",
            f"add column notes.tags ({varchar})",
            "create index notes_created_by_id_fk on notes (created_by_id)",
        ],
        "left": [],
        "warnings": [],
    }
    assert await synchronize(database, registry) == SyncReport()


async def test_new_definitions_extend_existing_tables(database: Database, tmp_path: Path) -> None:
    await synchronize(database, registry_of(note(), tmp_path / "old"))
    author = {"type": "relation", "relation": "oneToOne", "target": "api::author.author"}
    code = {"type": "string", "column": {"notNullable": True, "defaultTo": "it's"}}
    extended = {**note(author=author, subject={"type": "relation", "relation": "morphToOne"}, code=code)}
    extended |= content_type("author", {}, options={"draftAndPublish": True})
    await database.execute("INSERT INTO notes (title) VALUES ('first')")
    report = await synchronize(database, registry_of(extended, tmp_path / "new"))
    assert {type(change).__name__ for change in report.applied} <= {
        "CreateTable", "AddColumn", "CreateIndex", "AddForeignKey",
    }  # fmt: skip
    assert [tuple(row) for row in await database.fetch_all("SELECT title, code FROM notes")] == [("first", "it's")]
    found = await found_tables(database, database.dialect)
    assert {"authors", "notes_author_links"} <= found.keys()
    assert await synchronize(database, registry_of(extended, tmp_path / "new")) == SyncReport()


async def test_missing_creator_columns_get_foreign_keys(database: Database, tmp_path: Path) -> None:
    await database.execute_script("CREATE TABLE notes (id integer PRIMARY KEY, title varchar(255))")
    await synchronize(database, registry_of(note(), tmp_path))
    keys = (await found_tables(database, database.dialect))["notes"].foreign_keys
    assert sorted((key.column, key.target, key.on_delete) for key in keys) == [
        ("created_by_id", "admin_users", "SET NULL"),
        ("updated_by_id", "admin_users", "SET NULL"),
    ]


async def test_link_tables_without_ids_get_them(database: Database, tmp_path: Path) -> None:
    """v4 added ids and orders to its link tables in 4.3 and 4.5."""
    many = {"type": "relation", "relation": "manyToMany", "target": "api::note.note"}
    registry = registry_of(note(others=many), tmp_path)
    await synchronize(database, registry)
    before = await found_tables(database, database.dialect)
    await database.execute_script("""
        INSERT INTO notes (id, title) VALUES (1, 'a'), (2, 'b');
        DROP TABLE notes_others_links;
        CREATE TABLE notes_others_links (
            note_id integer REFERENCES notes (id) ON DELETE CASCADE, inv_note_id integer REFERENCES notes (id));
        CREATE INDEX notes_others_links_fk ON notes_others_links (note_id);
        INSERT INTO notes_others_links (note_id, inv_note_id) VALUES (2, 1), (1, 2), (1, 1);
    """)
    report = await synchronize(database, registry)
    assert "add ids to notes_others_links" in map(str, report.applied)
    rows = await database.fetch_all("SELECT id, note_id, inv_note_id FROM notes_others_links ORDER BY id")
    assert [tuple(row) for row in rows] == [(1, 2, 1), (2, 1, 2), (3, 1, 1)]
    after = await found_tables(database, database.dialect)
    assert set(after["notes_others_links"].columns) == set(before["notes_others_links"].columns)
    assert {one.name for one in after["notes_others_links"].indexes} == {
        one.name for one in before["notes_others_links"].indexes
    }
    assert await synchronize(database, registry) == SyncReport()


async def test_changes_that_would_lose_data_are_reported_and_skipped(database: Database, tmp_path: Path) -> None:
    before = {**note(slug={"type": "uid"}, size={"type": "string"}), **content_type("draft", {})}
    await synchronize(database, registry_of(before, tmp_path / "before"))
    await database.execute("INSERT INTO notes (title, slug, size) VALUES ('a', 'kept', '7')")
    await database.execute("CREATE TABLE hers (id integer)")
    after = registry_of(note(size={"type": "integer"}), tmp_path / "after")
    string = "varchar(255)" if database.dialect.name == "sqlite" else "character varying(255)"
    losing = [
        "drop table drafts",
        f"change column notes.size from {string} to integer",
        f"drop column notes.slug ({string})",
    ]
    assert lines(await synchronize(database, after)) == {"applied": [], "left": losing, "warnings": []}
    assert await database.fetch_value("SELECT slug FROM notes") == "kept"

    assert lines(await synchronize(database, after, allow_data_loss=True)) == {
        "applied": losing,
        "left": [],
        "warnings": [],
    }
    assert await database.fetch_value("SELECT size FROM notes") == 7
    assert await columns_of(database, "hers") == {"id": "integer"}
    assert "slug" not in await columns_of(database, "notes")
    assert await synchronize(database, after, allow_data_loss=True) == SyncReport()


async def test_values_that_do_not_fit_a_new_type_are_lost_only_when_allowed(database: Database, tmp_path: Path) -> None:
    await synchronize(database, registry_of(note(code={"type": "uid"}), tmp_path / "before"))
    await database.execute("INSERT INTO notes (code) VALUES ('seven')")
    after = registry_of(note(code={"type": "integer"}), tmp_path / "after")
    await synchronize(database, after, allow_data_loss=True)
    assert await database.fetch_value("SELECT code FROM notes") in (0, None)
    assert await synchronize(database, after, allow_data_loss=True) == SyncReport()


@pytest.mark.parametrize("wider", ["text", "richtext"])
async def test_a_longer_text_needs_no_permission(database: Database, tmp_path: Path, wider: str) -> None:
    await synchronize(database, registry_of(note(), tmp_path / "before"))
    await database.execute("INSERT INTO notes (title) VALUES ('kept')")
    report = await synchronize(database, registry_of(note(title={"type": wider}), tmp_path / "after"))
    expected = {
        "sqlite": [],  # declared lengths have no effect there
        "postgresql": ["widen column notes.title from character varying(255) to text"],
    }
    applied = [change for change in lines(report)["applied"] if "index" not in change]
    assert {**lines(report), "applied": applied} == {
        "applied": expected[database.dialect.name],
        "left": [],
        "warnings": [],
    }
    assert "drop index octavo_notes_called on notes" in lines(report)["applied"]
    assert await database.fetch_value("SELECT title FROM notes") == "kept"


async def test_a_column_that_was_unique_is_set_free(database: Database, tmp_path: Path) -> None:
    await synchronize(database, registry_of(note(slug={"type": "uid"}), tmp_path / "before"))
    report = await synchronize(database, registry_of(note(slug={"type": "string"}), tmp_path / "after"))
    assert [str(change) for change in report.applied] == ["drop index notes_slug_unique on notes"]
    await database.execute("INSERT INTO notes (slug) VALUES ('a'), ('a')")


async def test_existing_duplicates_are_listed_and_not_changed(database: Database, tmp_path: Path) -> None:
    await synchronize(database, registry_of(note(slug={"type": "string"}), tmp_path / "before"))
    await database.execute("INSERT INTO notes (slug) VALUES ('a'), ('a'), (NULL), (NULL), ('b'), ('b'), ('c')")
    after = registry_of(note(slug={"type": "uid"}), tmp_path / "after")
    expected = {
        "applied": [],
        "left": [],
        "warnings": ["notes (slug) should be unique, but has duplicates: 'a'; 'b'"],
    }
    assert lines(await synchronize(database, after)) == expected
    assert lines(await synchronize(database, after)) == expected
    await database.execute("DELETE FROM notes WHERE slug IN ('a', 'b')")
    report = await synchronize(database, after)
    assert lines(report)["applied"] == ["create unique index notes_slug_unique on notes (slug)"]


async def test_own_indexes_follow_the_definitions(database: Database, tmp_path: Path) -> None:
    drafts = registry_of(content_type("note", {}, options={"draftAndPublish": True}), tmp_path / "drafts")
    await synchronize(database, drafts)
    report = await synchronize(database, registry_of(content_type("note", {}), tmp_path / "plain"))
    dropped = {f"drop index octavo_notes_{name} on notes" for name in ("published", "drafts")}
    assert {str(change) for change in report.applied} == dropped
    assert [str(change) for change in report.left if "published_at" not in str(change)] == []
    await synchronize(database, drafts)
    await database.execute_script(
        "DROP INDEX octavo_notes_published; CREATE INDEX octavo_notes_published ON notes (id)"
    )
    assert [str(change) for change in (await synchronize(database, drafts)).applied] == [
        "drop index octavo_notes_published on notes",
        "create index octavo_notes_published on notes (id, published_at)",
    ]


async def test_indexes_do_not_block_changes_of_their_column(database: Database, tmp_path: Path) -> None:
    """Indexes on a dropped or converted column: a user's own, a unique one, one of Octavo's."""
    attributes = {"size": {"type": "uid"}, "code": {"type": "text", "column": {"unique": True}}}
    drafts = content_type("note", attributes, options={"draftAndPublish": True})
    await synchronize(database, registry_of(drafts, tmp_path / "before"))
    await database.execute_script("CREATE INDEX hers ON notes (size); CREATE INDEX his ON notes (size, code)")
    await database.execute("INSERT INTO notes (size, code) VALUES ('7', 'a')")
    after = registry_of(content_type("note", {"size": {"type": "integer"}}), tmp_path / "after")
    report = await synchronize(database, after, allow_data_loss=True)
    assert len(report.applied) == 6
    assert await database.fetch_value("SELECT size FROM notes") == 7
    indexes = (await found_tables(database, database.dialect))["notes"].indexes
    names = {index.name for index in indexes}
    assert names == {"hers", "notes_created_by_id_fk", "notes_updated_by_id_fk", "octavo_notes_changed"}
    assert await synchronize(database, after, allow_data_loss=True) == SyncReport()


async def test_texts_longer_than_defined_are_not_indexed(database: Database, tmp_path: Path) -> None:
    await synchronize(database, registry_of(note(title={"type": "text"}), tmp_path / "before"))
    long = Random(9).randbytes(10_000).hex()  # no database truncates it
    await database.execute(f"INSERT INTO notes (title) VALUES ('{long}')")
    report = await synchronize(database, registry_of(note(), tmp_path / "after"))
    assert "create index octavo_notes_called on notes (title)" not in lines(report)["applied"]


async def test_orphans_keep_a_foreign_key_away(database: Database, tmp_path: Path) -> None:
    if database.dialect.name == "sqlite":
        pytest.skip("cannot add a foreign key to a table")
    registry = registry_of(note(), tmp_path)
    await synchronize(database, registry)
    await database.execute_script(
        "ALTER TABLE notes DROP CONSTRAINT notes_created_by_id_fk; INSERT INTO notes (created_by_id) VALUES (9)"
    )
    report = await synchronize(database, registry)
    assert lines(report)["warnings"] == ["1 row of notes has a created_by_id that is not in admin_users"]


async def test_tables_of_v4_can_be_dropped(database: Database, tmp_path: Path) -> None:
    """v4 lists the tables that it created. Only those and Octavo's are ever dropped."""
    await synchronize(database, registry_of(note(), tmp_path))
    await database.execute_script("CREATE TABLE gone (id integer); CREATE TABLE foreign_table (id integer)")
    made = json.dumps({"tables": [{"name": "gone"}, {"name": "never"}]})
    await database.execute(f"INSERT INTO strapi_database_schema (schema) VALUES ('{made}')")
    changes = await plan_changes(database, registry_of(note(), tmp_path))
    assert ([str(change) for change in changes.additive], [str(change) for change in changes.losing]) == (
        [],
        ["drop table gone"],
    )


async def test_two_processes_starting_at_once(new_database: Callable[..., Database], tmp_path: Path) -> None:
    registry: Registry = registry_of(recorded("relations")["definitions"], tmp_path)
    databases = [new_database() for _ in range(3)]
    for database in databases:
        await database.connect()
    try:
        reports = await asyncio.gather(*(synchronize(database, registry) for database in databases))
    finally:
        for database in databases:
            await database.close()
    assert sorted(bool(report.applied) for report in reports) == [False, False, True]


async def test_own_tables_are_created_once_and_never_dropped(new_database: Callable[..., Database]) -> None:
    registry = builtin_registry()
    jars = SystemTable("octavo_jars", ("id integer PRIMARY KEY NOT NULL", "label varchar(9)"))
    lids = SystemTable("octavo_lids", ("id integer", "label varchar(9)", "PRIMARY KEY (id, label)"))
    databases = [new_database() for _ in range(3)]
    for database in databases:
        await database.connect()
    try:
        await synchronize(databases[0], registry, [jars])
        await asyncio.gather(*(synchronize(database, registry, [jars, lids]) for database in databases))
        assert await synchronize(databases[0], registry, allow_data_loss=True) == SyncReport()
        for table in (jars, lids):
            assert list(await columns_of(databases[0], table.name)) == ["id", "label"]
    finally:
        for database in databases:
            await database.close()
