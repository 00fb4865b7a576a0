"""Answers that are kept: reads that are run again only when the tables they are made of have changed.

What a read answers is a function of its statement, its values and what the database holds: whoever asks, and by
whichever door, is in the statement already. So an answer is kept by statement and values, with the moment before it was
read (`database.versions`), and is used again where a later moment tells the same of all its tables. A read inside of a
transaction, which sees what nobody else does, passes by; so do reads of administrators and of code that no request
runs, and one that answers signed addresses, which end.

What depends on the time of day is what is published at a time: such an answer holds until the next `published_at` of
its tables that is still to come, which is looked for once for each version of a table.
"""

import re
from collections.abc import Awaitable, Callable, Hashable
from contextvars import ContextVar
from math import inf
from typing import Any, Final

from octavo.content.reader import EntryReader, PreparedRead
from octavo.core.cache import ENTRY_BYTES, Cache, size_of
from octavo.core.clock import this_moment
from octavo.core.values import dataclass
from octavo.database.ambient import joined
from octavo.database.connection import Connection
from octavo.database.versions import Moment
from octavo.events import origin
from octavo.query.sql.ddl.physical import physical_name
from octavo.query.sql.physical_names import table_name
from octavo.query.sql.system_table_statement import OwnStatement, escape_braces

_TABLE: Final = re.compile(r"\b(?:FROM|JOIN)(?: LATERAL)?\s+\(*\s*(\"(?:[^\"]|\"\")+\"|`(?:[^`]|``)+`|[a-z_][\w.]*)")
"""What a statement of ours reads from: names in quotes, or small letters. All else after these words is a SELECT."""
_MADE_HERE: Final = re.compile(r"\bWITH ([a-z]\w*) ")
_DERIVED: Final = ("octavo_totals", "pg_catalog.pg_trigger", "pragma_schema_version")
"""What kept totals are read from: they say what counting the table would say."""


@dataclass(slots=True)
class Validity:
    """How long an answer holds: while `tables` have the versions that `stamp` stands for, from `since` until `until`,
    in milliseconds since 1970. `seen` tells the last moment at which that was so: a moment itself is not held, it knows
    all tables."""

    tables: tuple[str, ...]
    stamp: Hashable
    seen: Hashable
    since: int
    until: float

    def holds(self, moment: Moment | None) -> bool:
        """Whether it is what reading again would give, at a moment that was told after somebody asked for it."""
        if moment is None:
            return False
        if moment.stamp is not self.seen:
            if moment.of(self.tables) != self.stamp:
                return False
            self.seen = moment.stamp
        return self.until == inf or self.since <= this_moment() < self.until


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """What a read answered, and for how long."""

    found: Any
    validity: Validity


@dataclass(slots=True)
class Note:
    """What was read from inside of a block: `validity` of the answer where that was one kept answer, and `reads` of any
    kind."""

    reads: int = 0
    validity: Validity | None = None


NOTE: Final[ContextVar[Note | None]] = ContextVar("octavo_kept_answers", default=None)
"""Who wants to know which answer a piece of work was given."""

_DOORS: Final = ("rest", "graphql")
_Read = Callable[[PreparedRead], Awaitable[Any]]


