"""Database: the protocol between Octavo and a database. Drivers implement it; everything else uses it.

Statements are text with the dialect's placeholders (`?1, ?2 ...` on SQLite, `$1, $2 ...` on PostgreSQL) and a sequence
of values. Rows are sequences indexed by position.

Values are None, bool, int, float and str only. Other types are passed as text and cast in the statement
(`$1::timestamp`, `$2::numeric`, `$3::jsonb`); dates, times, timestamps, numerics and jsonb are returned as text as
well. On PostgreSQL the type of a placeholder determines the accepted values: a number type with decimals takes int,
float and str, a text type only str, an integer type only int; arrays take a list of those.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from math import isnan
from time import perf_counter
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from octavo.core.errors import ServiceUnavailable
from octavo.core.values import dataclass
from octavo.database.pool import PoolUse
from octavo.database.topology import ServerUse
from octavo.database.versions import Versions
from octavo.query.sql.dialects.base import Dialect

WorkT = TypeVar("WorkT")

unnoted: Final = deque[float](maxlen=0).append
"""A `note` that discards its argument, for observers that only need the texts."""


@dataclass(slots=True)
class Watch:
    """An observer of statements. `note` is called with the seconds that each took, including waits for a connection or
    a thread; `see` is called with the text as well, for those that took at least `seen_from`. `note` alone is cheap."""

    note: Callable[[float], object]
    see: Callable[[str, float], None]
    seen_from: float = 0.0

    def report(self, text: str, seconds: float) -> None:
        """Report a statement."""
        self.note(seconds)
        if seconds >= self.seen_from:
            self.see(text, seconds)


LARGEST_ANSWER: Final = 32 * 1024**2
START_PATIENCE: Final = 15.0
"""Seconds that `connect` waits for a server that is starting."""

Values = Sequence[Any]
Row = Sequence[Any]


class IntegrityViolation(Exception):
    """A write violated a foreign key, check or not null constraint. `rule` is its name in the database."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


class UniqueViolation(IntegrityViolation):
    """A write violated a unique index.

    `index` identifies it as far as the database reports it: the index on PostgreSQL; on SQLite the columns
    (`articles.slug, articles.locale`) or, for an index on expressions, its name.
    """

    def __init__(self, index: str) -> None:
        super().__init__(index)
        self.index = index


class UnsuitableValue(ValueError):
    """The database cannot store a value: out of range, invalid for the type, NUL, half a surrogate pair, NaN."""


class IdTaken(UniqueViolation):
    """The id that the database generated for a new row is already used; see `synchronize.continue_ids`."""


class AnswerTooLarge(UnsuitableValue):
    """The result of a read exceeds the size limit."""


class TransactionConflict(Exception):
    """Two transactions conflicted and this one was rolled back. The whole transaction can be retried."""


class StatementRefused(Exception):
    """The database rejects the statement on these tables, because of another program's rule or trigger."""


class TransactionFailed(Exception):
    """A transaction was used after a failed statement or after its end. A bug in the calling code."""


class DatabaseMisconfigured(ServiceUnavailable):
    """The database refuses for a reason that waiting does not change: credentials, names, or the kind of server."""


class DatabaseReadOnly(ServiceUnavailable):
    """The operator has made the database read-only."""


class StatementTimeout(ServiceUnavailable):
    """A statement exceeded its time limit."""


class StatementCount(Protocol):
    """Counts and observes statements."""

    statements: int

    watch: Watch | None
    """The observer, if any."""


class LockTimeout(StatementTimeout):
    """A change of tables waited too long for locks of others. `tables` are the affected tables."""

    tables: tuple[str, ...] = ()


class PageAndCount(Protocol):
    """How to read a page and its total with two statements."""

    shared: int
    """The number of values that the total depends on; the others select the page."""

    def texts(self) -> tuple[str, str, int] | None:
        """Return the statement of the page without its total, which takes all values; the statement of the total, and
        how many values it takes. None if both have to be read together."""


