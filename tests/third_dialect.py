"""A third dialect, to see that one file is all that a database needs: about what MySQL 8 says, but for no real one."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from octavo.query.plan.nodes import Parameter, ParameterKind
from octavo.query.sql.ddl.indexes import Index
from octavo.query.sql.ddl.tables import Column
from octavo.query.sql.dialects.base import Dialect, Introspection, Rows, Statements
from octavo.schema.scalar_types import ValueKind

_CASTS = {
    ValueKind.INTEGER: "SIGNED",
    ValueKind.BIG_INTEGER: "SIGNED",
    ValueKind.FLOAT: "DOUBLE",
    ValueKind.DECIMAL: "DECIMAL(10, 2)",
    ValueKind.JSON: "JSON",
}
_PARAMETERS = {
    ParameterKind.INTEGER: "SIGNED",
    ParameterKind.NUMBER: "DOUBLE",
    ParameterKind.BOOLEAN: "SIGNED",
    ParameterKind.JSON: "JSON",
    ParameterKind.DATE: "DATE",
    ParameterKind.TIME: "TIME(3)",
}
_TABLES = "FROM information_schema.{} WHERE table_schema = database()"


class ThirdDialect(Dialect):
    """Its values have no numbers in its own words; here they keep theirs, so that tests can look at them."""

    name = "third"
    name_mark = "`"
    later = "GREATEST({new}, coalesce({old} + INTERVAL 1000 MICROSECOND, {new}))"
    longest_name = 64
    empty_row = "() VALUES ()"
    nulls: Mapping[ValueKind, str] = {
        ValueKind.INTEGER: "CAST(NULL AS SIGNED)",
        ValueKind.STRING: "CAST(NULL AS CHAR(255))",
        ValueKind.FLOAT: "CAST(NULL AS DOUBLE)",
    }

    def literal(self, text: str) -> str:
        return super().literal(text.replace("\\", "\\\\"))

    def mark(self, number: int) -> str:
        return f":{number}"

    def parameter(self, parameter: Parameter) -> str:
        mark = self.mark(parameter.index + 1)
        if parameter.kind is ParameterKind.INSTANT:
            return self.instant(mark)
        return f"CAST({mark} AS {_PARAMETERS.get(parameter.kind, 'CHAR')})"

    def placeholder(self, number: int, kind: ValueKind) -> str:
        return f"CAST(:{number} AS {_CASTS.get(kind, 'CHAR')})"

    def bind(self, kind: ValueKind, value: Any) -> Any:
        return value

    def instant(self, milliseconds: str) -> str:
        return f"timestampadd(MICROSECOND, {milliseconds} * 1000, '1970-01-01')"

    def milliseconds(self, instant: str) -> str:
        return f"timestampdiff(MICROSECOND, '1970-01-01', {instant}) DIV 1000"

    row_lock = " FOR UPDATE"
    transaction_number = (
        "(SELECT trx_id FROM information_schema.innodb_trx WHERE trx_mysql_thread_id = connection_id())"
    )
    settled_before = "(SELECT coalesce(min(trx_id), 18446744073709551615) FROM information_schema.innodb_trx)"

    # Reading

    aggregate = "group_concat"
    kept_table = "AS"

    def concat(self, parts: Sequence[str]) -> str:
        return f"concat_ws('', {', '.join(parts)})"

    def concat_or_null(self, *parts: str) -> str:
        return f"concat({', '.join(parts)})"

    def as_text(self, expression: str) -> str:
        return f"CAST({expression} AS CHAR)"

    def join_rows(self, expression: str) -> str:
        return f"group_concat({expression} SEPARATOR ',')"

    def as_bytes(self, text: str) -> str:
        return f"CAST({text} AS BINARY)"

    def measured(self, joined: str, most: int) -> str:
        return f"CASE WHEN length({joined}) <= {most} THEN {joined} END"

    def limit(self, limit: str | None, start: str | None) -> str:
        return f" LIMIT {start or 0}, {limit or 2**63}" if limit or start else ""

    def json_scalar(self, kind: ValueKind, column: str) -> str:
        return f"coalesce(json_quote({column}), 'null')"

    def json_typed(self, kind: ValueKind, column: str) -> str:
        return self.json_scalar(kind, column)

    def json_rows(self, columns: Sequence[str], rest: str) -> str:
        return f"(SELECT json_arrayagg(json_array({', '.join(columns)})) {rest})"

    def json_object(self, members: Mapping[str, str]) -> str:
        return f"json_object({', '.join(f'{self.literal(key)}, {value}' for key, value in members.items())})"

    def text_of(self, kind: ValueKind, column: str) -> str:
        return column

    def contains(self, text: str, part: str) -> str:
        return f"locate({part}, {text}) > 0"

    def starts_with(self, text: str, part: str) -> str:
        return f"locate({part}, {text}) = 1"

    def ends_with(self, text: str, part: str) -> str:
        return f"right({text}, char_length({part})) = {part}"

    def comparable(self, kind: ValueKind, column: str, parameter: ParameterKind) -> str:
        return column

    # Writing

    def returning(self, *columns: str) -> str:
        return f"/* answers {', '.join(columns)} */"

    def on_conflict(self, *keys: str) -> str:
        return "ON DUPLICATE KEY UPDATE"

    def proposed(self, column: str) -> str:
        return f"VALUES({column})"

    def insert_missing(self, table: str, columns: str, select: str) -> str:
        return f"INSERT IGNORE INTO {table} ({columns}) {select}"

    def rows(self, rows: Rows) -> str:
        return f"(VALUES {', '.join(f'ROW{_in_parentheses(row)}' for row in rows)}) n"

    def row_column(self, number: int) -> str:
        return f"n.column_{number - 1}"

    def update_from(self, table: str, settings: str, rows: Rows, condition: str) -> str:
        return f"UPDATE {table} JOIN {self.rows(rows)} ON {condition} SET {settings}"

    def among(self, columns: Sequence[str], places: Rows) -> str:
        return f"{_in_parentheses(columns)} IN {_in_parentheses(map(_in_parentheses, places))}"

    # Defining tables

    column_types: Mapping[str, str] = {
        "increments": "int",
        "string": "varchar(255)",
        "text": "longtext",
        "integer": "int",
        "bigint": "bigint",
        "double": "double",
        "decimal": "decimal(10,2)",
        "boolean": "tinyint(1)",
        "date": "date",
        "time": "time(3)",
        "datetime": "datetime(6)",
        "json": "json",
        "plain datetime": "datetime",
        "plain json": "json",
    }
    id_column = "int AUTO_INCREMENT PRIMARY KEY"
    counter_column = "bigint AUTO_INCREMENT PRIMARY KEY"
    booleans = ("0", "1")
    inline_keys = False
    unique_constraints = True
    partial_indexes = False

    def change_type(self, table: str, column: Column, safe: bool) -> Statements:
        return (f"ALTER TABLE {self.quote(table)} MODIFY {self.quote(column.name)} {column.type}",)

    def drop_index(self, table: str, index: Index) -> Statements:
        return (f"ALTER TABLE {self.quote(table)} DROP INDEX {self.quote(index.name)}",)

    introspection = Introspection(
        columns=f"SELECT table_name, column_name, column_type, is_nullable {_TABLES.format('columns')}",
        indexes=f"SELECT table_name, index_name, NOT non_unique, NULL, column_name {_TABLES.format('statistics')}",
        foreign_keys=f"SELECT table_name, constraint_name {_TABLES.format('key_column_usage')}",
    )


def _in_parentheses(parts: Iterable[str]) -> str:
    return f"({', '.join(parts)})"


THIRD: Final = ThirdDialect()
