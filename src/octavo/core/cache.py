"""Caches that share one memory limit.

A process has one `CacheBudget`, which creates a `Cache` for each purpose. If all caches together exceed the limit, the
least recently used entries are evicted, whichever cache they are in (by the clock algorithm: using an entry sets a flag
instead of moving it). Values larger than a sixteenth of the limit are not cached, because one large response is not
worth many others. The caches are thread-safe: sites are built in threads, while another one is running.
"""

import gc
import sys
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import fields, is_dataclass
from enum import IntEnum
from operator import attrgetter
from threading import RLock
from typing import Any, Final, Generic, TypeVar

from octavo.core.values import dataclass

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")

LARGEST_SHARE: Final = 16
"""Fraction of the limit that one entry may take: one sixteenth."""

ENTRY_BYTES: Final = 320
"""Memory of an entry besides key and value: the dictionary, the ring, and the entry itself."""

_IDLE_ENTRIES: Final = 1000
"""Number of replaced or removed entries in the ring before it is swept."""


class _Entry:
    """A cached value and its cache."""

    __slots__ = ("cache", "key", "size", "used", "value")

    def __init__(self, cache: "Cache[Any, Any]", key: Any, value: Any, size: int) -> None:
        self.cache: Cache[Any, Any] | None = cache
        self.key = key
        self.value = value
        self.size = size
        self.used = False

    def drop(self) -> None:
        """Drop the references. The ring removes the entry later."""
        self.cache = self.key = self.value = None


@dataclass(frozen=True, slots=True)
class CacheReport:
    """The statistics of a cache: its entries and bytes, hits and misses."""

    name: str
    entries: int
    size: int
    hits: int
    misses: int

    def __str__(self) -> str:
        asked = self.hits + self.misses
        rate = f"{self.hits / asked:.0%} of {asked} found" if asked else "not asked"
        return f"{self.name}: {self.entries} entries, {self.size / 1024:.0f} kB, {rate}"