class Reads(Protocol):
    """The interface for reading content."""

    def fetch_row(
        self, text: str, values: Values = (), *, long: bool = False, apart: PageAndCount | None = None
    ) -> Awaitable[Row | None]:
        """Return the first row, or None. With `apart` it is a page and its total, which may be read as two statements
        if other requests are reading the same total."""

    def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> Awaitable[bytes | None]:
        """Like `Connection.fetch_json`."""


class RowReader(Protocol):
    """Statements that return rows. `long` marks a read as slow, so that it does not block others; drivers may ignore
    it."""

    async def fetch_all(self, text: str, values: Values = (), *, long: bool = False) -> Sequence[Row]:
        """Return all rows."""

    async def fetch_row(self, text: str, values: Values = (), *, long: bool = False) -> Row | None:
        """Return the first row, or None."""

    async def fetch_value(self, text: str, values: Values = (), *, long: bool = False) -> Any:
        """Return the first column of the first row, or None."""


class Connection(RowReader, Protocol):
    """Statements on a database, inside a transaction or (on `Database` itself) outside one.

    After any exception a transaction, or the part of it that raised the exception, can only be rolled back, on every
    database.
    """

    async def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> bytes | None:
        """Return the first column of the first row, a JSON text, as UTF-8.

        Fastest if the database returns bytes: type `json` on PostgreSQL, `CAST(... AS BLOB)` on SQLite.
        """

    async def execute(self, text: str, values: Values = ()) -> int:
        """Run a statement that returns no rows, and return the number of affected rows."""

    async def execute_script(self, text: str) -> None:
        """Run several statements separated by semicolons, without values (DDL)."""


class Links(NamedTuple):
    """A join table for entries of one type, and its columns, quoted."""

    table: str
    source: str
    target: str


class Transaction(Connection, Protocol):
    """A connection inside a transaction: its reads see its own writes."""

    async def lock(self, name: str) -> None:
        """Acquire the lock with this name, and hold it until the end of the transaction."""

    async def lock_all(self, names: Sequence[str], *, shared: Sequence[str] = ()) -> None:
        """Acquire several locks, one after another. Acquiring them in the same order everywhere avoids deadlocks.

        `shared` locks are acquired before them: other transactions can share these, but not acquire them exclusively.
        """

    async def lock_linked(self, prefix: str, links: Links, values: Values) -> None:
        """Lock an entry's linked entries, and others: names of prefix, type and id, in order.

        `values` are the type, the id of the entry, and the types and ids of the others. Their types (prefix and type)
        are locked first, shared. With a single writer nothing is locked.
        """

    def part(self) -> AbstractAsyncContextManager[None]:
        """Open a savepoint that is rolled back if the block raises an exception. Statements may follow, even after one
        failed inside. Savepoints can be nested.

        After an interrupted statement, or if the database rolls back more than the savepoint, the whole transaction can
        only be rolled back.
        """

    def commit_with_next(self) -> bool:
        """Commit with the next statement, which has to be the last one, and return whether that is possible: for the
        first statement of a grouped transaction, on databases where it saves round trips. Otherwise the transaction is
        committed at its end as usual.

        If the connection is lost meanwhile, the statement may have been committed, as if it is lost at a commit.
        """

    async def compute(self, work: Callable[[], WorkT]) -> WorkT:
        """Run work between two statements in a thread (`threads.in_computing_thread`). It does not count as a pause."""


