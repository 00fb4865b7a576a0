"""Caches: what is kept to be found again, all of it within one budget of bytes.

A process has one `CacheBudget`; whoever keeps something asks it for a `Cache`. When all of them together hold more than
the budget, what has not been used for longest goes, whichever cache it is in (the clock algorithm: to use an entry
costs a flag, not a move). What is larger than a sixteenth of the budget is not kept: one caller's text is not worth
everybody else's. Threads may share it: sites are built in threads, beside the one that serves.
"""

import sys
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from threading import RLock
from typing import Any, Final, Generic, TypeVar

from octavo.core.values import dataclass

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")

LARGEST_SHARE: Final = 16
"""An entry may take this part of the budget at most."""

ENTRY_BYTES: Final = 320
"""What an entry costs besides key and value: its place in a dictionary, in the ring, and itself."""

_IDLE_ENTRIES: Final = 1000
"""So many entries that were replaced or closed may stand in the ring before it is swept."""


class _Entry:
    """Something kept, and where."""

    __slots__ = ("cache", "key", "size", "used", "value")

    def __init__(self, cache: "Cache[Any, Any]", key: Any, value: Any, size: int) -> None:
        self.cache: Cache[Any, Any] | None = cache
        self.key = key
        self.value = value
        self.size = size
        self.used = False

    def drop(self) -> None:
        """Let go of everything; the ring finds out later."""
        self.cache = self.key = self.value = None


@dataclass(frozen=True, slots=True)
class CacheReport:
    """How a cache fares: what it holds, in entries and bytes, and how often it was of use."""

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
    """The bytes that all caches of a process may hold together."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.lock = RLock()  # held while entries come and go; finding them needs none
        self.size = 0
        self.entries = 0
        self._ring: deque[_Entry] = deque()
        self._caches: list[Cache[Any, Any]] = []

    def cache(self, name: str) -> "Cache[Any, Any]":
        """Open a cache within the budget. Close it when what it serves is over."""
        cache: Cache[Any, Any] = Cache(name, self)
        self._caches.append(cache)
        return cache

    def reports(self) -> tuple[CacheReport, ...]:
        """Tell how each cache fares; those of one name together."""
        found: dict[str, CacheReport] = {}
        for cache in self._caches:
            one, before = cache.report(), found.get(cache.name)
            found[cache.name] = one if before is None else _together(before, one)
        return tuple(found.values())

    def clear(self) -> None:
        """Let all entries of all caches go."""
        with self.lock:
            for cache in self._caches:
                cache.clear()

    def admits(self, size: int) -> bool:
        """Tell whether something of that size is kept at all."""
        return size <= self.limit // LARGEST_SHARE

    def add(self, entry: _Entry) -> None:
        """Count an entry in, and make room for it."""
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
        """Forget a cache that was closed."""
        with self.lock:
            self._caches.remove(cache)
            self._sweep()

    def _sweep(self) -> None:
        self._ring = deque(entry for entry in self._ring if entry.cache is not None)


class CacheScope:
    """Caches that end together: those of a site."""

    def __init__(self, budget: CacheBudget) -> None:
        self._budget = budget
        self._caches: list[Cache[Any, Any]] = []

    def cache(self, name: str) -> "Cache[Any, Any]":
        """Open a cache."""
        cache = self._budget.cache(name)
        self._caches.append(cache)
        return cache

    def close(self) -> None:
        """Close all of them."""
        while self._caches:
            self._caches.pop().close()


class Cache(Generic[KeyT, ValueT]):
    """Values by key, within a budget."""

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
        """Find what is kept under a key, or None."""
        entry = self._entries.get(key)
        if entry is None:
            self._misses += 1
            return None
        self._hits += 1
        entry.used = True
        found: ValueT = entry.value
        return found

    def refuse(self) -> None:
        """What was found last is of no use any more: count it as not found."""
        self._hits -= 1
        self._misses += 1

    def put(self, key: KeyT, value: ValueT, size: int | None = None) -> ValueT:
        """Keep a value, if it is not too large; answer it. `size`: bytes of key and value, measured where not given."""
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
        """Let an entry go."""
        with self._budget.lock:
            if self._entries.get(entry.key) is entry:
                del self._entries[entry.key]
                self._size -= entry.size
                self._budget.size -= entry.size
                self._budget.entries -= 1
            entry.drop()

    def find(self, is_wanted: Callable[[ValueT], bool]) -> KeyT | None:
        """The key of the first value that is wanted: a look at each."""
        with self._budget.lock:
            return next((key for key, entry in self._entries.items() if is_wanted(entry.value)), None)

    def discard(self, key: KeyT) -> None:
        """Let go of what is kept under a key, if there is anything."""
        with self._budget.lock:
            entry = self._entries.get(key)
            if entry is not None:
                self.forget(entry)

    def clear(self) -> None:
        """Let all entries go."""
        with self._budget.lock:
            for entry in tuple(self._entries.values()):
                self.forget(entry)

    def close(self) -> None:
        """Let all entries go, and keep nothing any more: who still uses it finds nothing."""
        with self._budget.lock:
            self.clear()
            self._closed = True
            self._budget.closed(self)

    def report(self) -> CacheReport:
        """Tell how it fares."""
        return CacheReport(self.name, len(self._entries), self._size, self._hits, self._misses)


def _together(one: CacheReport, other: CacheReport) -> CacheReport:
    return CacheReport(
        one.name,
        one.entries + other.entries,
        one.size + other.size,
        one.hits + other.hits,
        one.misses + other.misses,
    )


_NAMES: dict[type, tuple[str, ...]] = {}
"""By type, the names of what its objects are made of."""

_ATOMS: Final = frozenset({type(None), bool, type, type(Ellipsis)})


def size_of(value: object) -> int:
    """Measure the bytes of memory that a value holds: itself and what it is made of, each thing once.

    Looked into are the built-in containers and dataclasses that compare by value. What compares by identity
    (content-types, documents, services) belongs to somebody else and counts nothing, as do enumerations and types.
    """
    total, seen, waiting = 0, set[int](), [value]
    while waiting:
        one = waiting.pop()
        kind = type(one)
        if kind in _ATOMS or id(one) in seen:
            continue
        seen.add(id(one))
        if kind is str or kind is bytes or kind is int or kind is float:
            total += sys.getsizeof(one)
        elif kind is tuple or kind is list or kind is frozenset or kind is set:
            total += sys.getsizeof(one)
            waiting.extend(one)  # type: ignore[arg-type]
        elif kind is dict:
            total += sys.getsizeof(one)
            waiting.extend(one)  # type: ignore[arg-type]
            waiting.extend(one.values())  # type: ignore[attr-defined]
        elif isinstance(one, tuple):
            total += sys.getsizeof(one)
            waiting.extend(one)
        elif is_dataclass(kind) and kind.__eq__ is not object.__eq__:
            total += sys.getsizeof(one)
            waiting.extend(getattr(one, name) for name in _names_of(kind))
    return total


def _names_of(kind: Any) -> tuple[str, ...]:
    found = _NAMES.get(kind)
    if found is None:
        found = _NAMES[kind] = tuple(item.name for item in fields(kind))
    return found
