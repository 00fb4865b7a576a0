"""The SQL of each method of the MySQL dialect, for the calls of `test_texts` in the same order."""

from typing import Any, Final

import pytest

from octavo.query.plan.nodes import Parameter, ParameterKind
from octavo.query.sql.ddl.indexes import Index
from octavo.query.sql.dialects.base import JoinedRows, OrderedRows
from octavo.query.sql.dialects.mysql import MYSQL, MySQLDialect
from octavo.schema.scalar_types import ValueKind
from tests.query.sql.dialects.test_texts import CASES, KEY

SAID: Final[list[tuple[str, Any]]] = [
    ("quote", "`order`"),
    ("quote", '`a"b`'),
    ("quote", "`größe`"),
    ("literal", "'it''s'"),
    ("literal", "'{\"a\":'"),
    ("mark", "?3"),
    ("parameter", "?1"),
    ("parameter", "?2"),
    (
        "parameter",
        "(TIMESTAMP'1970-01-01 00:00:00' + INTERVAL least(greatest(?1, -62135596800000), 253402300799999)"
        " * 1000 MICROSECOND)",
    ),
    ("placeholder", "?2"),
    ("placeholder", "?2"),
    ("bind", 1),
    ("bind", 9223372036854775808),
    ("bind", "1969-12-31 23:59:59.999"),
    ("bind", None),
    ("instant", "(TIMESTAMP'1970-01-01 00:00:00' + INTERVAL ?1 * 1000 MICROSECOND)"),
    ("stored_json", "t.j"),
    ("milliseconds", "CAST(floor(timestampdiff(MICROSECOND, '1970-01-01 00:00:00', t.at) / 1000) AS SIGNED)"),
    ("concat", "a"),
    ("concat", "concat_ws('', a, b)"),
    ("concat_or_null", "concat(a, b)"),
    ("as_text", "CAST(a AS CHAR)"),
    ("returning", "RETURNING a, b"),
    ("on_conflict", "ON DUPLICATE KEY UPDATE"),
    ("proposed", "VALUES(a)"),
    ("insert_missing", "INSERT INTO t (a) SELECT n.column1 FROM n ON DUPLICATE KEY UPDATE t.a = t.a"),
    ("rows", "(SELECT 1 AS column1, 2 AS column2 UNION ALL SELECT 3, 4) n"),
    ("row_column", "n.column2"),
    ("update_from", "UPDATE t JOIN (SELECT 1 AS column1) n ON c SET a = b"),
    ("among", "a IN (1, 2)"),
    ("among", "(a = 1 AND b = 2)"),
    ("join_rows", "group_concat(t.j SEPARATOR ',')"),
    (
        "join_ordered",
        JoinedRows(
            text="group_concat(j ORDER BY a IS NOT NULL, a, b IS NOT NULL DESC, b DESC SEPARATOR ',' LIMIT l)",
            keys="group_concat(k ORDER BY a IS NOT NULL, a, b IS NOT NULL DESC, b DESC SEPARATOR ',' LIMIT l)",
            tables="t",
        ),
    ),
    (
        "join_ordered",
        JoinedRows(
            text="group_concat(j ORDER BY a IS NOT NULL, a SEPARATOR ',')",
            keys="",
            tables="(SELECT a FROM t ORDER BY a) s",
        ),
    ),
    ("as_bytes", "CAST(t.j AS BINARY)"),
    ("answer", "SELECT CAST(j AS BINARY), n FROM t"),
    ("measured", "j"),
    ("limit", " LIMIT 18446744073709551615"),
    ("limit", " LIMIT 18446744073709551615 OFFSET s"),
    ("limit", " LIMIT l OFFSET s"),
    ("join_each", ' JOIN "a" t2 ON t2.id = t1.id'),
    ("json_or_null", "CASE WHEN t IS NULL THEN 'null' ELSE j END"),
    ("json_quoted", "coalesce(concat('\"', t, '\"'), 'null')"),
    ("json_scalar", "coalesce(json_quote(c), 'null' COLLATE utf8mb4_bin)"),
    ("json_scalar", "CASE c WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END"),
    ("json_typed", "coalesce(json_quote(c), 'null' COLLATE utf8mb4_bin)"),
    (
        "safe_integer",
        "CASE WHEN c NOT BETWEEN -9007199254740991 AND 9007199254740991 THEN coalesce(concat('\"', c,"
        " '\"'), 'null') ELSE n END",
    ),
    ("collated", "CONVERT(a USING utf8mb4) COLLATE utf8mb4_bin"),
    ("json_rows", "(SELECT concat('[', group_concat(json_array(a, b) SEPARATOR ','), ']') FROM t)"),
    (
        "json_object",
        "CAST(concat_ws('', '{\"it''s\":', coalesce(v, 'null'), ',\"k\":', coalesce(w, 'null'), '}') AS BINARY)",
    ),
    ("text_of", "c"),
    ("text_of", "c"),
    ("folded", "lower(c)"),
    ("contains", "c LIKE concat('%', replace(replace(replace(p, '|', '||'), '%', '|%'), '_', '|_'), '%') ESCAPE '|'"),
    (
        "contains_folded",
        "lower(c) LIKE concat('%', replace(replace(replace(lower(p), '|', '||'), '%', '|%'), '_', '|_'),"
        " '%') ESCAPE '|'",
    ),
    (
        "contains_indexed",
        "lower(c) LIKE concat('%', replace(replace(replace(lower(p), '|', '||'), '%', '|%'), '_', '|_'),"
        " '%') ESCAPE '|'",
    ),
    ("key", "?3"),
    ("key_json", "json_array(CAST(c AS CHAR), id)"),
    ("starts_with", "c LIKE concat(replace(replace(replace(p, '|', '||'), '%', '|%'), '_', '|_'), '%') ESCAPE '|'"),
    ("ends_with", "c LIKE concat('%', replace(replace(replace(p, '|', '||'), '%', '|%'), '_', '|_')) ESCAPE '|'"),
    ("comparable", "c"),
    ("comparable", "c"),
    ("sorted", "c"),
    ("test", "c = ?1"),
    ("test", "lower(c) = lower(?1)"),
    ("test", "c LIKE concat('%', replace(replace(replace(?1, '|', '||'), '%', '|%'), '_', '|_'), '%') ESCAPE '|'"),
    ("contradicts", False),
    ("contradicts", False),
    ("default", "1"),
    ("default", "1.5"),
    ("default", "('it''s')"),
    ("change_type", ("ALTER TABLE `t` MODIFY COLUMN `c` integer",)),
    ("index_terms", "`c`, `d` DESC"),
    ("drop_index", ("ALTER TABLE `t` DROP INDEX `i`",)),
    ("drop_foreign_key", "ALTER TABLE `t` DROP FOREIGN KEY `k`"),
    ("fit_index", KEY),
    ("supports_index", True),
    ("system_column", "c longtext NOT NULL"),
    ("rename_index", "ALTER TABLE `t` RENAME INDEX `i` TO `j`"),
    ("rename_foreign_key", None),
    ("rename_table", "ALTER TABLE `t` RENAME TO `u`"),
    ("rename_column", "ALTER TABLE `t` RENAME COLUMN `c` TO `d`"),
    ("continue_ids", None),
    (
        "table_writers",
        "SELECT concat(trx_mysql_thread_id, ' ', trx_started) FROM information_schema.innodb_trx WHERE"
        " trx_rows_modified > 0 AND trx_mysql_thread_id <> connection_id()",
    ),
]


