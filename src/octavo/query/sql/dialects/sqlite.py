"""The SQLite dialect. Instants are integer milliseconds, booleans 0 and 1, JSON is text (observed.md, 11)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from octavo.query.plan.nodes import Parameter, ParameterKind
from octavo.query.plan.planning import LEAST_BYTES
from octavo.query.sql.ddl.indexes import Index
from octavo.query.sql.ddl.tables import Column
from octavo.query.sql.dialects.base import Dialect, Introspection, Statements
from octavo.query.sql.dialects.sqlite_counts import CountRows
from octavo.query.sql.dialects.sqlite_substrings import TrigramIndexes
from octavo.query.sql.script import ScriptRules
from octavo.schema.scalar_types import ValueKind

MEASURE: Final = "octavo_measure"
"""A function that the driver provides: adds to the sum of the running statement, and aborts it above the limit."""

# `datetime` with `subsec` is twice as fast as `strftime` for the same text.
_ISO = """coalesce('"' || replace(datetime({column} / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z"', 'null')"""
_NO_LIMIT = "-1"
_MOST_INTEGER = 2**63

_COLUMN_TYPES = {
    "increments": "integer",
    "reference": "integer",
    "string": "varchar(255)",
    "text": "text",
    "integer": "integer",
    "bigint": "bigint",
    "double": "float",
    "order": "float",
    "decimal": "float",
    "boolean": "boolean",
    "date": "date",
    "time": "time",
    "datetime": "datetime",
    "timestamp": "datetime",
    "json": "json",
    "plain datetime": "datetime",
    "plain json": "json",
}
_TEXTS = ("varchar(255)", "text")
_NUMBERS = ("integer", "bigint", "float")

_TABLES = "FROM sqlite_master t JOIN {} WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"

_LONGEST_PATTERN = 12_000
"""Maximum characters, of up to four bytes or escaped, whose pattern is within the limit of LIKE."""


class SQLiteDialect(Dialect):
    """SQLite 3.44 or newer (ordered aggregates, `concat`). The driver limits the size of a single text."""

    name = "sqlite"

    # Scripts

    file_words = frozenset({"sqlite"})
    script = ScriptRules(quoted=r"`[^`]*` | \[[^\]]*\]", blocks=r"^CREATE (TEMP |TEMPORARY )?TRIGGER\b")

    # Values of statements

    later = "max({new}, coalesce({old}, 0) + 1)"

    def mark(self, number: int) -> str:
        return f"?{number}"

    def parameter(self, parameter: Parameter) -> str:
        return f"?{parameter.index + 1}"

    def placeholder(self, number: int, kind: ValueKind) -> str:
        return f"?{number}"

    def bind(self, kind: ValueKind, value: Any) -> Any:
        if isinstance(value, bool):
            return int(value)
        if isinstance(value, int) and not -_MOST_INTEGER <= value < _MOST_INTEGER:
            return float(value)
        return value

    def instant(self, milliseconds: str) -> str:
        return milliseconds

    def milliseconds(self, instant: str) -> str:
        return instant

    transaction_number = "0"
    row_lock = ""
    server_facts = (
        "SELECT 'SQLite', sqlite_version(), p.page_count * s.page_size FROM pragma_page_count p, pragma_page_size s"
    )
    settled_before = "1"

    # Reading

    aggregate = "group_concat"
    counts_tables_at_once = True
    patterns_ignore_case = True  # LIKE ignores the case of ASCII letters

    def as_bytes(self, text: str) -> str:
        return f"CAST({text} AS BLOB)"

    def measured(self, joined: str, most: int) -> str:
        size = f"coalesce(octet_length({joined}), 0) + {LEAST_BYTES}"
        return f"CASE WHEN {MEASURE}({size}, {most}) THEN {joined} END"

    def limit(self, limit: str | None, start: str | None) -> str:
        if limit is None and start is None:
            return ""
        return f" LIMIT {limit or _NO_LIMIT}" + (f" OFFSET {start}" if start else "")

    def stored_json(self, column: str) -> str:
        # As in `json_scalar`. Other types than text are checked by the copy.
        is_string = f"typeof({column}) = 'text' AND NOT json_valid({column})"
        return f"CASE WHEN {is_string} THEN json_quote({column}) ELSE {column} END"

    def json_scalar(self, kind: ValueKind, column: str) -> str:
        match kind:
            case ValueKind.BOOLEAN:
                return f"CASE {column} WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END"
            case ValueKind.BIG_INTEGER | ValueKind.TIMESTAMP:
                return f"json_quote(CAST({column} AS TEXT))"
            case ValueKind.DATETIME:
                return _ISO.format(column=column)
            case ValueKind.FLOAT | ValueKind.DECIMAL:
                # Integers without a decimal point, as in JavaScript; infinity minus itself is NULL.
                whole = f"CAST({column} AS INTEGER)"
                return (
                    f"CASE WHEN {column} = {whole} THEN CAST({whole} AS TEXT)"
                    f" WHEN {column} - {column} = 0 THEN json_quote({column}) ELSE 'null' END"
                )
            case ValueKind.JSON:
                # Invalid JSON is a string: Strapi v4 stores a JSON string without its quotes.
                valid = f"CASE WHEN json_valid({column}) THEN {column} ELSE json_quote({column}) END"
                return self.json_or_null(column, valid)
            case _:
                return f"json_quote({column})"

    def json_typed(self, kind: ValueKind, column: str) -> str:
        match kind:
            case ValueKind.BIG_INTEGER:
                return self.safe_integer(column, f"json_quote({column})")
            case ValueKind.TIMESTAMP:
                return self.json_scalar(ValueKind.DATETIME, column)
            case _:
                return self.json_scalar(kind, column)

    def json_rows(self, columns: Sequence[str], rest: str) -> str:
        return f"json((SELECT json_group_array(json_array({', '.join(columns)})) {rest}))"

    def json_object(self, members: Mapping[str, str]) -> str:
        return self.as_bytes(
            f"json_object({', '.join(f'{self.literal(key)}, {text}' for key, text in members.items())})"
        )

    def text_of(self, kind: ValueKind, column: str) -> str:
        return column

    def contains(self, text: str, part: str) -> str:
        return f"instr({text}, {part}) > 0"

    def contains_folded(self, text: str, part: str) -> str:
        # unlike lower(), it does not copy the texts
        pattern = part
        for sign in ("\\", "%", "_"):
            pattern = f"replace({pattern}, '{sign}', '\\{sign}')"
        like = f"{text} LIKE '%' || {pattern} || '%' ESCAPE '\\'"
        return (
            f"CASE WHEN length({part}) < {_LONGEST_PATTERN} THEN {like} ELSE {super().contains_folded(text, part)} END"
        )

    def starts_with(self, text: str, part: str) -> str:
        return f"substr({text}, 1, length({part})) = {part}"

    def ends_with(self, text: str, part: str) -> str:
        return f"substr({text}, length({text}) - length({part}) + 1) = {part}"

    def comparable(self, kind: ValueKind, column: str, parameter: ParameterKind) -> str:
        return column

    # Defining tables. Tables are never recreated: a column changes its type by way of a new column. There are no
    # conflicting type families, because every column accepts, compares and returns every value.

    column_types = _COLUMN_TYPES
    id_column = "integer PRIMARY KEY AUTOINCREMENT NOT NULL"
    counter_column = id_column
    booleans = ("0", "1")
    inline_keys = True
    unique_constraints = False
    parts = TrigramIndexes()
    totals = CountRows()
    # A declared type is only an affinity: within these groups the same values are stored.
    same_types = frozenset((a, b) for group in (_TEXTS, _NUMBERS) for a in group for b in group)

    def change_type(self, table: str, column: Column, safe: bool) -> Statements:
        del safe  # values are cast as far as possible in any case
        name, old = self.quote(column.name), self.quote(f"octavo_old_{column.name}")
        return (
            f"ALTER TABLE {self.quote(table)} RENAME COLUMN {name} TO {old}",
            f"ALTER TABLE {self.quote(table)} ADD COLUMN {name} {column.type}",
            f"UPDATE {self.quote(table)} SET {name} = CAST({old} AS {column.type})",
            f"ALTER TABLE {self.quote(table)} DROP COLUMN {old}",
        )

    def drop_index(self, table: str, index: Index) -> Statements:
        del table  # index names are unique within the database file
        return (f"DROP INDEX IF EXISTS {self.quote(index.name)}",)

    introspection = Introspection(
        columns='SELECT t.name, c.name, lower(c.type), NOT c."notnull", c.dflt_value '
        + _TABLES.format("pragma_table_info(t.name) c")
        + " ORDER BY t.name, c.cid",
        # Querying `pragma_index_list` for each table would take seconds for some thousand indexes.
        indexes="SELECT i.tbl_name, i.name, i.sql LIKE 'CREATE UNIQUE %', "
        "CASE WHEN i.sql LIKE '% WHERE %' THEN substr(i.sql, instr(upper(i.sql), ' WHERE ') + 7) END, k.name "
        "FROM sqlite_master i JOIN pragma_index_info(i.name) k "
        "WHERE i.type = 'index' AND i.sql IS NOT NULL ORDER BY i.tbl_name, i.name, k.seqno",
        foreign_keys='SELECT DISTINCT t.name, \'\', k."from", k."table", k.on_delete '
        + _TABLES.format("pragma_foreign_key_list(t.name) k")
        + ' ORDER BY t.name, k."from"',
    )


SQLITE: Final = SQLiteDialect()
