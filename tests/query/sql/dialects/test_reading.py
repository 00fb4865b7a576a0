"""Values as JSON, valid and exact for any stored value, and comparisons of plain texts, on each database."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from octavo.query import operators as op
from octavo.query.plan.nodes import Parameter, ParameterKind
from octavo.query.sql.dialects.mysql import MYSQL
from octavo.schema.scalar_types import ValueKind
from tests.dialects import DIALECTS
from tests.models.site import Site

pytestmark = pytest.mark.anyio
Kind = ValueKind

# How a value given as text is stored. SQLite stores it unchanged.
STORED = {
    Kind.STRING: "{}::text::varchar(255)",
    Kind.TEXT: "{}::text",
    Kind.INTEGER: "{}::text::integer",
    Kind.BIG_INTEGER: "{}::text::bigint",
    Kind.FLOAT: "{}::text::double precision",
    Kind.DECIMAL: "{}::text::numeric(10,2)",
    Kind.BOOLEAN: "{}::text::boolean",
    Kind.DATE: "{}::text::date",
    Kind.TIME: "{}::text::time",
    Kind.DATETIME: "(timestamp 'epoch' + {}::text::int8 * interval '1 millisecond')::timestamp(6)",
    Kind.TIMESTAMP: "(timestamp 'epoch' + {}::text::int8 * interval '1 millisecond')::timestamp(6)",
    Kind.JSON: "{}::text::jsonb",
}


IN_MYSQL = {
    Kind.STRING: "CAST(?1 AS CHAR)",
    Kind.TEXT: "CAST(?1 AS CHAR)",
    Kind.INTEGER: "CAST(?1 AS SIGNED)",
    Kind.BIG_INTEGER: "CAST(?1 AS SIGNED)",
    Kind.FLOAT: "CAST(?1 AS DOUBLE)",
    Kind.DECIMAL: "CAST(?1 AS DECIMAL(10, 2))",
    Kind.BOOLEAN: "?1",
    Kind.DATE: "CAST(?1 AS DATE)",
    Kind.TIME: "CAST(?1 AS TIME(3))",
    Kind.DATETIME: MYSQL.instant("?1"),
    Kind.TIMESTAMP: MYSQL.instant("?1"),
    Kind.JSON: "CAST(?1 AS CHAR)",
}


async def shown(site: Site, kind: ValueKind, value: object) -> Any:
    """Return the JSON value for a stored value."""
    place = "?1"
    if site.database.dialect.name == "postgresql":
        place = STORED[kind].format("$1")
        value = value if value is None else str(value)
    elif site.database.dialect.name == "mysql":
        place = IN_MYSQL[kind]
    return await shown_sql(site, kind, place, value)


async def shown_sql(site: Site, kind: ValueKind, stored: str, *values: object) -> Any:
    dialect = site.database.dialect
    text = f"SELECT {dialect.as_bytes(dialect.json_scalar(kind, 't.v'))} FROM (SELECT {stored} AS v) t"
    written = await site.database.fetch_json(text, values)
    assert isinstance(written, bytes)
    return json.loads(written, parse_constant=refuse)


def refuse(word: str) -> None:
    raise AssertionError(f"{word} is no JSON")


def instant(milliseconds: int) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


TEXTS = [
    "",
    "".join(map(chr, range(1, 32))),
    "\x7f\x80\x9f",
    "\"quotes\" 'single' \\ back\\\\slash / slash",
    "\\u0041 \\n is not a line",
    "\u2028\u2029\ufeff\ufffd\uffff",
    "\N{GRINNING FACE}\N{FAMILY}e\u0301\u202e",
    "100% _ %s {} $1 ?1 :x",
    "</script><!--",
    "null",
    "x" * 100_000,
]

SHOWN: list[tuple[ValueKind, object, object]] = [
    *(
        (kind, text, text)
        for kind in (Kind.STRING, Kind.TEXT)
        for text in TEXTS
        if kind is Kind.TEXT or len(text) < 255
    ),
    *((Kind.INTEGER, number, number) for number in (0, -1, 2**31 - 1, -(2**31))),
    *((Kind.BIG_INTEGER, number, str(number)) for number in (0, -1, 2**53 + 1, 2**63 - 1, -(2**63))),
    *((Kind.FLOAT, number, number) for number in (0.1, -2.5, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, 2.0**53)),
    (Kind.FLOAT, 3.0, 3),
    (Kind.FLOAT, -0.0, 0),
    *((Kind.DECIMAL, number, number) for number in (0.1, 12.3, -0.01, 99999999.99, 7)),
    (Kind.DATE, "1969-12-31", "1969-12-31"),
    (Kind.DATE, "2150-01-01", "2150-01-01"),
    (Kind.DATE, "0001-01-01", "0001-01-01"),
    (Kind.TIME, "23:59:59.999", "23:59:59.999"),
    (Kind.TIME, "00:00:00.001", "00:00:00.001"),
    *((Kind.DATETIME, at, instant(at)) for at in (0, 1, -1, 999, -62135596800000, 253402300799999, 4102444800123)),
    *((Kind.TIMESTAMP, at, str(at)) for at in (0, -1, 1600000000001, -62135596800000)),
    (Kind.JSON, "null", None),
    (Kind.JSON, "true", True),
    (Kind.JSON, "0", 0),
    (Kind.JSON, "-1.5e3", -1500),
    (Kind.JSON, '"text"', "text"),
    (Kind.JSON, '""', ""),
    (Kind.JSON, "[]", []),
    (
        Kind.JSON,
        ' { "a" : [ 1 , { "b\\n" : null } ] , "\\u00e9" : "\\ud83d\\ude00" } ',
        {"a": [1, {"b\n": None}], "é": "😀"},
    ),
    *((kind, None, None) for kind in ValueKind),
]


@pytest.mark.parametrize("kind, value, expected", SHOWN)
async def test_json_of_a_value(bookshop: Site, kind: ValueKind, value: object, expected: object) -> None:
    found = await shown(bookshop, kind, value)
    assert found == expected
    assert isinstance(found, bool) == isinstance(expected, bool)
    if kind in (Kind.FLOAT, Kind.DECIMAL) and isinstance(expected, int):
        assert isinstance(found, int), "a number that is whole has no point, as in JavaScript"


@pytest.mark.parametrize("stored, expected", [(True, True), (False, False)])
async def test_json_of_a_boolean(bookshop: Site, stored: bool, expected: bool) -> None:
    assert await shown(bookshop, Kind.BOOLEAN, stored) is expected


SQLITE_ODD = [
    (Kind.FLOAT, "9e999", None),
    (Kind.FLOAT, "-9e999", None),
    (Kind.FLOAT, "'text'", "text"),
    (Kind.DECIMAL, "9e999", None),
    (Kind.BIG_INTEGER, "'a\"b'", 'a"b'),
    (Kind.TIMESTAMP, "'a\"b'", 'a"b'),
    (Kind.DATETIME, "253402300800000", None),
    (Kind.BOOLEAN, "'true'", None),
    (Kind.JSON, "'text without quotes'", "text without quotes"),
    (Kind.JSON, "'007'", "007"),
    (Kind.JSON, "'{a: 1}'", "{a: 1}"),
    (Kind.JSON, "'[1, 2,]'", "[1, 2,]"),
    (Kind.JSON, "''", ""),
    (Kind.JSON, "12", 12),
    (Kind.JSON, "1.5", 1.5),
    (Kind.TEXT, "'a' || char(0) || 'b'", "a\0b"),
    (Kind.TEXT, "12", 12),
]


@pytest.mark.parametrize("kind, stored, expected", SQLITE_ODD)
async def test_sqlite_shows_valid_json_whatever_is_stored(
    sqlite_bookshop: Site, kind: ValueKind, stored: str, expected: object
) -> None:
    assert await shown_sql(sqlite_bookshop, kind, stored) == expected


POSTGRESQL_ODD = [
    (Kind.FLOAT, "'Infinity'::float8", None),
    (Kind.FLOAT, "'-Infinity'::float8", None),
    (Kind.FLOAT, "'NaN'::float8", None),
    (Kind.DECIMAL, "'NaN'::numeric(10,2)", None),
    (Kind.DECIMAL, "123456789012345678901234567890.5::numeric", 123456789012345678901234567890.5),
    (Kind.DATETIME, "timestamp(6) '2020-01-01 00:00:00.123999'", "2020-01-01T00:00:00.123Z"),
    (Kind.DATETIME, "timestamp(6) '1900-01-01 00:00:00.123999'", "1900-01-01T00:00:00.123Z"),
    (Kind.TIME, "time '10:00:00'", "10:00:00"),
    (Kind.TIME, "time '10:00:00.500'", "10:00:00.5"),
]


@pytest.mark.parametrize("kind, stored, expected", POSTGRESQL_ODD)
async def test_postgresql_shows_valid_json_whatever_is_stored(
    postgresql_bookshop: Site, kind: ValueKind, stored: str, expected: object
) -> None:
    assert await shown_sql(postgresql_bookshop, kind, stored) == expected


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(0.1 + 0.2)
async def test_doubles_are_read_exactly(bookshop: Site, number: float) -> None:
    assert await shown(bookshop, Kind.FLOAT, number) == number


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
async def test_texts_are_read_exactly(bookshop: Site, text: str) -> None:
    assert await shown(bookshop, Kind.TEXT, text) == text


@given(st.integers(-62135596800000, 253402300799999))
async def test_timestamps_are_read_exactly(bookshop: Site, milliseconds: int) -> None:
    assert await shown(bookshop, Kind.DATETIME, milliseconds) == instant(milliseconds)
    assert await shown(bookshop, Kind.TIMESTAMP, milliseconds) == str(milliseconds)


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('ab"\\é', max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(JSON_VALUES)
async def test_json_values_are_read_exactly(bookshop: Site, value: Any) -> None:
    assert await shown(bookshop, Kind.JSON, json.dumps(value)) == value


# Comparisons of texts: whether a text matches an operand, case-sensitive or not.
COMPARED: list[tuple[op.Test, str, str, bool, bool]] = [
    (op.Test.CONTAINS, "100% pure", "0% p", False, True),
    (op.Test.CONTAINS, "100 pure", "0% p", False, False),
    (op.Test.CONTAINS, "a_b", "a_b", False, True),
    (op.Test.CONTAINS, "axb", "a_b", False, False),
    (op.Test.CONTAINS, "a\\b", "\\", False, True),
    (op.Test.CONTAINS, "a[b]*?c", "[b]*?", False, True),
    (op.Test.CONTAINS, "über", "übe", False, True),
    (op.Test.CONTAINS, "x", "", False, True),
    (op.Test.CONTAINS, "Title", "TITLE", True, True),
    (op.Test.STARTS_WITH, "%x", "%", False, True),
    (op.Test.STARTS_WITH, "xx", "%", False, False),
    (op.Test.STARTS_WITH, "üb", "ü", False, True),
    (op.Test.STARTS_WITH, "x", "", False, True),
    (op.Test.STARTS_WITH, "x", "xy", False, False),
    (op.Test.STARTS_WITH, "Title", "tI", True, True),
    (op.Test.ENDS_WITH, "x_", "_", False, True),
    (op.Test.ENDS_WITH, "xx", "_", False, False),
    (op.Test.ENDS_WITH, "x😀", "😀", False, True),
    (op.Test.ENDS_WITH, "x", "", False, True),
    (op.Test.ENDS_WITH, "y", "xy", False, False),
    (op.Test.ENDS_WITH, "Title", "TLE", True, True),
    (op.Test.EQUAL, "a", "A", False, False),
    (op.Test.EQUAL, "a", "A", True, True),
    (op.Test.LESS, "a", "b", False, True),
]


@pytest.mark.parametrize("test, text, operand, fold, expected", COMPARED)
async def test_texts_are_compared_without_wildcards(
    bookshop: Site, test: op.Test, text: str, operand: str, fold: bool, expected: bool
) -> None:
    dialect = bookshop.database.dialect
    condition = dialect.test(test, Kind.TEXT, "t.v", (Parameter(0, ParameterKind.TEXT),), fold)
    stored = dialect.parameter(Parameter(1, ParameterKind.TEXT))
    found = await bookshop.database.fetch_value(f"SELECT {condition} FROM (SELECT {stored} AS v) t", (operand, text))
    assert bool(found) is expected


@pytest.mark.parametrize("name", ["sqlite", "postgresql"])
@pytest.mark.parametrize("count", [1, 2, 90, 91, 100, 8_101])
def test_no_call_takes_more_arguments_than_databases_allow(name: str, count: int) -> None:
    text = DIALECTS[name].concat([f"c{number}" for number in range(count)])
    deepest = max((call.count(",") + 1 for call in text.replace("concat(", "\n").splitlines()), default=1)
    assert deepest <= 100
    assert text.count("c") - 2 * text.count("concat(") == count


@pytest.mark.parametrize(
    "name, limit, start, expected",
    [
        ("sqlite", None, None, ""),
        ("sqlite", "?1", None, " LIMIT ?1"),
        ("sqlite", "?1", "?2", " LIMIT ?1 OFFSET ?2"),
        ("sqlite", None, "?1", " LIMIT -1 OFFSET ?1"),
        ("postgresql", None, None, ""),
        ("postgresql", "$1", "$2", " LIMIT $1 OFFSET $2"),
        ("postgresql", None, "$1", " OFFSET $1"),
        ("mysql", None, None, " LIMIT 18446744073709551615"),
        ("mysql", "?1", "?2", " LIMIT ?1 OFFSET ?2"),
        ("mysql", None, "?1", " LIMIT 18446744073709551615 OFFSET ?1"),
    ],
)
def test_the_clause_that_cuts_a_page(name: str, limit: str | None, start: str | None, expected: str) -> None:
    assert DIALECTS[name].limit(limit, start) == expected


@pytest.mark.parametrize(
    "text, part, expected",
    [
        (None, "", None),
        ("", "", True),
        ("abc", "", True),
        ("abc", "bc", True),
        ("abc", "ab", False),
        ("c", "bc", False),
    ],
)
async def test_ends_with_on_empty_and_missing_texts(
    bookshop: Site, text: str | None, part: str, expected: bool | None
) -> None:
    dialect = bookshop.database.dialect
    columns = [dialect.parameter(Parameter(number, ParameterKind.TEXT)) for number in (0, 1)]
    found = await bookshop.database.fetch_value(f"SELECT {dialect.ends_with(*columns)}", (text, part))
    assert (None if found is None else bool(found)) is expected
