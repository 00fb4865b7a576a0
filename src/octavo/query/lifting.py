"""Lifted values: values of a request that a prepared read takes from new variables each time it runs.

A caller that prepares a read for other values of the same shape marks the values with their origin. Planning notes
which parameters hold them (`query.plan.lifted`); everything that depends on a value in another way loses the mark,
and the caller prepares the read for that value alone.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

Source = tuple[str | int, ...]
"""The path of a value in the variables: the name of one, then keys and indexes."""


class OtherPlan(Exception):
    """A value cannot take the place of the one that a read was planned for."""


class Origin:
    """One use of a value that came from a variable."""

    __slots__ = ("source",)

    def __init__(self, source: Source) -> None:
        self.source = source


class Lifted:
    """A value that is marked with its origin, and otherwise what it was."""

    origin: Origin


class _Text(Lifted, str):
    pass


class _Integer(Lifted, int):
    pass


class _Float(Lifted, float):
    pass


_KINDS: Final[Mapping[type, Callable[[Any], Any]]] = {str: _Text, int: _Integer, float: _Float}


def marked(value: Any, origin: Origin) -> Any:
    """Return a text or number with the mark of its origin; any other value as it is."""
    kind = _KINDS.get(type(value))
    if kind is None:
        return value
    lifted = kind(value)
    lifted.origin = origin
    return lifted


def keep_mark(value: Any, other: Any) -> Any:
    """Return another form of a value, with the mark of the value if it has one."""
    return marked(other, value.origin) if isinstance(value, Lifted) else other


def value_at(variables: Mapping[str, Any], source: Source) -> Any:
    """Return the value at a path. Raises KeyError, IndexError."""
    value: Any = variables
    for step in source:
        value = value[step]
    return value
