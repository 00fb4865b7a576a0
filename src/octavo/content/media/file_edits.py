"""Edit files in place: overwrite ranges with zeros or other bytes, and cut off the end.

All edits are collected before the first is applied, so a file with an unexpected structure stays unchanged.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import field
from mmap import mmap
from typing import Final

from octavo.core.values import dataclass

Range = tuple[int, int]
"""The start and the end of a part of a file, in bytes."""

_CHUNK: Final = 1 << 20


class UnexpectedStructure(Exception):
    """The file has an unexpected structure."""


@dataclass(slots=True)
class FileEdits:
    """Edits of a file: `zeros` are erased first, then `patches` are written by offset. `length` is the new size."""

    zeros: list[Range] = field(default_factory=list)
    patches: list[tuple[int, bytes]] = field(default_factory=list)
    length: int | None = None

    def apply(self, data: mmap) -> bool:
        """Apply all edits to a writable map of the file; return whether a byte or the size changed."""
        size = len(data) if self.length is None else min(self.length, len(data))
        changed = size != len(data)
        for start, stop in _pieces(merged(self.zeros), size):
            changed |= _overwrite(data, start, bytes(stop - start))
        for offset, content in self.patches:
            changed |= _overwrite(data, offset, content[: max(0, size - offset)])
        return changed


def _pieces(ranges: Iterable[Range], size: int) -> Iterator[Range]:
    """Yield the ranges in small pieces, up to the end of the file."""
    for start, stop in ranges:
        for begin in range(start, min(stop, size), _CHUNK):
            yield begin, min(begin + _CHUNK, stop, size)


def _overwrite(data: mmap, offset: int, content: bytes) -> bool:
    if data[offset : offset + len(content)] == content:
        return False
    data[offset : offset + len(content)] = content
    return True


def merged(ranges: Iterable[Range]) -> list[Range]:
    """Return the ranges in order, with overlapping ones joined and empty ones left out."""
    joined: list[Range] = []
    for start, stop in sorted(ranges):
        if stop <= start:
            continue
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(stop, joined[-1][1])
        else:
            joined.append((start, stop))
    return joined


def complement(ranges: Iterable[Range], size: int) -> list[Range]:
    """Return the parts of a file of this size that are in none of the ranges."""
    gaps, place = list[Range](), 0
    for start, stop in merged(ranges):
        gaps.append((place, min(start, size)))
        place = max(place, stop)
    return [*gaps, (place, size)]


def edit_file(path: os.PathLike[str], edits: FileEdits, data: mmap) -> bool:
    """Apply edits to the file of a map, and write it to disk; return whether the file changed."""
    changed = edits.apply(data)
    if not changed:
        return False
    data.flush()
    if edits.length is not None and edits.length < len(data):
        os.truncate(path, edits.length)
    return True
