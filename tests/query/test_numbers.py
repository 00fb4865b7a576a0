"""Numbers as JavaScript casts them."""

import math

import pytest

from octavo.query.numbers import MAX_SAFE_INTEGER, exact_number, id_number, js_number, read_entry_id
from octavo.schema.scalar_types import LARGEST_ID

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
def test_invalid_numbers(value: object) -> None:
    assert math.isnan(js_number(value))


@pytest.mark.parametrize("value", ["65", "065", 65])
def test_ids_of_digits(value: object) -> None:
    assert id_number(value, digits_only=True) == id_number(value) == 65


@pytest.mark.parametrize(
    "value", ["0x41", "6.5e1", "65.0", " 65", "+65", "65\n", "", 65.0, True, None, [65], "٦٥", "9" * 20]
)
def test_invalid_ids(value: object) -> None:
    assert math.isnan(id_number(value, digits_only=True))


ENTRY_IDS: list[tuple[object, int | None]] = [
    ("1", 1),
    ("1e1", 10),
    (3.0, 3),
    (str(LARGEST_ID), LARGEST_ID),
    (str(LARGEST_ID + 1), None),
    ("Infinity", None),
    *[(value, None) for value in ("0", "-1", "1.5", "abc", "")],
    (None, None),
    ([], None),
]


@pytest.mark.parametrize("value, expected", ENTRY_IDS)
def test_ids_of_entries(value: object, expected: int | None) -> None:
    assert read_entry_id(value) == expected


def test_ids_of_entries_as_digits_only() -> None:
    assert [read_entry_id(value, digits_only=True) for value in ("10", "1e1", "0xa")] == [10, None, None]


@pytest.mark.parametrize(
    "value, expected", [(2.0, "2"), (-2.0, "-2"), (2.5, "2.5"), (float(MAX_SAFE_INTEGER), "9007199254740991")]
)
def test_numbers_without_a_fraction_are_integers(value: float, expected: str) -> None:
    assert repr(exact_number(value)) == expected


def test_inexact_integers_stay_floats() -> None:
    assert [repr(exact_number(value)) for value in (2.0**53, 1e300)] == ["9007199254740992.0", "1e+300"]
