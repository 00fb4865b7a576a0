"""The SQL of each method of a dialect: a row for each call, with the text for each database."""

from typing import Any, Final

import pytest

from octavo.query.operators import Test as Operator
from octavo.query.plan.nodes import Parameter, ParameterKind
from octavo.query.sql.ddl.indexes import Index
from octavo.query.sql.ddl.tables import Column
from octavo.query.sql.dialects.base import BasicDialect, Dialect, JoinedRows, OrderedRows
from octavo.query.sql.dialects.postgresql import POSTGRESQL
from octavo.query.sql.dialects.sqlite import SQLITE
from octavo.schema.scalar_types import ValueKind
from tests.dialects import DIALECTS

FOLDED = r"""CASE WHEN length({p}) < 12000 THEN c LIKE '%' || replace(replace(replace({p}, '\', '\\'), '%', '\%'),
 '_', '\_') || '%' ESCAPE '\' ELSE instr(lower(c), lower({p})) > 0 END""".replace("\n", "")
TEXT = Parameter(0, ParameterKind.TEXT)
NEW = Column("c", "integer")
KEY = Index(name="i", columns=("c",))

CASES: Final[list[tuple[str, tuple[Any, ...], Any, Any]]] = [
    ("quote", ("order",), '"order"', '"order"'),
    ("quote", ('a"b',), '"a""b"', '"a""b"'),
    ("quote", ("größe",), '"größe"', '"größe"'),
    ("literal", ("it's",), "'it''s'", "'it''s'"),
    ("literal", ('{"a":',), "'{\"a\":'", "'{\"a\":'"),
    ("mark", (3,), "?3", "$3"),
    ("parameter", (TEXT,), "?1", "$1::text"),
    ("parameter", (Parameter(1, ParameterKind.JSON),), "?2", "$2::text::jsonb"),
    (
        "parameter",
        (Parameter(0, ParameterKind.INSTANT),),
        "?1",
        "(timestamp 'epoch' + $1::int8 / 1000 * interval '1 second' + $1::int8 % 1000 * interval '1 millisecond')",
    ),
    ("placeholder", (2, ValueKind.STRING), "?2", "$2::text"),
    ("placeholder", (2, ValueKind.DECIMAL), "?2", "$2::numeric"),
    ("bind", (ValueKind.BOOLEAN, True), 1, True),
    ("bind", (ValueKind.BIG_INTEGER, 2**63), 2.0**63, 2**63),
    ("bind", (ValueKind.DATETIME, -1), -1, "1969-12-31T23:59:59.999"),
    ("bind", (ValueKind.DATETIME, None), None, None),
    (
        "instant",
        ("?1",),
        "?1",
        "(timestamp 'epoch' + ?1::int8 / 1000 * interval '1 second' + ?1::int8 % 1000 * interval '1 millisecond')",
    ),
    (
        "stored_json",
        ("t.j",),
        "CASE WHEN typeof(t.j) = 'text' AND NOT json_valid(t.j) THEN json_quote(t.j) ELSE t.j END",
        "t.j",
    ),
    ("milliseconds", ("t.at",), "t.at", "(extract(epoch from t.at) * 1000)::int8"),
    ("concat", (["a"],), "a", "a"),
    ("concat", (["a", "b"],), "concat(a, b)", "concat(a, b)"),
    ("concat_or_null", ("a", "b"), "a || b", "a || b"),
    ("as_text", ("a",), "CAST(a AS text)", "CAST(a AS text)"),
    ("returning", ("a", "b"), "RETURNING a, b", "RETURNING a, b"),
    ("on_conflict", ("a", "b"), "ON CONFLICT (a, b) DO UPDATE SET", "ON CONFLICT (a, b) DO UPDATE SET"),
    ("proposed", ("a",), "excluded.a", "excluded.a"),
    *(
        (method, arguments, text, text)
        for method, arguments, text in (
            (
                "insert_missing",
                ("t", "a", "SELECT n.column1 FROM n"),
                "INSERT INTO t (a) SELECT n.column1 FROM n WHERE true ON CONFLICT DO NOTHING",
            ),
            ("rows", ([["1", "2"], ["3", "4"]],), "(VALUES (1, 2), (3, 4)) n"),
            ("row_column", (2,), "n.column2"),
            ("update_from", ("t", "a = b", [["1"]], "c"), "UPDATE t SET a = b FROM (VALUES (1)) n WHERE c"),
            ("among", (["a"], [["1"], ["2"]]), "a IN (1, 2)"),
            ("among", (["a", "b"], [["1", "2"]]), "(a, b) IN (VALUES (1, 2))"),
        )
    ),
    ("join_rows", ("t.j",), "group_concat(t.j, ',')", "string_agg(t.j, ',')"),
    (
        "join_ordered",
        (OrderedRows("j", "t", ("a", "b DESC"), "l", keys="k"), "r"),
        JoinedRows(
            "group_concat(r.json, ',')",
            "group_concat(r.keys, ',')",
            "(SELECT j AS json, k AS keys FROM t ORDER BY a, b DESC LIMIT l) r",
        ),
        JoinedRows(
            "string_agg(r.json, ',')",
            "string_agg(r.keys, ',')",
            "(SELECT j AS json, k AS keys FROM t ORDER BY a, b DESC LIMIT l) r",
        ),
    ),
    (
        "join_ordered",
        (OrderedRows("j", "(SELECT a FROM t ORDER BY a) s", ["a"], sorted=True), "r"),
        JoinedRows("group_concat(r.json, ',')", "", "(SELECT j AS json FROM (SELECT a FROM t ORDER BY a) s) r"),
        JoinedRows("string_agg(r.json, ',')", "", "(SELECT j AS json FROM (SELECT a FROM t ORDER BY a) s) r"),
    ),
    ("as_bytes", ("t.j",), "CAST(t.j AS BLOB)", "convert_to(t.j, 'UTF8')"),
    (
        "answer",
        ("j", ", n", "FROM t", 9),
        "SELECT CAST(j AS BLOB), n FROM t",
        "SELECT convert_to(CASE WHEN octet_length(a.json) > 9"
        " THEN ('octavo: too large ' || octet_length(a.json))::int8::text ELSE a.json END, 'UTF8'), n"
        " FROM (SELECT j AS json FROM t) a",
    ),
    (
        "measured",
        ("j", 9),
        "CASE WHEN octavo_measure(coalesce(octet_length(j), 0) + 16, 9) THEN j END",
        "CASE WHEN set_config('octavo.answer',"
        " (coalesce(nullif(current_setting('octavo.answer', true), ''), '0')::int8"
        " + coalesce(octet_length(j), 0) + 16)::text, true)::int8 > 9"
        " THEN ('octavo: too large ' || octet_length(j))::int8::text ELSE j END",
    ),
    ("limit", (None, None), "", ""),
    ("limit", (None, "s"), " LIMIT -1 OFFSET s", " OFFSET s"),
    ("limit", ("l", "s"), " LIMIT l OFFSET s", " LIMIT l OFFSET s"),
    (
        "join_each",
        ('"a"', "t2", "t1.id"),
        ' JOIN "a" t2 ON t2.id = t1.id',
        ' CROSS JOIN LATERAL (SELECT * FROM "a" r WHERE r.id = t1.id OFFSET 0) t2',
    ),
    (
        "json_or_null",
        ("t", "j"),
        "CASE WHEN t IS NULL THEN 'null' ELSE j END",
        "CASE WHEN t IS NULL THEN 'null' ELSE j END",
    ),
    (
        "json_quoted",
        ("t",),
        "CASE WHEN t IS NULL THEN 'null' ELSE concat('\"', t, '\"') END",
        "coalesce('\"' || t || '\"', 'null')",
    ),
    ("json_scalar", (ValueKind.STRING, "c"), "json_quote(c)", "coalesce(to_json(c)::text, 'null')"),
    (
        "json_scalar",
        (ValueKind.BOOLEAN, "c"),
        "CASE c WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END",
        "coalesce(c::text, 'null')",
    ),
    ("json_typed", (ValueKind.STRING, "c"), "json_quote(c)", "coalesce(to_json(c)::text, 'null')"),
    (
        "safe_integer",
        ("c", "n"),
        "CASE WHEN c NOT BETWEEN -9007199254740991 AND 9007199254740991 THEN json_quote(CAST(c AS TEXT)) ELSE n END",
        "CASE WHEN c NOT BETWEEN -9007199254740991 AND 9007199254740991"
        " THEN coalesce('\"' || c || '\"', 'null') ELSE n END",
    ),
    ("collated", ("a",), "a", "a"),
    (
        "json_rows",
        (("a", "b"), "FROM t"),
        "json((SELECT json_group_array(json_array(a, b)) FROM t))",
        "(SELECT json_agg(json_build_array(a, b)) FROM t)",
    ),
    (
        "json_object",
        ({"it's": "v", "k": "w"},),
        "CAST(json_object('it''s', v, 'k', w) AS BLOB)",
        "json_build_object('it''s', v, 'k', w)",
    ),
    ("text_of", (ValueKind.STRING, "c"), "c", "c"),
    ("text_of", (ValueKind.INTEGER, "c"), "c", "c::text"),
    ("folded", ("c",), "lower(c)", "lower(c)"),
    ("contains", ("c", "p"), "instr(c, p) > 0", "position(p in c) > 0"),
    ("contains_folded", ("c", "p"), FOLDED.format(p="p"), "position(lower(p) in lower(c)) > 0"),
    (
        "contains_indexed",
        ("c", "p"),
        FOLDED.format(p="p"),
        r"lower(c) LIKE '%' || replace(replace(replace(lower(p), '\', '\\'), '%', '\%'), '_', '\_') || '%'",
    ),
    ("key", (ValueKind.DATETIME, 3), "?3", "$3::text::timestamp"),
    ("key_json", (("c", "id"),), "json_array(c, id)", "json_build_array(c::text, id)::text"),
    ("starts_with", ("c", "p"), "substr(c, 1, length(p)) = p", "starts_with(c, p)"),
    ("ends_with", ("c", "p"), "substr(c, length(c) - length(p) + 1) = p", "right(c, length(p)) = p"),
    ("comparable", (ValueKind.DECIMAL, "c", ParameterKind.NUMBER), "c", "c::float8"),
    ("comparable", (ValueKind.INTEGER, "c", ParameterKind.INTEGER), "c", "c"),
    ("sorted", (ValueKind.JSON, "c"), "c", "c"),
    ("test", (Operator.EQUAL, ValueKind.STRING, "c", (TEXT,), False), "c = ?1", "c = $1::text"),
    (
        "test",
        (Operator.EQUAL, ValueKind.STRING, "c", (TEXT,), True),
        "lower(c) = lower(?1)",
        "lower(c) = lower($1::text)",
    ),
    (
        "test",
        (Operator.CONTAINS, ValueKind.INTEGER, "c", (TEXT,), False),
        FOLDED.format(p="?1"),
        "position($1::text in c::text) > 0",
    ),
    ("contradicts", ("integer", "character varying(255)"), False, True),
    ("contradicts", ("no type of ours", "integer"), False, False),
    ("default", (True,), "1", "true"),
    ("default", (1.5,), "1.5", "1.5"),
    ("default", ("it's",), "'it''s'", "'it''s'"),
    (
        "change_type",
        ("t", NEW, True),
        (
            'ALTER TABLE "t" RENAME COLUMN "c" TO "octavo_old_c"',
            'ALTER TABLE "t" ADD COLUMN "c" integer',
            'UPDATE "t" SET "c" = CAST("octavo_old_c" AS integer)',
            'ALTER TABLE "t" DROP COLUMN "octavo_old_c"',
        ),
        ('ALTER TABLE "t" ALTER COLUMN "c" DROP DEFAULT, ALTER COLUMN "c" TYPE integer USING "c"::text::integer',),
    ),
    (
        "index_terms",
        (Index(name="i", columns=("c", "d"), descending=frozenset({"d"})),),
        '"c", "d" DESC',
        '"c", "d" DESC',
    ),
    (
        "drop_index",
        ("t", Index(name="i", columns=("c",))),
        ('DROP INDEX IF EXISTS "i"',),
        ('ALTER TABLE "t" DROP CONSTRAINT IF EXISTS "i"', 'DROP INDEX IF EXISTS "i"'),
    ),
    ("drop_foreign_key", ("t", "k"), 'ALTER TABLE "t" DROP CONSTRAINT "k"', 'ALTER TABLE "t" DROP CONSTRAINT "k"'),
    ("fit_index", (KEY, {"c": "text"}), KEY, KEY),
    ("supports_index", (KEY, {"c": "jsonb"}), True, True),
    ("system_column", ("c text NOT NULL",), "c text NOT NULL", "c text NOT NULL"),
    ("rename_index", ("t", "i", "j"), None, 'ALTER INDEX "i" RENAME TO "j"'),
    ("rename_foreign_key", ("t", "k", "l"), None, 'ALTER TABLE "t" RENAME CONSTRAINT "k" TO "l"'),
    *(
        (method, arguments, text, text)
        for method, arguments, text in (
            ("rename_table", ("t", "u"), 'ALTER TABLE "t" RENAME TO "u"'),
            ("rename_column", ("t", "c", "d"), 'ALTER TABLE "t" RENAME COLUMN "c" TO "d"'),
        )
    ),
    (
        "continue_ids",
        (["t"],),
        None,
        "SELECT t.name, setval(t.sequence, t.top) FROM (SELECT 't' AS name,"
        " pg_get_serial_sequence('\"t\"', 'id')::regclass AS sequence, (SELECT max(id) FROM \"t\") AS top) t"
        " WHERE t.top > coalesce(pg_sequence_last_value(t.sequence), 0) ORDER BY t.name",
    ),
    (
        "table_writers",
        ("t",),
        None,
        "SELECT virtualtransaction FROM pg_locks WHERE locktype = 'relation' AND mode = 'RowExclusiveLock'"
        " AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        " AND relation = to_regclass('t')",
    ),
]


