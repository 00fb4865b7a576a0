"""Numbers as JavaScript casts them."""

import math

import pytest

from octavo.query.numbers import js_number

CASTS: list[tuple[object, float]] = [
    ("", 0),
    (" 5 ", 5),
    ("\t\n", 0),
    ("01", 1),
    ("1e1", 10),
    ("1.5", 1.5),
    (".5", 0.5),
    ("5.", 5),
    ("+5", 5),
    ("-5", -5),
    ("0x10", 16),
    ("0b11", 3),
    ("0o17", 15),
    ("Infinity", math.inf),
    ("-Infinity", -math.inf),
    ("1e999", math.inf),
    (True, 1),
    (False, 0),
    (7, 7),
    (2.5, 2.5),
]
NO_NUMBERS: list[object] = [
    *("abc", "1abc", "1 2", "1,5", "1_000", "0x", "0x1_0", "--1", "+-1", "nan", "NaN", "inf", "infinity", "٣", "-0x10"),
    *(None, [], {}, "0xzz"),
]


@pytest.mark.parametrize("value, expected", CASTS)
def test_numbers(value: object, expected: float) -> None:
    assert js_number(value) == expected


@pytest.mark.parametrize("value", NO_NUMBERS)
def test_what_is_no_number(value: object) -> None:
    assert math.isnan(js_number(value))
