"""Groups of a JavaScript regular expression: which of them a reference can find matched (ECMAScript 2023, 22.2.2).

Inside a lookbehind JavaScript matches from right to left, so a group there is matched before what stands on its left.
"""

import re
from collections.abc import Iterator
from dataclasses import field
from typing import Final

from octavo.core.values import dataclass

_CAPTURES: Final = re.compile(r"\((?!\?)|\(\?<[^=!]")
_LOOKS: Final = re.compile(r"\(\?(<?)([=!])")


@dataclass
class _Group:
    """Parentheses, or the whole pattern. `number` is 0 where nothing is captured; `bars` are its `|`."""

    parent: "_Group | None"
    start: int
    backward: bool = False
    negative: bool = False
    number: int = 0
    end: int = 0
    bars: list[int] = field(default_factory=list)

    def around(self) -> Iterator["_Group"]:
        """This group and those around it, from the inside."""
        group: _Group | None = self
        while group is not None:
            yield group
            group = group.parent


class Groups:
    """The groups of a pattern that is well formed."""

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
        """Return whether a group can have matched when the matching comes to a place in the pattern.

        It has not where the place is inside of it, on its other side, in another alternative, or outside of a negative
        look around it.
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
    """Yield the parentheses and bars of a pattern that mean something, with their places."""
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
