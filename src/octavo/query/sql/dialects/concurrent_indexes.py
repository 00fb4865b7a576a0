"""Building indexes while their tables are in use, for databases that support it."""

from abc import ABC, abstractmethod


class IndexStatements(ABC):
    """The statements of one database. Each runs outside a transaction. Names are quoted."""

    states: str
    """Returns a row for each declared index: its name, and whether it is valid."""
    take: str
    """Returns whether the lock was acquired; it is held until the connection ends."""
    parts: str
    """Enables substring search in the database, which may refuse it."""
    parts_word: str
    """Returns the operator class of substring indexes, or no row if the database does not support them."""

    @abstractmethod
    def create(self, name: str, table: str, terms: str) -> str:
        """Return the statement that creates an index."""

    @abstractmethod
    def create_for_parts(self, name: str, table: str, columns: tuple[str, ...], word: str) -> str:
        """Return the statement that creates a substring index; `word` is the result of `parts_word`."""

    @abstractmethod
    def drop(self, name: str) -> str:
        """Return the statement that drops an index."""
