"""Copies of v4's databases on MySQL and MariaDB: every value, in one snapshot, or an error that lists all reasons."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from octavo.database.connection import Database
from octavo.database.leases import TABLE
from octavo.operations.runtime.prepare_database import StartFailed, reach_database
from octavo.operations.transfer.database_copy import CopyOptions, CopyReport, copy_database
from octavo.operations.transfer.mysql.address import read_address, read_zone
from octavo.operations.transfer.mysql.source import MysqlSource
from octavo.operations.transfer.problems import TransferError
from octavo.operations.transfer.rows.tables import RowTable, read_batches
from octavo.schema.loader import load_registry
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import ValueKind
from tests.mysql_server import MysqlServer
from tests.operations.transfer.town import make_town

pytestmark = [pytest.mark.anyio, pytest.mark.mysql]

TABLES = """
CREATE TABLE admin_users (id int unsigned AUTO_INCREMENT PRIMARY KEY, firstname varchar(255), password varchar(255),
    is_active tinyint(1), created_by_id int unsigned);
CREATE TABLE streets (id int unsigned AUTO_INCREMENT PRIMARY KEY, name varchar(255), locale varchar(255),
    created_by_id int unsigned);
CREATE TABLE houses (id int unsigned AUTO_INCREMENT PRIMARY KEY, name varchar(255), slug varchar(255), note longtext,
    rooms int, value bigint, height double, rent decimal(10,2), is_old tinyint(1), built date, opens time(3),
    seen_at datetime(6), stamp timestamp(6) NULL, facts json, published_at datetime(6));
CREATE TABLE houses_street_links (id int unsigned AUTO_INCREMENT PRIMARY KEY, house_id int unsigned,
    street_id int unsigned, house_order double unsigned);
CREATE TABLE strapi_core_store_settings (id int unsigned AUTO_INCREMENT PRIMARY KEY, `key` varchar(255),
    value longtext, type varchar(255), environment varchar(255), tag varchar(255));
"""
CONTENT = r"""
SET sql_mode = '', time_zone = '+00:00';
INSERT INTO admin_users VALUES (1, 'Ada', '$2a$10$x', 1, 7), (7, 'Bea', NULL, 0, 1);
INSERT INTO streets VALUES (3, 'Allee', 'de', 7), (9, 'Lane', 'en', NULL);
INSERT INTO houses VALUES
 (12, 'Häuschen 😀 \\ \' "', 'h', '日本 %s ?1', 5, 9007199254740993, 2.05, 86.42, 1, '1899-12-31', '00:30:00.500',
    '1899-12-31 23:59:59.999', '2020-01-01 00:00:00', '{"a": [1, 1.50, "two", null]}', '2023-01-06 12:59:00.160'),
 (40, '', NULL, NULL, -2147483648, -9223372036854775808, -1e300, -0.05, 0, '0000-00-00', NULL,
    '0000-00-00 00:00:00', NULL, '"text"', NULL),
 (41, 'nested', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '"{\\"b\\": 2}"', NULL);
INSERT INTO houses_street_links VALUES (5, 12, 3, 1), (6, 40, 3, 2.5);
INSERT INTO strapi_core_store_settings VALUES (1, 'k', '"v"', 'string', NULL, NULL);
"""
HOUSE = RowTable(
    "houses",
    {
        "id": ValueKind.INTEGER,
        "name": ValueKind.STRING,
        "slug": ValueKind.STRING,
        "note": ValueKind.TEXT,
        "rooms": ValueKind.INTEGER,
        "value": ValueKind.BIG_INTEGER,
        "height": ValueKind.FLOAT,
        "rent": ValueKind.DECIMAL,
        "is_old": ValueKind.BOOLEAN,
        "built": ValueKind.DATE,
        "opens": ValueKind.TIME,
        "seen_at": ValueKind.DATETIME,
        "stamp": ValueKind.DATETIME,
        "facts": ValueKind.JSON,
        "published_at": ValueKind.DATETIME,
    },
)


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return load_registry(make_town(tmp_path / "town"))


@pytest.fixture
def town(mysql_server: MysqlServer, mysql_name: str) -> str:
    """Return the name of a database with the town's content."""
    mysql_server.run_sql(TABLES + CONTENT, mysql_name)
    return mysql_name


