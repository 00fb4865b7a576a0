"""The declarations, exports and changes in a module, found once for each scope."""

from collections.abc import Callable
from typing import Any, Final

from tree_sitter import Node

from octavo.v4.frontends.values import NodeKey, key_of_node
from octavo.v4.javascript.modules import Binding, Exports, bindings_of, declared
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import identifier, key_of, member_path, named, walk

MISSING: Final = object()
_ADDING: Final = frozenset({"append", "set", "push"})
_BLOCKS: Final = frozenset({"statement_block", "switch_case", "switch_default", "for_statement"})
_CHANGING: Final = ("assignment_expression", "augmented_assignment_expression")


class Scopes:
    """Remembers what the scopes of modules declare."""

    def __init__(self) -> None:
        self._declared: dict[NodeKey, dict[str, Binding]] = {}
        self._exports: dict[str, Exports] = {}
        self._changes: dict[str, dict[str, list[Node]]] = {}

    def declared(self, module: Module, scope: Node) -> dict[str, Binding]:
        """Return the names that a block, a file or a loop declares."""
        if scope.type not in _BLOCKS and scope.type not in ("program", "for_in_statement"):
            return {}
        key = key_of_node(module, scope)
        if key not in self._declared:
            self._declared[key] = _bindings(module, scope)
        return self._declared[key]

    def exports(self, module: Module, read: Callable[[Module], Exports]) -> Exports:
        """Return the exports of a module."""
        if module.file not in self._exports:
            self._exports[module.file] = read(module)
        return self._exports[module.file]

    def changes(self, module: Module, name: str) -> list[Node]:
        """Return the assignments to a name or its properties, and the calls that add to it, in document order."""
        if module.file not in self._changes:
            changes: dict[str, list[Node]] = {}
            self._changes[module.file] = changes
            for node in walk(module.root):
                if (target := _target(module, node)) is not None:
                    changes.setdefault(target, []).append(node)
        return self._changes[module.file].get(name, [])


def _bindings(module: Module, scope: Node) -> dict[str, Binding]:
    if scope.type == "program":
        return bindings_of(module)
    if scope.type == "for_in_statement":
        left = scope.child_by_field_name("left")
        names = [one for one in walk(left) if one.type == "identifier"] if left is not None else []
        return {identifier(module, one): Binding(identifier(module, one), one, None) for one in names}
    bindings: dict[str, Binding] = {}
    for statement in named(scope):
        bindings |= {binding.name: binding for binding in declared(module, statement)}
    return bindings


def _target(module: Module, node: Node) -> str | None:
    """Return the name whose value a node changes."""
    if node.type in _CHANGING:
        left = node.child_by_field_name("left")
        path = member_path(module, left) if left is not None else ()
        return path[0] if path else None
    if node.type == "call_expression":
        function = node.child_by_field_name("function")
        path = member_path(module, function) if function is not None else ()
        is_adding = len(path) in (2, 3) and path[-1] in _ADDING and path[1:-1] in ((), ("searchParams",))
        return path[0] if is_adding else None
    return None


def taken_path(module: Module, binding: Binding) -> tuple[str, ...]:
    """Return the path of a destructured name. Defaults are ignored."""
    if binding.taken is not None:
        return binding.taken
    pattern = binding.node.child_by_field_name("name")
    return _path_in(module, pattern, binding.name) or () if pattern is not None else ()


def _path_in(module: Module, pattern: Node, name: str) -> tuple[str, ...] | None:
    match pattern.type:
        case "identifier":
            return () if identifier(module, pattern) == name else None
        case "shorthand_property_identifier_pattern":
            return (name,) if identifier(module, pattern) == name else None
        case "object_assignment_pattern" | "assignment_pattern":
            return _path_in(module, named(pattern)[0], name)
        case "pair_pattern":
            key, value = pattern.child_by_field_name("key"), pattern.child_by_field_name("value")
            own: Any = key_of(module, key) if key is not None else None
            below = _path_in(module, value, name) if value is not None else None
            return (own, *below) if own is not None and below is not None else None
        case "object_pattern":
            return next((path for one in named(pattern) if (path := _path_in(module, one, name)) is not None), None)
    return None
