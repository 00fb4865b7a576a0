"""Format values as JavaScript does, for error messages that quote input."""

import json
import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from itertools import islice
from typing import Any, Final

from octavo.query.numbers import MAX_SAFE_INTEGER

_MOST_ITEMS: Final = 10
_MOST_MEMBERS: Final = 100
_MOST_LETTERS: Final = 2000
_DEEPEST: Final = 2
_TYPES: Final[dict[type, str]] = {bool: "boolean", int: "number", float: "number", str: "string"}


def json_text(value: Any) -> str:
    """Return `JSON.stringify(value)`."""
    match value:
        case list():
            return f"[{','.join(json_text(item) for item in value)}]"
        case Mapping():
            return "{" + ",".join(f"{json_text(name)}:{json_text(item)}" for name, item in value.items()) + "}"
        case str():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return _scalar(value, quoted=True)


def number_text(value: float | int) -> str:
    """Format a number without unneeded digits: `1` for 1.0, `1e+30`, `1e-7`."""
    if isinstance(value, int):
        return str(value) if abs(value) <= MAX_SAFE_INTEGER else number_text(float(value))
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if value.is_integer() and abs(value) < 1e21:
        return f"{Decimal(repr(value)):f}".partition(".")[0].replace("-0", "0")
    mantissa, exponent, power = repr(value).partition("e")
    return f"{mantissa}e{int(power):+d}" if exponent else mantissa


def plain_text(value: Any) -> str:
    """Return `String(value)`, for messages that do not quote the value."""
    if isinstance(value, list):
        return ",".join("" if item is None else plain_text(item) for item in value)
    return "[object Object]" if isinstance(value, Mapping) else _scalar(value, quoted=False)


def type_of(value: Any) -> str:
    """Return `typeof value`."""
    return _TYPES.get(type(value), "object")


def inspect(value: Any, depth: int = 0) -> str:
    """Format a value for an error message. Long lists and deep values are shortened.

    >>> inspect({"a": [1.0, None, {"b": {}}]}), inspect(list(range(12)))
    ('{ a: [1, null, [Object]] }', '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ... 2 more items]')
    """
    if isinstance(value, list):
        return _nested(value, depth, "[]", "[Array]", _items)
    if isinstance(value, Mapping):
        return _nested(value, depth, "{}", "[Object]", _members)
    return _scalar(value, quoted=True)


def _scalar(value: Any, *, quoted: bool) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return number_text(value)
        case str() if not quoted:
            return value
        case str():
            return json_text(value if len(value) <= _MOST_LETTERS else f"{value[:_MOST_LETTERS]}...")
        case _:
            return "[object Object]"


def _nested(value: Any, depth: int, empty: str, short: str, write: Callable[[Any, int], str]) -> str:
    if not value:
        return empty
    return short if depth >= _DEEPEST else write(value, depth + 1)


def _items(value: list[Any], depth: int) -> str:
    shown = [inspect(item, depth) for item in value[:_MOST_ITEMS]]
    more = len(value) - _MOST_ITEMS
    if more > 0:
        shown.append(f"... {more} more item{'s' if more > 1 else ''}")
    return f"[{', '.join(shown)}]"


def _members(value: Mapping[str, Any], depth: int) -> str:
    shown = [f"{name}: {inspect(item, depth)}" for name, item in islice(value.items(), _MOST_MEMBERS)]
    more = len(value) - _MOST_MEMBERS
    return "{ " + ", ".join([*shown, *([f"... {more} more"] if more > 0 else ())]) + " }"