def open_source(server: MysqlServer, name: str, zone: str = "UTC") -> MysqlSource:
    return MysqlSource(read_address(server.url(name)), read_zone(zone))


async def copy(
    server: MysqlServer, name: str, target: Database, registry: Registry, zone: str = "UTC", **options: bool
) -> CopyReport:
    source = open_source(server, name, zone)
    await source.connect()
    try:
        return await copy_database(source, target, registry, [TABLE], CopyOptions(**options), lambda *_: None)
    finally:
        await source.close()


async def rows(database: Database, table: RowTable = HOUSE) -> dict[int, list[Any]]:
    return {row[0]: row[1:] async for batch in read_batches(database, database.dialect, table) for row in batch}


async def test_every_value(mysql_server: MysqlServer, town: str, database: Database, registry: Registry) -> None:
    report = await copy(mysql_server, town, database, registry)
    assert (report.rows["houses"], report.left_out, report.unknown) == (3, {}, ())
    found = await rows(database)
    facts = {entry: values.pop(-2) for entry, values in found.items()}
    assert found == {
        12: [
            *("Häuschen 😀 \\ ' \"", "h", "日本 %s ?1", 5, 9007199254740993, 2.05, "86.42", True, "1899-12-31"),
            *("00:30:00.500", -2208988800001, 1577836800000, 1673009940160),
        ],
        40: ["", None, None, -(2**31), -(2**63), -1e300, "-0.05", False, None, None, None, None, None],
        41: ["nested", *[None] * 12],
    }
    half = "1.50" if mysql_server.is_mariadb else "1.5"  # MySQL does not store the digits of numbers
    assert {entry: text.replace(" ", "") for entry, text in facts.items()} == {
        12: f'{{"a":[1,{half},"two",null]}}',
        40: '"text"',
        41: '{"b":2}',
    }
    admins = await database.fetch_all("SELECT id, firstname, password, created_by_id FROM admin_users ORDER BY id")
    assert [tuple(row) for row in admins] == [(1, "Ada", "$2a$10$x", 7), (7, "Bea", None, 1)]
    links = await database.fetch_all("SELECT id, house_id, street_id, house_order FROM houses_street_links ORDER BY id")
    assert [tuple(row) for row in links] == [(5, 12, 3, 1), (6, 40, 3, 2.5)]
    async with database.transaction() as transaction:
        new = f"INSERT INTO houses (name) VALUES ('new') {database.dialect.returning('id')}"
        assert await transaction.fetch_value(new) == 42


async def test_timestamps_are_in_the_local_time_of_the_writing_process(
    mysql_server: MysqlServer, mysql_name: str, database: Database, registry: Registry
) -> None:
    mysql_server.run_sql(
        f"{TABLES}INSERT INTO houses (id, name, seen_at, built) VALUES"
        "(1, 'summer', '2024-07-01 00:30:00', '2024-07-01'), (2, 'winter', '2024-01-01 00:30:00.0019', '2024-01-01')",
        mysql_name,
    )
    await copy(mysql_server, mysql_name, database, registry, "America/New_York")
    seen = RowTable("houses", {"id": ValueKind.INTEGER, "seen_at": ValueKind.DATETIME, "built": ValueKind.DATE})
    assert await rows(database, seen) == {1: [1719808200000, "2024-07-01"], 2: [1704087000001, "2024-01-01"]}


