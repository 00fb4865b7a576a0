"""Evaluate literals in a module, including names of constants. No code is run."""

from typing import Any, Final

from tree_sitter import Node

from octavo.v4.javascript.modules import Binding, bindings_of, follow
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import is_open, named, properties, string_value, unwrap

_DEEPEST: Final = 40
_PLAIN: Final = {"true": True, "false": False, "null": None, "undefined": None}


class NotData(ValueError):
    """The value of an expression is known only at run time."""


def value_of(module: Module, node: Node, bindings: dict[str, Binding] | None = None, depth: int = 0) -> Any:
    """Return the value of a literal: texts, numbers, booleans, null, lists, objects. Raises NotData."""
    known = bindings_of(module) if bindings is None else bindings
    node = unwrap(follow(module, node, known))
    if depth > _DEEPEST:
        raise NotData
    if (text := string_value(module, node)) is not None:
        return text
    match node.type:
        case "true" | "false" | "null" | "undefined":
            return _PLAIN[node.type]
        case "number" | "unary_expression":
            return _number(module.text(node))
        case "array":
            return [value_of(module, item, known, depth + 1) for item in named(node)]
        case "object" if not is_open(module, node):
            return {key: value_of(module, item, known, depth + 1) for key, item in properties(module, node).items()}
    raise NotData


def _number(text: str) -> float | int:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise NotData from None
