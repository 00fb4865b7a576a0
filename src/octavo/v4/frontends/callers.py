"""The calls of a function, in all files."""

from typing import Final

from tree_sitter import Node

from octavo.v4.frontends.evaluation import Evaluation
from octavo.v4.frontends.files import Sources
from octavo.v4.frontends.values import Closure, Frame, NodeKey
from octavo.v4.javascript.modules import bindings_of
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import FUNCTIONS, identifier, key_of, member_path, walk

MOST_CALLERS: Final = 300
_NAMED: Final = {
    "pair": "key",
    "assignment_expression": "left",
    "variable_declarator": "name",
    "public_field_definition": "name",
    "field_definition": "property",
}
"""Nodes that give a name to a function, and the field that contains it."""

Call = tuple[Node, Module]


class Callers:
    """Finds calls by the name of the function, and confirms those that can be resolved."""

    def __init__(self, sources: Sources, evaluation: Evaluation) -> None:
        self._sources, self._evaluation = sources, evaluation
        self._calls: dict[str, list[Call]] | None = None
        self._functions: dict[str, int] = {}
        self._aliases: dict[tuple[str, str], set[str]] = {}
        self._found: dict[NodeKey, list[Call]] = {}

    def of(self, function: Closure) -> list[Call]:
        """Return the calls of a function."""
        if (known := self._found.get(function.key)) is not None:
            return known
        calls = self._search(function)[:MOST_CALLERS]
        if not self._evaluation.is_cut:
            self._found[function.key] = calls
        return calls

    def _search(self, function: Closure) -> list[Call]:
        calls = self._index()
        name = name_of(function.module, function.node)
        file = function.module.file
        names = {name, *self._aliases.get((file, name), ()), *self._aliases.get((file, "default"), ())} - {""}
        found = []
        for one in sorted(names):
            for node, module in calls.get(one, ()):
                if self._is_call_of(node, module, function, is_unique=self._functions.get(one, 0) <= 1):
                    found.append((node, module))
        return found

    def _is_call_of(self, node: Node, module: Module, function: Closure, *, is_unique: bool) -> bool:
        called = node.child_by_field_name("function")
        if called is None or _is_inside(node, module, function):
            return False
        value = self._evaluation.value(called, module, Frame())
        return value.key == function.key if isinstance(value, Closure) else is_unique

    def _index(self) -> dict[str, list[Call]]:
        if self._calls is None:
            self._calls = {}
            for module in self._sources.modules.values():
                self._add_module(module, self._calls)
        return self._calls

    def _add_module(self, module: Module, calls: dict[str, list[Call]]) -> None:
        for node in walk(module.root):
            if node.type == "call_expression" and (function := node.child_by_field_name("function")) is not None:
                path = member_path(module, function)
                last = function.child_by_field_name("property")
                name = path[-1] if path else module.text(last) if last is not None else ""
                calls.setdefault(name, []).append((node, module))
            elif node.type in FUNCTIONS and (name := name_of(module, node)):
                self._functions[name] = self._functions.get(name, 0) + 1
        for name, binding in bindings_of(module).items():
            imported = binding.imported
            target = self._sources.resolve(module, imported.specifier) if imported is not None else None
            if target is not None and imported is not None and imported.name is not None:
                self._aliases.setdefault((target.file, imported.name), set()).add(name)


def _is_inside(node: Node, module: Module, function: Closure) -> bool:
    """Return whether a function calls itself."""
    inner = function.node
    return module.file == function.module.file and inner.start_byte <= node.start_byte < inner.end_byte


def name_of(module: Module, function: Node) -> str:
    """Return the name of a function: its own, or that of the variable or property that it is assigned to."""
    if (own := function.child_by_field_name("name")) is not None:
        return key_of(module, own) or ""
    node = function.parent
    while node is not None and node.type in ("parenthesized_expression", "arguments", "call_expression"):
        node = node.parent
    field = _NAMED.get(node.type) if node is not None else None
    target = node.child_by_field_name(field) if node is not None and field is not None else None
    if target is None:
        return ""
    if target.type == "identifier":
        return identifier(module, target)
    if target.type == "member_expression":
        return (member_path(module, target) or ("",))[-1]
    return key_of(module, target) or ""
