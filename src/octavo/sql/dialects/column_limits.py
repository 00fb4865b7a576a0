"""What columns of a database hold."""

from octavo.values import dataclass


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
