"""Files that are sent compressed: each is compressed once in a process, and kept."""

import gzip
from pathlib import PurePath
from typing import Final

from octavo.api.http.request import Request
from octavo.api.http.static import OpenFile

_TEXTS: Final = frozenset((".js", ".mjs", ".css", ".json", ".svg", ".map"))
_LEAST: Final = 1024
"""Bytes; less is not worth it."""
_MOST: Final = 4 * 1024**2
"""Bytes of compressed files that are kept; what comes later is sent as it is."""


class CompressedFiles:
    """What files become, by name. For files whose name tells what is in them: they are never looked at again."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}
        self._size = 0

    def known(self, name: str) -> bytes | None:
        """A file that was compressed before."""
        return self._kept.get(name)

    def compress(self, name: str, opened: OpenFile) -> bytes | None:
        """The compressed file; None where it is not worth it, or too much is kept. Takes milliseconds."""
        size = opened.stat.st_size
        if PurePath(name).suffix.lower() not in _TEXTS or not _LEAST <= size <= _MOST or self._size >= _MOST:
            return None
        with opened.file:
            found = gzip.compress(opened.file.read(), 9, mtime=0)
        self._size += len(found) - len(self._kept.get(name, b""))
        self._kept[name] = found
        return found


def accepts_gzip(request: Request) -> bool:
    """Whether the caller can read what is compressed.

    A coding that is refused has the quality 0 (RFC 9110, 12.5.3).
    """
    for coding in (request.header("accept-encoding") or "").split(","):
        name, _, quality = coding.partition(";")
        if name.strip().lower() == "gzip":
            return quality.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False
