"""What tables a database has: three statements, however many tables. Types and names are the database's own."""

from collections.abc import Iterable, Mapping
from itertools import groupby

from octavo.database.connection import Connection, Row
from octavo.query.sql.ddl.indexes import Index
from octavo.query.sql.ddl.tables import Column, ForeignKey, Table
from octavo.query.sql.dialects.base import Dialect


async def found_tables(connection: Connection, dialect: Dialect) -> dict[str, Table]:
    """All tables of the database, or of its current schema, by name."""
    statements = dialect.introspection
    indexes = _by_table(await connection.fetch_all(statements.indexes))
    keys = _by_table(await connection.fetch_all(statements.foreign_keys))
    columns = _by_table(await connection.fetch_all(statements.columns))
    return {
        name: Table(
            name=name,
            columns=tuple(Column(row[1], row[2], bool(row[3]), row[4]) for row in rows),
            indexes=tuple(_indexes(indexes.get(name, ()))),
            foreign_keys=tuple(
                ForeignKey(name=row[1], column=row[2], target=row[3], on_delete=row[4]) for row in keys.get(name, ())
            ),
        )
        for name, rows in columns.items()
    }


def _by_table(rows: Iterable[Row]) -> Mapping[str, list[Row]]:
    return {name: list(group) for name, group in groupby(rows, key=lambda row: row[0])}


def _indexes(rows: Iterable[Row]) -> Iterable[Index]:
    for _, group in groupby(rows, key=lambda row: row[1]):
        [first, *others] = group
        columns = tuple(row[4] or "" for row in (first, *others))
        yield Index(name=first[1], columns=columns, unique=bool(first[2]), where=first[3])
