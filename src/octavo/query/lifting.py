"""Lifted values: request values that a prepared read takes from new variables on each run.

A caller that prepares a read for reuse marks the values with their origin. Planning records which parameters hold
them (`query.plan.lifted`). If a value affects the plan in any other way, the mark is lost and the caller prepares the
read for that value alone.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

Source = tuple[str | int, ...]
"""The path of a value in the variables: a variable name, then keys and indexes."""


SCALARS: Final = frozenset({str, int, float})
"""The types of values that can be lifted."""


class OtherPlan(Exception):
    """The value needs a different plan than the value that the read was planned for."""


class Origin:
    """One use of a value that came from a variable."""

    __slots__ = ("source",)

    def __init__(self, source: Source) -> None:
        self.source = source


class Lifted:
    """A value marked with its origin. It behaves like the value itself."""

    origin: Origin


class _Text(Lifted, str):
    pass


class _Integer(Lifted, int):
    pass


class _Float(Lifted, float):
    pass


_KINDS: Final[Mapping[type, Callable[[Any], Any]]] = {str: _Text, int: _Integer, float: _Float}


def marked(value: Any, origin: Origin) -> Any:
    """Return a text or number marked with its origin, or any other value unchanged."""
    kind = _KINDS.get(type(value))
    if kind is None:
        return value
    lifted = kind(value)
    lifted.origin = origin
    return lifted


def copy_mark(value: Any, other: Any) -> Any:
    """Return `other`, a converted form of `value`, with the mark of `value` if it has one."""
    return marked(other, value.origin) if isinstance(value, Lifted) else other


def value_at(variables: Mapping[str, Any], source: Source) -> Any:
    """Return the value at a path. Raises KeyError, IndexError."""
    value: Any = variables
    for step in source:
        value = value[step]
    return value