@pytest.mark.parametrize("method, arguments, on_sqlite, on_postgresql", CASES)
def test_sql_of_each_method(method: str, arguments: tuple[Any, ...], on_sqlite: Any, on_postgresql: Any) -> None:
    said = [getattr(dialect, method)(*arguments) for dialect in (SQLITE, POSTGRESQL)]
    assert said == [on_sqlite, on_postgresql]
    assert [type(one) for one in said] == [type(on_sqlite), type(on_postgresql)]


def test_every_method_has_a_row() -> None:
    members = {**vars(BasicDialect), **vars(Dialect)}
    methods = {name for name, found in members.items() if callable(found) and not name.startswith("_")}
    assert {method for method, *_ in CASES} == methods


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda dialect: dialect.name)
def test_every_dialect_knows_every_type_of_column(dialect: Dialect) -> None:
    assert dialect.column_types.keys() == SQLITE.column_types.keys()
    assert dialect.default(False) == dialect.booleans[0]


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda dialect: dialect.name)
def test_dialects_compare_by_identity(dialect: Dialect) -> None:
    """Texts are cached by dialect: each dialect is one object, compared by identity."""
    assert hash(dialect) == object.__hash__(dialect)
    assert [other for other in DIALECTS.values() if other == dialect] == [dialect]
