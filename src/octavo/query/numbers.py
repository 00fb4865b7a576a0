"""Numbers as clients of a JavaScript service write them."""

import math


def js_number(value: object) -> float:
    """A value as JavaScript's `Number()` reads it; NaN when it is none.

    >>> js_number("0x10"), js_number(" 5 "), js_number(""), js_number("1e1")
    (16.0, 5.0, 0.0, 10.0)
    """
    if isinstance(value, bool | int | float):
        return float(value)
    text = value.strip() if isinstance(value, str) else "NaN"
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
