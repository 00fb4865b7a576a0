"""Database: the one small protocol between Octavo and a database. Drivers implement it; everybody else uses it.

Statements are text with the dialect's placeholders (`?1, ?2 ...` on SQLite, `$1, $2 ...` on PostgreSQL) and a sequence
of values. Rows are sequences indexed by position.

Values are None, bool, int, float and str, nothing else. Whatever has no such type travels as text and is cast where
the database needs it (`$1::timestamp`, `$2::numeric`, `$3::jsonb`); dates, times, timestamps, numerics and jsonb come
back as text the same way. On PostgreSQL the type of a placeholder decides what may be given for it: a number type with
decimals takes int, float and str, a text type only str, an integer type only int; arrays take a list of those.
"""

from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from octavo.core.errors import ServiceUnavailable
from octavo.core.values import dataclass
from octavo.database.pool import PoolUse
from octavo.database.topology import ServerUse
from octavo.database.versions import Versions
from octavo.query.sql.dialects.base import Dialect

WorkT = TypeVar("WorkT")


unnoted: Final = deque[float](maxlen=0).append
"""For who is told of statements and wants to know of texts alone."""


@dataclass(slots=True)
class Watch:
    """Who is told of statements: `note` how many seconds each took, waits for a connection or a thread included; `see`
    the texts, too, of those that took `seen_from` and more. Most are only noted, which is no call of Python."""

    note: Callable[[float], object]
    see: Callable[[str, float], None]
    seen_from: float = 0.0

    def tell(self, text: str, seconds: float) -> None:
        """Tell of a statement."""
        self.note(seconds)
        if seconds >= self.seen_from:
            self.see(text, seconds)


LARGEST_ANSWER: Final = 32 * 1024**2

Values = Sequence[Any]
Row = Sequence[Any]


class IntegrityViolation(Exception):
    """A write met a rule of the database: foreign key, check, not null. `rule` is what the database calls it."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


class UniqueViolation(IntegrityViolation):
    """A write met a unique index.

    `index` names it as well as the database tells: the index on PostgreSQL; on SQLite the columns
    (`articles.slug, articles.locale`), for an index on expressions its name.
    """

    def __init__(self, index: str) -> None:
        super().__init__(index)
        self.index = index


class UnsuitableValue(ValueError):
    """The database cannot take a value: out of range, no valid text for the type, NUL, half a surrogate pair, NaN."""


class IdTaken(UniqueViolation):
    """The id that the database itself gave to a new row is taken; see `sequences`."""


class AnswerTooLarge(UnsuitableValue):
    """What a read is to answer is larger than the database may make it."""


class TransactionConflict(Exception):
    """Two transactions stood in each other's way and this one had to give in; the whole transaction may be retried."""


class StatementRefused(Exception):
    """The database takes no such statement about these tables: a rule or a trigger of somebody else's is in its way."""


class TransactionFailed(Exception):
    """A transaction was used after a statement in it had failed, or after its end. A mistake in the calling code."""


class StatementTimeout(ServiceUnavailable):
    """A statement took longer than it may."""


class StatementCount(Protocol):
    """Whoever counts and watches the statements that are sent."""

    statements: int

    watch: Watch | None
    """Who is told of them."""


class LockTimeout(StatementTimeout):
    """A change of tables waited too long for others to let go of them; `tables` are those it was about."""

    tables: tuple[str, ...] = ()


class PageApart(Protocol):
    """How a page and its total are read by two statements."""

    shared: int
    """The first so many values of the whole are what is counted; the others choose the page."""

    def texts(self) -> tuple[str, str, int] | None:
        """The page without its total, which takes all values; the total alone, and how many values that takes. None
        where both have to be looked for at once."""


class Reads(Protocol):
    """Where content is read."""

    def fetch_row(
        self, text: str, values: Values = (), *, long: bool = False, apart: PageApart | None = None
    ) -> Awaitable[Row | None]:
        """The first row, or None. With `apart` it is a page and its total, and may be read as two statements where
        others are asking for the same total."""

    def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> Awaitable[bytes | None]:
        """As `Connection.fetch_json`."""


class Connection(Protocol):
    """What can be said to a database, inside a transaction or (on `Database` itself) outside one.

    `long` tells that a read may take long, so that it does not hold up others; where it makes no difference it is
    ignored. After any exception a transaction can only be rolled back, or the part of it that it came from, on every
    database.
    """

    async def fetch_all(self, text: str, values: Values = (), *, long: bool = False) -> Sequence[Row]:
        """All rows."""

    async def fetch_row(self, text: str, values: Values = (), *, long: bool = False) -> Row | None:
        """The first row, or None."""

    async def fetch_value(self, text: str, values: Values = (), *, long: bool = False) -> Any:
        """The first column of the first row, or None."""

    async def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> bytes | None:
        """The first column of the first row, a JSON text, as UTF-8.

        Cheapest where the database gives bytes by itself: type `json` on PostgreSQL, `CAST(... AS BLOB)` on SQLite.
        """

    async def execute(self, text: str, values: Values = ()) -> int:
        """Run a statement that answers no rows; the number of rows it touched."""

    async def execute_script(self, text: str) -> None:
        """Run several statements separated by semicolons, without values (DDL)."""


