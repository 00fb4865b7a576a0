"""What columns of a database hold."""

from typing import Final

from octavo.core.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnLimits:
    """What columns hold of what an attribute may be. None: no limit of the database's."""

    longest_string: int | None = None
    """Characters of a string."""
    largest_integer: int | None = None
    """Integers lie from `-largest_integer - 1` to it."""
    most_decimal: int | None = None
    """Decimals are smaller than this, with and without their sign."""
    decimal_places: int | None = None
    """Digits behind the point that a decimal keeps."""
    other_types: bool = True
    """Whether a column stores values of other types than its own."""
    nul_in_json: bool = True
    """Whether texts inside JSON may hold NUL characters."""
    year_zero: bool = True
    """Whether dates begin with the year 0, not 1."""


PORTABLE: Final = ColumnLimits(
    longest_string=255,
    largest_integer=2**31 - 1,
    most_decimal=10**8,  # numeric(10, 2)
    decimal_places=2,
    other_types=False,
    nul_in_json=False,
    year_zero=False,
)
"""What every database holds: the limits of PostgreSQL."""
