"""Statements for MySQL's text protocol: values are written into the text.

The text protocol needs no prepared statements, whose number a server limits for all its clients, and whose result types
the driver remembers when tables change. The settings of each connection make the literals exact: UTF-8, and backslash
escapes (`mysql_connection.SETTINGS`).
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from math import isinf
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.database.connection import UnsuitableValue, Values

_TOKEN: Final = re.compile(
    r"""'(?:[^'\\]|\\.|'')*' | "(?:[^"\\]|\\.|"")*" | `(?:[^`]|``)*` | /\*.*?\*/ | --\s[^\n]* | \#[^\n]* | \?(\d+)""",
    re.DOTALL | re.VERBOSE,
)
_READ: Final = re.compile(r"\s*(?:SELECT|WITH|\(|EXPLAIN)\b", re.IGNORECASE)
_LARGEST: Final = "1.7976931348623157e308"
"""Stands for infinity, which MySQL does not know: no stored number is larger."""
_LARGEST_REMEMBERED: Final = 64 * 1024
_MOST_DIGITS: Final = 10**65
"""Numbers with more digits than DECIMAL has are not accepted."""


@dataclass(frozen=True, slots=True)
class Template:
    """A statement: its text around the placeholders, and the numbers of these, from 0. `reads`: it is a SELECT."""

    texts: tuple[str, ...]
    numbers: tuple[int, ...]
    reads: bool

    def fill(self, values: Values) -> bytes:
        """Return the statement with the values. Raises UnsuitableValue, and UnicodeEncodeError for half a surrogate
        pair."""
        if not self.numbers:
            return self.texts[0].encode()
        literals = [literal(value, finite=not self.reads) for value in values]
        parts = [self.texts[0]]
        for text, number in zip(self.texts[1:], self.numbers, strict=True):
            parts += (literals[number], text)
        return "".join(parts).encode()


def _cut(text: str) -> Template:
    """Return the template of a text with placeholders `?1`, `?2` ..., which quoted texts and comments do not have."""
    texts, numbers, end = list[str](), list[int](), 0
    for token in _TOKEN.finditer(text):
        if token[1] is not None:
            texts.append(text[end : token.start()])
            numbers.append(int(token[1]) - 1)
            end = token.end()
    return Template((*texts, text[end:]), tuple(numbers), _READ.match(text) is not None)


_remembered: Final = lru_cache(maxsize=2048)(_cut)


def template(text: str) -> Template:
    """Return the template of a statement."""
    return _remembered(text) if len(text) <= _LARGEST_REMEMBERED else _cut(text)


def fill(text: str, values: Values) -> bytes:
    """Return a statement with its values."""
    return template(text).fill(values)


def text_literal(text: str) -> str:
    """Return a text as a literal."""
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def _float_literal(value: float) -> str:
    """Return a literal of type DOUBLE: without an exponent it would be DECIMAL."""
    if isinf(value):
        return _LARGEST if value > 0 else f"-{_LARGEST}"
    text = repr(value)
    return text if "e" in text else f"{text}e0"


def _int_literal(value: int) -> str:
    if not -_MOST_DIGITS < value < _MOST_DIGITS:
        raise UnsuitableValue("the number has too many digits")
    return str(value)


_LITERALS: Final[Mapping[type, Callable[[Any], str]]] = {
    type(None): lambda value: "NULL",
    bool: lambda value: "TRUE" if value else "FALSE",
    int: _int_literal,
    float: _float_literal,
    str: text_literal,
}


def literal(value: Any, *, finite: bool = True) -> str:
    """Return a value as a literal. Raises UnsuitableValue, also for infinity if it has to be `finite`."""
    if finite and value.__class__ is float and isinf(value):
        raise UnsuitableValue("MySQL cannot store infinity")
    make = _LITERALS.get(value.__class__)
    if make is None:
        make = next((make for kind, make in _LITERALS.items() if isinstance(value, kind)), None)
        if make is None:
            raise UnsuitableValue(f"a value of type {type(value).__name__}")
    return make(value)
