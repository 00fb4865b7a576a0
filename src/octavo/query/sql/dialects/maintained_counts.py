"""Totals that are kept beside the tables: how a database is told to keep them, and how they are read.

Triggers of ours write down what each writer changes, in the writer's own transaction. A total is told from there as
long as it is known for certain that no change was missed; else it is counted.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from octavo.core.values import dataclass
from octavo.query.sql.ddl.tables import OwnTable

LEAST_ID = -(2**63)
PART_BITS = 13
"""Rows are counted by parts of so many bits of their ids, too, so that the place of a row in order is near at hand."""
PREFIX = "octavo_totals"
"""How the names of all that is made for it begin."""


@dataclass(frozen=True, slots=True)
class CountedTable:
    """A table whose rows are counted: by publication where it has `drafts`, by locale where it is `localized`.

    `unique` are the columns of its unique indexes, where a database has to know them.
    """

    name: str
    drafts: bool
    localized: bool
    unique: tuple[tuple[str, ...], ...] = ()

    @property
    def kind(self) -> str:
        """What it is counted by, in a word."""
        return {(False, False): "plain", (True, False): "drafts", (False, True): "locales"}.get(
            (self.drafts, self.localized), "both"
        )


@dataclass(frozen=True, slots=True)
class AskedTotal:
    """How many rows are wanted: published ones or drafts (None: both), of some locales (None: all), as expressions.

    With `now` only what is published by that moment; `later` counts what is not. `count` counts the whole in the rows.
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
"""Answers how many rows folding would take away."""


class KeptTotals(ABC):
    """What is said to one database."""

    tables: tuple[OwnTable, ...]
    """Where totals are kept. A table is `known` as long as nothing was missed."""
    begun: str
    """Answers a row where totals are kept, or have been and were not removed."""
    known: str
    """Answers the names of the tables that are known, and whether that is so for the tables as they are now."""
    triggers: str
    """Answers all triggers of ours: the table, the name, and a mark that tells whether it is as it was made."""
    look: str | None = None
    """Answers all of that at once, and how many rows wait for `fold`, as rows of texts: what it is (`begun`, `known`,
    `trigger`, `waiting`), table, name, mark or number. None where these are no round trips."""
    fold: str | None = None
    """Puts what many writers have written together, and answers no rows; None where each puts it together."""
    clean: str | None = None
    """Frees what folding leaves; outside of any transaction."""
    take: str | None = None
    """Tells whether nobody else is making or counting, and keeps others away until the connection ends."""
    follows_schema = False
    """Whether what is known is known for one state of all tables; `CountedTable.unique` matters then."""
    functions: str | None = None
    """What triggers call: made, or made as they are now."""
    has_functions: str | None = None
    """Whether that is done."""

    @abstractmethod
    def total(self, asked: AskedTotal) -> str:
        """The SELECT of one number: how many rows there are; counted where it is not known otherwise."""

    @abstractmethod
    def start(self, asked: AskedTotal, skipped: str) -> str:
        """The SELECT of `first`, the least id of the part of the rows that the one after `skipped` of them is in, and
        `before`, how many of them have smaller ids. Before all, and none, where it is not known. Nothing is counted."""

    @abstractmethod
    def wanted(self, table: CountedTable) -> Mapping[str, str]:
        """The marks of the triggers of a table by their names."""

    @abstractmethod
    def install(self, table: CountedTable, others: Sequence[str]) -> str:
        """The script that makes the triggers; the table is not known then. `others` are triggers of ours to drop."""

    def release(self, triggers: Sequence[tuple[str, str]]) -> str:
        """The script that removes triggers which are in the way of changes of tables, for a while."""
        del triggers
        return ""

    @abstractmethod
    def remove(self, triggers: Sequence[tuple[str, str]]) -> str:
        """The script that removes all of it but the tables, where nothing is known then; triggers by table and name."""

    @abstractmethod
    def recount(self, table: CountedTable) -> str:
        """The script that counts a table with triggers while others write, before `confirm`. One runs at a time."""

    @abstractmethod
    def confirm(self, table: CountedTable) -> str:
        """Notes that a table is known with the triggers that all tables have now; nothing where there is no need."""

    @abstractmethod
    def forget(self, table: CountedTable) -> str:
        """The script after which a table is not known."""

    @abstractmethod
    def differences(self, table: CountedTable) -> str:
        """Answers a row where a known total is not what is counted."""
