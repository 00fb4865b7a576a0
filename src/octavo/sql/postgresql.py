"""How PostgreSQL says a read. Instants are timestamps without zone in UTC, JSON is jsonb (observed.md, 11)."""

from octavo.plan.nodes import Parameter, ParameterKind
from octavo.schema.values import TEXT_KINDS, ValueKind
from octavo.sql.dialect import LEAST_BYTES, Dialect

_ISO = """to_char({column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""
_MILLISECONDS = "(extract(epoch from {column}) * 1000)::int8"
_CASTS = {
    ParameterKind.TEXT: "${}::text",
    ParameterKind.INTEGER: "${}::int8",
    ParameterKind.NUMBER: "${}::float8",
    ParameterKind.BOOLEAN: "${}::boolean",
    ParameterKind.JSON: "${}::text::jsonb",
    ParameterKind.DATE: "${}::text::date",
    ParameterKind.TIME: "${}::text::time",
    ParameterKind.INSTANT: "(timestamp 'epoch' + ${}::int8 * interval '1 millisecond')",
}


TOO_LARGE = "octavo: too large"
"""What the message says of a statement that ends itself because its answer grows too large."""

# A setting of the transaction keeps the sum: nothing else lasts from one row of a statement to the next.
_COUNTED = "coalesce(nullif(current_setting('octavo.answer', true), ''), '0')::int8"
_FAIL = f"('{TOO_LARGE} ' || {{size}})::int8::text"


class PostgreSQLDialect(Dialect):
    """PostgreSQL 13 or newer."""

    name = "postgresql"
    aggregate = "string_agg"

    def as_bytes(self, text: str) -> str:
        return f"convert_to({text}, 'UTF8')"

    def answer(self, json: str, others: str, rest: str, largest: int) -> str:
        checked = f"CASE WHEN octet_length(a.json) > {largest} THEN {_FAIL.format(size='octet_length(a.json)')}"
        return f"SELECT {self.as_bytes(f'{checked} ELSE a.json END')}{others} FROM (SELECT {json} AS json {rest}) a"

    def measured(self, joined: str, most: int) -> str:
        total = f"{_COUNTED} + coalesce(octet_length({joined}), 0) + {LEAST_BYTES}"
        counted = f"set_config('octavo.answer', ({total})::text, true)::int8"
        return f"CASE WHEN {counted} > {most} THEN {_FAIL.format(size=f'octet_length({joined})')} ELSE {joined} END"

    def parameter(self, parameter: Parameter) -> str:
        return _CASTS[parameter.kind].format(parameter.index + 1)

    def json_scalar(self, kind: ValueKind, column: str) -> str:
        match kind:
            case ValueKind.INTEGER | ValueKind.BOOLEAN | ValueKind.JSON:
                return f"coalesce({column}::text, 'null')"
            case ValueKind.FLOAT | ValueKind.DECIMAL:
                # Infinity less itself is no number, and neither is what is none already.
                return f"CASE WHEN {column} - {column} = 0 THEN {column}::float8::text ELSE 'null' END"
            case ValueKind.BIG_INTEGER | ValueKind.DATE | ValueKind.TIME:
                return self.json_quoted(column)
            case ValueKind.DATETIME:
                return self.json_quoted(_ISO.format(column=column))
            case ValueKind.TIMESTAMP:
                return self.json_quoted(_MILLISECONDS.format(column=column))
            case _:
                return f"coalesce(to_json({column})::text, 'null')"

    def json_typed(self, kind: ValueKind, column: str) -> str:
        match kind:
            case ValueKind.BIG_INTEGER:
                return self.safe_integer(column, self.json_scalar(ValueKind.INTEGER, column))
            case ValueKind.TIME:
                return self.json_quoted(f"to_char({column}, 'HH24:MI:SS.MS')")
            case ValueKind.TIMESTAMP:
                return self.json_scalar(ValueKind.DATETIME, column)
            case _:
                return self.json_scalar(kind, column)

    def text_of(self, kind: ValueKind, column: str) -> str:
        return column if kind in TEXT_KINDS else f"{column}::text"

    def contains(self, text: str, part: str) -> str:
        return f"position({part} in {text}) > 0"

    def starts_with(self, text: str, part: str) -> str:
        return f"starts_with({text}, {part})"

    def ends_with(self, text: str, part: str) -> str:
        return f"right({text}, length({part})) = {part}"

    def comparable(self, kind: ValueKind, column: str, parameter: ParameterKind) -> str:
        if kind is ValueKind.DECIMAL and parameter is ParameterKind.NUMBER:
            return f"{column}::float8"
        return column

    def limit(self, limit: str | None, start: str | None) -> str:
        return (f" LIMIT {limit}" if limit else "") + (f" OFFSET {start}" if start else "")