async def test_other_types_of_columns(
    mysql_server: MysqlServer, mysql_name: str, database: Database, registry: Registry
) -> None:
    """Columns that older versions of v4 or other programs created, in older character sets."""
    mysql_server.run_sql(
        "CREATE TABLE houses (id bigint PRIMARY KEY, name varchar(50) CHARACTER SET latin1, slug enum('a', 'b'),"
        "note mediumblob, is_old bit(1), rooms smallint, value varchar(30), rent float, facts text, built datetime,"
        "height decimal(20,5)) ENGINE=MyISAM;"
        "CREATE TABLE streets (id int PRIMARY KEY, name text) CHARACTER SET utf8mb3;"
        "INSERT INTO houses VALUES (1, 'Größe', 'b', 'Größe', b'1', 7, '12', 1.25, 'no JSON', '2020-02-03', 0.00001);"
        "INSERT INTO streets VALUES (1, 'Straße')",
        mysql_name,
    )
    await copy(mysql_server, mysql_name, database, registry)
    kept = ("id", "name", "slug", "note", "is_old", "rooms", "value", "rent", "facts", "built", "height")
    assert await rows(database, HOUSE.with_columns(kept)) == {
        1: ["Größe", "b", "Größe", True, 7, 12, "1.25", '"no JSON"', "2020-02-03", 0.00001]
    }
    assert await database.fetch_value("SELECT name FROM streets") == "Straße"


async def test_invalid_values_are_listed_with_their_places(
    mysql_server: MysqlServer, mysql_name: str, database: Database, registry: Registry
) -> None:
    mysql_server.run_sql(
        f"{TABLES}ALTER TABLE houses MODIFY note blob; SET sql_mode = '';"
        "INSERT INTO houses (id, name, opens) VALUES (1, 'a', '25:00:00');"
        "INSERT INTO houses (id, name, built) VALUES (2, 'b', '2020-00-15');"
        "INSERT INTO houses (id, name, seen_at) VALUES (3, 'c', '2020-02-00 01:00:00');"
        "INSERT INTO houses (id, name, note) VALUES (4, 'd', x'ff')",
        mysql_name,
    )
    with pytest.raises(TransferError, match="nothing was copied") as refused:
        await copy(mysql_server, mysql_name, database, registry)
    problems = ("houses.opens, id 1", "houses.built, id 2", "houses.seen_at, id 3", "houses.note, id 4: is not UTF-8")
    assert [problem for problem in problems if problem not in str(refused.value)] == []
    report = await copy(mysql_server, mysql_name, database, registry, skip_invalid=True)
    assert report.invalid.count == 4
    assert await database.fetch_value("SELECT count(*) FROM houses") == 4


async def test_a_copy_is_one_snapshot(mysql_server: MysqlServer, town: str) -> None:
    source = open_source(mysql_server, town)
    await source.connect()
    try:
        async with source.snapshot() as snapshot:
            await asyncio.to_thread(
                mysql_server.run_sql, "DELETE FROM houses_street_links; UPDATE houses SET name = 'later'", town
            )
            assert await snapshot.fetch_value("SELECT count(*) FROM houses_street_links") == 2
            assert await snapshot.fetch_value("SELECT count(*) FROM houses WHERE name = ?1", ("later",)) == 0
            with pytest.raises(TransferError, match="READ ONLY"):
                await snapshot.fetch_all("DELETE FROM houses")
    finally:
        await source.close()


async def test_a_lost_connection_leaves_the_target_unchanged(
    mysql_server: MysqlServer, town: str, database: Database, registry: Registry
) -> None:
    source = open_source(mysql_server, town)
    await source.connect()
    number = await source.fetch_value("SELECT connection_id()")
    steps: list[tuple[int, int]] = []

    def kill(*step: int) -> None:
        if not steps:
            mysql_server.run_sql(f"KILL {number}")
        steps.append((step[0], step[1]))

    with pytest.raises(TransferError, match=rf"MySQL at 127.0.0.1:\d+, database {town}, table .*Nothing was copied"):
        await copy_database(source, database, registry, [TABLE], CopyOptions(), kill)
    await source.close()
    assert await database.fetch_value("SELECT count(*) FROM houses") == 0
    report = await copy(mysql_server, town, database, registry)
    assert report.rows["houses"] == 3


