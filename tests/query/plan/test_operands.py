"""Operands from callers to typed values: accepted values, values that match nothing, and errors."""

import math

import pytest

from octavo.core.errors import ValidationError
from octavo.query.ast import Value
from octavo.query.dates import DATE_MESSAGE, DAY_MESSAGE, INSTANT_MESSAGE, TIME_MESSAGE
from octavo.query.plan.nodes import ParameterKind
from octavo.query.plan.operands import Incomparable, read_operand
from octavo.schema.scalar_types import ValueKind

Kind, Is = ValueKind, ParameterKind
PATH = ("filters", "a", "$eq")
DAY = 86_400_000

READ: list[tuple[ValueKind, Value, ParameterKind, object]] = [
    (Kind.STRING, "x", Is.TEXT, "x"),
    (Kind.STRING, 5, Is.TEXT, "5"),
    (Kind.STRING, True, Is.TEXT, "true"),
    (Kind.STRING, None, Is.TEXT, "null"),
    (Kind.TEXT, "\N{GRINNING FACE}'\"", Is.TEXT, "\N{GRINNING FACE}'\""),
    (Kind.JSON, "x", Is.JSON, '"x"'),
    (Kind.JSON, 'a"b', Is.JSON, '"a\\"b"'),
    (Kind.JSON, 5, Is.JSON, "5"),
    (Kind.INTEGER, "5", Is.INTEGER, 5),
    (Kind.INTEGER, " 5 ", Is.INTEGER, 5),
    (Kind.INTEGER, "1e1", Is.INTEGER, 10),
    (Kind.INTEGER, "0x10", Is.INTEGER, 16),
    (Kind.INTEGER, "", Is.INTEGER, 0),
    (Kind.INTEGER, "1.5", Is.NUMBER, 1.5),
    (Kind.INTEGER, "Infinity", Is.NUMBER, math.inf),
    (Kind.FLOAT, "-1e999", Is.NUMBER, -math.inf),
    (Kind.FLOAT, "0.1", Is.NUMBER, 0.1),
    (Kind.INTEGER, "-99999999999999999999", Is.NUMBER, -1e20),
    (Kind.DECIMAL, "1e300", Is.NUMBER, 1e300),
    (Kind.FLOAT, "9007199254740993", Is.INTEGER, 9007199254740993),
    (Kind.DECIMAL, "12.30", Is.NUMBER, 12.3),
    (Kind.DECIMAL, 12, Is.INTEGER, 12),
    (Kind.BIG_INTEGER, "9223372036854775807", Is.INTEGER, 2**63 - 1),
    (Kind.BIG_INTEGER, "-5", Is.INTEGER, -5),
    (Kind.BIG_INTEGER, "1.5", Is.NUMBER, 1.5),
    (Kind.BIG_INTEGER, "9223372036854775808", Is.NUMBER, 2.0**63),
    (Kind.BIG_INTEGER, "1e300", Is.NUMBER, 1e300),
    *((Kind.BOOLEAN, word, Is.BOOLEAN, False) for word in ("false", "f", "0", "", False)),
    *((Kind.BOOLEAN, word, Is.BOOLEAN, True) for word in ("true", "t", "1", "no", "FALSE", True)),
    (Kind.DATE, "2020-02-29", Is.DATE, "2020-02-29"),
    (Kind.DATE, "2020-02-29T23:00:00Z", Is.DATE, "2020-02-29"),
    (Kind.DATE, "2020-02-29x", Is.DATE, "2020-02-29"),
    (Kind.DATE, "0001-01-01", Is.DATE, "0001-01-01"),
    (Kind.TIME, "10:30:00", Is.TIME, "10:30:00.000"),
    (Kind.TIME, "10:30:00.5", Is.TIME, "10:30:00.500"),
    (Kind.TIME, "23:59:59.999", Is.TIME, "23:59:59.999"),
    (Kind.DATETIME, "1970-01-02", Is.INSTANT, DAY),
    (Kind.TIMESTAMP, "1970-01-02T00:00:00.001Z", Is.INSTANT, DAY + 1),
]


