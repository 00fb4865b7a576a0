"""What is kept by text: the entries used last, bounded in count and in bytes."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CacheLimits:
    """The most entries, and the most bytes of their texts."""

    entries: int = 1_000
    bytes: int = 2 * 1024**2


class TextCache(Generic[T]):
    """Remembers values by key. Each counts as many bytes as the text it was made of."""

    def __init__(self, limits: CacheLimits) -> None:
        self._limits = limits
        self._bytes = 0
        self._known: OrderedDict[str | bytes, tuple[T, int]] = OrderedDict()

    def get(self, key: str | bytes) -> T | None:
        """What is known by a key, if it is."""
        found = self._known.get(key)
        if found is None:
            return None
        self._known.move_to_end(key)
        return found[0]

    def put(self, key: str | bytes, value: T, text: str | bytes) -> None:
        """Remember a value, and forget as many as have to make room for it."""
        size = len(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
        _, before = self._known.pop(key, (None, 0))
        self._known[key] = value, size
        self._bytes += size - before
        while len(self._known) > self._limits.entries or self._bytes > self._limits.bytes:
            _, (_, forgotten) = self._known.popitem(last=False)
            self._bytes -= forgotten
