"""Maintained row counts: how a database maintains them with triggers, and how they are read.

Octavo's triggers record each change in the writer's own transaction. A maintained count is used only as long as it is
certain that no change was missed; otherwise the rows are counted.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from octavo.core.values import dataclass
from octavo.query.sql.ddl.tables import SystemTable

LEAST_ID = -(2**63)
PART_BITS = 13
"""Rows are also counted per range of this many bits of their ids, so that a page offset is found quickly."""
PREFIX = "octavo_totals"
"""Prefix of the names of all tables, triggers and functions for this."""


@dataclass(frozen=True, slots=True)
class CountedTable:
    """A table with maintained counts: by publication state if it has `drafts`, by locale if it is `localized`.

    `unique` are the columns of its unique indexes, for databases that need them.
    """

    name: str
    drafts: bool
    localized: bool
    unique: tuple[tuple[str, ...], ...] = ()

    @property
    def kind(self) -> str:
        """The grouping of the counts, as one word."""
        return {(False, False): "plain", (True, False): "drafts", (False, True): "locales"}.get(
            (self.drafts, self.localized), "both"
        )


@dataclass(frozen=True, slots=True)
class RequestedCount:
    """A count to read: published rows or drafts (None: both), in some locales (None: all), as SQL expressions.

    With `now`, only rows published by that time; `later` counts the others. `count` counts the rows directly.
    """

    table: CountedTable
    count: str
    published: bool | None = None
    locales: Sequence[str] | None = None
    now: str | None = None
    later: str = ""


WAITING = f"""
SELECT coalesce(sum(c.n - 1), 0) FROM (
  SELECT count(*) AS n FROM {PREFIX} WHERE known IS NULL GROUP BY relation, locale, published, part) c"""
"""Returns how many rows folding would remove."""


class MaintainedCounts(ABC):
    """The statements of one database."""

    tables: tuple[SystemTable, ...]
    """The tables of the counts. A table is `known` as long as no change was missed."""
    begun: str
    """Returns a row if counts are maintained, or were and have not been removed."""
    known: str
    """Returns the names of the known tables, and whether they are known for the tables' current state."""
    triggers: str
    """Returns all triggers of Octavo: the table, the name, and a mark that shows whether it is unmodified."""
    look: str | None = None
    """Returns all of these at once, and the number of rows waiting for `fold`, as rows of texts: the kind (`begun`,
    `known`, `trigger`, `waiting`), table, name, mark or number. None if queries need no network round trip."""
    fold: str | None = None
    """Combines the rows of many writers, and returns no rows; None if each writer updates the sums itself."""
    clean: str | None = None
    """Frees the space that folding leaves; runs outside a transaction."""
    take: str | None = None
    """Returns whether the lock for installing or counting was acquired; it is held until the connection ends."""
    follows_schema = False
    """Whether counts are valid for one version of the whole schema only. `CountedTable.unique` is needed then."""
    functions: str | None = None
    """Creates or replaces the functions that the triggers call."""
    has_functions: str | None = None
    """Returns whether the functions are up to date."""

    @abstractmethod
    def total(self, asked: RequestedCount) -> str:
        """Return the SELECT of the number of rows; it counts them if the maintained count is not known."""

    @abstractmethod
    def start(self, asked: RequestedCount, skipped: str) -> str:
        """Return the SELECT of `first`, the least id of the range that holds the row after `skipped` rows, and
        `before`, the number of rows with smaller ids. If unknown, these are the lowest id and 0. No rows are
        counted."""

    @abstractmethod
    def wanted(self, table: CountedTable) -> Mapping[str, str]:
        """Return the marks of a table's triggers by their names."""

    @abstractmethod
    def install(self, table: CountedTable, others: Sequence[str]) -> str:
        """Return the script that creates the triggers, after which the table is not known. `others` are triggers to
        drop."""

    def release(self, triggers: Sequence[tuple[str, str]]) -> str:
        """Return the script that temporarily removes triggers that prevent changes of tables."""
        del triggers
        return ""

    @abstractmethod
    def remove(self, triggers: Sequence[tuple[str, str]]) -> str:
        """Return the script that removes everything but the tables; no table is known then. Triggers by table and
        name."""

    @abstractmethod
    def recount(self, table: CountedTable) -> str:
        """Return the script that counts a table with triggers while others write, before `confirm`. One runs at a
        time."""

    @abstractmethod
    def confirm(self, table: CountedTable) -> str:
        """Return the statement that marks a table as counted with the current triggers of all tables, where needed."""

    @abstractmethod
    def forget(self, table: CountedTable) -> str:
        """Return the script that marks a table as not counted."""

    @abstractmethod
    def differences(self, table: CountedTable) -> str:
        """Return the SELECT of a row if a known count differs from the number of rows."""
