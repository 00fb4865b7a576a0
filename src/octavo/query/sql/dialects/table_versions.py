"""Versions of tables: how a database is told to follow who writes to them, where it does not tell by itself."""

from collections.abc import Sequence
from typing import Protocol

from octavo.core.values import dataclass

NAME = "octavo_versions"
"""The name of all that is made for it."""


@dataclass(frozen=True, slots=True)
class FollowedTable:
    """A table that is there: its name, and whether its trigger is as it was made."""

    name: str
    is_followed: bool


class TableVersions(Protocol):
    """What is said to one database."""

    begun: str
    """Tells whether there is a ledger: who writes to a table adds a row to it in their own transaction."""
    stamp: str
    """Answers a text that is another one whenever any of the versions is."""
    read: str
    """Answers one row: that text, and the versions of all tables that are followed, a JSON object of texts by name, or
    NULL. Two transactions that see the same version of a table see the same rows of it."""
    found: str
    """Answers all tables, and whether each is followed."""
    take: str
    """Tells whether nobody else is making triggers, and keeps others away until the connection ends."""
    functions: str
    """The ledger and what triggers call: made, or made as it is now."""
    waiting: str
    """Answers how many rows there are beyond one for each table."""
    fold: str
    """Puts the rows of each table together; no version changes by it."""
    clean: str
    """Frees what folding leaves; outside of any transaction."""
    triggers: str
    """Answers the names of all tables that have a trigger of ours."""

    def install(self, table: str) -> str:
        """The script that makes a table's trigger, or makes it anew: its version is one that it never had."""

    def remove(self, tables: Sequence[str]) -> str:
        """The script that removes the triggers of tables, what they call, and the ledger."""
