"""The dialect of MySQL and MariaDB. Instants are `datetime(6)` in UTC, booleans 0 and 1, JSON is text on MariaDB.

Comparison, order and uniqueness of texts follow the collation of the column, as in Strapi v4 on these databases.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from octavo.query.plan.nodes import Parameter, ParameterKind
from octavo.query.sql.ddl.indexes import Index
from octavo.query.sql.ddl.tables import Column
from octavo.query.sql.dialects.base import (
    ColumnCopies,
    Dialect,
    Introspection,
    JoinedRows,
    OrderedRows,
    Rows,
    Statements,
)
from octavo.query.sql.dialects.column_limits import FIRST_INSTANT, LAST_INSTANT, MARIADB
from octavo.query.sql.dialects.column_limits import MYSQL as MYSQL_LIMITS
from octavo.query.sql.dialects.mysql_copies import MysqlCopies
from octavo.query.sql.dialects.mysql_indexes import OnlineIndexes
from octavo.query.sql.script import ScriptRules
from octavo.schema.scalar_types import ValueKind

_NO_LIMIT: Final = str(2**64 - 1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_INSTANT: Final = "(TIMESTAMP'1970-01-01 00:00:00' + INTERVAL {} * 1000 MICROSECOND)"
_MILLISECONDS: Final = "floor(timestampdiff(MICROSECOND, '1970-01-01 00:00:00', {}) / 1000)"
_ISO: Final = "left(date_format({column}, '\"%Y-%m-%dT%H:%i:%s.%f'), 24)"

_OWN_TABLES: Final = " CHARACTER SET utf8mb4 COLLATE {}"
"""Texts in Octavo's own tables are equal if their bytes are. `utf8mb4_bin` would ignore spaces at the end."""

_COLUMN_TYPES: Final = {
    "increments": "int unsigned",
    "reference": "int unsigned",
    "string": "varchar(255)",
    "text": "longtext",
    "integer": "int",
    "bigint": "bigint",
    "double": "double",
    "order": "double unsigned",
    "decimal": "decimal(10,2)",
    "boolean": "tinyint(1)",
    "date": "date",
    "time": "time(3)",
    "datetime": "datetime(6)",
    "timestamp": "timestamp(6)",
    "json": "json",
    "plain datetime": "datetime",
    "plain json": "json",
}
_KEYS: Final = {
    **dict.fromkeys((ValueKind.INTEGER, ValueKind.BIG_INTEGER, ValueKind.BOOLEAN), "SIGNED"),
    ValueKind.FLOAT: "DOUBLE",
    ValueKind.DECIMAL: "DECIMAL(65, 30)",
}
_TEXT: Final = re.compile(r"\btext\b")
_STRING: Final = 255
_TEXT_TYPES: Final = frozenset({"varchar(255)", "longtext", "json"})
_LONGEST_KEY: Final = 750
"""Characters of the texts in an index: 3072 bytes, with room for some numbers."""
_MOST_STRINGS: Final = 2
"""Strings that an index can contain as a whole."""

# MySQL 8.0.19 and later report no display width.
_TYPE: Final = "regexp_replace(c.column_type, '(?<!tinyint)(?<=int)[(][0-9]+[)]', '')"


# MariaDB reports JSON as `longtext` with a check. After a rename, the check still has its former name.
_TYPE_ON_MARIADB: Final = (
    f"CASE WHEN k.check_clause IS NULL OR c.column_type <> 'longtext' THEN {_TYPE} ELSE 'json' END"
)
_CHECKS: Final = (
    "LEFT JOIN (SELECT DISTINCT table_name, check_clause FROM information_schema.check_constraints"
    " WHERE constraint_schema = database()) k"
    " ON k.table_name = c.table_name AND k.check_clause = concat('json_valid(`', c.column_name, '`)') "
)


