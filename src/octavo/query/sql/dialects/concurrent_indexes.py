"""Indexes that are made while their tables are in use: what is said to a database that can do so."""

from abc import ABC, abstractmethod


class AsideIndexes(ABC):
    """Each statement runs outside of any transaction. Names come quoted."""

    states: str
    """Answers a row for each declared index: its name, and whether it is whole."""
    take: str
    """Tells whether nobody else is at it, and keeps others away until the connection ends."""
    parts: str
    """Has the database learn to find parts of texts. It may refuse."""
    parts_word: str
    """What an index of such parts says behind each term; no row where the database cannot find any."""

    @abstractmethod
    def create(self, name: str, table: str, terms: str) -> str:
        """What makes an index."""

    @abstractmethod
    def create_for_parts(self, name: str, table: str, columns: tuple[str, ...], word: str) -> str:
        """What makes one for parts of texts; `word` is what `parts_word` has answered."""

    @abstractmethod
    def drop(self, name: str) -> str:
        """What removes an index."""
