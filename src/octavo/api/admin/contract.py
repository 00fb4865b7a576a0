"""The admin API's operations as TypeScript types: paths, parameters and responses.

`python -m octavo.api.admin.contract` prints them. A test checks that `admin/src/api/operations.ts` is up to date.
"""

import inspect
import pkgutil
import re
import sys
import types
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, Final, Literal, NotRequired, Required, Union, get_args, get_origin, get_type_hints, is_typeddict

from octavo.api.admin import endpoints as api
from octavo.api.admin.operations import AdminOperation

_HEAD: Final = """\
// Written by `python -m octavo.api.admin.contract`, from the rows of src/octavo/api/admin/endpoints. Do not edit.
"""
_PARAMETER: Final = re.compile(r":(\w+)")
_SCALARS: Final = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
    Any: "unknown",
    object: "unknown",
}


def rows() -> list[AdminOperation]:
    """Return the operations of all endpoints, by path and method."""
    operations = [row for endpoints in _endpoints() for row in endpoints.operations]
    return sorted(operations, key=lambda row: (row.path, row.method))


def _endpoints() -> Iterator[Any]:
    for module in pkgutil.iter_modules(api.__path__):
        loaded = import_module(f"{api.__name__}.{module.name}")
        for _, endpoints_class in inspect.getmembers(loaded, inspect.isclass):
            if endpoints_class.__module__ == loaded.__name__ and isinstance(
                getattr(endpoints_class, "operations", None), Sequence
            ):
                yield endpoints_class


def contract() -> str:
    """Return the TypeScript module."""
    shapes = _Shapes()
    operations = "".join(_operation(row, shapes) for row in rows())
    return f"{_HEAD}\n{shapes.text()}export interface Operations {{\n{operations}}}\n"


def _operation(row: AdminOperation, shapes: "_Shapes") -> str:
    names = _PARAMETER.findall(row.path)
    path = "{ " + "; ".join(f"{name}: string | number" for name in names) + " }" if names else "undefined"
    takes, answers = (shapes.name(given) if given is not None else "unknown" for given in (row.body, row.answer))
    return f"  /** {row.summary} */\n  '{row.name}': {{ path: {path}; takes: {takes}; answers: {answers} }};\n"


class _Shapes:
    """Converts TypedDicts to interfaces, each once."""

    def __init__(self) -> None:
        self._written: dict[str, str] = {}
        self._of: dict[str, Any] = {}

    def text(self) -> str:
        """Return all used interfaces."""
        return "".join(self._written[name] + "\n" for name in sorted(self._written))

    def name(self, given: Any) -> str:
        """Return a type's name in TypeScript. Raises TypeError for unsupported types."""
        if is_typeddict(given):
            return self._interface(given)
        if given in _SCALARS:
            return _SCALARS[given]
        origin, arguments = get_origin(given), get_args(given)
        if origin is Literal:
            return " | ".join(f"'{value}'" if isinstance(value, str) else str(value).lower() for value in arguments)
        if origin in (Union, types.UnionType):
            return " | ".join(map(self.name, arguments))
        if origin in (list, Sequence):
            return f"({self.name(arguments[0])})[]"
        if origin in (dict, types.MappingProxyType):
            return f"Record<string, {self.name(arguments[1])}>"
        if origin in (Required, NotRequired):
            return self.name(arguments[0])
        raise TypeError(f"{given!r} has no name in TypeScript")

    def _interface(self, given: Any) -> str:
        name: str = given.__name__
        if self._of.setdefault(name, given) is not given:
            raise TypeError(f"Two shapes are called {name}")
        if name not in self._written:
            self._written[name] = ""  # types can be recursive
            hints = get_type_hints(given, include_extras=True)
            optional = given.__optional_keys__
            lines = (
                f"  {_key(key)}{'?' if key in optional else ''}: {self.name(hint)};\n" for key, hint in hints.items()
            )
            description = (given.__doc__ or "").strip().split("\n", 1)[0]
            head = f"/** {description} */\n" if description else ""
            self._written[name] = f"{head}export interface {name} {{\n{''.join(lines)}}}\n"
        return name


def _key(name: str) -> str:
    return name if name.isidentifier() else f"'{name}'"


if __name__ == "__main__":
    sys.stdout.write(contract())