class Database(Connection, Protocol):
    """A connection pool. Its own `fetch_` methods only read (the database rejects writes there, so that a read can be
    repeated after a lost connection); `execute` and `execute_script` run in a separate transaction.

    Raises `errors.ServiceUnavailable` if the database cannot be reached, or no connection is free in time. Inside an
    ambient transaction (`ambient`), reads and writes belong to it, and a new transaction is a part of it.

    `statements` counts every statement, for the query count tests (without BEGIN, COMMIT and locks; a script counts as
    one).
    """

    dialect: Dialect
    statements: int
    largest_answer: int
    """Maximum bytes of a JSON text that a statement returns."""
    large_reads: int
    """How many large reads can run at once so that other requests still find a connection."""

    simple: bool
    """Whether reads run without the optimizations that `performance.simple` turns off."""
    watch: Watch | None
    """The observer of statements; None costs nothing."""
    read_only_message: str | None
    """The message for clients in `maintenance_mode`, or None."""

    @property
    def contents(self) -> Reads:
        """Return the reader of content outside transactions: the database itself, or one of its replicas."""

    lock_timeout: float
    """Seconds that a statement of an exclusive transaction waits for a table lock."""

    async def connect(self) -> None:
        """Open the pool. Raises `errors.ServiceUnavailable` with the reason as its cause."""

    async def close(self) -> None:
        """Let running statements finish, then close every connection."""

    def transaction(
        self, *, exclusive: bool = False, grouped: bool = False
    ) -> AbstractAsyncContextManager[Transaction]:
        """Open a write transaction: committed on normal exit, rolled back on any exception or cancellation.

        Exclusive transactions are for changes of tables: of all processes using the database, only one can be in one at
        a time, and the others wait, for minutes if necessary. Its statements have no time limit, but raise LockTimeout
        if a table is locked for longer than `lock_timeout`.

        Grouped transactions may be committed together, where that is faster. They must be short, must be retried on
        TransactionConflict, which another of the group may cause, and must not wait for anything but the database.

        With a single writer, a transaction that pauses between statements while others wait is rolled back: a grouped
        one with TransactionConflict, any other with ServiceUnavailable.
        """

    def snapshot(self) -> AbstractAsyncContextManager[Connection]:
        """Open a read-only transaction on a consistent snapshot: later writes of others are not visible, and neither
        side blocks the other."""

    def apart(self) -> AbstractAsyncContextManager[Connection]:
        """Open a connection outside the pool, for statements outside transactions, of any duration. Databases without
        such statements open an exclusive transaction."""

    def request_share(self) -> AbstractContextManager[None]:
        """Limit the reads inside the block to one request's share of the connections (`request_share`)."""

    def pools(self) -> Mapping[str, PoolUse]:
        """Return the use of the connection pools, by name."""

    def servers(self) -> Sequence[ServerUse]:
        """Return the use of the primary and its replicas; empty without replicas."""

    def versions(self) -> Versions:
        """Return the versions that show whether anything was committed."""

    async def plan_of(self, text: str) -> str:
        """Return the query plan of a statement as text; the statement is not run. Raises the errors of a read, and the
        driver's errors if there is no plan."""

    async def plan_with(self, table: str, more: str, text: str) -> str:
        """Return the plan as if the index `more` existed on the table with that quoted name; no index is created."""

    async def is_read_only(self) -> bool:
        """Return whether the operator has made the database read-only. Transactions raise DatabaseReadOnly then."""

    async def position(self) -> int:
        """Return a position in the log after all commits so far (`read_positions`); 0 without replicas, `UNKNOWN` if it
        cannot be determined."""

    async def lock_holders(self, tables: Sequence[str]) -> Sequence[str]:
        """Describe the sessions that hold locks on tables, the longest first; empty if the database does not know."""


class Observed:
    """Context manager around a statement or an attempt at one. It reports to the observer at the end, if there is
    one."""

    __slots__ = ("_began", "_text", "_watch")

    def __init__(self, watch: Watch | None, text: str) -> None:
        self._watch = watch
        self._text = text

    def __enter__(self) -> None:
        self._began = perf_counter()

    def __exit__(self, *_: object) -> None:
        if self._watch is not None:
            self._watch.report(self._text, perf_counter() - self._began)


def first_bytes(row: Row | None) -> bytes | None:
    """Return the first column of a row as bytes, or None for no row and for NULL."""
    value = None if row is None else row[0]
    return value.encode() if isinstance(value, str) else value


def check_values(values: Values) -> None:
    """Reject NUL characters (PostgreSQL cannot store them, SQLite's functions stop at them) and NaN (becomes NULL)."""
    for value in values:
        if value.__class__ is str:
            if "\0" in value:
                raise UnsuitableValue("text with a NUL character")
        elif value.__class__ is float and isnan(value):
            raise UnsuitableValue("NaN is not a number")
