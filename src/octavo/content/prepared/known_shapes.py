"""KnownShapes: cache what is prepared for frequent shapes, and count the others."""

from collections.abc import Hashable
from typing import Any, Final, Generic, TypeVar, cast

_OFTEN: Final = 3
"""The number of occurrences before a shape is prepared."""
_MOST_SHAPES: Final = 64

PreparedT = TypeVar("PreparedT")


class KnownShapes(Generic[PreparedT]):
    """An LRU cache. It also remembers shapes that cannot be prepared. With `prepares=False`, none are prepared."""

    def __init__(self, *, prepares: bool = True) -> None:
        self._often = _OFTEN if prepares else 0
        self._known: dict[Hashable, Any] = {}

    def find(self, shape: Hashable) -> PreparedT | None:
        """Return what is prepared for a shape, or None."""
        known = self._known.get(shape)
        if known is None or known.__class__ is int:
            return None
        self._known[shape] = self._known.pop(shape)
        return cast(PreparedT, known)

    def is_frequent(self, shape: Hashable) -> bool:
        """Count a shape; return whether to prepare it now."""
        count = self._known.pop(shape, 0)
        if count.__class__ is not int:
            self._known[shape] = count
            return False
        self.keep(shape, min(count + 1, _OFTEN))
        return bool(count + 1 == self._often)

    def keep(self, shape: Hashable, prepared: PreparedT | int | None) -> None:
        """Store what is prepared for a shape; None if it cannot be prepared."""
        self._known[shape] = prepared
        while len(self._known) > _MOST_SHAPES:
            del self._known[next(iter(self._known))]
