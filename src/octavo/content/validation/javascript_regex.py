"""Translate JavaScript regular expressions, without flags, for RE2 and for the `regex` library.

Strapi compiles a `regex` with `new RegExp(pattern)` (ECMAScript 2023, section 22.2, with annex B), which works on
UTF-16: a character above U+FFFF is two code units. So patterns and texts represent such characters as two code points
of a private plane (`utf16`).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import field
from enum import Enum
from typing import Final

from octavo.core.values import dataclass

_CAPTURES: Final = re.compile(r"\((?!\?)|\(\?<[^=!]")
_LOOKS: Final = re.compile(r"\(\?(<?)([=!])")


@dataclass
class _Group:
    """A group, or the whole pattern. `number` is 0 for a group that does not capture; `bars` are its `|`."""

    parent: "_Group | None"
    start: int
    backward: bool = False
    negative: bool = False
    number: int = 0
    end: int = 0
    bars: list[int] = field(default_factory=list)

    def around(self) -> Iterator["_Group"]:
        """Yield this group and its ancestors, innermost first."""
        group: _Group | None = self
        while group is not None:
            yield group
            group = group.parent


class Groups:
    """The groups of a valid pattern."""

    def __init__(self, pattern: str) -> None:
        self._root = _Group(None, -1, end=len(pattern))
        self._all = [self._root]
        inner = self._root
        number = 0
        for at, character in _signs(pattern):
            if character == "(":
                looks = _LOOKS.match(pattern, at)
                backward = inner.backward if looks is None else bool(looks[1])
                captures = _CAPTURES.match(pattern, at) is not None
                number += captures
                negative = looks is not None and looks[2] == "!"
                inner = _Group(inner, at, backward, negative, number if captures else 0)
                self._all.append(inner)
            elif character == ")" and inner.parent is not None:
                inner.end = at
                inner = inner.parent
            elif character == "|":
                inner.bars.append(at)

    def is_matched_before(self, number: int, at: int) -> bool:
        """Return whether a group can have matched when matching reaches a position in the pattern.

        It cannot if the position is inside of the group, before it, in another alternative, or outside of a negative
        look-around that contains the group.
        """
        group = next(one for one in self._all if one.number == number)
        if group.start <= at <= group.end:
            return False
        common = next(one for one in group.around() if one.start < at < one.end)
        inner = [one for one in group.around() if one.start > common.start]
        low, high = sorted((at, group.start))
        if any(one.negative for one in inner) or any(low < bar < high for bar in common.bars):
            return False
        return (group.start > at) == common.backward


def _signs(pattern: str) -> Iterator[tuple[int, str]]:
    """Yield the unescaped parentheses and bars of a pattern, with their positions."""
    at, inside = 0, False
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            at += 1
        elif inside:
            inside = character != "]"
        elif character == "[":
            inside = True
        elif character in "()|":
            yield at, character
        at += 1


_SURROGATES: Final = (0xD800, 0xDFFF)
_PLANE: Final = 0xF0000 - 0xD800
"""The offset for surrogates, which Python's libraries do not allow in text."""
_LAST: Final = 0xFFFF
_LAST_ESCAPED: Final = 0xFF
_QUANTIFIER: Final = re.compile(r"(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})(\??)", re.ASCII)
_NAME: Final = re.compile(r"\?<([^\W\d][\w$]*)>")
_CONTROLS: Final = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_Range = tuple[int, int]
_DIGITS: Final[tuple[_Range, ...]] = ((0x30, 0x39),)
_WORDS: Final[tuple[_Range, ...]] = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_SPACES: Final[tuple[_Range, ...]] = (
    *((9, 13), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029)),
    *((0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
)
_LINE_ENDS: Final[tuple[_Range, ...]] = ((10, 10), (13, 13), (0x2028, 0x2029))
_CLASSES: Final = {"d": _DIGITS, "w": _WORDS, "s": _SPACES}
MOST_REPEATED: Final = 1000
"""RE2's maximum repetition count."""


class Dialect(Enum):
    """The target engine of a translation."""

    RE2 = "re2"
    REGEX = "regex"


class InvalidPattern(ValueError):
    """The pattern is not a valid JavaScript regular expression."""


def utf16(text: str) -> str:
    """Return a text with each character above U+FFFF as two code units, as in JavaScript."""
    if text.isascii() or max(text) <= "\uffff":
        return text
    return "".join(character if character <= "\uffff" else "".join(map(_unit, _pair(character))) for character in text)


def for_re2(pattern: str) -> str | None:
    """Return a pattern for RE2; None if RE2 does not support it. Raises InvalidPattern."""
    reader = _Reader(pattern, Dialect.RE2)
    translated = reader.read()
    return None if reader.backtracks else translated


def for_backtracking(pattern: str) -> str:
    """Return a pattern for the `regex` library with its flag `ASCII`. Raises InvalidPattern."""
    return _Reader(pattern, Dialect.REGEX).read()


def _pair(character: str) -> tuple[int, int]:
    above = ord(character) - 0x10000
    return 0xD800 + (above >> 10), 0xDC00 + (above & 0x3FF)


def _unit(code: int) -> str:
    """Return a code unit as represented in searched texts."""
    return chr(code + _PLANE if _SURROGATES[0] <= code <= _SURROGATES[1] else code)


class _Reader:
    """Parses a pattern from left to right and writes it for a dialect."""

    def __init__(self, pattern: str, dialect: Dialect) -> None:
        units = [list(_pair(one)) if one > "\uffff" else [ord(one)] for one in pattern]
        self._text = "".join(chr(unit) for pair in units for unit in pair)
        self._at = 0
        self._dialect = dialect
        self.backtracks = False
        self._names = self._named_groups()
        self._groups = self._count_groups()

    def read(self) -> str:
        """Translate the whole pattern. Raises InvalidPattern."""
        written = self._disjunction()
        if self._at < len(self._text):
            raise InvalidPattern("Unmatched ')'")
        return written

    # Lookahead

    def _named_groups(self) -> dict[str, int]:
        names: dict[str, int] = {}
        number = 0
        for kind, name in self._all_groups():
            number += kind
            if name:
                if name in names:
                    raise InvalidPattern("Duplicate capture group name")
                names[name] = number
        return names

    def _count_groups(self) -> int:
        return sum(kind for kind, _ in self._all_groups())

    def _all_groups(self) -> list[tuple[int, str]]:
        """Return each group as 1 if it captures, otherwise 0, and its name."""
        groups: list[tuple[int, str]] = []
        at, inside = 0, False
        while at < len(self._text):
            character = self._text[at]
            if character == "\\":
                at += 1
            elif inside:
                inside = character != "]"
            elif character == "[":
                inside = True
            elif character == "(":
                name = _NAME.match(self._text, at + 1)
                captures = name is not None or not self._text.startswith("?", at + 1)
                groups.append((int(captures), name[1] if name else ""))
            at += 1
        return groups

    def _peek(self, text: str) -> bool:
        return self._text.startswith(text, self._at)

    def _take(self, text: str) -> bool:
        if not self._peek(text):
            return False
        self._at += len(text)
        return True

    # The grammar

    def _disjunction(self) -> str:
        written = [self._alternative()]
        while self._take("|"):
            written.append(self._alternative())
        return "|".join(written)

    def _alternative(self) -> str:
        written = []
        while self._at < len(self._text) and not self._peek("|") and not self._peek(")"):
            written.append(self._term())
        return "".join(written)

    def _term(self) -> str:
        character = self._text[self._at]
        if _QUANTIFIER.match(self._text, self._at):
            raise InvalidPattern("Nothing to repeat")
        if character == "(":
            atom, repeats = self._group()
        elif character == "[":
            atom, repeats = self._class(), True
        elif character == "\\":
            atom, repeats = self._escape()
        else:
            self._at += 1
            atom, repeats = {
                "^": (r"\A", False),
                "$": (r"\z" if self._dialect is Dialect.RE2 else r"\Z", False),
                ".": (_set_of(_without(_LINE_ENDS)), True),
            }.get(character, (_literal(ord(character)), True))
        return self._quantified(atom, repeats=repeats)

    def _quantified(self, atom: str, *, repeats: bool) -> str:
        quantifier = _QUANTIFIER.match(self._text, self._at)
        if quantifier is None:
            return atom
        if not repeats:
            raise InvalidPattern("Nothing to repeat")
        self._at = quantifier.end()
        if quantifier[1] is None:
            return f"{atom}{quantifier[0]}"
        least, most = int(quantifier[1][:9]), int(quantifier[3][:9]) if quantifier[3] else None
        if most is not None and most < least:
            raise InvalidPattern("Numbers out of order in quantifier")
        if max(least, most or 0) > MOST_REPEATED:
            self.backtracks = True
        end = "" if quantifier[2] is None else "," if most is None else f",{most}"
        return f"{atom}{{{least}{end}}}{quantifier[4]}"

    def _group(self) -> tuple[str, bool]:
        """Translate a group; also return whether it can be repeated."""
        self._at += 1
        looks = next((sign for sign in ("?=", "?!", "?<=", "?<!") if self._peek(sign)), "")
        name = _NAME.match(self._text, self._at)
        captures = not looks and not self._peek("?:") and (name is not None or not self._peek("?"))
        if not captures and not looks and not self._peek("?:"):
            raise InvalidPattern("Invalid group")
        self._at += len(name[0]) if name is not None else len(looks) if looks else 0 if captures else len("?:")
        self.backtracks |= bool(looks)
        inside = self._disjunction()
        if not self._take(")"):
            raise InvalidPattern("Unterminated group")
        if looks:
            return f"(?:({looks}{inside}))", "<" not in looks
        return f"({'' if captures and self._dialect is Dialect.REGEX else '?:'}{inside})", True

    def _escape(self) -> tuple[str, bool]:
        """Translate an escape outside of a class; also return whether it can be repeated."""
        if self._take("\\b"):
            return r"\b", False
        if self._take("\\B"):
            return r"\B", False
        if self._names and self._peek("\\k"):
            reference = re.compile(r"\\k<([^>]*)>").match(self._text, self._at)
            if reference is None or reference[1] not in self._names:
                raise InvalidPattern("Invalid named reference")
            self._at = reference.end()
            return self._reference(self._names[reference[1]]), True
        number = re.compile(r"\\([1-9][0-9]*)", re.ASCII).match(self._text, self._at)
        if number is not None and int(number[1][:9]) <= self._groups:
            self._at = number.end()
            return self._reference(int(number[1])), True
        ranges = self._class_escape()
        if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
            return _literal(ranges[0][0]), True
        return _set_of(ranges), True

    def _reference(self, number: int) -> str:
        """Translate a back-reference; it matches the empty text if the group cannot have matched yet."""
        self.backtracks = True
        is_matched = Groups(self._text).is_matched_before(number, self._at - 1)
        return f"(?:(?({number})\\{number}|))" if is_matched else "(?:)"

    def _class_escape(self) -> tuple[_Range, ...]:
        """Return the code units of an escape."""
        self._at += 1
        if self._at >= len(self._text):
            raise InvalidPattern("\\ at end of pattern")
        character = self._text[self._at]
        self._at += 1
        if character in _CLASSES:
            return _CLASSES[character]
        if character.lower() in _CLASSES:
            return _without(_CLASSES[character.lower()])
        code = self._code(character)
        return ((code, code),)

    def _code(self, character: str) -> int:
        """Return the code unit of an escape whose first character has been read."""
        if character in _CONTROLS:
            return _CONTROLS[character]
        if character in "01234567":
            octal = re.compile(r"[0-3]?[0-7]{1,2}", re.ASCII).match(self._text, self._at - 1)
            assert octal is not None
            self._at = octal.end()
            return int(octal[0], 8)
        for sign, length in (("x", 2), ("u", 4)):
            digits = self._text[self._at : self._at + length]
            if character == sign and re.fullmatch(rf"[0-9A-Fa-f]{{{length}}}", digits):
                self._at += length
                return int(digits, 16)
        if character == "c":
            letter = self._text[self._at : self._at + 1]
            if letter.isascii() and letter.isalpha():
                self._at += 1
                return ord(letter) % 32
            self._at -= 1  # a literal backslash; the letter follows
            return ord("\\")
        return ord(character)

    def _class(self) -> str:
        self._at += 1
        negated = self._take("^")
        ranges: list[_Range] = []
        while not self._take("]"):
            if self._at >= len(self._text):
                raise InvalidPattern("Unterminated character class")
            first = self._member()
            if self._peek("-") and not self._peek("-]") and self._at + 1 < len(self._text):
                self._at += 1
                ranges += _between(first, self._member())
            else:
                ranges += first
        return _set_of(_without(ranges) if negated else tuple(ranges))

    def _member(self) -> tuple[_Range, ...]:
        """Return one member of a class."""
        if self._take("\\b"):
            return ((8, 8),)
        if self._peek("\\c"):
            digit = self._text[self._at + 2 : self._at + 3]
            if digit.isascii() and (digit.isdigit() or digit == "_"):
                self._at += 3
                return ((ord(digit) % 32, ord(digit) % 32),)
        if self._names and self._peek("\\k"):
            raise InvalidPattern("Invalid escape")
        if self._peek("\\"):
            return self._class_escape()
        code = ord(self._text[self._at])
        self._at += 1
        return ((code, code),)


def _between(first: tuple[_Range, ...], last: tuple[_Range, ...]) -> list[_Range]:
    """Return a range; if one end is a class escape, return both ends and the hyphen."""
    ends = [ranges for ranges in (first, last) if len(ranges) > 1 or ranges[0][0] != ranges[0][1]]
    if ends:
        return [*first, (0x2D, 0x2D), *last]
    if first[0][0] > last[0][0]:
        raise InvalidPattern("Range out of order in character class")
    return [(first[0][0], last[0][0])]


def _without(ranges: Iterable[_Range]) -> tuple[_Range, ...]:
    """Return all code units except these."""
    left: list[_Range] = []
    start = 0
    for low, high in sorted(ranges):
        if low > start:
            left.append((start, low - 1))
        start = max(start, high + 1)
    return (*left, *(((start, _LAST),) if start <= _LAST else ()))


def _literal(code: int) -> str:
    """Return a code unit as a literal for both engines."""
    return f"\\x{code:02x}" if code <= _LAST_ESCAPED else _unit(code)


def _set_of(ranges: tuple[_Range, ...]) -> str:
    """Return a character class."""
    if not ranges:
        return r"(?:\b\B)"
    members = [part for low, high in ranges for part in _split(low, high)]
    written = (_literal(low) if low == high else f"{_literal(low)}-{_literal(high)}" for low, high in members)
    return f"[{''.join(written)}]"


def _split(low: int, high: int) -> list[_Range]:
    """Split a range into parts that are contiguous in searched texts."""
    first, last = _SURROGATES
    parts = ((low, min(high, first - 1)), (max(low, first), min(high, last)), (max(low, last + 1), high))
    return [(start, end) for start, end in parts if start <= end]
