"""Table versions: how a database tracks writes to tables if it does not report them itself."""

from collections.abc import Sequence
from typing import Protocol

from octavo.core.values import dataclass

NAME = "octavo_versions"
"""The name of the ledger, its functions and its triggers."""


@dataclass(frozen=True, slots=True)
class FollowedTable:
    """An existing table: its name, and whether its trigger is unmodified."""

    name: str
    is_followed: bool


class TableVersions(Protocol):
    """The statements of one database."""

    begun: str
    """Returns whether there is a ledger. Every write to a table adds a row to it in the same transaction."""
    stamp: str
    """Returns a text that changes whenever one of the versions changes."""
    read: str
    """Returns one row: that text, and the versions of all tracked tables, a JSON object of texts by name, or NULL. Two
    transactions that see the same version of a table see the same rows of it."""
    found: str
    """Returns all tables, and whether each is tracked."""
    take: str
    """Returns whether the lock for creating triggers was acquired; it is held until the connection ends."""
    functions: str
    """Creates or replaces the ledger and the trigger functions."""
    waiting: str
    """Returns the number of rows beyond one for each table."""
    fold: str
    """Combines the rows of each table, without changing any version."""
    clean: str
    """Frees the space that folding leaves; runs outside a transaction."""
    triggers: str
    """Returns the names of all tables with a trigger of Octavo."""

    def install(self, table: str) -> str:
        """Return the script that creates or recreates a table's trigger. The table gets a version it never had
        before."""

    def remove(self, tables: Sequence[str]) -> str:
        """Return the script that removes the triggers of tables, their functions, and the ledger."""
