"""When maintained counts are not trusted: writes that bypass triggers, and tables that v4 rebuilds."""

from collections.abc import AsyncIterator
from pathlib import Path

import apsw
import pytest

from octavo.database.connection import IntegrityViolation
from octavo.database.maintained_counts import CountMaintenance
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.sqlite import SqliteDatabase
from octavo.database.synchronize import synchronize
from tests.database.test_totals import Desk, registry

pytestmark = pytest.mark.anyio


@pytest.fixture
async def on_sqlite(anyio_backend: str, sqlite_path: Path, tmp_path: Path) -> AsyncIterator[Desk]:
    database = SqliteDatabase(sqlite_path)
    await database.connect()
    yield await kept_desk(database, tmp_path)
    await database.close()


@pytest.fixture
async def on_postgresql(anyio_backend: str, postgresql_url: str, tmp_path: Path) -> AsyncIterator[Desk]:
    database = PostgresqlDatabase(postgresql_url)
    await database.connect()
    yield await kept_desk(database, tmp_path)
    await database.close()


def other_program(desk: Desk) -> apsw.Connection:
    """Return another program's connection to the same file."""
    assert isinstance(desk.database, SqliteDatabase)
    return apsw.Connection(str(desk.database.path))


async def kept_desk(database: SqliteDatabase | PostgresqlDatabase, folder: Path) -> Desk:
    content = registry(folder / "content")
    await synchronize(database, content)
    desk = Desk(database, content, CountMaintenance(database, content))
    await desk.add(3)
    await desk.keeper.keep()
    await desk.assert_kept()
    return desk


async def assert_counted_then_kept(desk: Desk) -> None:
    """Reads do not use maintained counts until they were counted again."""
    assert await desk.kept() is None
    live = "SELECT count(*) FROM notes WHERE published_at IS NOT NULL AND locale = 'en'"
    assert await desk.total() == await desk.database.fetch_value(live)
    assert await desk.keeper.keep()
    await desk.add(1)
    await desk.assert_kept()


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT OR REPLACE INTO notes (id, locale) VALUES (1, 'fr')",
        "REPLACE INTO notes (slug, locale) VALUES ('one', 'fr')",
        "UPDATE OR REPLACE notes SET slug = 'one', locale = 'fr'",
        "UPDATE OR REPLACE notes SET id = 3 WHERE id = 1",
        "INSERT OR IGNORE INTO notes (id, locale) VALUES (1, 'fr')",
    ],
)
async def test_rows_that_are_replaced_fire_no_trigger(on_sqlite: Desk, statement: str) -> None:
    await on_sqlite.write("UPDATE notes SET slug = 'one' WHERE id = 1")
    await on_sqlite.assert_kept()
    await on_sqlite.write(statement)
    await assert_counted_then_kept(on_sqlite)


@pytest.mark.parametrize("word", ["IGNORE", "REPLACE", "FAIL", "ROLLBACK"])
async def test_conflict_clauses_do_not_affect_the_counts(on_sqlite: Desk, word: str) -> None:
    for _ in range(2):
        await on_sqlite.write(f"INSERT OR {word} INTO notes (locale) VALUES ('fr'), ('en')")
        await on_sqlite.write(f"UPDATE OR {word} notes SET locale = 'fr' WHERE locale = 'en' AND id > 3")
    await on_sqlite.assert_kept()


async def test_a_rebuilt_table_has_no_triggers(on_sqlite: Desk) -> None:
    """v4 rebuilds a table to change a column."""
    made = str(await on_sqlite.database.fetch_value("SELECT sql FROM sqlite_schema WHERE name = 'notes'"))
    other = other_program(on_sqlite)
    for statement in (
        "BEGIN",
        made.replace('"notes"', "`_knex_temp_alter`", 1),
        "INSERT INTO `_knex_temp_alter` SELECT * FROM notes",
        "DROP TABLE notes",
        "ALTER TABLE `_knex_temp_alter` RENAME TO notes",
        "INSERT INTO notes (id, locale, published_at) VALUES (77, 'en', 1)",
        "COMMIT",
    ):
        other.execute(statement)
    await assert_counted_then_kept(on_sqlite)


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE notes ADD COLUMN more text",
        "CREATE TABLE other (id integer)",
        "VACUUM",
        "DROP INDEX notes_slug_unique",
    ],
)
async def test_any_ddl_makes_counts_unknown_until_triggers_are_checked(on_sqlite: Desk, change: str) -> None:
    other_program(on_sqlite).execute(change)
    assert await on_sqlite.kept() is None
    await on_sqlite.keeper.keep()
    await on_sqlite.assert_kept()


