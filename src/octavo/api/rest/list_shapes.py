"""Cache lists by the shape of their query string, so that one is prepared for many values of filters and many pages.

The shape is the query string without the values of `filters` and the number of the page. A value is free if the plan
has a parameter for it (`query.lifting`). The others are fixed: a list is prepared for each of them. The number of the
page is free, but early and late pages have different statements (`query.numbers.reach_of`).
"""

import re
import secrets
from collections.abc import Hashable
from typing import Any, Final, NamedTuple

from octavo.api.http.query_string import parse_query_string, split_values
from octavo.content.reader import PreparedRead
from octavo.core.cache import Cache
from octavo.query.ast import Page
from octavo.query.lifting import Origin, OtherPlan, marked
from octavo.query.numbers import MAX_SAFE_INTEGER, reach_of

_FILTERS: Final = "filters"
_PAGINATION: Final = "pagination"
_MOST_VALUES: Final = 32
_MOST_CHARACTERS: Final = 2_000
_NAMES: Final = tuple(map(str, range(_MOST_VALUES)))
_TOKEN: Final = secrets.token_hex(12)
"""Stands for values while a query string is parsed. Clients cannot know it."""

_HOLE: Final = "\0"
"""Stands for the number of the page in a shape. It cannot be in a query string unencoded."""
_PAGE: Final = re.compile(
    r"(?:^|(?<=&))pagination(?:\[|%5[Bb])(page|start)(?:\]|%5[Dd])=([2-9]|[1-9][0-9]{1,8})(?=&|$)"
)
"""A page after the first, whose statement has no parameter for its start."""

Key = tuple[Hashable, ...]


class Position(NamedTuple):
    """The page of a list, by its number or by its first entry, counted from 0."""

    value: int
    by_page: bool

    def start(self, limit: int) -> int:
        """Return the first entry of a page of `limit` entries."""
        return (self.value - 1) * limit if self.by_page else self.value

    def is_of(self, page: Page | None) -> bool:
        """Return whether a page is this one, and not the first, whose statement has no parameter for its start."""
        if page is None or page.limit is None or page.after is not None:
            return False
        number = self.value if self.by_page else None
        return page.number == number and page.start == self.start(page.limit) > 0


class ListShape(NamedTuple):
    """A query string without the values of its filters, in the pieces between them, and these values."""

    pieces: tuple[str, ...]
    values: tuple[str, ...]
    position: Position | None = None
    """The page, if its number is not a part of the pieces."""

    def given(self) -> dict[str, Any] | None:
        """Return the parsed query with marked values; None if not all values are values of filters."""
        text = "".join(f"{piece}{_TOKEN}{name}" for piece, name in zip(self.pieces, _NAMES, strict=False))
        if self.position is not None:
            text = text.replace(_HOLE, str(self.position.value))
        last = len(self.pieces) - 1
        given = parse_query_string(text.removesuffix(f"{_TOKEN}{last}"))
        names: set[str] = set()
        if _FILTERS in given:
            given[_FILTERS] = self._marked(given[_FILTERS], names)
        return given if len(names) == len(self.values) else None

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
    """Return the shape of a query string; None if it has neither filters nor a page, or too many or too long ones."""
    if len(query) > _MOST_CHARACTERS or _HOLE in query:
        return None
    page_match = _PAGE.search(query) if _PAGINATION in query else None
    position = None
    if page_match is not None:
        position = Position(int(page_match[2]), page_match[1] == "page")
        query = f"{query[: page_match.start(2)]}{_HOLE}{query[page_match.end(2) :]}"
    if _FILTERS not in query:
        return None if position is None else ListShape((query,), (), position)
    pieces, values = split_values(query, _FILTERS)
    return ListShape(pieces, values, position) if 0 < len(values) < _MOST_VALUES else None


class _Fixed(NamedTuple):
    """The values that a list is prepared for, by their place, and the size of its pages."""

    places: tuple[int, ...]
    limit: int

    def key(self, key: Key, shape: ListShape) -> Key:
        """Return the key of a list with the values of a shape."""
        values = [shape.values[at] for at in self.places]
        if shape.position is None:
            return (*key, self.places, *values)
        return (*key, self.places, *values, reach_of(shape.position.start(self.limit) + self.limit))


class ListShapes:
    """Cached lists by shape."""

    def __init__(self, fixed: Cache[Key, _Fixed], reads: Cache[Key, PreparedRead]) -> None:
        self._fixed = fixed
        self._reads = reads

    def get(self, shape: ListShape, caller: Key) -> PreparedRead | None:
        """Return the list with the shape's values, if it is cached. `caller` is what it depends on besides the text."""
        key = (shape.pieces, *caller)
        fixed = self._fixed.get(key)
        if fixed is None:
            return None
        prepared = self._reads.get(fixed.key(key, shape))
        if prepared is None:
            return None
        try:
            read = prepared.rebind(dict(zip(_NAMES, shape.values, strict=False)))
        except OtherPlan:
            return None
        position = shape.position
        if position is None:
            return read
        start = position.start(fixed.limit)
        if not 0 < start <= MAX_SAFE_INTEGER:
            return None
        return read.at_page(start, position.value if position.by_page else None)

    def keep(self, shape: ListShape, caller: Key, prepared: PreparedRead) -> bool:
        """Cache a list prepared from `ListShape.given`. Return False if none of its values is free."""
        free, page, position = {origin.source[0] for origin in prepared.free_origins}, prepared.page, shape.position
        if position is None and not free:
            return False
        if position is not None and not (prepared.can_turn and position.is_of(page)):
            return False
        key = (shape.pieces, *caller)
        places = tuple(at for at in range(len(shape.values)) if _NAMES[at] not in free)
        fixed = _Fixed(places, (page.limit if page is not None else None) or 0)
        self._fixed.put(key, fixed)
        self._reads.put(fixed.key(key, shape), prepared)
        return True