@pytest.mark.parametrize(
    "number, said", list(enumerate(SAID)), ids=lambda value: value[0] if isinstance(value, tuple) else ""
)
def test_sql_of_each_method(number: int, said: tuple[str, Any]) -> None:
    method, arguments, *_ = CASES[number]
    assert (method, getattr(MYSQL, method)(*arguments)) == said


def test_every_call_has_a_row() -> None:
    assert len(SAID) == len(CASES)


def test_mysql_numbers_the_rows_of_a_page() -> None:
    """MySQL has no LIMIT in `group_concat`, but a derived table can refer to the enclosing statement."""
    dialect = MySQLDialect()
    dialect.adapt("8.0.36", 2**26)
    assert dialect.join_ordered(OrderedRows("j", "t", ("a", "b DESC"), "l", keys="k"), "r") == JoinedRows(
        "group_concat(r.json ORDER BY r.place IS NOT NULL, r.place SEPARATOR ',')",
        "group_concat(r.sort_keys ORDER BY r.place IS NOT NULL, r.place SEPARATOR ',')",
        "(SELECT j AS json, k AS sort_keys, row_number() OVER (ORDER BY a, b DESC) AS place FROM t ORDER BY a, b"
        " DESC LIMIT l) r",
    )
    dialect.adapt("10.11.6-MariaDB", 2**24)
    assert dialect.join_ordered(OrderedRows("j", "t", ["a.id"], "l"), "r") == MYSQL.join_ordered(
        OrderedRows("j", "t", ["a.id"], "l"), "r"
    )


def test_json_is_compared_and_sorted_as_text() -> None:
    """MariaDB stores it as text. In MySQL no text would equal it."""
    dialect, text = MySQLDialect(), "CONVERT(c USING utf8mb4) COLLATE utf8mb4_bin"
    dialect.adapt("9.7.4", 2**24)
    assert dialect.comparable(ValueKind.JSON, "c", ParameterKind.TEXT) == dialect.sorted(ValueKind.JSON, "c") == text
    assert not dialect.supports_index(Index(name="i", columns=("c",)), {"c": "json"})


def test_timestamps_are_compared_as_timestamps() -> None:
    parameter = Parameter(0, ParameterKind.INSTANT)
    assert MYSQL.parameter(parameter) == MYSQL.instant("least(greatest(?1, -62135596800000), 253402300799999)")


STRINGS = dict.fromkeys("abc", "varchar(255)")


@pytest.mark.parametrize(
    "columns, types, terms",
    [
        (("a",), {"a": "longtext"}, "`a`(750)"),
        (("a", "b"), STRINGS, "`a`, `b`"),
        (("a", "b", "c", "id"), STRINGS | {"id": "int unsigned"}, "`a`(250), `b`(250), `c`(250), `id`"),
        (("a", "b"), STRINGS | {"b": "json"}, "`a`, `b`(375)"),
    ],
)
def test_an_index_fits_its_limit_of_bytes(columns: tuple[str, ...], types: dict[str, str], terms: str) -> None:
    assert MYSQL.index_terms(MYSQL.fit_index(Index(name="i", columns=columns), types)) == terms
