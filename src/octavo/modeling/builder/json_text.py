"""JSON as v4 writes it into definition files: two spaces, numbers as JavaScript prints them."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from octavo.core.forms.printing import print_number

_INDENT: Final = "  "


def json_text(value: Any) -> str:
    """The text of a file.

    >>> json_text({"max": 2.0, "enum": [], "default": 1e21}).split()
    ['{', '"max":', '2,', '"enum":', '[],', '"default":', '1e+21', '}']
    """
    return f"{_written(value, '')}\n"


def _written(value: Any, indent: str) -> str:
    inner = indent + _INDENT
    if isinstance(value, Mapping):
        members = (f"{_text(str(key))}: {_written(item, inner)}" for key, item in value.items())
        return _enclosed("{}", members, indent)
    if isinstance(value, list | tuple):
        return _enclosed("[]", (_written(item, inner) for item in value), indent)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return print_number(value)
    return _text(value)


def _enclosed(signs: str, items: Iterable[str], indent: str) -> str:
    listed = f",\n{indent}{_INDENT}".join(items)
    return f"{signs[0]}\n{indent}{_INDENT}{listed}\n{indent}{signs[1]}" if listed else signs


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
