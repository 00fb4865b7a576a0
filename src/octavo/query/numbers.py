"""Parse and format numbers in the same way as JavaScript."""

import math
import re
from typing import Final

from octavo.core.text_limits import may_be_number
from octavo.schema.scalar_types import LARGEST_ID

MAX_SAFE_INTEGER: Final = 2**53 - 1
"""The largest integer that JavaScript's numbers represent exactly."""

_EXACT_DIGITS: Final = 15
"""JavaScript's numbers represent every integer of up to this many digits."""
_PREFIXED: Final = re.compile(r"\s*0[xob]", re.ASCII | re.IGNORECASE)
_DIGITS: Final = re.compile(r"[0-9]{1,19}", re.ASCII)


def js_number(value: object) -> float:
    """Return a value as JavaScript's `Number()` converts it: NaN if it is not a number or is too long.

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
    """Return a number without a fraction as an int, as long as that is exact.

    >>> exact_number(2.0), exact_number(2.5), exact_number(1e300)
    (2, 2.5, 1e+300)
    """
    return int(value) if value.is_integer() and abs(value) <= MAX_SAFE_INTEGER else value


def page_count(total: int, size: int) -> int:
    """Return the number of pages for this many entries; 0 if a page has none.

    >>> page_count(10, 5), page_count(11, 5), page_count(0, 5), page_count(0, 0)
    (2, 3, 0, 0)
    """
    return -(-total // size) if size else 0


def plain_id(value: object) -> int:
    """Return an id sent by the admin panel, an integer or its digits, or 0 if it cannot be an id.

    >>> plain_id(5), plain_id("5"), plain_id("5.0"), plain_id(True), plain_id("1e1"), plain_id("9" * 30)
    (5, 5, 0, 0, 0, 0)
    """
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    number = int(text) if text.isascii() and text.isdecimal() and len(text) <= len(str(LARGEST_ID)) else 0
    return number if number <= LARGEST_ID else 0


def id_number(value: object, *, digits_only: bool = False) -> float:
    """Return the number of an id in a request, or NaN if it is not one. `digits_only`: accept no other formats.

    The databases of Strapi v4 parse the id, so hexadecimal, octal and binary digits are invalid (observed.md, 1).

    >>> id_number("1e1"), id_number("1e1", digits_only=True), id_number("65", digits_only=True), id_number("0x41")
    (10.0, nan, 65.0, nan)
    """
    if isinstance(value, str) and _PREFIXED.match(value):
        return math.nan
    if digits_only and not (isinstance(value, str | int) and _DIGITS.fullmatch(str(value))):
        return math.nan
    return js_number(value)


def read_entry_id(value: object, *, digits_only: bool = False) -> int | None:
    """Return the entry id of a request, or None if no entry can have it.

    >>> read_entry_id("1e1"), read_entry_id("1e1", digits_only=True), read_entry_id("1.5"), read_entry_id(0)
    (10, None, None, None)
    """
    if isinstance(value, str) and len(value) <= _EXACT_DIGITS and value.isascii() and value.isdecimal():
        id_ = int(value)  # fast path for the usual format; the result is the same
        return id_ if 0 < id_ <= LARGEST_ID else None
    number = id_number(value, digits_only=digits_only)
    return int(number) if 0 < number <= LARGEST_ID and number.is_integer() else None


_REACHES: Final = (100, 1000, 10_000)


def reach_of(end: float) -> int | None:
    """Return a round number at or after a page's end. There are few, because each needs a separate statement."""
    return next((reach for reach in _REACHES if end <= reach), None)