class Links(NamedTuple):
    """A table that links entries of one type, and its columns, quoted."""

    table: str
    source: str
    target: str


class Transaction(Connection, Protocol):
    """A connection inside a transaction: its reads see its own writes."""

    async def lock(self, name: str) -> None:
        """Wait until no other transaction holds this name; hold it until the end of this one."""

    async def lock_all(self, names: Sequence[str], *, shared: Sequence[str] = ()) -> None:
        """The same for several names, one after the other. Who takes several in the same order meets no deadlock.

        `shared` names are locked before them: other transactions can share these, but not lock them for themselves.
        """

    async def lock_linked(self, prefix: str, links: Links, values: Values) -> None:
        """The same for the entries that an entry is linked to, and for others: names of prefix, type and id, in order.

        `values` are the type, the id of the entry, and the types and ids of the others. Their types (prefix and type)
        are locked first, shared. Where there is only one writer nothing is locked.
        """

    def part(self) -> AbstractAsyncContextManager[None]:
        """A block that is undone alone when it ends with an exception: statements may follow, also after one that has
        failed inside. Parts may lie in one another.

        After a statement that was interrupted the whole transaction can only be rolled back, as after a part that the
        database has undone with everything around it.
        """

    async def compute(self, work: Callable[[], WorkT]) -> WorkT:
        """Do work between two statements in a thread (`threads.in_computing_thread`). It counts as no pause."""


class Database(Connection, Protocol):
    """A pool of connections. Its own `fetch_` methods only read (the database refuses writes there, so that a read can
    be repeated when a connection is lost); `execute` and `execute_script` are a transaction of their own.

    Raises `errors.ServiceUnavailable` when the database cannot be reached, or no connection is free in time.
    What is read or written where a transaction is ambient (`ambient`) belongs to that; a transaction begun there is a
    part of it.

    `statements` counts every statement ever sent, for the exact guards in the tests (BEGIN, COMMIT and locks not
    counted, a script as one).
    """

    dialect: Dialect
    statements: int
    largest_answer: int
    """Bytes of the largest JSON text that a statement may answer."""
    large_reads: int
    """How many reads of great size may run at once so that others still find a connection."""

    watch: Watch | None
    """Who is told of statements; None where nobody wants to know, which costs nothing."""

    @property
    def contents(self) -> Reads:
        """Where content is read outside of transactions: the database itself, or with replicas one of its servers."""

    lock_timeout: float
    """Seconds that a statement of an exclusive transaction waits for a lock on a table."""

    async def connect(self) -> None:
        """Open the pool. Raises `errors.ServiceUnavailable`, its cause telling what is wrong."""

    async def close(self) -> None:
        """Let running statements finish, then close every connection."""

    def transaction(
        self, *, exclusive: bool = False, grouped: bool = False
    ) -> AbstractAsyncContextManager[Transaction]:
        """A write transaction: committed on normal exit, rolled back on any exception or cancellation.

        An exclusive one is for changes of tables: of all processes on the database only one is inside at a time, the
        others wait for minutes if need be; its statements have no time limit. They raise LockTimeout when somebody
        keeps a lock on a table for longer than `lock_timeout`.

        Grouped ones may be committed together, where that is quicker. They are short, and whoever runs one runs it
        once more on TransactionConflict, which one of the others may cause. One that may wait for something else than
        the database is not to be grouped.

        Where only one can write, one that pauses between statements while others wait is undone: a grouped one with
        TransactionConflict, any other with ServiceUnavailable.
        """

    def snapshot(self) -> AbstractAsyncContextManager[Connection]:
        """One state of the database to read for as long as it takes: what others write meanwhile is not seen, and
        nobody waits. It refuses writes.
        """

    def apart(self) -> AbstractAsyncContextManager[Connection]:
        """A connection that is no part of the pool, for statements that run outside of any transaction, however long;
        where there is no such thing, an exclusive transaction."""

    def request_share(self) -> AbstractContextManager[None]:
        """Let the reads that are begun inside hold only one request's share of the connections (`request_share`)."""

    def pools(self) -> Mapping[str, PoolUse]:
        """Tell how the pools of connections fare, by name."""

    def servers(self) -> Sequence[ServerUse]:
        """Tell how the primary and its replicas fare; nothing where there are none."""

    def versions(self) -> Versions:
        """What tells whether anybody has committed something."""

    async def plan_of(self, text: str) -> str:
        """How the database would run a statement, for people; it is not run. Raises what reading does, and where it
        cannot tell whatever the driver raises."""

    async def plan_with(self, table: str, more: str, text: str) -> str:
        """The same as if there were `more`, an index on a table with that quoted name, made nowhere."""

    async def position(self) -> int:
        """A position in the log behind all that is committed by now (`read_positions`); 0 where there are no replicas,
        `UNKNOWN` where it cannot be told."""

    async def lock_holders(self, tables: Sequence[str]) -> Sequence[str]:
        """Tell people who holds locks on tables, the longest first; nothing where the database does not know."""
