"""A compiled SQL statement."""

from typing import Any, NamedTuple


class Statement(NamedTuple):
    """A compiled statement: text with the dialect's placeholders, and the values in order."""

    text: str
    values: tuple[Any, ...] = ()
