"""Rename or add attributes in definition files without changing anything else in them."""

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from json.decoder import scanstring  # type: ignore[attr-defined]
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

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
    match = pattern.match(text, position)
    return match.end() if match else position


_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Edit:
    """A new name for the value at a path of keys and indexes, or with `is_key` for the last key of the path."""

    path: tuple[str | int, ...]
    name: str
    is_key: bool = False


def edited(content: bytes, edits: Iterable[Edit]) -> bytes:
    """Return the content of a JSON file with edits. Raises KeyError for an unknown path, ValueError for no JSON."""
    mark, text = _decoded(content)
    root = locate_values(text)
    spans = [(*_span(root.at(*edit.path), edit), json.dumps(edit.name, ensure_ascii=False)) for edit in edits]
    for start, end, name in sorted(spans, reverse=True):
        text = text[:start] + name + text[end:]
    return mark + text.encode()


def with_attribute(content: bytes, name: str, raw: Mapping[str, Any]) -> bytes:
    """Return the content of a definition with one more attribute, after the others and indented like them.

    Raises KeyError if it has no attributes, ValueError for no JSON.
    """
    mark, text = _decoded(content)
    attributes = locate_values(text).at("attributes")
    members = list(attributes.members.values())
    unit = _indent(text, attributes.start)
    inner = _indent(text, members[-1].start) if members else unit * 2
    written = json.dumps(raw, ensure_ascii=False, indent=unit or None).replace("\n", f"\n{inner}")
    line = f"\n{inner}{json.dumps(name, ensure_ascii=False)}: {written}"
    if members:
        last = members[-1].end
        return mark + f"{text[:last]},{line}{text[last:]}".encode()
    start, end = attributes.start, attributes.end
    return mark + f"{text[: start + 1]}{line}\n{unit}{text[end - 1 :]}".encode()


def _decoded(content: bytes) -> tuple[bytes, str]:
    """Return the byte order mark, if there is one, and the text. Raises ValueError if it is not UTF-8."""
    mark = _MARK if content.startswith(_MARK) else b""
    return mark, content.removeprefix(_MARK).decode()


def _span(value: JsonSpan, edit: Edit) -> tuple[int, int]:
    if not edit.is_key:
        return value.start, value.end
    if value.key is None:
        raise KeyError(edit.path[-1])
    return value.key


def _indent(text: str, place: int) -> str:
    """Return the white space at the start of the line that `place` is in."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip())]


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file atomically, with the same permissions."""
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        written = Path(file.name)
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            written.chmod(path.stat().st_mode & 0o7777)
            written.replace(path)
        except BaseException:
            written.unlink(missing_ok=True)
            raise
