"""Substring indexes in separate tables: how a database maintains and searches them.

The index returns candidates, and the condition is checked for each of them. Extra candidates cost time; only missing
ones would give wrong results. Triggers record the ids of all rows that any writer adds or changes, and these rows are
candidates as well until they are indexed. An index is used only as long as it is certain that no change was missed.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Final

from octavo.core.values import dataclass
from octavo.query.sql.ddl.tables import SystemTable

PREFIX: Final = "octavo_parts"
"""Prefix of the names of all tables and triggers for this."""


@dataclass(frozen=True, slots=True, order=True)
class SubstringIndex:
    """A substring index of one column."""

    table: str
    column: str

    @property
    def name(self) -> str:
        """The name of its table; the digest makes it unique."""
        digest = sha256(f"{self.table}|{self.column}".encode()).hexdigest()[:8]
        return f"{PREFIX}_{digest}_{self.table}_{self.column}"


class SubstringIndexes(ABC):
    """The statements of one database."""

    tables: tuple[SystemTable, ...]
    """The tables needed if any index is declared."""
    states: str
    """Returns, for each index, its name, whether it is complete, and whether it is valid for the current tables."""
    triggers: str
    """Returns the names and texts of all triggers of Octavo."""

    @abstractmethod
    def table(self, index: SubstringIndex) -> SystemTable:
        """Return the table of an index."""

    @abstractmethod
    def narrowed(self, index: SubstringIndex, alias: str, part: str, contains: Callable[[str], str]) -> str:
        """Return the condition that the text of the row `alias` contains a part, a placeholder. `contains` returns the
        same condition for any alias; it is evaluated for candidates only."""

    @abstractmethod
    def wanted(self, index: SubstringIndex) -> Mapping[str, str]:
        """Return the texts of an index's triggers by their names."""

    @abstractmethod
    def install(self, index: SubstringIndex) -> str:
        """Return the script that creates the triggers; the index is empty and not valid afterwards."""

    @abstractmethod
    def confirm(self, index: SubstringIndex) -> str:
        """Return the statement that marks the index as valid for the table's current state."""

    @abstractmethod
    def last_of_step(self, index: SubstringIndex) -> str:
        """Return the SELECT of the last id of the next `?1` entries to index; NULL after the last one."""

    @abstractmethod
    def fill(self, index: SubstringIndex) -> str:
        """Return the statement that adds the entries up to id `?1` to an incomplete index."""

    @abstractmethod
    def filled(self, index: SubstringIndex) -> str:
        """Return the statement that records that all entries up to id `?1` are indexed; with NULL, that the index is
        complete."""

    @abstractmethod
    def pieces(self, index: SubstringIndex) -> str:
        """Return the SELECT of an index's number of segments, each of which is searched."""

    @abstractmethod
    def merge(self, index: SubstringIndex) -> str:
        """Return the statement that merges some segments."""

    @abstractmethod
    def waiting(self, index: SubstringIndex) -> str:
        """Return the SELECT of the number of recorded ids."""

    @abstractmethod
    def is_worn(self, index: SubstringIndex, least: int) -> str:
        """Return the SELECT of a row if more rows were changed than exist, and more than `least`: the index is
        inefficient."""

    @abstractmethod
    def fold(self, index: SubstringIndex, most: int) -> str:
        """Return the script that indexes up to `most` recorded rows, and deletes their records."""

    @abstractmethod
    def remove(self, names: Iterable[str], triggers: Iterable[str]) -> str:
        """Return the script that removes indexes and triggers by their names."""

    @abstractmethod
    def release(self, triggers: Iterable[str]) -> str:
        """Return the script that temporarily removes triggers that prevent changes of tables."""
