"""Indexes for parts of texts that are kept beside the tables: how a database is told to, and how they are searched.

What is found there only narrows: the condition itself is asked of each entry that is found. So entries too many cost
time, and only those that are missing would be wrong. Triggers note the ids of all that any writer adds or changes, and
what is noted is found, too, until it is indexed. An index is searched as long as it is certain that nothing was missed.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Final

from octavo.core.values import dataclass
from octavo.query.sql.ddl.tables import OwnTable

PREFIX: Final = "octavo_parts"
"""How the names of all that is made for it begin."""


@dataclass(frozen=True, slots=True, order=True)
class PartsIndex:
    """An index for the parts of the texts in one column."""

    table: str
    column: str

    @property
    def name(self) -> str:
        """Its table's name; the digest keeps apart what would read alike."""
        digest = sha256(f"{self.table}|{self.column}".encode()).hexdigest()[:8]
        return f"{PREFIX}_{digest}_{self.table}_{self.column}"


class KeptParts(ABC):
    """What is said to one database."""

    tables: tuple[OwnTable, ...]
    """What is there wherever an index is declared."""
    states: str
    """Answers, for each index, its name, whether it is whole, and whether it is known for the tables as they are."""
    triggers: str
    """Answers the names and texts of all triggers of ours."""

    @abstractmethod
    def table(self, index: PartsIndex) -> OwnTable:
        """The table of an index."""

    @abstractmethod
    def narrowed(self, index: PartsIndex, alias: str, part: str, contains: Callable[[str], str]) -> str:
        """Whether the text of the row with that alias contains a part, a placeholder; `contains` says the same of the
        row with any alias, and is asked of few."""

    @abstractmethod
    def wanted(self, index: PartsIndex) -> Mapping[str, str]:
        """The texts of an index's triggers by their names."""

    @abstractmethod
    def install(self, index: PartsIndex) -> str:
        """The script that makes the triggers of an index which is empty and not known afterwards."""

    @abstractmethod
    def confirm(self, index: PartsIndex) -> str:
        """Notes that nothing was missed of the table as it is now."""

    @abstractmethod
    def last_of_step(self, index: PartsIndex) -> str:
        """The SELECT of the last id of the next `?1` entries that are to be put into an index; NULL behind the last."""

    @abstractmethod
    def fill(self, index: PartsIndex) -> str:
        """Puts the entries up to id `?1` into an index that is not whole."""

    @abstractmethod
    def filled(self, index: PartsIndex) -> str:
        """Notes that all up to id `?1` is in; with NULL, that the index is whole."""

    @abstractmethod
    def pieces(self, index: PartsIndex) -> str:
        """The SELECT of how many pieces an index has, each of which is searched."""

    @abstractmethod
    def merge(self, index: PartsIndex) -> str:
        """A step towards one piece."""

    @abstractmethod
    def waiting(self, index: PartsIndex) -> str:
        """The SELECT of how many ids are noted."""

    @abstractmethod
    def is_worn(self, index: PartsIndex, least: int) -> str:
        """Answers a row where more was changed than there is, and more than `least`: much is found for nothing."""

    @abstractmethod
    def fold(self, index: PartsIndex, most: int) -> str:
        """The script that indexes what the first so many noted ids stand for, and forgets them."""

    @abstractmethod
    def remove(self, names: Iterable[str], triggers: Iterable[str]) -> str:
        """The script that removes indexes and triggers by their names."""

    @abstractmethod
    def release(self, triggers: Iterable[str]) -> str:
        """The script that removes triggers which are in the way of changes of tables, for a while."""
