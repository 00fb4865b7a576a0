"""How SQLite says a read. Instants are integer milliseconds, booleans 0 and 1, JSON is text (observed.md, 11)."""

from octavo.plan.nodes import Parameter, ParameterKind
from octavo.schema.values import ValueKind
from octavo.sql.dialect import LEAST_BYTES, NEGATIVE_LIMIT, Dialect

# `datetime` with `subsec` takes half the time that `strftime` takes for the same text.
_ISO = """coalesce('"' || replace(datetime({column} / 1000.0, 'unixepoch', 'subsec'), ' ', 'T') || 'Z"', 'null')"""


MEASURE = "octavo_measure"
"""A function of the driver: adds to the sum of the running statement, and ends it when that is more than it may be."""


class SQLiteDialect(Dialect):
    """SQLite 3.44 or newer (ordered aggregates, `concat`). The driver limits how large a single text may become."""

    name = "sqlite"
    aggregate = "group_concat"
    counts_tables_at_once = True
    patterns_ignore_case = True  # as LIKE does here, for ASCII letters

    def as_bytes(self, text: str) -> str:
        return f"CAST({text} AS BLOB)"

    def measured(self, joined: str, most: int) -> str:
        size = f"coalesce(octet_length({joined}), 0) + {LEAST_BYTES}"
        return f"CASE WHEN {MEASURE}({size}, {most}) THEN {joined} END"

    def parameter(self, parameter: Parameter) -> str:
        return f"?{parameter.index + 1}"

    def json_scalar(self, kind: ValueKind, column: str) -> str:
        match kind:
            case ValueKind.BOOLEAN:
                return f"CASE {column} WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END"
            case ValueKind.BIG_INTEGER | ValueKind.TIMESTAMP:
                return f"json_quote(CAST({column} AS TEXT))"
            case ValueKind.DATETIME:
                return _ISO.format(column=column)
            case ValueKind.FLOAT | ValueKind.DECIMAL:
                # Infinity less itself is NULL.
                return f"CASE WHEN {column} - {column} = 0 THEN json_quote({column}) ELSE 'null' END"
            case ValueKind.JSON:
                # Texts that are no JSON are strings: the reference stores a JSON string without its quotes.
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

    def text_of(self, kind: ValueKind, column: str) -> str:
        return column

    def contains(self, text: str, part: str) -> str:
        return f"instr({text}, {part}) > 0"

    def starts_with(self, text: str, part: str) -> str:
        return f"substr({text}, 1, length({part})) = {part}"

    def ends_with(self, text: str, part: str) -> str:
        return f"substr({text}, length({text}) - length({part}) + 1) = {part}"

    def comparable(self, kind: ValueKind, column: str, parameter: ParameterKind) -> str:
        return column

    def limit(self, limit: str | None, start: str | None) -> str:
        if limit is None and start is None:
            return ""
        return f" LIMIT {limit or NEGATIVE_LIMIT}" + (f" OFFSET {start}" if start else "")
