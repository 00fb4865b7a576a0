"""How the result of a call is used: awaited, ignored or as a value; and where its exceptions are caught."""

from collections.abc import Collection
from enum import Enum
from typing import Final

from tree_sitter import Node

from octavo.v4.javascript.modules import names_in
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import FUNCTIONS

_UNAWAITED: Final = frozenset(
    ("forEach", "setTimeout", "setInterval", "setImmediate", "queueMicrotask", "nextTick", "on", "once")
)
"""Functions that call their argument and ignore its promise."""
_CHAINED: Final = ("then", "finally")
_NAMED: Final = {
    "variable_declarator": "name",
    "assignment_expression": "left",
    "augmented_assignment_expression": "left",
}
"""Nodes that assign a value to names, by the field of the names."""


class Position(Enum):
    """How the result of a call is used, if that passes its rejection on."""

    ALONE = "alone"
    AWAITED = "awaited"
    RETURNED = "returned"


_ENDS: Final = {
    "expression_statement": Position.ALONE,
    "assignment_pattern": Position.ALONE,
    "field_definition": Position.ALONE,
    "public_field_definition": Position.ALONE,
    "await_expression": Position.AWAITED,
    "yield_expression": Position.AWAITED,
}


def position(module: Module, node: Node, within: Node, awaited: Collection[str], answers: bool) -> Position | None:
    """Return how the result of a call inside the function `within` is used, or None if it becomes a value.

    `awaited` are names that are awaited later. `answers`: the result of `within` is awaited.
    """
    current = node
    while current != within and (parent := current.parent) is not None:
        if parent.type == "return_statement" or (parent.type == "arrow_function" and _is_body(parent, current)):
            function = _function(parent)
            if function is None or function == within:
                return Position.RETURNED if answers else None
            parent = function  # its return value is the result of the call
        elif parent.type in _ENDS:
            return _ENDS[parent.type]
        elif parent.type in _NAMED:
            pattern = parent.child_by_field_name(_NAMED[parent.type])
            names = {name for name, _ in names_in(module, pattern)} if pattern is not None else set()
            return Position.RETURNED if names & set(awaited) else None
        elif parent.type == "for_in_statement":
            return Position.AWAITED if any(child.type == "await" for child in parent.children) else None
        elif parent.type.endswith(("_statement", "_declaration", "_clause")):
            return None
        current = parent
    return None


def swallowed(module: Module, node: Node, within: Node, used: Position | None, awaited: Collection[str]) -> bool:
    """Return whether a rejection at a node stays inside the function `within`: it is caught, or its promise is not
    awaited."""
    current, asynchronous = node, _called(module, node) in _CHAINED
    while current != within and (parent := current.parent) is not None:
        if current.type in FUNCTIONS:
            used = position(module, current, within, awaited, answers=True)
        if used is not Position.RETURNED and _is_tried(parent, current):
            return True
        if current.type in FUNCTIONS and _handed_to(module, current) in _CHAINED:
            asynchronous = True
        if is_async(current) and _handed_to(module, current) in _UNAWAITED:
            return True
        if parent.type == "arguments" and _called(module, parent.parent) in _CHAINED:
            asynchronous = True
        if asynchronous and parent.type == "member_expression" and _is_caught(module, parent):
            return True
        current = parent
    return False


def _is_tried(parent: Node, node: Node) -> bool:
    """Return whether a node is inside the `try` block of a statement with `catch`."""
    tried = parent.child_by_field_name("body") if parent.type == "try_statement" else None
    return tried == node and parent.child_by_field_name("handler") is not None


def is_async(node: Node) -> bool:
    """Return whether a node is an `async` function."""
    return node.type in FUNCTIONS and any(child.type == "async" for child in node.children)


def is_answer_caught(module: Module, call: Node) -> bool:
    """Return whether the promise of a call is caught at once: `update(1).catch(log)`."""
    return call.parent is not None and call.parent.type == "member_expression" and _is_caught(module, call.parent)


def _is_caught(module: Module, member: Node) -> bool:
    """Return whether a member is `.catch` of a promise and called with an argument."""
    name, call = member.child_by_field_name("property"), member.parent
    given = None if call is None else call.child_by_field_name("arguments")
    return name is not None and module.text(name) == "catch" and given is not None and bool(given.named_children)


def _handed_to(module: Module, function: Node) -> str:
    """Return the name of the function that gets a function as argument, or an empty text."""
    given = function.parent
    return _called(module, given.parent) if given is not None and given.type == "arguments" else ""


def _called(module: Module, call: Node | None) -> str:
    function = None if call is None else call.child_by_field_name("function")
    if function is None:
        return ""
    name = function.child_by_field_name("property") or function
    return module.text(name)


def _is_body(function: Node, node: Node) -> bool:
    return function.child_by_field_name("body") == node


def _function(node: Node) -> Node | None:
    current: Node | None = node
    while current is not None and current.type not in FUNCTIONS:
        current = current.parent
    return current