class CacheBudget:
    """The memory limit in bytes of all caches of a process."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.lock = RLock()  # held while entries are added or removed; lookups do not need it
        self.size = 0
        self.entries = 0
        self._ring: deque[_Entry] = deque()
        self._caches: list[Cache[Any, Any]] = []

    def cache(self, name: str) -> "Cache[Any, Any]":
        """Open a cache within the limit. Close it when it is no longer used."""
        cache: Cache[Any, Any] = Cache(name, self)
        self._caches.append(cache)
        return cache

    def reports(self) -> tuple[CacheReport, ...]:
        """Return the statistics of each cache; caches with the same name are combined."""
        reports: dict[str, CacheReport] = {}
        for cache in self._caches:
            one, before = cache.report(), reports.get(cache.name)
            reports[cache.name] = one if before is None else _together(before, one)
        return tuple(reports.values())

    def clear(self) -> None:
        """Remove all entries of all caches."""
        with self.lock:
            for cache in self._caches:
                cache.clear()

    def admits(self, size: int) -> bool:
        """Return whether a value of that size is cached at all."""
        return size <= self.limit // LARGEST_SHARE

    def add(self, entry: _Entry) -> None:
        """Add an entry, and evict others if necessary."""
        self._ring.append(entry)
        self.size += entry.size
        self.entries += 1
        if len(self._ring) > 2 * self.entries + _IDLE_ENTRIES:
            self._sweep()
        while self.size > self.limit:
            oldest = self._ring.popleft()
            if oldest.cache is None:
                continue
            if oldest.used:
                oldest.used = False
                self._ring.append(oldest)
            else:
                oldest.cache.forget(oldest)

    def closed(self, cache: "Cache[Any, Any]") -> None:
        """Remove a cache that was closed."""
        with self.lock:
            self._caches.remove(cache)
            self._sweep()

    def _sweep(self) -> None:
        self._ring = deque(entry for entry in self._ring if entry.cache is not None)


class CacheScope:
    """Caches with a common lifetime: those of a site."""

    def __init__(self, budget: CacheBudget) -> None:
        self._budget = budget
        self._caches: list[Cache[Any, Any]] = []

    def cache(self, name: str) -> "Cache[Any, Any]":
        """Open a cache."""
        cache = self._budget.cache(name)
        self._caches.append(cache)
        return cache

    def close(self) -> None:
        """Close all caches."""
        while self._caches:
            self._caches.pop().close()


class Cache(Generic[KeyT, ValueT]):
    """Values by key, within a memory limit."""

    def __init__(self, name: str, budget: CacheBudget) -> None:
        self.name = name
        self._budget = budget
        self._entries: dict[KeyT, _Entry] = {}
        self._size = 0
        self._closed = False
        self._hits = 0
        self._misses = 0

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: KeyT) -> ValueT | None:
        """Return the value for a key, or None."""
        entry = self._entries.get(key)
        if entry is None:
            self._misses += 1
            return None
        self._hits += 1
        entry.used = True
        found: ValueT = entry.value
        return found

    def refuse(self) -> None:
        """Count the last hit as a miss, because its value is outdated."""
        self._hits -= 1
        self._misses += 1

    def put(self, key: KeyT, value: ValueT, size: int | None = None) -> ValueT:
        """Cache a value, unless it is too large, and return it. `size`: bytes of key and value; measured by default."""
        size = ENTRY_BYTES + (size_of(key) + size_of(value) if size is None else size)
        with self._budget.lock:
            old = self._entries.get(key)
            if old is not None:
                self.forget(old)
            if self._budget.admits(size) and not self._closed:
                entry = self._entries[key] = _Entry(self, key, value, size)
                self._size += size
                self._budget.add(entry)
        return value

    def forget(self, entry: _Entry) -> None:
        """Remove an entry."""
        with self._budget.lock:
            if self._entries.get(entry.key) is entry:
                del self._entries[entry.key]
                self._size -= entry.size
                self._budget.size -= entry.size
                self._budget.entries -= 1
            entry.drop()

    def find(self, is_wanted: Callable[[ValueT], bool]) -> KeyT | None:
        """Return the key of the first value that matches. Checks every value."""
        with self._budget.lock:
            return next((key for key, entry in self._entries.items() if is_wanted(entry.value)), None)

    def discard(self, key: KeyT) -> None:
        """Remove the value for a key, if there is one."""
        with self._budget.lock:
            entry = self._entries.get(key)
            if entry is not None:
                self.forget(entry)

    def clear(self) -> None:
        """Remove all entries."""
        with self._budget.lock:
            for entry in tuple(self._entries.values()):
                self.forget(entry)

    def close(self) -> None:
        """Remove all entries and stop caching. Later lookups find nothing."""
        with self._budget.lock:
            self.clear()
            self._closed = True
            self._budget.closed(self)

    def report(self) -> CacheReport:
        """Return the statistics."""
        return CacheReport(self.name, len(self._entries), self._size, self._hits, self._misses)


def _together(one: CacheReport, other: CacheReport) -> CacheReport:
    return CacheReport(
        one.name,
        one.entries + other.entries,
        one.size + other.size,
        one.hits + other.hits,
        one.misses + other.misses,
    )


def size_of(value: object) -> int:
    """Return the memory of a value in bytes, including its parts, counting each object once.

    Only built-in containers and dataclasses that compare by value are followed. Objects that compare by identity
    (content types, documents, services) are shared and count nothing, like enumerations, types, and dataclasses whose
    `is_shared` is true.
    """
    total, seen = 0, set[int]()
    level: list[Any] = [value]
    while level:
        unseen = {
            id(one): one
            for one in level
            if (measure := _MEASURES[type(one)]) and (measure is not _Measure.SOMETIMES or not one.is_shared)
        }
        new = [one for number, one in unseen.items() if number not in seen]
        seen.update(unseen)
        total += sum(map(sys.getsizeof, new))
        level = gc.get_referents(*new)
    return total


class _Measure(IntEnum):
    """Whether objects of a type count."""

    NEVER = 0
    ALWAYS = 1
    SOMETIMES = 2
    """Unless they are shared."""


class _Measures(dict[type, _Measure]):
    """Whether objects of a type count. Types are added when they are first met."""

    def __missing__(self, kind: type) -> _Measure:
        by_value = is_dataclass(kind) and kind.__eq__ is not object.__eq__
        measure = _Measure.ALWAYS if by_value or issubclass(kind, tuple) else _Measure.NEVER
        if by_value and hasattr(kind, "is_shared"):
            measure = _Measure.SOMETIMES
        self[kind] = measure
        return measure


_MEASURES: Final = _Measures(
    dict.fromkeys((str, bytes, int, float, tuple, list, set, frozenset, dict), _Measure.ALWAYS)
)


def attributes_of(kind: Any, *without: str) -> Callable[[Any], Iterable[Any]]:
    """Return a function that returns the values of a dataclass's fields, except some."""
    names = [item.name for item in fields(kind) if item.name not in without]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda one: [getattr(one, name) for name in names]


_MOST_RECENT: Final = 4096


class RecentKeys:
    """Remembers recent keys by their hashes, to cache only what is requested again.

    Approximate: for a key with the same hash as another one, the answer is wrong, which only costs or saves an entry.
    """

    def __init__(self) -> None:
        self._latest: set[int] = set()
        self._earlier: set[int] = set()

    def repeats(self, key: Hashable) -> bool:
        """Return whether a key was requested recently, and remember it."""
        digest = hash(key)
        if digest in self._latest or digest in self._earlier:
            return True
        self._latest.add(digest)
        if len(self._latest) >= _MOST_RECENT:
            self._earlier, self._latest = self._latest, set()
        return False