def _introspection(column_type: str, checks: str = "") -> Introspection:
    """Return the statements that find tables; `column_type` is the type of the column `c`."""
    return Introspection(
        columns=f"SELECT c.table_name, c.column_name, {column_type}, c.is_nullable = 'YES', c.column_default "
        "FROM information_schema.columns c JOIN information_schema.tables t "
        "ON t.table_schema = c.table_schema AND t.table_name = c.table_name AND t.table_type = 'BASE TABLE' "
        f"{checks}WHERE c.table_schema = database() ORDER BY CAST(c.table_name AS BINARY), c.ordinal_position",
        indexes="SELECT s.table_name, s.index_name, NOT s.non_unique, NULL, coalesce(s.column_name, '') "
        "FROM information_schema.statistics s WHERE s.table_schema = database() AND s.index_name <> 'PRIMARY' "
        "ORDER BY CAST(s.table_name AS BINARY), CAST(s.index_name AS BINARY), s.seq_in_index",
        foreign_keys="SELECT k.table_name, k.constraint_name, k.column_name, k.referenced_table_name, r.delete_rule "
        "FROM information_schema.key_column_usage k JOIN information_schema.referential_constraints r "
        "ON r.constraint_schema = k.constraint_schema AND r.constraint_name = k.constraint_name "
        "AND r.table_name = k.table_name "
        "WHERE k.table_schema = database() AND k.referenced_table_name IS NOT NULL "
        "ORDER BY CAST(k.table_name AS BINARY), CAST(k.column_name AS BINARY), CAST(k.constraint_name AS BINARY)",
    )


