"""EntryReader: run planned reads. A plan is compiled once; later reads of the same shape reuse its statement."""

import asyncio
import re
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field, replace
from functools import partial
from typing import Any, Final, Protocol

import orjson

from octavo.content.read_limiter import PATIENCE_SECONDS, ReadLimiter, too_large, too_long
from octavo.core.cache import Cache, CacheBudget
from octavo.core.clock import this_moment
from octavo.core.errors import ValidationError
from octavo.core.values import dataclass
from octavo.database.ambient import joined
from octavo.database.connection import AnswerTooLarge, Connection, Database, StatementTimeout, UnsuitableValue
from octavo.database.connection_share import place
from octavo.database.read_positions import READER, read_newest
from octavo.database.request_coalescing import RequestCoalescer
from octavo.query.ast import Page
from octavo.query.cursors import NO_CURSOR, next_cursor
from octavo.query.lifting import Origin, value_at
from octavo.query.plan.entry_shape import MARK, Unlisted, find_unlisted_components
from octavo.query.plan.nesting import FLAT, Nesting, nesting
from octavo.query.plan.nodes import LiteralShape, ReadPlan, Shape, Slot
from octavo.query.plan.planning import LiftedParameter, ReadLimits, Value
from octavo.query.plan.read import Planned
from octavo.query.plan.rows import RowsQuery, plan_rows
from octavo.query.plan.sources import LateSources, Sources
from octavo.query.sql.read.json_shapes import StatementTooLong
from octavo.query.sql.read.rows import compile_rows
from octavo.query.sql.read.select import compile_entry, compile_read, compile_total, compile_written
from octavo.query.sql.read.select_signed_urls import MarkedUrlsCompiler
from octavo.schema.attributes import DynamicZone
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry


async def read_rows(database: Database, registry: Registry, query: RowsQuery) -> list[dict[str, Any]]:
    """Return the rows of a query. Raises ValidationError, also if the result exceeds the maximum response size."""
    plan, values = plan_rows(query, registry)
    text = compile_rows(plan, registry, database.dialect, database.largest_answer)
    try:
        found = await database.fetch_json(text, values, long=True)
    except AnswerTooLarge as error:
        raise too_large(database.largest_answer, FLAT) from error
    rows: list[dict[str, Any]] = orjson.loads(found or b"[]")
    return rows


_PARAMETER: Final = re.compile(r"[$?](\d+)")

Texts = tuple[str, str, int]


class PageAndCount:
    """The statements for a page and its total separately. Compiled on first use."""

    __slots__ = ("_make", "_texts", "shared")

    def __init__(self, shared: int, make: Callable[[], Texts | None]) -> None:
        self.shared = shared
        self._make: Callable[[], Texts | None] | None = make
        self._texts: Texts | None = None

    def texts(self) -> Texts | None:
        """Return the SQL for the page, for the total, and its number of values; None if both are joined."""
        if self._make is not None:
            self._texts, self._make = self._make(), None
        return self._texts


def shared_values(plan: ReadPlan) -> int | None:
    """Return how many leading values the pages of a list share; None for lists without pages or totals."""
    limit = plan.selection.limit
    is_page = plan.with_count and not plan.with_keys and plan.most_counted is None
    return limit.index if is_page and limit is not None and not isinstance(plan.shape, LiteralShape) else None


def values_taken(text: str) -> int | None:
    """Return how many values a statement binds; None if it skips one."""
    taken = {int(number) for number in _PARAMETER.findall(text)}
    return len(taken) if taken == set(range(1, len(taken) + 1)) else None


class UnlistedComponents:
    """The unlisted components found so far. `version` increases with each new one."""

    def __init__(self) -> None:
        self.version = 0
        self._met: dict[tuple[str, str], tuple[str, ...]] = {}

    def of(self, definition: Definition, zone: DynamicZone) -> Iterable[str]:
        """Return the UIDs of components that a zone contains but its definition does not list."""
        return self._met.get((definition.uid, zone.name), ())

    def add(self, met: Iterable[Unlisted]) -> bool:
        """Remember the components in a response; return whether there were any."""
        any_met = False
        for owner, zone, component in met:
            any_met, known = True, self._met.get((owner, zone), ())
            if component not in known:
                self._met[owner, zone] = (*known, component)
                self.version += 1
        return any_met


