"""Global middlewares: those in `config/middlewares`, and those that code adds."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tree_sitter import Node

from octavo.v4.code.code import Guard, Shape, UsedName
from octavo.v4.code.flow import OPEN_KEYS
from octavo.v4.code.named_handlers import NamedCode
from octavo.v4.code.sources import Sources, answered
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import named, properties, string_value

_OURS: Final = "strapi::"
_FAMILY: Final = "middlewares"


def found_everywhere(sources: Sources, names: NamedCode) -> Iterator[Guard | UsedName]:
    """Yield the global middlewares that may reject, or change the request; ported ones by name."""
    for folder in (sources.project / "config", *sources.folders(sources.project / "config/env")):
        path = sources.one(folder / _FAMILY)
        if path is not None:
            yield from _listed(sources, names, path)


def _listed(sources: Sources, names: NamedCode, path: Path) -> Iterator[Guard | UsedName]:
    place = sources.place(path)
    module = sources.module(path)
    value = None if module is None else sources.exported(module)
    if module is None or value is None:
        yield Guard(place.file, place, "the list of middlewares is computed")
        return
    module, value = sources.resolved(module, value)
    found = answered(module, value)
    if found is None or found.type != "array":
        yield Guard(place.file, place, "the list of middlewares is computed")
        return
    for item in named(found):
        yield from _one(sources, names, *sources.resolved(module, item))


def _one(sources: Sources, names: NamedCode, module: Module, node: Node) -> Iterator[Guard | UsedName]:
    place = module.place(node)
    members = properties(module, node) if node.type == "object" else {}
    given = members.get("resolve") or members.get("name") or node
    name = string_value(module, given)
    if name is None:
        yield Guard(f"{place.file}:{place.line}", place, "a computed middleware")
        return
    if name.startswith(_OURS):
        return
    judged, ported = names.configured(names.judge(_FAMILY, names.name_of(_FAMILY, name), place), module, node)
    if ported is not None:
        yield ported
    elif judged.guard is not None:
        yield judged.guard
    elif judged.shape is not None and _hides(judged.shape):
        yield Guard(name, place, "changes the query of every request")


def _hides(shape: Shape) -> bool:
    """Return whether leaving a change out may return more data than in v4."""
    return shape.replaces or any(change.key not in OPEN_KEYS and not change.only_if_absent for change in shape.changes)
