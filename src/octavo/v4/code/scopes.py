"""The declarations and assignments in the code of a v4 project, by file."""

from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from octavo.v4.code.references import CLASSES
from octavo.v4.code.sources import Sources
from octavo.v4.javascript.modules import Binding, Exports, declared, exports_of, names_in
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import (
    FUNCTIONS,
    arguments,
    callee,
    identifier,
    key_of,
    member_path,
    named,
    parameters,
    string_value,
    walk,
)

Path = tuple[str, ...]
"""A variable and its members: `("guard", "locked")`."""

ALL: Final = "*"
"""Stands for every member of an object passed to `Object.assign`."""
_SCOPES: Final = (
    *("statement_block", "for_statement", "for_in_statement", "catch_clause", "switch_case", "switch_default"),
    *FUNCTIONS,
    *CLASSES,
)


class Scopes:
    """Looks up names in the files of one project."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._exports: dict[Module, Exports] = {}
        self._names: dict[tuple[str, int], dict[str, list[Binding | None]]] = {}
        self._assigned: dict[Module, dict[Path, list[Node]]] = {}

    def exports(self, module: Module) -> Exports:
        """Return the exports of a module. The result is cached."""
        if module not in self._exports:
            self._exports[module] = exports_of(module)
        return self._exports[module]

    def declared(self, module: Module, node: Node, name: str) -> list[Binding | None] | None:
        """Return the nearest declarations of a name, None for a parameter; None if the file has none."""
        current = node.parent
        while current is not None:
            names = self._scope(module, current)
            if name in names:
                return names[name]
            current = current.parent
        return None

    def _scope(self, module: Module, node: Node) -> dict[str, list[Binding | None]]:
        """Return the names that a node declares for its children."""
        if node.type != "program" and node.type not in _SCOPES:
            return {}
        key = (module.file, node.id)
        if key not in self._names:
            bindings: dict[str, list[Binding | None]] = {}
            is_top = node.type == "program"
            top = self._sources.bindings(module).items() if is_top else _declarations(module, node)
            for name, binding in top:
                bindings.setdefault(name, []).append(binding)
            self._names[key] = bindings
        return self._names[key]

    def assigned(self, module: Module) -> dict[Path, list[Node]]:
        """Return what a file assigns to names, and to members of names (`guard.locked = ...`)."""
        if module not in self._assigned:
            assigned: dict[Path, list[Node]] = {}
            for node in walk(module.root):
                path, values = _assignment(module, node)
                if path:
                    assigned.setdefault(path, []).extend(values)
            self._assigned[module] = assigned
        return self._assigned[module]

    def members_set(self, module: Module, node: Node) -> dict[str, Node]:
        """Return the members that a file assigns to an object after declaring it: `hooks.beforeCreate = ...`."""
        start = next(paths_of(module, node, "", is_instance=False), ("",))[0]
        paths = self.assigned(module).items()
        return {path[1]: nodes[-1] for path, nodes in paths if path[0] == start and len(path) == 2 and path[1] != ALL}


def _assignment(module: Module, node: Node) -> tuple[Path, list[Node]]:
    """Return the path that a node assigns to, and the value; an empty path if it assigns nothing."""
    if node.type == "assignment_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        return (member_path(module, left), [right]) if left is not None and right is not None else ((), [])
    given = arguments(node) if node.type == "call_expression" else []
    if given and callee(module, node) == ("Object", "assign"):
        return (*member_path(module, given[0]), ALL), given[1:]
    return (), []


def _declarations(module: Module, node: Node) -> Iterator[tuple[str, Binding | None]]:
    """Yield the names that a function, class, block or loop declares."""
    if node.type in FUNCTIONS or node.type in CLASSES:
        own = node.child_by_field_name("name")
        if own is not None and node.type != "method_definition":
            yield identifier(module, own), Binding(identifier(module, own), node, node)
        for pattern in parameters(node) if node.type in FUNCTIONS else ():
            yield from ((name, None) for name, _ in names_in(module, pattern))
    elif node.type == "catch_clause":
        pattern_ = node.child_by_field_name("parameter")
        if pattern_ is not None:
            yield from ((name, None) for name, _ in names_in(module, pattern_))
    elif node.type == "for_in_statement":
        left = node.child_by_field_name("left")
        if left is not None:
            yield from ((name, None) for name, _ in names_in(module, left))
    else:
        for child in named(node):
            yield from ((binding.name, binding) for binding in declared(module, child))


def class_members(module: Module, node: Node, *, is_static: bool) -> Iterator[tuple[str, Node]]:
    """Yield the methods and fields of a class, and what its constructor assigns to `this`."""
    body = node.child_by_field_name("body")
    for member in named(body) if body is not None else []:
        key = member.child_by_field_name("name") or member.child_by_field_name("property")
        value = member if member.type == "method_definition" else member.child_by_field_name("value")
        name = None if key is None else key_of(module, key)
        if name is None or value is None:
            continue
        if _is_static(member) == is_static:
            yield name, value
        if name == "constructor" and not is_static:
            for descendant in walk(member):
                left, right = descendant.child_by_field_name("left"), descendant.child_by_field_name("right")
                path = (
                    member_path(module, left) if descendant.type == "assignment_expression" and left is not None else ()
                )
                if path[:1] == ("this",) and len(path) == 2 and right is not None:
                    yield path[1], right


def has_computed_fields(node: Node) -> bool:
    """Return whether creating an instance calls functions for the values of fields."""
    body = node.child_by_field_name("body")
    fields = named(body) if body is not None else []
    values = [field.child_by_field_name("value") for field in fields if not _is_static(field)]
    return any(
        descendant.type in ("call_expression", "new_expression")
        for value in values
        if value is not None and value.type not in FUNCTIONS
        for descendant in walk(value)
    )


def _is_static(member: Node) -> bool:
    return any(child.type == "static" for child in member.children)


def paths_of(module: Module, node: Node, name: str, is_instance: bool) -> Iterator[tuple[str, ...]]:
    """Yield the paths by which a file may assign a member of an object: by the name that it is declared with."""
    parent = node.parent
    own = node.child_by_field_name("name")
    if parent is not None and parent.type == "variable_declarator":
        own = parent.child_by_field_name("name")
    if own is not None and own.type in ("identifier", "type_identifier"):
        yield (identifier(module, own), name)
        if is_instance:
            yield (identifier(module, own), "prototype", name)


def last_name(module: Module, node: Node) -> str | None:
    """Return the name of a member, if it is literal."""
    name_node = node.child_by_field_name("property")
    if name_node is not None:
        return identifier(module, name_node)
    index = node.child_by_field_name("index")
    return None if index is None else string_value(module, index)
