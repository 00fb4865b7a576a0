"""The limits of a database's column types."""

from dataclasses import replace
from decimal import Decimal
from typing import Final

from octavo.core.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnLimits:
    """The values that columns can hold. None: no limit."""

    longest_string: int | None = None
    """Characters of a string."""
    largest_integer: int | None = None
    """Integers range from `-largest_integer - 1` to this."""
    most_decimal: int | None = None
    """The absolute value of decimals is smaller than this."""
    decimal_places: int | None = None
    """Decimal places that are stored."""
    other_types: bool = True
    """Whether a column accepts values of types other than its own."""
    nul_in_json: bool = True
    """Whether texts inside JSON can contain NUL characters."""
    half_pairs_in_json: bool = True
    """Whether texts inside JSON can contain half of a surrogate pair."""
    most_json_number: Decimal | None = None
    """The absolute value of numbers inside JSON is smaller than this."""
    json_places: int | None = None
    """Decimal places of numbers inside JSON."""
    year_zero: bool = True
    """Whether the first year of dates is 0, not 1."""
    datetimes: tuple[int, int] | None = None
    timestamps: tuple[int, int] | None = None
    """The first and the last instant of the attribute types `datetime` and `timestamp`, in milliseconds since 1970."""
    infinite_numbers: bool = True
    """Whether floating-point numbers can be infinite."""
    json_levels: int | None = None
    """Levels of arrays and objects in JSON."""


FIRST_INSTANT: Final = -62_135_596_800_000  # the year 1
LAST_INSTANT: Final = 253_402_300_799_999  # the end of the year 9999

PORTABLE: Final = ColumnLimits(
    longest_string=255,
    largest_integer=2**31 - 1,
    most_decimal=10**8,  # numeric(10, 2)
    decimal_places=2,
    other_types=False,
    nul_in_json=False,
    half_pairs_in_json=False,
    most_json_number=Decimal("1e131072"),  # numeric
    json_places=16383,
    year_zero=False,
    datetimes=(FIRST_INSTANT, LAST_INSTANT),
    timestamps=(FIRST_INSTANT, LAST_INSTANT),
)
"""The limits of PostgreSQL, which the bodies of requests follow on every database."""

MARIADB: Final = replace(
    PORTABLE,
    timestamps=(1_000, 2_147_483_647_999),  # timestamp(6) from the second second of 1970 to January 2038
    infinite_numbers=False,
    json_levels=31,
    most_json_number=None,
    json_places=None,
)
MYSQL: Final = replace(MARIADB, json_levels=100, most_json_number=Decimal(2**1024 - 2**970))  # rounded to a double
