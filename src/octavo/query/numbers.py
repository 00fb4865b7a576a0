"""Numbers as clients of a JavaScript service write them."""

import math
import re
from typing import Final

from octavo.core.text_limits import may_be_number
from octavo.schema.scalar_types import LARGEST_ID

MAX_SAFE_INTEGER: Final = 2**53 - 1
"""The largest whole number up to which JavaScript's numbers are exact."""

_EXACT_DIGITS: Final = 15
"""JavaScript's numbers hold all whole ones of so many digits."""
_PREFIXED: Final = re.compile(r"\s*0[xob]", re.ASCII | re.IGNORECASE)
_DIGITS: Final = re.compile(r"[0-9]{1,19}", re.ASCII)


def js_number(value: object) -> float:
    """A value as JavaScript's `Number()` reads it; NaN when it is none, or too long to be one.

    >>> js_number("0x10"), js_number(" 5 "), js_number(""), js_number("1e1")
    (16.0, 5.0, 0.0, 10.0)
    """
    if isinstance(value, bool | int | float):
        return float(value)
    text = value.strip() if isinstance(value, str) and may_be_number(value) else "NaN"
    if not text:
        return 0.0
    if not text.isascii():
        return math.nan
    try:
        if text[:2].lower() in ("0x", "0b", "0o") and "_" not in text:
            return float(int(text, 0))
        word = text.lstrip("+-")
        if "_" in text or (word[:1].isalpha() and word != "Infinity"):
            return math.nan
        return float(text)
    except (ValueError, OverflowError):
        return math.nan


def exact_number(value: float) -> int | float:
    """A number without a fraction, as JavaScript writes it: whole, as long as that is exact.

    >>> exact_number(2.0), exact_number(2.5), exact_number(1e300)
    (2, 2.5, 1e+300)
    """
    return int(value) if value.is_integer() and abs(value) <= MAX_SAFE_INTEGER else value


def plain_id(value: object) -> int:
    """An id as administrators' pages write it: a whole number, or its digits; 0 for what can be none.

    >>> plain_id(5), plain_id("5"), plain_id("5.0"), plain_id(True), plain_id("1e1"), plain_id("9" * 30)
    (5, 5, 0, 0, 0, 0)
    """
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    number = int(text) if text.isascii() and text.isdecimal() and len(text) <= len(str(LARGEST_ID)) else 0
    return number if number <= LARGEST_ID else 0


def id_number(value: object, *, digits_only: bool = False) -> float:
    """Return the number that an id of a request means; NaN where it means none. `digits_only`: no other forms.

    Databases of the reference read it, so hexadecimal, octal and binary digits are none (observed.md, 1).

    >>> id_number("1e1"), id_number("1e1", digits_only=True), id_number("65", digits_only=True), id_number("0x41")
    (10.0, nan, 65.0, nan)
    """
    if isinstance(value, str) and _PREFIXED.match(value):
        return math.nan
    if digits_only and not (isinstance(value, str | int) and _DIGITS.fullmatch(str(value))):
        return math.nan
    return js_number(value)


def read_entry_id(value: object, *, digits_only: bool = False) -> int | None:
    """The id of an entry that a request means; None when no entry can have it.

    >>> read_entry_id("1e1"), read_entry_id("1e1", digits_only=True), read_entry_id("1.5"), read_entry_id(0)
    (10, None, None, None)
    """
    if isinstance(value, str) and len(value) <= _EXACT_DIGITS and value.isascii() and value.isdecimal():
        id_ = int(value)  # as nearly all are written, and the same either way
        return id_ if 0 < id_ <= LARGEST_ID else None
    number = id_number(value, digits_only=digits_only)
    return int(number) if 0 < number <= LARGEST_ID and number.is_integer() else None
