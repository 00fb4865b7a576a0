"""Python source text: expressions with precedence, names, literals."""

import builtins
import keyword
import re
from collections.abc import Iterable
from enum import IntEnum
from typing import Final

from octavo.core.values import dataclass
from octavo.project.naming import action_name

_LONGEST_LINE: Final = 120
_CAPITAL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WRITTEN: Final = frozenset(
    (
        "app",
        "request",
        "context",
        "event",
        "config",
        "self",
        "re",
        "os",
        "math",
        "random",
        "datetime",
        "UTC",
        "dumps",
        "loads",
        "quote",
        "reduce",
        "uuid4",
        "answer",
        "Response",
    )
)
"""Names that drafts use themselves."""


class Binds(IntEnum):
    """Operator precedence, lowest first."""

    CHOICE = 0
    OR = 1
    AND = 2
    NOT = 3
    COMPARE = 4
    ADD = 5
    MULTIPLY = 6
    SIGN = 7
    AWAIT = 8
    WHOLE = 9


@dataclass(frozen=True, slots=True)
class Py:
    """A Python expression. `kind` is its type, as far as it is known ("entries", "text", "ctx", ...)."""

    text: str
    binds: Binds = Binds.WHOLE
    kind: str = ""

    def within(self, binds: Binds) -> str:
        """Return the text, in parentheses if the surrounding operator has a higher precedence."""
        return self.text if self.binds >= binds else f"({self.text})"

    @property
    def whole(self) -> str:
        """The text for use with a suffix: `.name`, `[key]`, a call."""
        return self.within(Binds.WHOLE)


def python_name(name: str) -> str:
    """Return a name in Python's style: `couponsCount` as `coupons_count`; keywords and built-ins get a trailing `_`."""
    plain = re.sub(r"\W", "_", _CAPITAL.sub("_", name.replace("$", "")).lower()) or "value"
    if plain[0].isdigit():
        plain = f"_{plain}"
    is_taken = keyword.iskeyword(plain) or keyword.issoftkeyword(plain) or hasattr(builtins, plain)
    return f"{plain}_" if (is_taken and plain not in ("id", "type")) or plain in _WRITTEN else plain


def text_literal(text: str) -> str:
    """Return a Python string literal in double quotes."""
    escaped = "".join(_escaped(char) for char in text)
    return f'"{escaped}"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    return char if char.isprintable() else {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char, _code(char))


def _code(char: str) -> str:
    point = ord(char)
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def f_string(parts: Iterable[str | Py]) -> Py:
    """Join texts and expressions to one string."""
    listed = list(parts)
    if all(isinstance(part, str) for part in listed):
        return Py(text_literal("".join(map(str, listed))), kind="text")
    values = [part.text for part in listed if isinstance(part, Py)]
    if any("\\" in value or "\n" in value or ('"' in value and "'" in value) for value in values):
        pattern = "".join(_brace(part) if isinstance(part, str) else "{}" for part in listed)
        return Py(bracketed(f'"{pattern}".format(', values, ")"), kind="text")
    written = "".join(
        _brace(part) if isinstance(part, str) else f"{{{_spaced(part.text)}}}".replace('"', "'") for part in listed
    )
    return Py(f'f"{written}"', kind="text")


def _brace(text: str) -> str:
    return text_literal(text)[1:-1].replace("{", "{{").replace("}", "}}")


def _spaced(text: str) -> str:
    """Return an expression for an f-string: a leading brace needs a space, or it would be an escaped brace."""
    return f" {text}" if text.startswith("{") else text


def method_of(name: str) -> str:
    """Return the method name for an action or a service function: in Python's style if that maps back to the name."""
    plain = python_name(name)
    return plain if action_name(plain) == name or not name.isidentifier() else name


def bracketed(start: str, parts: Iterable[str], end: str) -> str:
    """Return a list, a dictionary or a call: on one line if it is short, otherwise one line for each part."""
    listed = list(parts)
    line = f"{start}{', '.join(listed)}{end}"
    if len(line) <= _LONGEST_LINE - 20 and "\n" not in line:
        return line
    return "\n".join([start, *(indented(f"{part},") for part in listed), end])


def indented(text: str, levels: int = 1) -> str:
    """Indent every line of a text."""
    return "\n".join("    " * levels + line if line else line for line in text.split("\n"))


def comment(text: str) -> list[str]:
    """Return a text as comment lines."""
    return [f"# {line}".rstrip() for line in text.splitlines()]
