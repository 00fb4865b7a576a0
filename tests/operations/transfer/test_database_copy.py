"""Copies between databases: equal rows in both directions, or an error that lists all reasons. All or nothing."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from octavo.access.authentication import user_token_versions
from octavo.accounts.administrators import live_settings
from octavo.accounts.administrators.live_settings import read_live_settings, set_live
from octavo.content.media import storage_cleanup
from octavo.database import open_database
from octavo.database.connection import Database
from octavo.database.leases import TABLE
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.sqlite import SqliteDatabase
from octavo.operations.runtime.options import own_tables
from octavo.operations.runtime.prepare_database import prepare_database
from octavo.operations.transfer.database_copy import CopyOptions, CopyReport, copy_database
from octavo.operations.transfer.problems import TransferError
from octavo.schema.loader import load_registry
from octavo.schema.registry import Registry
from octavo.settings import Settings
from tests.operations.transfer.town import make_town

pytestmark = pytest.mark.anyio

CONTENT = """
INSERT INTO admin_users (id, firstname, created_by_id) VALUES (1, 'Ada', 7), (7, 'Bea', 1);
INSERT INTO streets (id, name, locale, created_by_id) VALUES (3, 'Allee', 'de', 7), (9, 'Lane', 'en', NULL);
INSERT INTO houses (id, name, slug, note, rooms, value, height, rent, is_old, built, opens, seen_at, stamp, facts)
VALUES (12, 'Häuschen', 'h', 'long', 5, 9007199254740993, 2.05, 86.42, 1, '1899-12-31', '00:30:00.500', -2208988800001,
  1577836800000, '{"a": [1, 1.50, "two", null]}'),
 (40, 'Empty', NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, '"text"');