async def test_columns_are_dropped_past_triggers(on_sqlite: Desk, tmp_path: Path) -> None:
    plain = registry(tmp_path / "plain", drafts=False)
    report = await synchronize(on_sqlite.database, plain, allow_data_loss=True)
    assert any("published_at" in str(change) for change in report.applied)
    assert await on_sqlite.keeper.is_wanted()
    assert await CountMaintenance(on_sqlite.database, plain).keep()


async def test_truncate_makes_counts_unknown(on_postgresql: Desk) -> None:
    with pytest.raises(IntegrityViolation):
        await on_postgresql.write("TRUNCATE notes CASCADE", "INSERT INTO notes (id) VALUES (1), (1)")
    await on_postgresql.assert_kept()
    await on_postgresql.write("TRUNCATE notes CASCADE", "INSERT INTO notes (locale) VALUES ('en')")
    await assert_counted_then_kept(on_postgresql)


async def test_triggers_that_were_disabled_are_not_trusted(on_postgresql: Desk) -> None:
    await on_postgresql.write(
        "ALTER TABLE notes DISABLE TRIGGER ALL",
        "INSERT INTO notes (locale) VALUES ('en')",
        "ALTER TABLE notes ENABLE TRIGGER ALL",
    )
    on_postgresql.keeper = CountMaintenance(on_postgresql.database, on_postgresql.content)
    await assert_counted_then_kept(on_postgresql)


async def test_dropped_triggers_are_noticed(on_postgresql: Desk) -> None:
    await on_postgresql.write("DROP TRIGGER octavo_totals_delete_both ON notes", "DELETE FROM notes WHERE id = 1")
    on_postgresql.keeper = CountMaintenance(on_postgresql.database, on_postgresql.content)
    await assert_counted_then_kept(on_postgresql)


async def test_writes_of_replicas_and_restores_are_noticed(on_postgresql: Desk) -> None:
    await on_postgresql.write(
        "SET LOCAL session_replication_role = replica", "INSERT INTO notes (locale) VALUES ('en')"
    )
    await on_postgresql.assert_kept()


async def test_writers_need_no_privileges_on_the_counts(on_postgresql: Desk) -> None:
    await on_postgresql.write(
        "CREATE ROLE totals_stranger",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON notes TO totals_stranger",
        "GRANT USAGE ON SEQUENCE notes_id_seq TO totals_stranger",
        "SET LOCAL ROLE totals_stranger",
        "SET LOCAL search_path = pg_catalog",
        "INSERT INTO public.notes (locale, published_at) VALUES ('en', now())",
        "UPDATE public.notes SET locale = 'fr' WHERE id = 1",
        "DELETE FROM public.notes WHERE id = 2",
        "RESET ROLE",
        "DROP OWNED BY totals_stranger",
        "DROP ROLE totals_stranger",
    )
    await on_postgresql.assert_kept()


async def test_counted_columns_and_tables_can_be_dropped(on_postgresql: Desk) -> None:
    await on_postgresql.write("ALTER TABLE notes DROP COLUMN published_at")
    await on_postgresql.write(
        "INSERT INTO notes (locale) VALUES ('en'), ('fr')",
        "UPDATE notes SET locale = 'fr'",
        "DELETE FROM notes WHERE id = 1",
    )
    assert await on_postgresql.kept(locales=["'fr'"]) == 4
    await on_postgresql.write("DROP TABLE notes CASCADE")
    await on_postgresql.keeper.keep()


async def test_a_renamed_table_keeps_its_total_and_a_new_one_has_none(on_postgresql: Desk) -> None:
    await on_postgresql.write("ALTER TABLE notes RENAME TO old_notes", "INSERT INTO old_notes (locale) VALUES ('en')")
    await on_postgresql.write("CREATE TABLE notes (LIKE old_notes INCLUDING ALL)")
    assert await on_postgresql.kept() is None
    on_postgresql.keeper = CountMaintenance(on_postgresql.database, on_postgresql.content)
    await assert_counted_then_kept(on_postgresql)


async def test_tables_of_triggers_cannot_be_dropped_alone(on_postgresql: Desk) -> None:
    with pytest.raises(Exception, match="depend"):
        await on_postgresql.write("DROP TABLE octavo_totals")
    await on_postgresql.write("DROP TABLE octavo_totals CASCADE")
    await on_postgresql.add(1)