class KeptReader(EntryReader):
    """Reads entries, and keeps what was found. `keep` opens its cache before the first read."""

    def keep(self, answers: Cache[Hashable, KeptAnswer]) -> None:
        """Keep answers from now on."""
        self._answers = answers
        self.versions = self.database.versions()
        self._drafted = frozenset(
            physical_name(table_name(one), self.dialect)
            for one in self.registry.content_types.values()
            if one.draft_and_publish
        )
        self._appearing: dict[str, tuple[Hashable, int, float]] = {}

    def holds_at_once(self, validity: Validity) -> bool | None:
        """Whether an answer is what reading again would give; None where the database has to be asked."""
        moment = self.versions.at_once()
        if moment is None:
            return None
        return (moment.stamp is validity.seen and validity.until == inf) or validity.holds(moment)

    async def holds(self, validity: Validity) -> bool:
        """The same, after the database was asked."""
        return validity.holds(await self.versions.now())

    async def read_one(self, prepared: PreparedRead, connection: Connection | None = None) -> bytes | None:
        """As for EntryReader."""
        if connection is not None:
            return await super().read_one(prepared, connection)
        found: bytes | None = await self._find("one", prepared, super().read_one)
        return found

    async def read_list(self, prepared: PreparedRead) -> tuple[bytes, int | None]:
        """As for EntryReader."""
        found: tuple[bytes, int | None] = await self._find("list", prepared, super().read_list)
        return found

    async def read_behind(self, prepared: PreparedRead) -> tuple[bytes, int | None, str | None]:
        """As for EntryReader."""
        mark = b"" if prepared.page is None else prepared.page.mark  # two lists may have one statement
        found: tuple[bytes, int | None, str | None] = await self._find(mark, prepared, super().read_behind)
        return found

    async def _find(self, kind: str | bytes, prepared: PreparedRead, read: _Read) -> Any:
        note = NOTE.get()
        if note is not None:
            note.reads += 1
        if origin.source() not in _DOORS or joined(self.database) is not None or self._signs(prepared):
            return await read(prepared)
        values = prepared.values
        key = (kind, prepared.statement.text, values, tuple(map(type, values)))  # 1 and true are equal here
        answer = self._answers.get(key)
        if answer is None:
            moment = self.versions.latest or await self.versions.now()
        else:
            moment = await self.versions.now()
            if answer.validity.holds(moment):
                if note is not None:
                    note.validity = answer.validity
                return answer.found
            self._answers.refuse()
        if moment is not None:
            self.read_newest()  # a replica may be behind the versions
        since = this_moment()
        found = await read(prepared)
        if moment is not None:
            validity = await self._keep(key, prepared, found, moment, since)
            if note is not None:
                note.validity = validity
        return found

    async def _keep(
        self, key: Hashable, prepared: PreparedRead, found: Any, moment: Moment, since: int
    ) -> Validity | None:
        """Keep what was read after a moment; None where it is not known for how long."""
        tables = self._tables_of(prepared)
        stamp = moment.of(tables)
        if stamp is None:
            return None
        until = inf
        for table in tables if prepared.moments else ():
            if table in self._drafted:
                until = min(until, await self._appears(table, moment.of((table,)), since))
        validity = Validity(tables, stamp, moment.stamp, since, until)
        size = ENTRY_BYTES * 2 + size_of(found) + size_of(prepared.values) + size_of(tables) + size_of(stamp)
        self._answers.put(key, KeptAnswer(found, validity), size)
        return validity

    async def _appears(self, table: str, stamp: Hashable, since: int) -> float:
        """When the next entry of a table is published by its time alone, after `since`; infinite where none is."""
        known = self._appearing.get(table)
        if known is not None and known[0] == stamp and known[1] <= since < known[2]:
            return known[2]
        quoted = escape_braces(self.dialect.quote(table))
        asked = OwnStatement(
            f"SELECT min({{published_at:milliseconds}}) FROM {quoted} WHERE published_at > {{at:instant}}"  # noqa: S608 - names of ours
        )
        statement = asked.bind(self.dialect, at=since)
        found = await self.database.fetch_value(statement.text, statement.values, long=True)
        until = float(found) if isinstance(found, int | float) else inf
        self._appearing[table] = (stamp, since, until)
        return until

    def _tables_of(self, prepared: PreparedRead) -> tuple[str, ...]:
        """The tables that the statement of a read looks into as it is made today."""
        renewal = prepared.renewal
        statement = prepared.statement if renewal is None else self._latest(prepared, renewal).statement
        return tuple([physical_name(name, self.dialect) for name in tables_of(statement.text)])

    def _signs(self, prepared: PreparedRead) -> bool:
        """Whether addresses of files in the answer may be signed."""
        signer = self._url_signer
        return signer is not None and (prepared.renewal is not None or signer.mark in prepared.statement.text)


def tables_of(text: str) -> tuple[str, ...]:
    """The names of the tables that a statement of ours reads, sorted; a name that is none is no harm."""
    made = set(_MADE_HERE.findall(text))
    found = set()
    for name in _TABLE.findall(text):
        if name[0] in '"`':
            found.add(name[1:-1].replace(name[0] * 2, name[0]))
        elif name not in made and not name.startswith(_DERIVED):
            found.add(name)
    return tuple(sorted(found))