@pytest.mark.parametrize("kind, value, parameter, typed", READ)
def test_operands(kind: ValueKind, value: Value, parameter: ParameterKind, typed: object) -> None:
    assert read_operand(kind, value, PATH) == (parameter, typed)


NOTHING: list[tuple[ValueKind, Value]] = [
    (Kind.STRING, "a\0b"),
    (Kind.JSON, "a\0b"),
    (Kind.BIG_INTEGER, "abc"),
    (Kind.BIG_INTEGER, "0x10"),
    (Kind.BIG_INTEGER, "-Infinity"),
    (Kind.BIG_INTEGER, ""),
    (Kind.BIG_INTEGER, None),
]


@pytest.mark.parametrize("kind, value", NOTHING)
def test_operands_that_equal_nothing(kind: ValueKind, value: Value) -> None:
    with pytest.raises(Incomparable):
        read_operand(kind, value, PATH)


REFUSED: list[tuple[ValueKind, Value, str]] = [
    *((kind, "abc", "Invalid value: expected a number at filters.a.$eq") for kind in (Kind.INTEGER, Kind.FLOAT)),
    (Kind.DECIMAL, "1,5", "Invalid value: expected a number at filters.a.$eq"),
    *((Kind.DATE, text, DATE_MESSAGE) for text in ("", "x", "2020-13-01", "2020-01-32", "20200101", "01.02.2020")),
    *((Kind.DATE, text, DAY_MESSAGE) for text in ("2021-02-29", "2020-02-30T10:00:00Z", "0000-01-01")),
    (Kind.DATE, "2020-1-1", DATE_MESSAGE),
    *((Kind.DATE, text, DATE_MESSAGE) for text in ("1600000000000", "99999999999999999999")),
    *(
        (Kind.TIME, text, TIME_MESSAGE)
        for text in ("", "10:30", "24:00:00", "10:60:00", "10:30:60", "10:30:00.1234", "x")
    ),
    *((Kind.DATETIME, text, INSTANT_MESSAGE) for text in ("", "x", "2020-13-01", "2020-01-01T25:00:00Z", "2021-02-29")),
    (Kind.TIMESTAMP, "8640000000000001", INSTANT_MESSAGE),
    (Kind.DATETIME, "9" * 40, INSTANT_MESSAGE),
    (Kind.DATETIME, "٢٠٢٠-01-01", INSTANT_MESSAGE),
]


@pytest.mark.parametrize("kind, value, message", REFUSED)
def test_operands_refused(kind: ValueKind, value: Value, message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        read_operand(kind, value, PATH)
    assert refused.value.message == message


INSTANTS: list[tuple[str, int]] = [
    ("1970", 0),
    ("1970-02", 31 * DAY),
    ("1970-01-02", DAY),
    ("1970-01-02T01", DAY + 3_600_000),
    ("1970-01-02T01:01", DAY + 3_660_000),
    ("1970-01-02 01:01:01", DAY + 3_661_000),
    ("1970-01-02T01:01:01Z", DAY + 3_661_000),
    ("1970-01-02T01:01:01.5Z", DAY + 3_661_500),
    ("1970-01-02T01:01:01,123456789Z", DAY + 3_661_123),
    ("1970-01-02T01:01:01+01:00", DAY + 61_000),
    ("1970-01-02T01:01:01-0130", DAY + 9_061_000),
    ("1970-01-02T01:01:01+01", DAY + 61_000),
    ("1969-12-31T23:59:59.999Z", -1),
    ("1969-12-31T23:59:59.5Z", -500),
    ("2150-01-01T00:00:00.007Z", 5680281600007),
    ("0001-01-01", -62135596800000),
    ("9999-12-31T23:59:59.999Z", 253402300799999),
    ("0000-01-01", -62167219200000),
    ("+012020-W01-1", 317147184000000),
    ("-000001-12-31T24:00", -62167219200000),
    ("8640000000000000", 8640000000000000),
    ("-8640000000000000", -210000000000000),
    ("1600000000000", 1600000000000),
    ("-1", -1),
    ("12345", 12345),
]


@pytest.mark.parametrize("text, milliseconds", INSTANTS)
def test_instants(text: str, milliseconds: int) -> None:
    assert read_operand(Kind.DATETIME, text, PATH) == (Is.INSTANT, milliseconds)