class MySQLDialect(Dialect):
    """MySQL 8.0.19 or MariaDB 10.6, or newer. Each database has its own object, which `adapt` completes.

    The driver sets `group_concat_max_len` above its limit of an answer, and treats warnings about texts that were cut
    as an answer that is too large.
    """

    name = "mysql"
    name_mark = "`"

    aside = OnlineIndexes()

    def __init__(self) -> None:
        self.is_mariadb = True
        self.copies: ColumnCopies = MysqlCopies(self)

    def adapt(self, version: str, largest_statement: int) -> None:
        """Adapt to a server, by its `version()` and `max_allowed_packet`. To be called before any statement is
        compiled."""
        self.is_mariadb = "mariadb" in version.lower()
        self.largest_statement = largest_statement
        if not self.is_mariadb:
            self.column_limits = MYSQL_LIMITS
            self.introspection = _introspection(_TYPE)
            self.table_options = _OWN_TABLES.format("utf8mb4_0900_bin")
            self.most_joined_conditions = 2
            self.keeps_tables = True
            self.unjoined = "coalesce({}, 0)"  # it turns `IN (...) IS TRUE` into a join, too

    # Scripts

    file_words = frozenset({"mysql", "mariadb"})
    script = ScriptRules(
        quoted=r"`[^`]*` | '(?:[^'\\]|\\.|'')*' | \"(?:[^\"\\]|\\.|\"\")*\" | \#[^\n]*",
        blocks=r"^CREATE (?:.* )?(?:TRIGGER|PROCEDURE|FUNCTION|EVENT)\b",
    )
    longest_name = 64
    column_limits = MARIADB
    most_joined_conditions = 3
    most_values = 2_000  # a table of values is a UNION
    rolls_back_tables = False

    def literal(self, text: str) -> str:
        return super().literal(text.replace("\\", "\\\\"))

    # Values of statements. The driver writes them as literals, so the type is that of the value.

    later = "GREATEST({new}, coalesce({old} + INTERVAL 1000 MICROSECOND, {new}))"

    def mark(self, number: int) -> str:
        return f"?{number}"

    def parameter(self, parameter: Parameter) -> str:
        mark = self.mark(parameter.index + 1)
        if parameter.kind is not ParameterKind.INSTANT:
            return mark
        # Instants out of range are NULL, and compare with nothing.
        return self.instant(f"least(greatest({mark}, {FIRST_INSTANT}), {LAST_INSTANT})")

    def placeholder(self, number: int, kind: ValueKind) -> str:
        return self.mark(number)

    def bind(self, kind: ValueKind, value: Any) -> Any:
        if isinstance(value, bool):
            return int(value)
        if value is not None and kind in (ValueKind.DATETIME, ValueKind.TIMESTAMP):
            moment = _EPOCH + timedelta(milliseconds=value)
            return moment.replace(tzinfo=None).isoformat(sep=" ", timespec="milliseconds")
        return value

    def instant(self, milliseconds: str) -> str:
        return _INSTANT.format(milliseconds)

    def milliseconds(self, instant: str) -> str:
        return f"CAST({_MILLISECONDS.format(instant)} AS SIGNED)"

    server_facts = (
        "SELECT CASE WHEN version() LIKE '%MariaDB%' THEN 'MariaDB' ELSE 'MySQL' END, version(),"
        " CAST(coalesce(sum(data_length + index_length), 0) AS SIGNED)"
        " FROM information_schema.tables WHERE table_schema = database()"
    )
    # Servers do not report the names of programs. Without PROCESS, these are the sessions of the same user.
    service_sessions = (
        "SELECT count(*) FROM information_schema.processlist WHERE db = database() AND id <> connection_id()"
    )
    row_lock = " FOR UPDATE"
    # Transactions that write to the journal run one after the other, so that ids are in the order of the commits.
    transaction_number = "(SELECT 0 * count(*) FROM octavo_state s WHERE s.`key` = 'tables' FOR UPDATE)"
    settled_before = "1"

    def table_writers(self, table: str) -> str | None:
        del table  # the server does not report the tables that a transaction has written
        return (
            "SELECT concat(trx_mysql_thread_id, ' ', trx_started) FROM information_schema.innodb_trx"
            " WHERE trx_rows_modified > 0 AND trx_mysql_thread_id <> connection_id()"
        )

    # Reading

    aggregate = "group_concat"
    kept_table = "AS"
    keeps_tables = False
    pages_ids_first = True

    def concat(self, parts: Sequence[str]) -> str:
        return parts[0] if len(parts) == 1 else f"concat_ws('', {', '.join(parts)})"

    def concat_or_null(self, *parts: str) -> str:
        return f"concat({', '.join(parts)})"

    def as_text(self, expression: str) -> str:
        return f"CAST({expression} AS CHAR)"

    def join_rows(self, expression: str) -> str:
        return f"group_concat({expression} SEPARATOR ',')"

    def join_ordered(self, rows: OrderedRows, alias: str) -> JoinedRows:
        # The rows of a sub-select have no order.
        if rows.limit is None and rows.start is None:
            return _in_order(rows, rows.order)
        limit = self.limit(rows.limit, rows.start)
        if self.is_mariadb:  # where a sub-select in FROM cannot depend on the row of the statement around it
            return _in_order(rows, rows.order, limit)
        keys, order = f", {rows.keys} AS sort_keys" if rows.keys else "", ", ".join(rows.order)
        tables = (
            f"(SELECT {rows.text} AS json{keys}, row_number() OVER (ORDER BY {order}) AS place"
            f" FROM {rows.tables} ORDER BY {order}{limit}) {alias}"
        )
        placed = OrderedRows(
            f"{alias}.json", tables, [f"{alias}.place"], keys=f"{alias}.sort_keys" if rows.keys else ""
        )
        return _in_order(placed, placed.order)

    def as_bytes(self, text: str) -> str:
        return f"CAST({text} AS BINARY)"

    def measured(self, joined: str, most: int) -> str:
        del most  # `group_concat_max_len` limits each list
        return joined

    def limit(self, limit: str | None, start: str | None) -> str:
        # Without LIMIT, the order of a sub-select is ignored.
        return f" LIMIT {limit or _NO_LIMIT}" + (f" OFFSET {start}" if start else "")

    def json_scalar(self, kind: ValueKind, column: str) -> str:
        match kind:
            case ValueKind.BOOLEAN:
                return f"CASE {column} WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END"
            case ValueKind.INTEGER | ValueKind.FLOAT | ValueKind.JSON:
                return f"coalesce({column}, 'null')"
            case ValueKind.DECIMAL:
                return f"coalesce({column} + 0e0, 'null')"  # without trailing zeros
            case ValueKind.BIG_INTEGER | ValueKind.DATE | ValueKind.TIME:
                return self.json_quoted(column)
            case ValueKind.DATETIME:
                return f"coalesce(concat({_ISO.format(column=column)}, 'Z\"'), 'null')"
            case ValueKind.TIMESTAMP:
                return self.json_quoted(self.milliseconds(column))
            case _:
                return f"coalesce(json_quote({column}), 'null' COLLATE utf8mb4_bin)"  # that of `json_quote`

    def json_quoted(self, text: str) -> str:
        return f"coalesce(concat('\"', {text}, '\"'), 'null')"

    def json_typed(self, kind: ValueKind, column: str) -> str:
        match kind:
            case ValueKind.BIG_INTEGER:
                return self.safe_integer(column, self.json_scalar(ValueKind.INTEGER, column))
            case ValueKind.TIMESTAMP:
                return self.json_scalar(ValueKind.DATETIME, column)
            case _:
                return self.json_scalar(kind, column)

    def collated(self, text: str) -> str:
        return f"CONVERT({text} USING utf8mb4) COLLATE utf8mb4_bin"

    def json_rows(self, columns: Sequence[str], rest: str) -> str:
        return f"(SELECT concat('[', group_concat(json_array({', '.join(columns)}) SEPARATOR ','), ']') {rest})"

    def json_object(self, members: Mapping[str, str]) -> str:
        parts: list[str] = []
        for key, text in members.items():
            parts += [
                self.literal(f"{',' if parts else '{'}{json.dumps(key, ensure_ascii=False)}:"),
                f"coalesce({text}, 'null')",
            ]
        return self.as_bytes(self.concat([*parts, "'}'"]))

    def text_of(self, kind: ValueKind, column: str) -> str:
        # MySQL compares JSON with no text. MariaDB has JSON as text with this collation.
        return column if kind is not ValueKind.JSON or self.is_mariadb else self.collated(column)

    def contains(self, text: str, part: str) -> str:
        return f"{text} LIKE concat('%', {_escaped(part)}, '%') ESCAPE '|'"

    def starts_with(self, text: str, part: str) -> str:
        return f"{text} LIKE concat({_escaped(part)}, '%') ESCAPE '|'"

    def ends_with(self, text: str, part: str) -> str:
        return f"{text} LIKE concat('%', {_escaped(part)}) ESCAPE '|'"

    def key(self, kind: ValueKind, number: int) -> str:
        cast = _KEYS.get(kind)
        return f"CAST({self.mark(number)} AS {cast})" if cast else self.mark(number)

    def key_json(self, values: Sequence[str]) -> str:
        *keys, entry_id = values
        return f"json_array({', '.join((*map(self.as_text, keys), entry_id))})"

    def comparable(self, kind: ValueKind, column: str, parameter: ParameterKind) -> str:
        return self.text_of(kind, column)

    def sorted(self, kind: ValueKind, column: str) -> str:
        return self.text_of(kind, column)

    # Writing

    empty_row = "() VALUES ()"
    nulls: Mapping[ValueKind, str] = {
        ValueKind.INTEGER: "NULL",
        ValueKind.STRING: "NULL",
        ValueKind.FLOAT: "NULL",
    }

    def on_conflict(self, *keys: str) -> str:
        del keys  # of any unique key
        return "ON DUPLICATE KEY UPDATE"

    def proposed(self, column: str) -> str:
        return f"VALUES({column})"

    def insert_missing(self, table: str, columns: str, select: str) -> str:
        # INSERT IGNORE would ignore missing targets of foreign keys, too.
        first = f"{table}.{columns.partition(', ')[0]}"
        return f"INSERT INTO {table} ({columns}) {select} ON DUPLICATE KEY UPDATE {first} = {first}"

    def rows(self, rows: Rows) -> str:
        first = ", ".join(f"{value} AS column{number}" for number, value in enumerate(rows[0], 1))
        others = (f" UNION ALL SELECT {', '.join(row)}" for row in rows[1:])
        return f"(SELECT {first}{''.join(others)}) n"

    def update_from(self, table: str, settings: str, rows: Rows, condition: str) -> str:
        return f"UPDATE {table} JOIN {self.rows(rows)} ON {condition} SET {settings}"

    def among(self, columns: Sequence[str], places: Rows) -> str:
        if len(columns) == 1:
            return f"{columns[0]} IN ({', '.join(place[0] for place in places)})"
        # An index is used for this, but not for rows in IN.
        pairs = (zip(columns, place, strict=True) for place in places)
        return f"({' OR '.join(' AND '.join(f'{one} = {value}' for one, value in pair) for pair in pairs)})"

    # Defining tables

    column_types = _COLUMN_TYPES
    id_column = "int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY"
    counter_column = "bigint NOT NULL AUTO_INCREMENT PRIMARY KEY"
    texts_by_collation = True
    table_options = _OWN_TABLES.format("utf8mb4_nopad_bin")
    inline_indexes = True
    booleans = ("0", "1")
    inline_keys = False
    limits_index_texts = True
    keys_hold_columns = True
    unique_constraints = False
    partial_indexes = False
    is_shared = True
    same_types = frozenset(
        {
            ("datetime(6)", "timestamp(6)"),
            ("timestamp(6)", "datetime(6)"),
            ("double", "double unsigned"),
        }
    )
    widenings = frozenset(
        {("varchar(255)", "longtext"), ("int", "bigint"), ("int", "double"), ("int unsigned", "double unsigned")}
    )
    type_families = (
        frozenset({"varchar", "char", "tinytext", "text", "mediumtext", "longtext"}),
        frozenset({"json"}),
        frozenset(
            f"{name}{sign}"
            for name in ("tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "float", "double")
            for sign in ("", " unsigned")
        ),
        frozenset({"date", "datetime", "timestamp"}),
        frozenset({"time"}),
    )

    def system_column(self, column: str) -> str:
        return _TEXT.sub("longtext", column).replace("varchar(1024)", "varchar(700)")  # of an index

    def default(self, value: Any) -> str:
        text = super().default(value)
        return f"({text})" if isinstance(value, str) else text  # long texts have only defaults that are expressions

    def change_type(self, table: str, column: Column, safe: bool) -> Statements:
        return self.copies.change_type(table, column, safe)

    def fit_index(self, index: Index, types: Mapping[str, str]) -> Index:
        texts = [name for name in index.columns if types.get(name) in _TEXT_TYPES]
        short = [name for name in texts if types[name] == "varchar(255)"]
        if len(short) < len(texts) or len(short) > _MOST_STRINGS:
            most = _LONGEST_KEY // len(texts)
            return replace(index, prefixes=tuple((name, most) for name in texts if name not in short or most < _STRING))
        return index

    def supports_index(self, index: Index, types: Mapping[str, str]) -> bool:
        return self.is_mariadb or all(types.get(name) != "json" for name in index.columns)

    def index_terms(self, index: Index) -> str:
        lengths = dict(index.prefixes)
        return ", ".join(
            self.quote(name) + (f"({lengths[name]})" if name in lengths else "") + " DESC" * (name in index.descending)
            for name in index.columns
        )

    def rename_index(self, table: str, index: str, name: str) -> str:
        return f"ALTER TABLE {self.quote(table)} RENAME INDEX {self.quote(index)} TO {self.quote(name)}"

    def drop_foreign_key(self, table: str, key: str) -> str:
        return f"ALTER TABLE {self.quote(table)} DROP FOREIGN KEY {self.quote(key)}"

    def drop_index(self, table: str, index: Index) -> Statements:
        return (f"ALTER TABLE {self.quote(table)} DROP INDEX {self.quote(index.name)}",)

    # Finding tables

    introspection = _introspection(_TYPE_ON_MARIADB, _CHECKS)


def _in_order(rows: OrderedRows, order: Sequence[str], page: str = "") -> JoinedRows:
    """Return the rows of tables, joined in an order."""
    by = f" ORDER BY {', '.join(map(_with_nulls, order))}" if order else ""
    text, keys = (f"group_concat({one}{by} SEPARATOR ','{page})" if one else "" for one in (rows.text, rows.keys))
    return JoinedRows(text, keys, rows.tables)


def _with_nulls(term: str) -> str:
    """Return a term of an order inside of `group_concat`, which takes NULL for 0 or an empty text."""
    if term.endswith(".id"):
        return term
    value = term.removesuffix(" DESC")
    return f"{value} IS NOT NULL{term[len(value) :]}, {term}"


def _escaped(part: str) -> str:
    """Return a text whose signs have no meaning in a LIKE pattern with the escape character `|`."""
    for sign in "|%_":
        part = f"replace({part}, '{sign}', '|{sign}')"
    return part


MYSQL: Final = MySQLDialect()
"""The dialect without a database."""