INSERT INTO houses_street_links (id, house_id, street_id, house_order) VALUES (5, 12, 3, 1), (6, 40, 3, 2.5);
INSERT INTO octavo_leases (name, holder, expires_at) VALUES ('l', 'h', 1700000000000)
"""


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return load_registry(make_town(tmp_path / "town"))


@pytest.fixture
async def source(tmp_path: Path, registry: Registry) -> AsyncIterator[SqliteDatabase]:
    database = SqliteDatabase(tmp_path / "source.db")
    await prepare_database(database, registry, "en", [TABLE])
    await database.execute_script(CONTENT)
    yield database
    await database.close()


@pytest.fixture
async def target(postgresql_url: str) -> AsyncIterator[PostgresqlDatabase]:
    database = PostgresqlDatabase(postgresql_url)
    await database.connect()
    yield database
    await database.close()


async def copy(source: Database, target: Database, registry: Registry, **options: bool) -> CopyReport:
    steps: list[tuple[int, int]] = []
    report = await copy_database(
        source, target, registry, [TABLE], CopyOptions(**options), lambda *step: steps.append(step)
    )
    assert steps[-1][0] + sum(report.left_out.values()) == steps[-1][1]
    return report


def everything(path: Path) -> dict[str, list[Any]]:
    """Return all rows of a project in an SQLite file, by table."""
    connection = apsw.Connection(str(path))
    names = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'octavo_state'"
    )
    return {
        str(name): connection.execute(f'SELECT * FROM "{name}" ORDER BY 1').fetchall() for [name] in names.fetchall()
    }


async def test_there_and_back(
    source: SqliteDatabase, target: PostgresqlDatabase, registry: Registry, tmp_path: Path
) -> None:
    report = await copy(source, target, registry)
    assert report.rows["houses"] == 2
    assert (report.left_out, report.unknown) == ({}, ())
    text = "SELECT value, rent::text, is_old, opens, seen_at, stamp FROM houses WHERE id = 12"
    assert tuple(await target.fetch_row(text) or ()) == (
        9007199254740993,
        "86.42",
        True,
        "00:30:00.5",
        "1899-12-31 23:59:59.999",
        "2020-01-01 00:00:00",
    )
    assert await target.fetch_value("SELECT jsonb_typeof(facts) FROM houses WHERE id = 40") == "string"
    back = SqliteDatabase(tmp_path / "back.db")
    await back.connect()
    try:
        await copy(target, back, registry)
    finally:
        await back.close()
    assert everything(tmp_path / "back.db") == everything(tmp_path / "source.db")
    async with target.transaction() as transaction:
        assert await transaction.fetch_value("INSERT INTO houses (name) VALUES ('new') RETURNING id") == 41


async def test_the_maintenance_mode_is_not_copied(
    source: SqliteDatabase, target: PostgresqlDatabase, registry: Registry
) -> None:
    await source.execute_script(live_settings.TABLE.script(source.dialect))
    await set_live(source, {"maintenance": "Back at 6 pm"})
    own = [TABLE, live_settings.TABLE]
    report = await copy_database(source, target, registry, own, CopyOptions(), lambda *_: None)
    assert report.unknown == ()
    assert (await read_live_settings(target)).maintenance is None


async def test_pending_removals_of_files_are_not_copied(
    source: SqliteDatabase, target: PostgresqlDatabase, registry: Registry
) -> None:
    """Both databases may use the same storage."""
    await source.execute_script(storage_cleanup.TABLE.script(source.dialect))
    await source.execute("INSERT INTO octavo_storage_cleanup (object, due_at) VALUES ('a.png', 1)")
    own = [TABLE, storage_cleanup.TABLE]
    report = await copy_database(source, target, registry, own, CopyOptions(), lambda *_: None)
    assert report.unknown == ()
    assert await target.fetch_all("SELECT object FROM octavo_storage_cleanup") == []
    await target.execute("INSERT INTO octavo_storage_cleanup (object, due_at) VALUES ('b.png', 1)")
    await copy_database(source, target, registry, own, CopyOptions(replace=True), lambda *_: None)
    assert await target.fetch_all("SELECT object FROM octavo_storage_cleanup") == []


async def test_a_target_with_data_is_replaced_only_on_request(
    source: SqliteDatabase, target: PostgresqlDatabase, registry: Registry
) -> None:
    await copy(source, target, registry)
    await source.execute("DELETE FROM houses WHERE id = 12")
    with pytest.raises(TransferError, match=r"(?s)not empty.*houses: 2 rows"):
        await copy(source, target, registry)
    await copy(source, target, registry, replace=True)
    assert [row[0] for row in await target.fetch_all("SELECT id FROM houses")] == [40]


async def test_rows_about_replaced_entries_are_deleted(
    source: SqliteDatabase, target: PostgresqlDatabase, registry: Registry, tmp_path: Path
) -> None:
    """The source has none of these tables: it is a v4 database."""
    cleared = [table for table in own_tables(Settings(project=tmp_path)) if not table.kept]
    own = [*cleared, TABLE, user_token_versions.TABLE, live_settings.TABLE]
    await source.execute("DROP TABLE octavo_leases")
    await copy_database(source, target, registry, own, CopyOptions(), lambda *_: None)
    for table in own:
        columns = [*table.columns, *table.added]
        named = [column.split()[:2] for column in columns if not column.startswith("PRIMARY")]
        names = ", ".join(name for name, _ in named)
        values = ", ".join("'1'" if "char" in kind or kind == "text" else "1" for _, kind in named)
        await target.execute(f"INSERT INTO {table.name} ({names}) VALUES ({values})")
    await copy_database(source, target, registry, own, CopyOptions(replace=True), lambda *_: None)
    counts = {table.name: await target.fetch_value(f"SELECT count(*) FROM {table.name}") for table in own}
    assert counts == {table.name: int(table not in cleared) for table in own}
    assert await target.fetch_value("SELECT version FROM octavo_token_versions") == 2
    assert {table.name for table in own_tables(Settings(project=tmp_path)) if table.kept} == {
        "octavo_admin_passwords",
        "octavo_cron",
        "octavo_leases",
        "octavo_live_settings",
        "octavo_token_versions",
    }


async def test_all_values_that_the_target_cannot_store_are_reported(
    source: SqliteDatabase, target: PostgresqlDatabase, registry: Registry
) -> None:
    await source.execute_script(
        "UPDATE houses SET rent = 1.005, rooms = 3000000000 WHERE id = 12;"
        "UPDATE houses SET name = printf('%.300c', 'x'), rent = 1e9, facts = '\"a\\u0000\"' WHERE id = 40"
    )
    with pytest.raises(TransferError) as refused:
        await copy(source, target, registry)
    for problem in (
        "houses.rent, id 12: has more than 2 decimal places",
        "houses.rooms, id 12: is too large for an integer",
        "houses.name, id 40: is longer than 255 characters",
        "houses.rent, id 40: is not less than 100000000",
        "houses.facts, id 40: contains a NUL character",
    ):
        assert problem in str(refused.value)
    assert await target.fetch_value("SELECT count(*) FROM streets") == 0


async def test_json_beyond_the_limits_of_python_stays_json(
    source: SqliteDatabase, target: PostgresqlDatabase, registry: Registry, tmp_path: Path
) -> None:
    """A text that is not JSON is a string. Other values keep their type, or are listed."""
    texts = ("[1e400]", 'no JSON \\ "', "[NaN]", r'["\ud83d\ude00"]', r'"\ud83d"', "[1e131072]", r'{"a": "\udc00"}')
    for number, text in enumerate(texts, 51):
        await source.execute("INSERT INTO houses (id, name, facts) VALUES (?1, 'a', ?2)", (number, text))
    report = await copy(source, target, registry, skip_invalid=True)
    assert sorted(report.invalid.summary()) == [
        "houses.facts, id 55: contains half of a surrogate pair",
        "houses.facts, id 56: contains a number that is too large",
        "houses.facts, id 57: contains half of a surrogate pair",
    ]
    stored = await target.fetch_all("SELECT facts::text FROM houses WHERE id BETWEEN 51 AND 54 ORDER BY id")
    assert [row[0] for row in stored] == ["[1" + "0" * 400 + "]", r'"no JSON \\ \""', '"[NaN]"', '["😀"]']
    back = SqliteDatabase(tmp_path / "back.db")
    await back.connect()
    try:
        assert (await copy(source, back, registry)).invalid.count == 0
        copied = await back.fetch_all("SELECT facts FROM houses WHERE id > 50 ORDER BY id")
    finally:
        await back.close()
    assert [row[0] for row in copied] == [texts[0], r'"no JSON \\ \""', '"[NaN]"', *texts[3:]]


async def test_decimals_may_be_rounded(source: SqliteDatabase, target: PostgresqlDatabase, registry: Registry) -> None:
    await source.execute("UPDATE houses SET rent = 1.006 WHERE id = 12")
    await copy(source, target, registry, rounded=True)
    assert await target.fetch_value("SELECT rent::text FROM houses WHERE id = 12") == "1.01"


async def test_data_that_sqlite_did_not_validate(
    source: SqliteDatabase, target: PostgresqlDatabase, registry: Registry, tmp_path: Path
) -> None:
    """Rows with missing targets, values of other types, and unknown tables."""
    loose = apsw.Connection(str(tmp_path / "source.db"))
    loose.execute(
        "INSERT INTO houses_street_links (house_id, street_id) VALUES (99, 3);"
        "UPDATE streets SET created_by_id = 88 WHERE id = 3;"
        "UPDATE houses SET seen_at = '2020-01-01T00:00:00.5Z', is_old = 'true', rooms = '7' WHERE id = 40;"
        "CREATE TABLE boats (id integer); ALTER TABLE houses ADD COLUMN odd text"
    )
    report = await copy(source, target, registry)
    assert report.left_out == {"houses_street_links": 1}
    assert set(report.unknown) == {"boats", "houses.odd"}
    assert await target.fetch_value("SELECT created_by_id FROM streets WHERE id = 3") is None
    row = await target.fetch_row("SELECT seen_at, is_old, rooms FROM houses WHERE id = 40")
    assert tuple(row or ()) == ("2020-01-01 00:00:00.5", True, 7)
    loose.execute("UPDATE houses SET is_old = 'perhaps' WHERE id = 40")
    with pytest.raises(TransferError, match=r"houses\.is_old, id 40: must be true or false"):
        await copy(source, target, registry, replace=True)


async def test_invalid_values_are_left_empty_if_asked(
    source: SqliteDatabase, target: PostgresqlDatabase, registry: Registry, tmp_path: Path
) -> None:
    loose = apsw.Connection(str(tmp_path / "source.db"))
    loose.execute("UPDATE houses SET value = '12a', is_old = 'perhaps', rooms = 3000000000 WHERE id = 40")
    found = {
        "houses.value, id 40: is not a whole number",
        "houses.is_old, id 40: must be true or false",
        "houses.rooms, id 40: is too large for an integer",
    }
    with pytest.raises(TransferError, match="--skip-invalid leaves them empty") as refused:
        await copy(source, target, registry)
    assert all(problem in str(refused.value) for problem in found)
    assert await target.fetch_value("SELECT count(*) FROM houses") == 0
    report = await copy(source, target, registry, skip_invalid=True)
    assert set(report.invalid.summary()) == found
    row = await target.fetch_row("SELECT name, value, is_old, rooms FROM houses WHERE id = 40")
    assert tuple(row or ()) == ("Empty", None, None, None)
    assert await target.fetch_value("SELECT value FROM houses WHERE id = 12") == 9007199254740993


async def test_another_database_is_no_source(tmp_path: Path, target: PostgresqlDatabase, registry: Registry) -> None:
    apsw.Connection(str(tmp_path / "other.db")).execute("CREATE TABLE boats (id integer)")
    other = open_database(f"sqlite:///{tmp_path / 'other.db'}")
    await other.connect()
    try:
        with pytest.raises(TransferError, match="has no table of this project"):
            await copy_database(other, target, registry, [], CopyOptions(), lambda *_: None)
    finally:
        await other.close()
