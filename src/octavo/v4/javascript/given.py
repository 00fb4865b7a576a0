"""Access to the arguments of functions."""

from collections.abc import Callable, Sequence

from tree_sitter import Node

from octavo.v4.javascript.context import Context, Scope, need, unset
from octavo.v4.javascript.semantics import Unknown
from octavo.v4.javascript.values import UNDEFINED, Data, Value

Given = Sequence[Value]
Answer = Data | Value
NativeFunction = Callable[[Context, Given, Node, Scope], Answer]


def first(given: Given) -> Data:
    """Return the first argument."""
    return at(given, 0)


def at(given: Given, index: int) -> Data:
    """Return an argument, or `undefined` if it is missing. Raises `Holed`."""
    return need(given[index]) if index < len(given) else UNDEFINED


def text_at(given: Given, index: int) -> str:
    """Return an argument that must be a text. Raises `Unknown` if it is not."""
    found = at(given, index)
    if not isinstance(found, str):
        reason = unset(given[index]) if index < len(given) else None
        raise Unknown(reason or "the argument is not a string")
    return found