async def test_names_in_lowercase(tmp_path: Path, database: Database, registry: Registry) -> None:
    """MySQL on Windows and macOS stores table names in lowercase."""
    folder = tmp_path / "town"
    file = folder / "src/api/house/content-types/house/schema.json"
    file.write_text(file.read_text("utf-8").replace('"houses"', '"Houses"', 1), "utf-8")
    other = load_registry(folder)
    assert other.content_types["api::house.house"].collection_name == "Houses"
    server = MysqlServer("--lower-case-table-names=1")
    try:
        name = server.create_database()
        server.run_sql(TABLES.replace("houses", "Houses") + CONTENT.replace("houses", "Houses"), name)
        report = await copy(server, name, database, other)
    finally:
        server.remove()
    assert (report.rows["Houses"], report.unknown) == (3, ())


@pytest.mark.parametrize(
    "change, message",
    [
        (("a%20secret%20%2F%20%25%20%40", "wrong"), "Access denied for user 'octavo'.*check user, password"),
        (("/test_", "/no_"), "no_.*: this database does not exist on the server"),
        (("127.0.0.1:", "127.0.0.1:1/x?"), "MySQL at 127.0.0.1:1, database x: .*Can't connect"),
    ],
)
async def test_connections_that_fail(
    mysql_server: MysqlServer, mysql_name: str, change: tuple[str, str], message: str
) -> None:
    source = MysqlSource(read_address(mysql_server.url(mysql_name).replace(*change)))
    with pytest.raises(StartFailed, match=f"The database cannot be reached: .*{message}") as refused:
        await reach_database(source)
    assert "secret" not in str(refused.value)
    assert "wrong" not in str(refused.value)


async def test_a_user_without_permissions(mysql_server: MysqlServer, town: str) -> None:
    mysql_server.run_sql(
        f"CREATE USER reader@'%' IDENTIFIED BY 'r'; GRANT SELECT ON {town}.streets TO reader@'%';"
        f"GRANT SELECT (id) ON {town}.houses TO reader@'%'"
    )
    source = MysqlSource(read_address(f"mysql://reader:r@127.0.0.1:{mysql_server.port}/{town}"))
    await source.connect()
    try:
        with pytest.raises(TransferError, match=r"table houses: .*denied"):
            await source.fetch_all("SELECT `name` FROM `houses`")
    finally:
        await source.close()
        mysql_server.run_sql("DROP USER reader@'%'")


async def test_batches_of_links_do_not_read_all_entries(mysql_server: MysqlServer, mysql_name: str) -> None:
    """MariaDB would materialize the subquery, and read all ids of the other table for each batch."""
    rows = ", ".join(f"({number}, {number})" for number in range(1, 1001))
    mysql_server.run_sql(
        "CREATE TABLE a (id int PRIMARY KEY, b int); CREATE TABLE links (id int PRIMARY KEY, a_id int);"
        f"INSERT INTO a VALUES {rows}; INSERT INTO links VALUES {rows}; ANALYZE TABLE a, links",
        mysql_name,
    )
    condition = "id > 500 AND (a_id IS NULL OR a_id IN (SELECT id FROM a))"
    text = f"EXPLAIN FORMAT=TRADITIONAL SELECT id FROM links WHERE {condition} ORDER BY id LIMIT 9"
    assert ("MATERIALIZED" in mysql_server.run_sql(text, mysql_name)) is mysql_server.is_mariadb
    source = open_source(mysql_server, mysql_name)
    await source.connect()
    try:
        plan = await source.fetch_all(text)
    finally:
        await source.close()
    assert [row[1] for row in plan] == ["PRIMARY", "DEPENDENT SUBQUERY"]