_BY_ID: Final = ((0, "id"),)
_ALONE: Final = 4 * 1024**2
"""The memory in bytes for the statements of a standalone reader, as in commands."""

_LONG_TEXT: Final = 16 * 1024
"""Longer statements, in bytes, take the database some milliseconds to parse."""

_Fetch = Callable[..., Awaitable[Any]]


class _TooLong(Exception):
    """The database took longer than `ReadLimits.seconds` for a read."""


@dataclass(frozen=True, slots=True)
class CompiledRead:
    """A compiled plan: the SQL, the nesting of its lists, and the sources of its result.

    `long`: it may be slow, so it must not block the event loop. `bounded`: the client chooses its size, so it
    has a shorter timeout than other statements.
    """

    text: str
    long: bool
    bounded: bool
    nesting: Nesting
    sources: LateSources
    written: Callable[[str], str | None]
    """Returns SQL with the same result for an entry that the statement itself writes, given the name of its WITH table;
    None if that is not possible."""
    apart: PageAndCount | None = None


@dataclass(slots=True)
class PreparedRead:
    """A read ready to run: the statement and its values.

    Treat it as immutable. It is not a frozen dataclass, because creating one per request is several times slower.

    `late` are the positions and names of values that are bound later, `moments` the positions of the current time.
    `page` is the page of a list. `renewal` plans the read again if unlisted components are found; `given` is then bound
    again.
    """

    statement: CompiledRead
    values: tuple[Any, ...]
    late: tuple[tuple[int, str], ...] = ()
    moments: tuple[int, ...] = ()
    page: Page | None = None
    renewal: "_Renewal | None" = None
    given: Mapping[str, Value] = field(default_factory=dict)
    lifted: tuple[LiftedParameter, ...] = ()
    start: int | None = None
    """The position of the value that is the start of the page."""

    @property
    def sources(self) -> Sources:
        """The sources of its result, from the latest plan."""
        latest = None if self.renewal is None else self.renewal.latest
        return (latest or self).statement.sources.find()

    @property
    def reads_by_id(self) -> bool:
        """Whether it reads an entry by id, without other parameters."""
        return self.late == _BY_ID and len(self.values) == 1 and self.renewal is None

    def bind(self, **given: Value) -> "PreparedRead":
        """Return the read with its late values, by name (`Slot`). Raises TypeError for other names."""
        values = list(self.values)
        try:
            for place, name in self.late:
                values[place] = given[name]
        except KeyError as missing:
            raise TypeError(f"The read requires a value for {missing}") from None
        return PreparedRead(
            self.statement, tuple(values), (), self.moments, self.page, self.renewal, given, self.lifted, self.start
        )

    @property
    def free_origins(self) -> tuple[Origin, ...]:
        """The origins of values that can be replaced; empty if the plan also depends on them."""
        is_free = type(self) is PreparedRead and self.renewal is None and (self.page is None or self.page.after is None)
        return tuple(one.origin for one in self.lifted) if is_free else ()

    def rebind(self, variables: Mapping[str, Any]) -> "PreparedRead":
        """Return the read with other variables for its free origins. Raises OtherPlan."""
        if not self.lifted or not self.free_origins:
            return self
        values = list(self.values)
        for one in self.lifted:
            values[one.index] = one.read(value_at(variables, one.origin.source))
        return PreparedRead(
            self.statement,
            tuple(values),
            self.late,
            self.moments,
            self.page,
            self.renewal,
            self.given,
            self.lifted,
            self.start,
        )

    @property
    def can_turn(self) -> bool:
        """Whether the read returns other pages as well."""
        return type(self) is PreparedRead and self.renewal is None and self.start is not None

    def at_page(self, start: int, number: int | None) -> "PreparedRead":
        """Return a read that `can_turn` for another page of the same size, which is not the first."""
        assert self.start is not None, "it has a value to replace"
        assert self.page is not None, "only pages have a start"
        values = list(self.values)
        values[self.start] = start
        page = Page(
            start=start,
            limit=self.page.limit,
            number=number,
            with_count=self.page.with_count,
            most_counted=self.page.most_counted,
        )
        return PreparedRead(
            self.statement,
            tuple(values),
            self.late,
            self.moments,
            page,
            self.renewal,
            self.given,
            self.lifted,
            self.start,
        )

    def at(self, moment: int) -> tuple[Any, ...]:
        """Return all values of a bound read, for a time in milliseconds since 1970."""
        values = list(self.values)
        for index in self.moments:
            values[index] = moment
        return tuple(values)


