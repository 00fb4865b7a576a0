"""Response cache: a read runs again only if its tables have changed.

A read's result depends only on its statement, its values and the database contents; the caller and the API are already
part of the statement. So results are cached by statement and values, with the table versions from before the read
(`database.versions`), and reused while all its tables have the same versions. Not cached are reads in a transaction,
which see uncommitted data, reads of administrators and of code outside of requests, and results with signed URLs, which
expire.

Scheduled publication is the only dependency on time. A result is valid until the next future `published_at` in its
tables, which is queried once per table version.
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
from octavo.database.versions import VersionSnapshot
from octavo.events import origin
from octavo.query.sql.ddl.physical import physical_name
from octavo.query.sql.physical_names import table_name
from octavo.query.sql.raw_statement import RawStatement, escape_braces

_TABLE: Final = re.compile(r"\b(?:FROM|JOIN)(?: LATERAL)?\s+\(*\s*(\"(?:[^\"]|\"\")+\"|`(?:[^`]|``)+`|[a-z_][\w.]*)")
"""The tables in a statement: quoted names or lower-case letters. Anything else after these words is a SELECT."""
_MADE_HERE: Final = re.compile(r"\bWITH ([a-z]\w*) ")
_DERIVED: Final = (
    "octavo_totals",
    "octavo_image_placeholders",
    "octavo_private_files",
    "pg_catalog.pg_trigger",
    "pragma_schema_version",
)
"""Tables that change only together with others in the statement: the counted tables, and files."""


@dataclass(slots=True)
class Validity:
    """How long a result is valid: while `tables` have the versions in `stamp`, from `since` until `until`.

    Times are in milliseconds since 1970. `seen` is the stamp of the last moment for which that was checked; a moment
    itself covers all tables.
    """

    tables: tuple[str, ...]
    stamp: Hashable
    seen: Hashable
    since: int
    until: float

    def holds(self, moment: VersionSnapshot | None) -> bool:
        """Return whether the result is still current at a moment determined after the request arrived."""
        if moment is None:
            return False
        if moment.stamp is not self.seen:
            if moment.of(self.tables) != self.stamp:
                return False
            self.seen = moment.stamp
        return self.until == inf or self.since <= this_moment() < self.until


@dataclass(frozen=True, slots=True)
class CachedResult:
    """A cached result and its validity."""

    found: Any
    validity: Validity


@dataclass(slots=True)
class Note:
    """The reads inside of a block: `validity` if the result was one cached result, and the number of `reads` of any
    kind."""

    reads: int = 0
    validity: Validity | None = None


NOTE: Final[ContextVar[Note | None]] = ContextVar("octavo_kept_answers", default=None)
"""The note of the code that wants to know which cached result was used."""

_DOORS: Final = ("rest", "graphql")
_Read = Callable[[PreparedRead], Awaitable[Any]]


class CachingReader(EntryReader):
    """An EntryReader with a cache. Call `keep` before the first read."""

    def keep(self, answers: Cache[Hashable, CachedResult]) -> None:
        """Start caching."""
        self._answers = answers
        self.versions = self.database.versions()
        self._drafted = frozenset(
            physical_name(table_name(one), self.dialect)
            for one in self.registry.content_types.values()
            if one.draft_and_publish
        )
        self._appearing: dict[str, tuple[Hashable, int, float]] = {}

    def is_current_now(self, validity: Validity) -> bool | None:
        """Return whether a result is current; None if that needs a query."""
        moment = self.versions.at_once()
        if moment is None:
            return None
        return (moment.stamp is validity.seen and validity.until == inf) or validity.holds(moment)

    async def holds(self, validity: Validity) -> bool:
        """Return whether a result is current, after querying the database."""
        return validity.holds(await self.versions.now())

    async def read_one(self, prepared: PreparedRead, connection: Connection | None = None) -> bytes | None:
        """Read an entry as in EntryReader."""
        if connection is not None:
            return await super().read_one(prepared, connection)
        entry: bytes | None = await self._find("one", prepared, super().read_one)
        return entry

    async def read_list(self, prepared: PreparedRead) -> tuple[bytes, int | None]:
        """Read a list as in EntryReader."""
        page: tuple[bytes, int | None] = await self._find("list", prepared, super().read_list)
        return page

    async def read_behind(self, prepared: PreparedRead) -> tuple[bytes, int | None, str | None]:
        """Read a page with a cursor as in EntryReader."""
        mark = b"" if prepared.page is None else prepared.page.mark  # two lists may have one statement
        page: tuple[bytes, int | None, str | None] = await self._find(mark, prepared, super().read_behind)
        return page

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
        result = await read(prepared)
        if moment is not None:
            validity = await self._keep(key, prepared, result, moment, since)
            if note is not None:
                note.validity = validity
        return result

    async def _keep(
        self, key: Hashable, prepared: PreparedRead, found: Any, moment: VersionSnapshot, since: int
    ) -> Validity | None:
        """Cache a result read after a moment; return its validity, or None if that is unknown."""
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
        self._answers.put(key, CachedResult(found, validity), size)
        return validity

    async def _appears(self, table: str, stamp: Hashable, since: int) -> float:
        """Return when the next scheduled entry of a table appears after `since`; infinity if there is none."""
        known = self._appearing.get(table)
        if known is not None and known[0] == stamp and known[1] <= since < known[2]:
            return known[2]
        quoted = escape_braces(self.dialect.quote(table))
        asked = RawStatement(
            f"SELECT min({{published_at:milliseconds}}) FROM {quoted} WHERE published_at > {{at:instant}}"  # noqa: S608 - names of ours
        )
        statement = asked.bind(self.dialect, at=since)
        appears_at = await self.database.fetch_value(statement.text, statement.values, long=True)
        until = float(appears_at) if isinstance(appears_at, int | float) else inf
        self._appearing[table] = (stamp, since, until)
        return until

    def _tables_of(self, prepared: PreparedRead) -> tuple[str, ...]:
        """Return the tables in the latest statement of a read."""
        renewal = prepared.renewal
        statement = prepared.statement if renewal is None else self._latest(prepared, renewal).statement
        return tuple([physical_name(name, self.dialect) for name in tables_of(statement.text)])

    def _signs(self, prepared: PreparedRead) -> bool:
        """Return whether the result may contain signed URLs."""
        rewriter = self._file_rewriter
        if rewriter is None or rewriter.lasts:
            return False
        return prepared.renewal is not None or rewriter.mark in prepared.statement.text


def tables_of(text: str) -> tuple[str, ...]:
    """Return the names of the tables in one of Octavo's statements, sorted. Extra names are harmless."""
    made = set(_MADE_HERE.findall(text))
    tables = set()
    for name in _TABLE.findall(text):
        if name[0] in '"`':
            tables.add(name[1:-1].replace(name[0] * 2, name[0]))
        elif name not in made and not name.startswith(_DERIVED):
            tables.add(name)
    return tuple(sorted(tables))
