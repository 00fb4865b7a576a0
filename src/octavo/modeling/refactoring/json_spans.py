"""Locate the values in a JSON text, so that edits change nothing else."""

import json
import re
from dataclasses import field
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Final

from octavo.core.values import dataclass

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_SCALAR: Final = re.compile(r"[^\s,:\]}]+")


@dataclass(frozen=True, slots=True)
class JsonSpan:
    """A value from `start` to `end`, in characters, with the values inside it. `key` is the span of its name."""

    start: int
    end: int
    key: tuple[int, int] | None = None
    members: dict[str, "JsonSpan"] = field(default_factory=dict)
    items: list["JsonSpan"] = field(default_factory=list)

    def at(self, *path: str | int) -> "JsonSpan":
        """Return the value at a path of keys and indexes. Raises KeyError."""
        span = self
        for step in path:
            try:
                span = span.members[step] if isinstance(step, str) else span.items[step]
            except IndexError:
                raise KeyError(step) from None
        return span


def locate_values(text: str) -> JsonSpan:
    """Return the spans of a JSON text. Raises ValueError for text that is not JSON or nests too deeply."""
    try:
        json.loads(text)
        return _value(text, _skip(text, 0), None)
    except RecursionError:
        raise ValueError("the file nests too deeply") from None


def _value(text: str, start: int, key: tuple[int, int] | None) -> JsonSpan:
    """Read one value. The text is valid JSON, so only the positions matter."""
    match text[start]:
        case "{":
            members, end = _members(text, start)
            return JsonSpan(start, end, key, members)
        case "[":
            items, end = _items(text, start)
            return JsonSpan(start, end, key, items=items)
        case '"':
            return JsonSpan(start, _string(text, start)[1], key)
        case _:
            return JsonSpan(start, _end_of(_SCALAR, text, start), key)


def _members(text: str, start: int) -> tuple[dict[str, JsonSpan], int]:
    members: dict[str, JsonSpan] = {}
    position = _skip(text, start + 1)
    while text[position] != "}":
        name, after = _string(text, position)
        colon = _skip(text, after)
        members[name] = member = _value(text, _skip(text, colon + 1), (position, after))
        position = _next(text, member.end)
    return members, position + 1


def _items(text: str, start: int) -> tuple[list[JsonSpan], int]:
    items: list[JsonSpan] = []
    position = _skip(text, start + 1)
    while text[position] != "]":
        items.append(_value(text, position, None))
        position = _next(text, items[-1].end)
    return items, position + 1


def _next(text: str, end: int) -> int:
    """Return the start of the next element, or of the closing bracket."""
    position = _skip(text, end)
    return _skip(text, position + 1) if text[position] == "," else position


def _string(text: str, start: int) -> tuple[str, int]:
    value, end = scanstring(text, start + 1)
    return value, end


def _skip(text: str, position: int) -> int:
    return _end_of(_SPACE, text, position)


def _end_of(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return found.end() if found else position
