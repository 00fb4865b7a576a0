"""Copies to MySQL and MariaDB: values that they cannot store are listed with their location, and nothing is copied."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from octavo.database.connection import DatabaseMisconfigured
from octavo.database.leases import TABLE
from octavo.database.mysql import MysqlDatabase
from octavo.database.sqlite import SqliteDatabase
from octavo.operations.runtime.prepare_database import prepare_database
from octavo.operations.transfer.database_copy import CopyOptions, CopyReport, copy_database
from octavo.operations.transfer.mysql.address import read_address, read_zone
from octavo.operations.transfer.mysql.source import MysqlSource
from octavo.operations.transfer.problems import TransferError
from octavo.schema.loader import load_registry
from octavo.schema.registry import Registry
from tests.mysql_server import MysqlServer
from tests.operations.transfer.test_database_copy import CONTENT
from tests.operations.transfer.town import make_town

pytestmark = [pytest.mark.anyio, pytest.mark.mysql]


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return load_registry(make_town(tmp_path / "town"))


@pytest.fixture
async def source(anyio_backend: str, tmp_path: Path, registry: Registry) -> AsyncIterator[SqliteDatabase]:
    database = SqliteDatabase(tmp_path / "source.db")
    await prepare_database(database, registry, "en", [TABLE])
    await database.execute_script(CONTENT)
    yield database
    await database.close()


@pytest.fixture
async def target(anyio_backend: str, mysql_server: MysqlServer, mysql_name: str) -> AsyncIterator[MysqlDatabase]:
    database = MysqlDatabase(mysql_server.url(mysql_name))
    await database.connect()
    yield database
    await database.close()


async def copy(source: SqliteDatabase, target: MysqlDatabase, registry: Registry, **options: bool) -> CopyReport:
    return await copy_database(source, target, registry, [TABLE], CopyOptions(**options), lambda *_: None)


async def count(database: MysqlDatabase, table: str = "houses") -> int:
    return int(await database.fetch_value(f"SELECT count(*) FROM {table}"))


async def test_ids_and_references_continue(source: SqliteDatabase, target: MysqlDatabase, registry: Registry) -> None:
    await copy(source, target, registry)
    await source.execute("DELETE FROM houses WHERE id = 40")
    with pytest.raises(TransferError, match=r"(?s)not empty.*houses: 2 rows"):
        await copy(source, target, registry)
    assert (await copy(source, target, registry, replace=True)).rows["houses"] == 1
    admins = await target.fetch_all("SELECT id, created_by_id FROM admin_users ORDER BY id")
    assert [tuple(row) for row in admins] == [(1, 7), (7, 1)]
    async with target.transaction() as transaction:
        assert await transaction.fetch_value("INSERT INTO houses (name) VALUES ('new') RETURNING id") == 41
        await transaction.execute("DELETE FROM houses WHERE id = 12")
    assert await count(target, "houses_street_links") == 0


VALUES = """
UPDATE houses SET rent = 1.005, rooms = 3000000000, height = 9e999, built = '0000-01-02' WHERE id = 12;
UPDATE houses SET name = printf('%.256c', 'x'), rent = 1e9, facts = '"a\\u0000"', seen_at = 253402300800000,
  stamp = 2147483648000 WHERE id = 40;
INSERT INTO houses (id, name, stamp, seen_at) VALUES (50, 'old', 999, -62135596800001);
UPDATE houses_street_links SET house_order = -1 WHERE id = 6;
"""
EDGES = """
INSERT INTO houses (id, name, note, height, rent, built, opens, seen_at, stamp, facts) VALUES
 (1, printf('%.255c', 'ü'), 'it''s "\\" ?1 `x` ' || char(10), 1.7976931348623157e308, 99999999.99, '0001-01-01',
  '23:59:59.999', -62135596800000, 1000, replace(printf('%.31c', 'x'), 'x', '[') || '"[\\""' ||
  replace(printf('%.31c', 'x'), 'x', ']')),
 (2, '😀', NULL, -0.1, -0.01, '9999-12-31', '00:00:00', 253402300799999, 2147483647999, '"{\\"b\\": 2}"');
