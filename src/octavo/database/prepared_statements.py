"""StatementTexts: how much a connection keeps prepared, told by the texts of its statements.

Drivers keep prepared statements by number, whatever their size; a statement of SQLite takes about eleven bytes of
memory for each byte of its text, one of PostgreSQL several times that on the server. So the bytes of text are counted,
and when they are too many all is forgotten at once: to find out what was used last would cost every read something.
"""

from typing import Final

MOST_TEXT: Final = 512 * 1024
"""Bytes of text of the statements that one connection keeps prepared: some forty of the longest that clients use."""


class StatementTexts:
    """The texts that a connection has met since it last forgot its statements. `largest`: longer ones are not kept."""

    def __init__(self, largest: int, most: int = MOST_TEXT) -> None:
        self._largest = largest
        self._most = most
        self._known: set[int] = set()
        self._size = 0

    def overflow(self, text: str, times: int = 1) -> bool:
        """Count a text in, so many `times`; tell whether the connection has to forget what it keeps before it."""
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
