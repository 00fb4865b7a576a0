"""StatementTexts: limits the prepared statements of a connection by the size of their texts.

Drivers limit prepared statements by number, whatever their size; a statement of SQLite takes about eleven bytes of
memory for each byte of its text, one of PostgreSQL several times that on the server. So the bytes of text are counted,
and above the limit all statements are discarded: tracking the least recently used would slow down every read.
"""

from typing import Final

MOST_TEXT: Final = 512 * 1024
"""Bytes of text of the statements that one connection has prepared: about forty of the longest that clients use."""


class StatementTexts:
    """The texts that a connection has prepared since it last discarded them. Texts over `largest` are not cached."""

    def __init__(self, largest: int, most: int = MOST_TEXT) -> None:
        self._largest = largest
        self._most = most
        self._known: set[int] = set()
        self._size = 0

    def overflow(self, text: str, times: int = 1) -> bool:
        """Count a text, `times` times; return whether the connection has to discard its statements before it."""
        key = hash(text)
        if key in self._known or len(text) > self._largest:
            return False
        size = len(text) * times
        self._known.add(key)
        self._size += size
        if self._size <= self._most:
            return False
        self._known, self._size = {key}, size
        return True
