"""Recognize middlewares that only act on the root of the site, such as a redirect from `/` to the admin panel.

All other requests just continue, so the middleware guards no endpoint.
"""

from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import (
    FUNCTIONS,
    arguments,
    callee,
    identifier,
    member_path,
    named,
    parameters,
    statements,
    string_value,
    unwrap,
)

_ROOTS: Final = ("/", "/index.html")
"""Paths without content in any project, whatever its prefix of the API is."""
_PATHS: Final = (("path",), ("url",), ("request", "path"), ("request", "url"))
_IS: Final = ("===", "==")
_IS_NOT: Final = ("!==", "!=")


def acts_on_root_only(module: Module, function: Node) -> bool:
    """Return whether a middleware `(ctx, next) => ...` calls only `next` for all paths except the root."""
    given = parameters(function) if function.type in FUNCTIONS else []
    if len(given) != 2 or any(one.type != "identifier" for one in given):
        return False
    ctx, following = (identifier(module, one) for one in given)
    body = statements(function)
    first, rest = (body[0], body[1:]) if body else (function, [])
    condition, inner = first.child_by_field_name("condition"), first.child_by_field_name("consequence")
    if first.type != "if_statement" or condition is None or inner is None:
        return False
    other = first.child_by_field_name("alternative")
    if other is None and _compares(module, condition, ctx, _IS_NOT, "&&"):
        block = _block(inner)
        return _continues(module, block, following) and block[-1].type == "return_statement"
    if not _compares(module, condition, ctx, _IS, "||"):
        return False
    continued = rest if other is None else _block(named(other)[0]) if not rest else []
    return _continues(module, continued, following)


def _compares(module: Module, node: Node, ctx: str, signs: Sequence[str], joins: str) -> bool:
    """Return whether an expression compares the request's path with the root only."""
    node = unwrap(node)
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if node.type != "binary_expression" or left is None or right is None or operator is None:
        return False
    sign = module.text(operator)
    if sign == joins:
        return all(_compares(module, side, ctx, signs, joins) for side in (left, right))
    path = member_path(module, left)
    is_path = path[:1] == (ctx,) and path[1:] in _PATHS
    return is_path and sign in signs and string_value(module, right) in _ROOTS


def _block(node: Node) -> list[Node]:
    return named(node) if node.type == "statement_block" else [node]


def _continues(module: Module, listed: Sequence[Node], following: str) -> bool:
    """Return whether statements call `next`, and nothing else."""
    if len(listed) == 2 and listed[1].type == "return_statement" and not named(listed[1]):
        listed = listed[:1]
    if len(listed) != 1 or listed[0].type not in ("expression_statement", "return_statement") or not named(listed[0]):
        return False
    node = unwrap(named(listed[0])[0])
    if node.type == "await_expression":
        node = unwrap(named(node)[0])
    return node.type == "call_expression" and callee(module, node) == (following,) and not arguments(node)
