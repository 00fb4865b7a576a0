"""Format values and positions in validation messages in the same way as yup."""

import json
import math
from collections.abc import Iterator
from typing import Any, Final

from octavo.core.errors import Problem
from octavo.core.values import dataclass

_MOST_PRINTED: Final = 1000
_DEEPEST_PRINTED: Final = 10
"""Maximum number of items and levels of a container in a message: indentation makes them much longer."""


class Missing:
    """The type of MISSING: no value was given, which is different from null."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()


def print_number(number: float) -> str:
    """Format a number in the same way as JavaScript.

    >>> print_number(5.0), print_number(1e21), print_number(0.5), print_number(1e-7)
    ('5', '1e+21', '0.5', '1e-7')
    """
    if isinstance(number, int) and abs(number) < 10**21:
        return str(number)
    number = float(number)
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number.is_integer() and abs(number) < 1e21:
        return str(int(number))
    mantissa, _, exponent = repr(number).partition("e")
    if not exponent:
        return mantissa
    power = int(exponent)
    if -7 < power < 0:
        return f"{number:.{-power + len(mantissa.replace('-', '').replace('.', '')) - 1}f}"
    return f"{mantissa.removesuffix('.0')}e{'+' if power > 0 else '-'}{abs(power)}"


def print_value(value: Any) -> str:
    """Format a value in a message: texts quoted, containers as indented JSON of formatted texts.

    >>> print_value("a"), print_value(None), print_value([])
    ('"a"', 'null', '[]')
    """
    if isinstance(value, dict | list):
        return json.dumps(_printed(value, iter(range(_MOST_PRINTED))), indent=2, ensure_ascii=False)
    return _print_leaf(value)


def _printed(value: Any, left: Iterator[int], depth: int = 0) -> Any:
    """Format a nested value, up to the remaining number of items."""
    if isinstance(value, dict | list) and depth == _DEEPEST_PRINTED:
        return "..."
    if isinstance(value, dict):
        return {key: _printed(item, left, depth + 1) for _, (key, item) in zip(left, value.items(), strict=False)}
    if isinstance(value, list):
        return [_printed(item, left, depth + 1) for _, item in zip(left, value, strict=False)]
    return _print_leaf(value)


def _print_leaf(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    return print_number(value)


def type_message(label: str, wanted: str, value: Any, given: Any = MISSING) -> str:
    """Return the message for a value of the wrong type. `given` is the value before casting, if it was cast."""
    cast = "" if given is MISSING else f" (cast from the value `{print_value(given)}`)"
    return f"{label} must be a `{wanted}` type, but the final value was: `{print_value(value)}`{cast}."


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a value: `permissions[0].action`, or as a path `("permissions", "0", "action")`."""

    label: str = ""
    path: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The position in messages; the body itself is `this`."""
        return self.label or "this"

    def member(self, name: str) -> "Place":
        """Return the position of an object's member."""
        plain = f"{self.label}.{name}" if self.label else name
        label = f'{self.label}["{name}"]' if "." in name else plain
        return Place(label, (*self.path, name))

    def item(self, index: int) -> "Place":
        """Return the position of a list's item."""
        return Place(f"{self.label}[{index}]", (*self.path, str(index)))

    def problem(self, message: str) -> Problem:
        """Return a problem at this position."""
        return Problem(self.path, message)


ROOT: Final = Place()
