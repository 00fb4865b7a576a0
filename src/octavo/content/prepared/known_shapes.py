"""KnownShapes: what is prepared for shapes that come often; of others it is counted how often they came."""

from collections.abc import Hashable
from typing import Any, Final, Generic, TypeVar, cast

_OFTEN: Final = 3
"""How often a shape comes before it is worth to be prepared."""
_MOST_SHAPES: Final = 64

PreparedT = TypeVar("PreparedT")


class KnownShapes(Generic[PreparedT]):
    """Remembers those that came last. Of a shape that cannot be prepared it is known too."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Any] = {}

    def find(self, shape: Hashable) -> PreparedT | None:
        """What is prepared for a shape."""
        known = self._known.get(shape)
        if known is None or known.__class__ is int:
            return None
        self._known[shape] = self._known.pop(shape)
        return cast(PreparedT, known)

    def comes_often(self, shape: Hashable) -> bool:
        """Count a shape; whether it is to be prepared now."""
        count = self._known.pop(shape, 0)
        if count.__class__ is not int:
            self._known[shape] = count
            return False
        self.keep(shape, min(count + 1, _OFTEN))
        return bool(count + 1 == _OFTEN)

    def keep(self, shape: Hashable, prepared: PreparedT | int | None) -> None:
        """What is prepared for a shape, None where nothing can be."""
        self._known[shape] = prepared
        while len(self._known) > _MOST_SHAPES:
            del self._known[next(iter(self._known))]
