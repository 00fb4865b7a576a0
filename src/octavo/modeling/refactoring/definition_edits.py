"""Rename or add attributes in definition files without changing anything else in them."""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from octavo.core.values import dataclass
from octavo.modeling.refactoring.json_spans import JsonSpan, locate_values

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