"""


async def test_values_that_do_not_fit_are_listed(
    source: SqliteDatabase, target: MysqlDatabase, registry: Registry
) -> None:
    await source.execute_script(VALUES)
    levels = target.dialect.column_limits.json_levels
    assert levels is not None
    deep = "[" * (levels + 1) + "]" * (levels + 1)
    await source.execute("UPDATE houses SET facts = ?1 WHERE id = 50", (deep,))
    found = (
        "houses.rent, id 12: has more than 2 decimal places",
        "houses.rooms, id 12: is too large for an integer",
        "houses.height, id 12: is infinite",
        "houses.built, id 12: is before the year 1",
        "houses.name, id 40: is longer than 255 characters",
        "houses.rent, id 40: is not less than 100000000",
        "houses.facts, id 40: contains a NUL character",
        "houses.seen_at, id 40: is not between 0001-01-01 00:00:00 and 9999-12-31 23:59:59",
        "houses.stamp, id 40: is not between 1970-01-01 00:00:01 and 2038-01-19 03:14:07",
        "houses.stamp, id 50: is not between 1970-01-01 00:00:01 and 2038-01-19 03:14:07",
        "houses.seen_at, id 50: is not between 0001-01-01 00:00:00 and 9999-12-31 23:59:59",
        f"houses.facts, id 50: has more than {levels} levels",
        "houses_street_links.house_order, id 6: is negative",
    )
    with pytest.raises(TransferError) as refused:
        await copy(source, target, registry)
    assert sorted(line.strip() for line in str(refused.value).splitlines()[1:]) == sorted(found)
    assert (await count(target), await count(target, "streets")) == (0, 0)
    report = await copy(source, target, registry, skip_invalid=True)
    assert sorted(report.invalid.summary()) == sorted(found)
    assert await count(target) == 3


async def test_a_negative_id_is_never_left_empty(
    source: SqliteDatabase, target: MysqlDatabase, registry: Registry
) -> None:
    await source.execute("INSERT INTO houses (id, name) VALUES (-3, 'below')")
    for skip in (False, True):
        with pytest.raises(TransferError, match=r"houses\.id, id -3: is negative"):
            await copy(source, target, registry, skip_invalid=skip)
        assert await count(target) == 0


@pytest.mark.parametrize("zone", ["UTC", "Etc/UTC"])
async def test_the_outermost_values_are_stored_exactly(
    source: SqliteDatabase,
    target: MysqlDatabase,
    registry: Registry,
    mysql_server: MysqlServer,
    tmp_path: Path,
    zone: str,
) -> None:
    """A server in another time zone, and JSON in JSON: the copy back returns values as Octavo serves them."""
    await source.execute_script(EDGES)
    names = "id, name, note, height, rent, built, opens, seen_at, stamp, facts"
    columns = f"SELECT {names} FROM houses WHERE id < 10 ORDER BY id"
    back = SqliteDatabase(tmp_path / "back.db")
    await back.connect()
    mysql_server.run_sql("SET GLOBAL time_zone = '+05:30'")
    try:
        await copy(source, target, registry)
        stored = await target.fetch_value("SELECT DATABASE()")
        address = read_address(mysql_server.url(stored))
        with pytest.raises(DatabaseMisconfigured) as refused:
            await MysqlSource(address, read_zone("Europe/Berlin")).connect()
        assert "leave out --time-zone" in str(refused.value.reason)
        from_mysql = MysqlSource(address, read_zone(zone))
        await from_mysql.connect()
        try:
            report = await copy_database(from_mysql, back, registry, [TABLE], CopyOptions(), lambda *_: None)
        finally:
            await from_mysql.close()
        assert report.unknown == ()
        first, second = map(tuple, await source.fetch_all(columns))
        second = (*second[:6], "00:00:00.000", *second[7:])
        assert [tuple(row) for row in await back.fetch_all(columns)] == [first, second]
    finally:
        mysql_server.run_sql("SET GLOBAL time_zone = 'SYSTEM'")
        await back.close()


async def test_statements_stay_below_the_limit_of_the_server(
    source: SqliteDatabase, registry: Registry, mysql_server: MysqlServer, mysql_name: str
) -> None:
    """Quotes are doubled in statements, and some characters have several bytes."""
    await source.execute("INSERT INTO houses (id, name, note) VALUES (1, 'a', ?1), (2, 'b', ?2)", ("'" * 480_000, "😀"))
    for number in range(3, 9):
        await source.execute("INSERT INTO houses (id, name, note) VALUES (?1, 'c', ?2)", (number, "é" * 200_000))
    mysql_server.run_sql("SET GLOBAL max_allowed_packet = 1048576")
    target = MysqlDatabase(mysql_server.url(mysql_name))
    await target.connect()
    try:
        await copy(source, target, registry)
        assert await target.fetch_value("SELECT sum(char_length(note)) FROM houses WHERE id < 10") == 1_680_001
        await source.execute("UPDATE houses SET note = ?1 WHERE id = 7", ("'" * 600_000,))
        with pytest.raises(TransferError, match=r"houses\.note, id 7: the row has 1\d* bytes, .*packet \(1048576\)"):
            await copy(source, target, registry, replace=True)
        assert await count(target) == 10
    finally:
        await target.close()
        mysql_server.run_sql("SET GLOBAL max_allowed_packet = DEFAULT")


async def test_texts_that_a_collation_takes_for_equal(
    source: SqliteDatabase, registry: Registry, mysql_server: MysqlServer
) -> None:
    """The target's unique index compares texts by its collation."""
    await source.execute("INSERT INTO octavo_leases (name, holder, expires_at) VALUES ('L', 'h', 1), ('l ', 'h', 1)")
    for collation, is_copied in (("utf8mb4_general_ci", False), (mysql_server.exact, True)):
        name = mysql_server.create_database(collation=collation)
        target = MysqlDatabase(mysql_server.url(name))
        await target.connect()
        try:
            await copy(source, target, registry)
            assert await count(target, "octavo_leases") == 3
            await target.execute_script("CREATE UNIQUE INDEX mine ON houses (name)")
            await source.execute("UPDATE houses SET name = CASE id WHEN 12 THEN 'Zoe' ELSE 'zoë' END")
            if is_copied:
                assert (await copy(source, target, registry, replace=True)).rows["houses"] == 2
            else:
                with pytest.raises(TransferError, match=r"houses, ids 12 to 40: Duplicate entry 'zoë'.*nopad_bin"):
                    await copy(source, target, registry, replace=True)
        finally:
            await target.close()
            mysql_server.drop_database(name)


async def test_a_row_that_only_the_server_refuses_is_named(
    source: SqliteDatabase, target: MysqlDatabase, registry: Registry
) -> None:
    """For example, because the column is too short or has another character set."""
    await copy(source, target, registry)
    await target.execute_script("ALTER TABLE streets MODIFY name varchar(5) CHARACTER SET latin1")
    long, strange = "Data too long for column 'name'", "Incorrect string value: .*[`']name[`']"
    for name, reason in (("Street", long), ("日", strange)):
        await source.execute("UPDATE streets SET name = ?1 WHERE id = 9", (name,))
        with pytest.raises(TransferError, match=rf"^streets, id 9: {reason}$"):
            await copy(source, target, registry, replace=True)
    assert await count(target, "streets") == 2