@dataclass(slots=True)
class _Renewal:
    """How to plan a read again, and the version of the unlisted components in its plan."""

    plan: Callable[[], Planned]
    version: int
    latest: PreparedRead | None = None


class FileRewriter(Protocol):
    """Changes what responses contain of files, at marks that its statements set."""

    @property
    def mark(self) -> str:
        """A text that no client knows."""

    @property
    def lasts(self) -> bool:
        """Whether changed responses can be cached."""

    @property
    def withholds(self) -> bool:
        """Whether reads that are planned so get no signed URLs."""

    @property
    def compile(self) -> Callable[..., str]:
        """A function that returns the statement of a read, with marks. It has the arguments of `compile_read`."""

    def apply(self, answer: bytes) -> bytes:
        """Return a response with its marks replaced."""


class UrlSigner:
    """Signs the URLs of files in responses if the storage is private. `sign` returns the signed form of one."""

    lasts = False
    withholds = False

    def __init__(self, sign: Callable[[str], str]) -> None:
        self.mark = f"{secrets.token_hex(12)}:"
        self._sign = sign
        self._marked = re.compile(rb'%b([^"\\]*)' % self.mark.encode())

    @property
    def compile(self) -> Callable[..., str]:
        """A function that returns the statement of a read, with a mark before each URL."""
        return partial(compile_read, make=partial(MarkedUrlsCompiler, url_mark=self.mark))

    def apply(self, answer: bytes) -> bytes:
        """Return the response with all marked URLs signed."""
        return self._marked.sub(lambda found: self._sign(found[1].decode()).encode(), answer)


