"""Cache lists by the shape of their query string, so that one is prepared for many values of filters.

The shape is the query string without the values of `filters`. A value is free if the plan has a parameter for it
(`query.lifting`). The others are fixed: a list is prepared for each of them.
"""

import secrets
from collections.abc import Hashable
from typing import Any, Final, NamedTuple

from octavo.api.http.query_string import parse_query_string, split_values
from octavo.content.reader import PreparedRead
from octavo.core.cache import Cache
from octavo.query.lifting import Origin, OtherPlan, marked

_FILTERS: Final = "filters"
_MOST_VALUES: Final = 32
_MOST_CHARACTERS: Final = 2_000
_NAMES: Final = tuple(map(str, range(_MOST_VALUES)))
_TOKEN: Final = secrets.token_hex(12)
"""Stands for values while a query string is parsed. Clients cannot know it."""

Key = tuple[Hashable, ...]


class ListShape(NamedTuple):
    """A query string without the values of its filters, in the pieces between them, and these values."""

    pieces: tuple[str, ...]
    values: tuple[str, ...]

    def given(self) -> dict[str, Any] | None:
        """Return the parsed query with marked values; None if not all values are values of filters."""
        text = "".join(f"{piece}{_TOKEN}{name}" for piece, name in zip(self.pieces, _NAMES, strict=False))
        last = len(self.pieces) - 1
        given = parse_query_string(text.removesuffix(f"{_TOKEN}{last}"))
        found: set[str] = set()
        if _FILTERS in given:
            given[_FILTERS] = self._marked(given[_FILTERS], found)
        return given if len(found) == len(self.values) else None

    def _marked(self, value: Any, found: set[str]) -> Any:
        if isinstance(value, dict):
            return {key: self._marked(item, found) for key, item in value.items()}
        if isinstance(value, list):
            return [self._marked(item, found) for item in value]
        if not isinstance(value, str) or not value.startswith(_TOKEN):
            return value
        name = value.removeprefix(_TOKEN)
        found.add(name)
        return marked(self.values[int(name)], Origin((name,)))


def shape_of(query: str) -> ListShape | None:
    """Return the shape of a query string; None if it has no filters, or too many or too long ones."""
    if _FILTERS not in query or len(query) > _MOST_CHARACTERS:
        return None
    pieces, values = split_values(query, _FILTERS)
    return ListShape(pieces, values) if 0 < len(values) < _MOST_VALUES else None


class ListShapes:
    """Cached lists by shape."""

    def __init__(self, fixed: Cache[Key, tuple[int, ...]], reads: Cache[Key, PreparedRead]) -> None:
        self._fixed = fixed
        self._reads = reads

    def get(self, shape: ListShape, caller: Key) -> PreparedRead | None:
        """Return the list with the shape's values, if it is cached. `caller` is what it depends on besides the text."""
        key = (shape.pieces, *caller)
        fixed = self._fixed.get(key)
        if fixed is None:
            return None
        found = self._reads.get((*key, fixed, *[shape.values[at] for at in fixed]))
        if found is None:
            return None
        try:
            return found.rebind(dict(zip(_NAMES, shape.values, strict=False)))
        except OtherPlan:
            return None

    def keep(self, shape: ListShape, caller: Key, prepared: PreparedRead) -> bool:
        """Cache a list prepared from `ListShape.given`. Return False if none of its values is free."""
        free = {origin.source[0] for origin in prepared.free_origins}
        if not free:
            return False
        key = (shape.pieces, *caller)
        fixed = tuple(at for at in range(len(shape.values)) if _NAMES[at] not in free)
        self._fixed.put(key, fixed)
        self._reads.put((*key, fixed, *[shape.values[at] for at in fixed]), prepared)
        return True
