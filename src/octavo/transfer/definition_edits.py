"""Changes names in definition files, adds attributes, and nothing else: everything around stays as it was written."""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from tree_sitter import Node

from octavo.javascript.parse import Module, parse_text
from octavo.javascript.syntax import named, properties
from octavo.values import dataclass

_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Edit:
    """A name to be written anew: the value at a path of keys and numbers, or the last key of the path itself."""

    path: tuple[str | int, ...]
    name: str
    is_key: bool = False


def edited(text: bytes, edits: Iterable[Edit]) -> bytes:
    """The text of a JSON file with edits. Raises KeyError where there is no such place, SourceProblem for no JSON."""
    mark = _MARK if text.startswith(_MARK) else b""
    module = parse_text(text.removeprefix(_MARK), "definition.json")
    changed = module.source.text
    spans = [(*module.span(_place(module, edit)), json.dumps(edit.name, ensure_ascii=False)) for edit in edits]
    for start, end, name in sorted(spans, reverse=True):
        changed = changed[:start] + name.encode() + changed[end:]
    return mark + changed


def with_attribute(text: bytes, name: str, raw: Mapping[str, Any]) -> bytes:
    """The text of a definition with one attribute more, behind the others and indented like them.

    Raises KeyError where it has no attributes, SourceProblem for no JSON.
    """
    mark = _MARK if text.startswith(_MARK) else b""
    module = parse_text(text.removeprefix(_MARK), "definition.json")
    whole = module.source.text
    attributes = properties(module, module.root)["attributes"]
    start, end = module.span(attributes)
    members = named(attributes)
    unit = _indent(whole, start)
    inner = _indent(whole, module.span(members[-1])[0]) if members else unit * 2
    written = json.dumps(raw, ensure_ascii=False, indent=unit.decode() or None).replace("\n", f"\n{inner.decode()}")
    line = b"\n" + inner + f"{json.dumps(name, ensure_ascii=False)}: {written}".encode()
    if not members:
        return mark + whole[: start + 1] + line + b"\n" + unit + whole[end - 1 :]
    last = module.span(members[-1])[1]
    return mark + whole[:last] + b"," + line + whole[last:]


def _indent(text: bytes, place: int) -> bytes:
    """The white space that begins the line of a place."""
    line = text[text.rfind(b"\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip())]


def _place(module: Module, edit: Edit) -> Node:
    node = module.root
    for step in edit.path:
        node = properties(module, node)[step] if isinstance(step, str) else named(node)[step]
    if not edit.is_key:
        return node
    key = node.parent.child_by_field_name("key") if node.parent is not None else None
    if key is None:
        raise KeyError(edit.path[-1])
    return key


def replace_file(path: Path, content: bytes) -> None:
    """Write a file so that nobody ever sees half of it; its permissions stay."""
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
