"""What tables a database has: three statements, however many tables. Types and names are the database's own."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from octavo.database.connection import Connection, Row
from octavo.sql.tables import Column, ForeignKey, Index, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statements:
    """Rows of `columns`: table, column, type, nullable, default; of `indexes`: table, index, unique, condition, column
    (a row for each); of `foreign_keys`: table, name, column, target, what happens on delete.
    """

    columns: str
    indexes: str
    foreign_keys: str


_SQLITE_TABLES = "FROM sqlite_master t JOIN {} WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
_SQLITE = _Statements(
    columns='SELECT t.name, c.name, lower(c.type), NOT c."notnull", c.dflt_value '
    + _SQLITE_TABLES.format("pragma_table_info(t.name) c")
    + " ORDER BY t.name, c.cid",
    # Asking `pragma_index_list` for each table too would take seconds for some thousand indexes.
    indexes="SELECT i.tbl_name, i.name, i.sql LIKE 'CREATE UNIQUE %', "
    "CASE WHEN i.sql LIKE '% WHERE %' THEN substr(i.sql, instr(upper(i.sql), ' WHERE ') + 7) END, k.name "
    "FROM sqlite_master i JOIN pragma_index_info(i.name) k "
    "WHERE i.type = 'index' AND i.sql IS NOT NULL ORDER BY i.tbl_name, i.name, k.seqno",
    foreign_keys='SELECT DISTINCT t.name, \'\', k."from", k."table", k.on_delete '
    + _SQLITE_TABLES.format("pragma_foreign_key_list(t.name) k")
    + ' ORDER BY t.name, k."from"',
)

_POSTGRESQL_SCHEMA = "t.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
_POSTGRESQL = _Statements(
    columns="SELECT t.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod), NOT a.attnotnull, "
    "pg_get_expr(d.adbin, d.adrelid) "
    "FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped "
    "LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum "
    f"WHERE t.relkind IN ('r', 'p') AND {_POSTGRESQL_SCHEMA} ORDER BY t.relname::text COLLATE \"C\", a.attnum",
    indexes="SELECT t.relname::text, i.relname::text, x.indisunique, pg_get_expr(x.indpred, x.indrelid), "
    "coalesce(a.attname::text, '') "
    "FROM pg_class t JOIN pg_index x ON x.indrelid = t.oid JOIN pg_class i ON i.oid = x.indexrelid "
    "CROSS JOIN LATERAL unnest(x.indkey::int2[]) WITH ORDINALITY k(number, place) "
    "LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number "
    f"WHERE NOT x.indisprimary AND t.relkind IN ('r', 'p') AND {_POSTGRESQL_SCHEMA} "
    'ORDER BY t.relname::text COLLATE "C", i.relname::text COLLATE "C", k.place',
    foreign_keys="SELECT t.relname::text, f.conname::text, a.attname::text, r.relname::text, CASE f.confdeltype "
    "WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' ELSE 'NO ACTION' END "
    "FROM pg_constraint f JOIN pg_class t ON t.oid = f.conrelid JOIN pg_class r ON r.oid = f.confrelid "
    "JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = f.conkey[1] "
    f"WHERE f.contype = 'f' AND {_POSTGRESQL_SCHEMA} "
    'ORDER BY t.relname::text COLLATE "C", a.attname::text COLLATE "C", f.conname::text COLLATE "C"',
)
_DIALECTS = {"sqlite": _SQLITE, "postgresql": _POSTGRESQL}


async def found_tables(connection: Connection, dialect: str) -> dict[str, Table]:
    """All tables of the database (on PostgreSQL: of the current schema), by name."""
    statements = _DIALECTS[dialect]
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
