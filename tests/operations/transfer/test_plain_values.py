"""Values that a target cannot store."""

import pytest

from octavo.operations.transfer.entries.json_values import to_json
from octavo.operations.transfer.rows.plain_values import obstacle, plain
from octavo.query.sql.dialects.column_limits import MARIADB, MYSQL, PORTABLE, ColumnLimits
from octavo.schema.scalar_types import ValueKind


@pytest.mark.parametrize("number, fits", [("99999999.994", True), ("99999999.996", False), ("-99999999.996", False)])
def test_decimals_are_compared_as_they_are_rounded(number: str, fits: bool) -> None:
    found = obstacle(ValueKind.DECIMAL, number, MARIADB, rounded=True)
    assert found == (None if fits else "is not less than 100000000")


PAIR = "contains half of a surrogate pair"
LARGE = "contains a number that is too large"
PLACES = "contains a number with more than 16383 decimal places"
EXPONENT = "contains a number with a too large exponent"


@pytest.mark.parametrize(
    "text, postgresql, mysql, mariadb",
    [
        (r'"\ud83d\ude00 \\ud83d"', None, None, None),
        (r'{"\ud83d": 1}', PAIR, PAIR, PAIR),
        (r'["\uDE00\uD83D"]', PAIR, PAIR, PAIR),
        (r'"\\ud83d\ude00"', PAIR, PAIR, PAIR),
        (r'"\\\u0000"', *["contains a NUL character"] * 3),
        ("[1.7976931348623158e308]", None, None, None),
        ("[1.8E+308, 1]", None, LARGE, None),
        ("1" * 400, None, LARGE, None),
        ("9.9e131071", None, LARGE, None),
        ("-1e131072", LARGE, LARGE, None),
        ("1e-16383", None, None, None),
        ("1.5e-16383", PLACES, None, None),
        ("0." + "0" * 17_000, PLACES, None, None),
        ("1e99999999999999999999", EXPONENT, EXPONENT, None),
        ('"1e999999"', None, None, None),
    ],
)
def test_json_that_only_some_databases_store(
    text: str, postgresql: str | None, mysql: str | None, mariadb: str | None
) -> None:
    found = [obstacle(ValueKind.JSON, text, limits) for limits in (PORTABLE, MYSQL, MARIADB, ColumnLimits())]
    assert found == [postgresql, mysql, mariadb, None]


@pytest.mark.parametrize("stored, problem", [(9e999, "is not a finite number"), (b"{", "is not JSON")])
def test_values_of_other_types_that_are_not_json(stored: float | bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        plain(ValueKind.JSON, stored)


def test_json_that_archives_cannot_contain() -> None:
    with pytest.raises(ValueError, match="cannot be stored in an archive"):
        to_json(ValueKind.JSON, "[1e400]")
