"""The limits of a database's column types."""

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
    year_zero: bool = True
    """Whether the first year of dates is 0, not 1."""


PORTABLE: Final = ColumnLimits(
    longest_string=255,
    largest_integer=2**31 - 1,
    most_decimal=10**8,  # numeric(10, 2)
    decimal_places=2,
    other_types=False,
    nul_in_json=False,
    year_zero=False,
)
"""Values within these limits fit every database: the limits of PostgreSQL."""
