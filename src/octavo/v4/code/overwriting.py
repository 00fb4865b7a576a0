"""Hooks before a write that choose a field's value themselves: without them, whoever writes could choose it."""

from collections.abc import Collection, Iterator, Set
from typing import Final

from tree_sitter import Node

from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import FUNCTIONS, identifier, member_path, unwrap, walk

_NAMES: Final = ("identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern")
_ASSIGNMENT: Final = "assignment_expression"
_BRANCHES: Final = ("binary_expression", "switch_case", "catch_clause", *FUNCTIONS)
_LITERALS: Final = ("string", "number", "true", "false", "null", "undefined")


def overwrites(module: Module, function: Node, attributes: Collection[str]) -> bool:
    """Tell whether a field is set to something that is not made of what is sent alone: `data.approved = false`.

    A default (`if (!data.slug)`, `data.slug || ...`) leaves the choice to the caller; so does `slugify(data.title)`.
    What is awaited was looked up elsewhere.
    """
    return any(True for _ in _chosen(module, function, attributes))


def forces(module: Module, function: Node, attributes: Collection[str]) -> bool:
    """Tell whether a field is set to a value that is written out, whatever is sent: `data.approved = false`."""
    chosen = _chosen(module, function, attributes)
    return any(value.type in _LITERALS and not _is_conditional(value, function) for value in chosen)


def _is_conditional(node: Node, function: Node) -> bool:
    """Whether a node runs only sometimes."""
    while node.parent is not None and node.parent != function:
        node = node.parent
        if node.child_by_field_name("condition") is not None or node.type in _BRANCHES:
            return True
    return False


def _chosen(module: Module, function: Node, attributes: Collection[str]) -> Iterator[Node]:
    """Yield the values that fields are set to without being made of what is sent alone."""
    sent = set(_parameters(module, function))
    for found in walk(function):
        if found.type == "variable_declarator":
            name, value = found.child_by_field_name("name"), found.child_by_field_name("value")
            if name is not None and value is not None and _is_made_of(module, value, sent):
                sent.update(_names(module, name))
        elif found.type == _ASSIGNMENT:
            left, right = found.child_by_field_name("left"), found.child_by_field_name("right")
            path = member_path(module, left) if left is not None else ()
            if right is None or len(path) < 2 or path[0] not in sent or path[-1] not in attributes:
                continue
            if not (_is_made_of(module, right, sent) or _is_default(module, found, function, path)):
                yield unwrap(right)


def _parameters(module: Module, function: Node) -> Iterator[str]:
    for field in ("parameters", "parameter"):
        given = function.child_by_field_name(field)
        if given is not None:
            yield from _names(module, given)


def _names(module: Module, node: Node) -> Iterator[str]:
    return (identifier(module, found) for found in walk(node) if found.type in _NAMES)


def _is_made_of(module: Module, node: Node, sent: Set[str]) -> bool:
    awaits = any(found.type == "await_expression" for found in walk(node))
    return not awaits and any(name in sent for name in _names(module, node))


def _is_default(module: Module, assignment: Node, function: Node, path: tuple[str, ...]) -> bool:
    """Whether a field is set only where a condition says that it is missing."""
    node = assignment
    while node.parent is not None and node.parent != function:
        child, node = node, node.parent
        condition = node.child_by_field_name("condition")
        if node.type == "binary_expression":
            condition = node.child_by_field_name("left")
        if node.type in FUNCTIONS or condition is None or condition == child:
            continue
        if member_path(module, condition) != path and any(
            member_path(module, found)[-1:] == path[-1:] for found in walk(unwrap(condition))
        ):
            return True
    return False
