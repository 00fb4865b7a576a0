"""The calls of a piece of code, and whether it rejects."""

from typing import Final

from tree_sitter import Node

from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import callee, string_value, walk

_LONGEST_CHAIN: Final = 60
_REFUSALS: Final = frozenset(
    ("throw", "badRequest", "unauthorized", "forbidden", "notFound", "conflict", "internalServerError", "assert")
)


def throws(module: Module, node: Node) -> bool:
    """Return whether the code below a node may reject: it contains a `throw`, a call of `ctx.badRequest`, or
    similar."""
    return any(refuses(module, descendant) for descendant in walk(node))


def called(module: Module, node: Node) -> tuple[str, ...]:
    """Return the path of the called function, through calls: `strapi.db.query(uid).create` is one chain."""
    names: list[str] = []
    current: Node | None = node
    while current is not None and len(names) < _LONGEST_CHAIN:
        if current.type == "call_expression":
            current = current.child_by_field_name("function")
        elif current.type == "member_expression":
            name_node = current.child_by_field_name("property")
            if name_node is not None:
                names.append(module.text(name_node))
            current = current.child_by_field_name("object")
        elif current.type == "subscript_expression":
            index = current.child_by_field_name("index")
            names.append((None if index is None else string_value(module, index)) or "?")
            current = current.child_by_field_name("object")
        else:
            if current.type in ("identifier", "this", "super", "import"):
                names.append(module.text(current))
            elif current.type in ("await_expression", "parenthesized_expression") and current.named_children:
                current = current.named_children[0]
                continue
            break
    return tuple(reversed(names))


def refuses(module: Module, node: Node) -> bool:
    """Return whether a node is a `throw`, a call of `ctx.badRequest`, or similar."""
    if node.type == "throw_statement":
        return True
    chain = callee(module, node) if node.type == "call_expression" else ()
    return len(chain) > 1 and chain[-1] in _REFUSALS and chain[0] != "console"
