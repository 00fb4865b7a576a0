"""The recorded content of every type, inserted into MySQL by the test: copies from there equal copies from SQLite."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from octavo.database.connection import Database
from octavo.database.sqlite import SqliteDatabase
from octavo.database.synchronize import STATE_TABLE, found_tables
from octavo.operations.transfer.database_copy import CopyOptions, CopySource, copy_database
from octavo.operations.transfer.mysql.address import read_address
from octavo.operations.transfer.mysql.source import MysqlSource
from octavo.operations.transfer.mysql.source_dialect import MysqlSourceDialect
from octavo.operations.transfer.rows.plain_values import INSTANTS
from octavo.operations.transfer.rows.tables import RowTable, read_batches, row_table
from octavo.query.sql.ddl.physical import physical_tables
from octavo.query.sql.ddl.tables import Table, wanted_tables
from octavo.schema.loader import load_registry
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import ValueKind
from tests.conformance.corpus import make_project, unpack
from tests.mysql_server import MysqlServer

pytestmark = [pytest.mark.anyio, pytest.mark.mysql, pytest.mark.recording]
DIALECT = MysqlSourceDialect(table_names_ignore_case=False)
OTHER = (STATE_TABLE, "strapi_database_schema")
"""Tables about the database itself. On MySQL, v4 stores their times in seconds."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recordings")
    return make_project(unpack("blog", folder), folder / "site")


async def test_copies_are_equal(
    mysql_server: MysqlServer, mysql_name: str, project: Path, database: Database, tmp_path: Path
) -> None:
    registry = load_registry(project)
    recorded, expected = SqliteDatabase(project / ".tmp/data.db"), SqliteDatabase(tmp_path / "expected.db")
    moved = MysqlSource(read_address(mysql_server.url(mysql_name)))
    await recorded.connect()
    await expected.connect()
    mysql_server.run_sql(await write_sql(recorded, registry), mysql_name)
    await moved.connect()
    try:
        copied = [await copy(source, target, registry) for source, target in ((recorded, expected), (moved, database))]
        assert copied[0] == copied[1]
        assert sum(copied[0].values()) > 4000
        assert await everything(database, registry) == await everything(expected, registry)
    finally:
        for each in (moved, recorded, expected):
            await each.close()


async def copy(source: CopySource, target: Database, registry: Registry) -> Mapping[str, int]:
    return (await copy_database(source, target, registry, [], CopyOptions(), lambda *_: None)).rows


async def everything(database: Database, registry: Registry) -> dict[str, list[list[Any]]]:
    tables = [row_table(table) for table in wanted_tables(registry) if table.name not in OTHER]
    return {table.name: await rows(database, table) for table in tables}


async def rows(database: Database, table: RowTable) -> list[list[Any]]:
    found = [row async for batch in read_batches(database, database.dialect, table) for row in batch]
    kinds = list(table.columns.values())
    return [[comparable(kind, value) for kind, value in zip(kinds, row, strict=True)] for row in found]


def comparable(kind: ValueKind, value: Any) -> Any:
    """Return a value in one form: decimals and JSON have several."""
    if value is None:
        return None
    if kind is ValueKind.DECIMAL:
        return float(value)
    return json.loads(value) if kind is ValueKind.JSON else value


async def write_sql(recorded: SqliteDatabase, registry: Registry) -> str:
    """Return the script that creates the recorded tables as v4 does on MySQL, with their rows."""
    found = await found_tables(recorded, recorded.dialect)
    wanted = wanted_tables(registry)
    script = ["SET time_zone = '+00:00';"]
    for words, table in zip(wanted, physical_tables(wanted, DIALECT), strict=True):
        if table.name not in found:
            continue
        present = {column.name for column in found[table.name].columns}
        script.append(create(table, present))
        read = row_table(words).with_columns([column.name for column in words.columns if column.name in present])
        async for batch in read_batches(recorded, recorded.dialect, read):
            script += [insert(read, row) for row in batch]
    return "\n".join(script)


def create(table: Table, present: set[str]) -> str:
    columns = [f"{DIALECT.quote(one.name)} {one.type}" for one in table.columns if one.name in present]
    return f"CREATE TABLE {DIALECT.quote(table.name)} ({', '.join(columns)}, PRIMARY KEY (id));"


def insert(table: RowTable, row: list[Any]) -> str:
    values = (literal(kind, value) for kind, value in zip(table.columns.values(), row, strict=True))
    return f"INSERT INTO {DIALECT.quote(table.name)} VALUES ({', '.join(values)});"


def literal(kind: ValueKind, value: Any) -> str:
    if value is None:
        return "NULL"
    if kind in INSTANTS:
        return DIALECT.instant(str(value))
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"
    return str(int(value)) if isinstance(value, bool) else repr(value)
