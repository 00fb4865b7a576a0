"""What functions are given, and how they take it."""

from collections.abc import Callable, Sequence

from tree_sitter import Node

from octavo.v4.javascript.context import Context, Scope, need, unset
from octavo.v4.javascript.semantics import Unknown
from octavo.v4.javascript.values import UNDEFINED, Data, Value

Given = Sequence[Value]
Answer = Data | Value
NativeFunction = Callable[[Context, Given, Node, Scope], Answer]


def first(given: Given) -> Data:
    """The first argument."""
    return at(given, 0)


def at(given: Given, index: int) -> Data:
    """An argument; `undefined` where it is not given. Raises `Holed`."""
    return need(given[index]) if index < len(given) else UNDEFINED


def text_at(given: Given, index: int) -> str:
    """An argument that must be a text. Raises `Unknown` where it is none."""
    found = at(given, index)
    if not isinstance(found, str):
        reason = unset(given[index]) if index < len(given) else None
        raise Unknown(reason or "it would fail: it is given something that is no text")
    return found