class EntryReader:
    """Reads entries as JSON built by the database."""

    def __init__(
        self,
        database: Database,
        registry: Registry,
        file_rewriter: FileRewriter | None = None,
        *,
        statements: Cache[ReadPlan, CompiledRead] | None = None,
        limits: ReadLimits | None = None,
        keeps_totals: bool = False,
        keeps_parts: bool = False,
    ) -> None:
        self.limits = limits or ReadLimits()
        self.database = database
        self._contents = database.contents
        self.registry = registry
        self.dialect = database.dialect
        self._file_rewriter = file_rewriter
        self.withholds_private = file_rewriter is not None and file_rewriter.withholds
        """Whether callers need a permission for signed URLs of private files."""
        self._keeps_totals, self._keeps_parts = keeps_totals, keeps_parts
        self.unlisted = UnlistedComponents()
        self._statements = CacheBudget(_ALONE).cache("statements") if statements is None else statements
        self._large = ReadLimiter(database.large_reads, PATIENCE_SECONDS)
        self._joint = RequestCoalescer(self._read_large, shares=not database.simple)

    def prepare(self, planned: Planned) -> PreparedRead:
        """Return a plan's statement, compiled if necessary. Raises ValidationError if it is too long."""
        statement = self._statements.get(planned.plan) or self._compiled(planned.plan)
        slots = [(place, value) for place, value in enumerate(planned.values) if isinstance(value, Slot)]
        late = tuple((place, slot.value) for place, slot in slots if slot is not Slot.NOW)
        moments = tuple(place for place, slot in slots if slot is Slot.NOW)
        start = planned.plan.selection.start
        at = None if start is None else start.index
        return PreparedRead(statement, planned.values, late, moments, planned.page, lifted=planned.lifted, start=at)

    def prepare_again(self, plan: Callable[[], Planned]) -> PreparedRead:
        """Prepare a plan that is rebuilt if a dynamic zone contains components that it does not list."""
        version = self.unlisted.version
        prepared = self.prepare(plan())
        if MARK not in prepared.statement.text:
            return prepared
        return replace(prepared, renewal=_Renewal(plan, version))

    def plan_of(self, text: str) -> ReadPlan | None:
        """Return the plan of a statement; None if it is not in the cache or not a read."""
        return self._statements.find(lambda compiled: compiled.text == text)

    def entry_json(self, shape: Shape, alias: str) -> str:
        """Return an SQL expression for the JSON, as bytes, of the entry in the row `alias` of a statement."""
        return compile_entry(shape, self.registry, self.dialect, alias)

    def read_one(
        self, prepared: PreparedRead, connection: Connection | None = None
    ) -> Coroutine[Any, Any, bytes | None]:
        """Return an entry as JSON, or None if not found. Raises ValidationError if it would be too large.

        With a connection, inside a transaction, the limiter for large reads does not apply.
        """
        fetch, waits = (connection or self._contents).fetch_json, connection is None
        if prepared.renewal is None and self._file_rewriter is None:
            return self._run(fetch, prepared, waits)
        return self._read_again(fetch, prepared, waits)

    async def _read_again(self, fetch: _Fetch, prepared: PreparedRead, waits: bool) -> bytes | None:
        """Read an entry, again if it contains unlisted components, and replace marks."""
        renewal = prepared.renewal
        read = prepared if renewal is None else self._latest(prepared, renewal)
        entry: bytes | None = await self._run(fetch, read, waits)
        while renewal is not None and entry is not None and self.unlisted.add(find_unlisted_components(entry)):
            entry = await self._run(fetch, self._latest(prepared, renewal), waits)
        return entry if entry is None or self._file_rewriter is None else self._file_rewriter.apply(entry)

    async def read_list(self, prepared: PreparedRead) -> tuple[bytes, int | None]:
        """Return a page as a JSON array, and the total if requested. Raises ValidationError as `read_one`."""
        if prepared.renewal is None and self._file_rewriter is None:  # as `_read_rows`, with one coroutine less
            fetch, apart = self._contents.fetch_row, prepared.statement.apart
            row = await self._run(fetch if apart is None else partial(fetch, apart=apart), prepared, True)
        else:
            row = await self._read_rows(prepared)
        return row[0], row[1] if len(row) > 1 else None

    async def read_behind(self, prepared: PreparedRead) -> tuple[bytes, int | None, str | None]:
        """Return a page as `read_list` does, and the next cursor. Raises ValidationError for an invalid cursor."""
        page = prepared.page or Page()
        try:
            row = await self._read_rows(prepared)
        except UnsuitableValue as error:
            raise ValidationError(NO_CURSOR) from error
        return row[0], row[1] if page.with_count else None, next_cursor(page, row[-1])

    async def _read_rows(self, prepared: PreparedRead) -> Sequence[Any]:
        renewal, fetch = prepared.renewal, self._contents.fetch_row
        while True:
            read = prepared if renewal is None else self._latest(prepared, renewal)
            apart = read.statement.apart
            row = await self._run(fetch if apart is None else partial(fetch, apart=apart), read, True)
            if renewal is None or not self.unlisted.add(find_unlisted_components(row[0])):
                break
        return row if self._file_rewriter is None else (self._file_rewriter.apply(row[0]), *row[1:])

    def read_newest(self) -> None:
        """Read from the primary database from now on in this request."""
        read_newest()

    def request_share(self) -> AbstractContextManager[None]:
        """Limit the reads started inside to one request's share of the connections."""
        return self.database.request_share()

    def check_size(self, size: int) -> None:
        """Raise ValidationError if the combined result of several reads is too large."""
        if size > self.database.largest_answer:
            raise too_large(self.database.largest_answer, FLAT)

    def _latest(self, prepared: PreparedRead, renewal: _Renewal) -> PreparedRead:
        """Return the read with the latest plan, which includes all unlisted components found so far."""
        if renewal.version != self.unlisted.version:
            version = self.unlisted.version
            renewal.latest, renewal.version = self.prepare(renewal.plan()), version
        return prepared if renewal.latest is None else renewal.latest.bind(**prepared.given)

    async def _run(self, fetch: _Fetch, prepared: PreparedRead, waits: bool) -> Any:
        statement = prepared.statement
        is_large = statement.nesting.is_large
        if prepared.late:
            raise TypeError(f"The read is not bound yet: {prepared.late}")
        values = prepared.at(this_moment()) if prepared.moments else prepared.values
        try:
            if not (is_large and waits) or joined(self.database) is not None:
                if statement.bounded:
                    return await self._read_bounded((fetch, statement.text), values)
                return await fetch(statement.text, values, long=statement.long)
            if READER.get() is None:
                return await self._joint.read((fetch, statement.text), values)
            return await self._read_large((fetch, statement.text), values)  # a shared result could be outdated
        except AnswerTooLarge as error:
            raise too_large(self.database.largest_answer, statement.nesting) from error
        except (StatementTimeout, _TooLong) as error:
            if statement.bounded:
                raise too_long(statement.nesting) from error
            raise

    async def _read_large(self, what: tuple[_Fetch, str], values: Sequence[Any]) -> Any:
        async with place(), self._large:  # wait for the request's share before taking a slot of the limiter
            return await self._read_bounded(what, values)

    async def _read_bounded(self, what: tuple[_Fetch, str], values: Sequence[Any]) -> Any:
        """Run a read with a timeout on the database's work. Raises _TooLong."""
        fetch, text = what
        limit = asyncio.timeout(self.limits.seconds)
        try:
            async with limit:
                return await fetch(text, values, long=True)
        except TimeoutError as error:
            if limit.expired():
                raise _TooLong from error
            raise

    def _compiled(self, plan: ReadPlan) -> CompiledRead:
        return self._statements.put(plan, self._compile(plan))

    def _compile(self, plan: ReadPlan) -> CompiledRead:
        levels, most = nesting(plan), self.limits.statement
        keeps_totals, keeps_parts = self._keeps_totals, self._keeps_parts
        arguments = plan, self.registry, self.dialect, self.database.largest_answer, levels, most
        rewriter = self._file_rewriter
        compile_text = compile_read if rewriter is None else rewriter.compile
        try:
            text = compile_text(*arguments, keeps_totals=keeps_totals, keeps_parts=keeps_parts)
        except StatementTooLong:
            message = (
                f"The request needs a statement of more than {most} bytes. Its limit follows from `reads.maxCost` "
                "in config/api.toml. Request fewer relations, components or levels"
            )
            raise ValidationError(message) from None
        long = levels.is_large or not plan.is_cheap or len(text) > _LONG_TEXT
        written = partial(compile_written, plan, self.registry, self.dialect, self.database.largest_answer)
        shared = None if levels.is_large or self.database.simple else shared_values(plan)
        apart = None if shared is None else PageAndCount(shared, partial(self._texts_apart, plan))
        bounded = levels.is_large or len(text) > _LONG_TEXT
        return CompiledRead(text, long, bounded, levels, LateSources(plan), written, apart)

    def _texts_apart(self, plan: ReadPlan) -> tuple[str, str, int] | None:
        keeps_totals, keeps_parts = self._keeps_totals, self._keeps_parts
        total = compile_total(plan, self.registry, self.dialect, keeps_totals=keeps_totals, keeps_parts=keeps_parts)
        taken = None if total is None else values_taken(total)
        if total is None or taken is None:
            return None
        page = replace(plan, with_count=False)
        return (self._statements.get(page) or self._compiled(page)).text, total, taken
