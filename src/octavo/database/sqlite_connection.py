"""One connection to an SQLite file: time limits, results, savepoints.

All methods block. `sqlite` decides what runs in the event loop and what runs in a thread.
"""

import contextlib
import os
import re
import sys
import time
from collections.abc import Callable, Hashable, Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

import apsw

from octavo.core.errors import ServiceUnavailable, TablesChanged
from octavo.database.connection import (
    AnswerTooLarge,
    IntegrityViolation,
    Row,
    StatementTimeout,
    UniqueViolation,
    UnsuitableValue,
    Values,
)
from octavo.database.connection_share import StatementTexts
from octavo.database.read_placement import ReadDuration
from octavo.query.sql.dialects.sqlite import MEASURE

LARGEST_CACHED: Final = 16_383
"""Maximum bytes of a statement that apsw caches."""
LARGEST_KEPT: Final = 64 * 1024
"""Maximum bytes of text of the long statements that are cached."""
TIMES: Final = 2
"""Memory per byte of text of a cached long statement, relative to a short one: the view takes memory as well."""
_MOST_SEEN: Final = 256
_VALUE: Final = "octavo_value"
_READS: Final = ("SELECT ", "WITH ")
_MARK = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|\?(\d+)""")


class LongStatements:
    """The long statements of one connection, cached as views. Their values have at most `largest` bytes."""

    def __init__(self, raw: apsw.Connection, largest: int) -> None:
        self._raw = raw
        self._largest = min(LARGEST_KEPT, largest // 8)
        self._values: Values = ()
        self._seen: set[int] = set()
        self._short: dict[str, str] = {}
        self._made = 0
        raw.create_scalar_function(_VALUE, self._value, 1, deterministic=True)

    def is_repeated(self, text: str) -> bool:
        """Return whether a statement is run for the second time, and is worth caching."""
        if text in self._short or len(text) > self._largest or not text.startswith(_READS) or self._raw.in_transaction:
            return False
        key = hash(text)
        if key in self._seen:
            return True
        if len(self._seen) >= _MOST_SEEN:
            self._seen.clear()
        self._seen.add(key)
        return False

    def keep(self, text: str) -> None:
        """Create a view of a statement."""
        name = f"octavo_read_{self._made}"
        self._made += 1
        self._change(f"CREATE TEMP VIEW {name} AS {_MARK.sub(_by_function, text)}")
        self._short[text] = f"SELECT * FROM {name}"

    def shortened(self, text: str, values: Values) -> tuple[str, Values]:
        """Return the statement to run: a SELECT from its view, or the statement itself."""
        short = self._short.get(text)
        if short is None:
            return text, values
        self._values = values
        return short, ()

    def forget(self) -> None:
        """Drop all views."""
        for short in self._short.values():
            self._change(f"DROP VIEW {short.removeprefix('SELECT * FROM ')}")
        self._short.clear()

    def _change(self, text: str) -> None:
        """Change the connection's temporary schema. The file is not changed."""
        self._raw.execute("PRAGMA query_only = OFF").fetchall()
        try:
            self._raw.execute(text, can_cache=False).fetchall()
        finally:
            self._raw.execute("PRAGMA query_only = ON").fetchall()

    def _value(self, *numbers: Any) -> Any:
        return self._values[numbers[0] - 1]


def _by_function(found: re.Match[str]) -> str:
    return found[0] if found[1] is None else f"CASE WHEN 1 THEN {_VALUE}({found[1]}) END"


_UNIQUE_CODES = {
    apsw.SQLITE_CONSTRAINT_UNIQUE,
    apsw.SQLITE_CONSTRAINT_PRIMARYKEY,
    apsw.SQLITE_CONSTRAINT_ROWID,
}
_UNSUITABLE = (OverflowError, UnicodeEncodeError, apsw.MismatchError)
_UNAVAILABLE = (
    apsw.BusyError,
    apsw.LockedError,
    apsw.CantOpenError,
    apsw.IOError,
    apsw.FullError,
    apsw.ProtocolError,
    apsw.ConnectionClosedError,
)
_UNKNOWN_NAME: Final = re.compile(r"no such (column|table): |table \S+ has no column named ")


def raise_translated(error: Exception) -> NoReturn:
    """Raise the protocol's error for an error of SQLite. Other errors are raised unchanged."""
    if isinstance(error, apsw.ConstraintError):
        rule = str(error).partition("failed: ")[2] or str(error)
        unique = getattr(error, "extendedresult", 0) in _UNIQUE_CODES
        raise (UniqueViolation(_index_name(rule)) if unique else IntegrityViolation(rule)) from error
    if isinstance(error, apsw.InterruptError):
        raise StatementTimeout from error
    if isinstance(error, _UNAVAILABLE):
        raise ServiceUnavailable from error
    if isinstance(error, apsw.TooBigError):
        raise AnswerTooLarge(str(error)) from error
    if isinstance(error, apsw.SQLError) and _UNKNOWN_NAME.match(str(error)):
        raise TablesChanged(str(error)) from error
    if isinstance(error, _UNSUITABLE):
        raise UnsuitableValue(str(error)) from error
    raise error


def _index_name(rule: str) -> str:
    """Return the violated index: SQLite reports an index on expressions as `index 'name'`, any other by its columns."""
    return rule[7:-1] if rule.startswith("index '") else rule


_HEADER: Final = 48
"""Size of the WAL index header in bytes. There are two copies: if they differ, it is being written."""
_FORMAT: Final = (3_007_000).to_bytes(4, sys.byteorder)
"""The first bytes of the header: the format version."""
_IS_MADE: Final = 12
"""Offset of the byte that shows whether the index is initialized."""

_mapped: Final[dict[tuple[int, int], mmap]] = {}


def header_of(database: Path) -> Callable[[], bytes | None] | None:
    """Return a function that reads the WAL index header of an open database, or None if it cannot be mapped. The
    function returns None while the header is being written or created. It must not be called after the database is
    closed."""
    index = database.with_name(f"{database.name}-shm")
    try:
        both = _mapping(index)
    except (OSError, ValueError):
        return None
    one, other = slice(0, _HEADER), slice(_HEADER, 2 * _HEADER)

    def header() -> bytes | None:
        first = both[one]
        return first if first == both[other] else None

    header_bytes = header()
    return header if header_bytes is not None and header_bytes.startswith(_FORMAT) and header_bytes[_IS_MADE] else None


def _mapping(index: Path) -> mmap:
    known = index.stat()
    file = known.st_dev, known.st_ino
    if file not in _mapped:
        _mapped[file] = mmap(os.open(index, os.O_RDONLY), 2 * _HEADER, access=ACCESS_READ)
    return _mapped[file]


_BLOCKS: Final = (1200, 100)
"""Size and number of each connection's lookaside blocks for small allocations. Building the JSON of a page with
relations requires far more than SQLite's default of forty, and each further allocation costs a call."""


def configure_library() -> None:
    """Configure lookaside blocks, and disable memory statistics, which are not used: each allocation would be counted
    under a process-wide lock.

    If the process already has a connection from other code, the configuration is left unchanged.
    """
    with contextlib.suppress(apsw.MisuseError):
        apsw.shutdown()
        try:
            apsw.config(apsw.SQLITE_CONFIG_MEMSTATUS, 0)
            apsw.config(apsw.SQLITE_CONFIG_LOOKASIDE, *_BLOCKS)
        finally:
            apsw.initialize()


ResultT = TypeVar("ResultT")
Collect = Callable[[apsw.Cursor], ResultT]

_PRAGMAS = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA fullfsync = ON;
PRAGMA checkpoint_fullfsync = ON;
PRAGMA foreign_keys = ON;
PRAGMA temp_store = MEMORY;
PRAGMA journal_size_limit = 67108864;
"""
_CACHED_STATEMENTS = 512
_OPERATIONS_BETWEEN_CHECKS = 10_000
_THREAD_BUSY_SECONDS = 4.0
_OPEN_POLL_SECONDS = 0.005
_WRITES_AHEAD = b"\x02\x02"
"""The version bytes in the header of a file in WAL mode."""

configure_library()  # once, at import, before the first connection


def _open_untouched(path: Path) -> apsw.Connection:
    """Open a file read-only. If its WAL was fully checkpointed, no file is created next to it."""
    address = path.resolve().as_uri()
    with path.open("rb") as file:
        writes_ahead = file.read(20)[18:20] == _WRITES_AHEAD
    if writes_ahead and not path.with_name(f"{path.name}-wal").exists():
        address += "?immutable=1"
    return apsw.Connection(
        address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI, statementcachesize=_CACHED_STATEMENTS
    )


def all_rows(cursor: apsw.Cursor) -> Sequence[Row]:
    """Return all rows."""
    rows: Sequence[Row] = cursor.fetchall()
    return rows


def first_row(cursor: apsw.Cursor) -> Row | None:
    """Return the first row, ignoring the others."""
    row: Row | None = cursor.fetchone()
    cursor.close(True)
    return row


def first_value(cursor: apsw.Cursor) -> Any:
    """Return the first column of the first row."""
    row = first_row(cursor)
    return None if row is None else row[0]


def first_json(cursor: apsw.Cursor) -> bytes | None:
    """Return the first column of the first row as bytes, whether it is a text or a blob."""
    row = cursor.fetchone()
    cursor.close(True)
    value = None if row is None else row[0]
    return value.encode() if isinstance(value, str) else value


def touched(cursor: apsw.Cursor) -> int:
    """Run the statement to its end, and return the number of changed rows."""
    cursor.fetchall()
    return cursor.connection.changes()


class SqliteConnection:
    """One connection to the file, with a time limit on every statement. `pages` is its cache size in kilobytes.

    `untouched`: nothing in the file is changed, including its journal mode.
    """

    def __init__(
        self,
        path: Path,
        largest_answer: int,
        *,
        writes: bool,
        pages: int,
        untouched: bool = False,
        keeps_long: bool = True,
    ) -> None:
        self.raw = (
            _open_untouched(path) if untouched else apsw.Connection(str(path), statementcachesize=_CACHED_STATEMENTS)
        )
        self._versions = self.raw.cursor()
        self.version: Callable[[], Hashable] = self._first_version
        """Returns a different value after another connection has committed. None while it is not available at once, for
        example during recovery of the file."""
        self.is_closed = False
        self._texts = StatementTexts(LARGEST_KEPT)
        self._long = LongStatements(self.raw, largest_answer) if keeps_long and not writes else None
        self._deadline = float("inf")
        self.set_busy_seconds(_THREAD_BUSY_SECONDS)
        if not untouched:
            self._configure()
        self.raw.execute(f"PRAGMA cache_size = -{pages}").fetchall()
        self.raw.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)  # otherwise statements with LIMIT ? are prepared each time
        self.raw.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)  # "name" is always an identifier, never a string
        if not writes:
            self.raw.execute("PRAGMA query_only = ON").fetchall()
            self.raw.limit(apsw.SQLITE_LIMIT_LENGTH, largest_answer)
        self._largest_answer = largest_answer
        self._measured = 0
        self.raw.create_scalar_function(MEASURE, self._measure, 2)
        self.raw.set_progress_handler(self._is_late, _OPERATIONS_BETWEEN_CHECKS)

    def _configure(self) -> None:
        """Configure the connection. If several processes open a new file, only one can change it to WAL at a time, and
        SQLite does not wait for that."""
        deadline = time.monotonic() + _THREAD_BUSY_SECONDS
        while True:
            try:
                self.raw.execute(_PRAGMAS).fetchall()
                return
            except apsw.BusyError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(_OPEN_POLL_SECONDS)

    def set_busy_seconds(self, seconds: float) -> None:
        self.raw.set_busy_timeout(int(seconds * 1000))

    def run(self, collect: Collect[ResultT], text: str, values: Values, seconds: float) -> ResultT:
        """Run a statement and collect its result."""
        self._deadline = time.monotonic() + seconds
        self._measured = 0
        try:
            if len(text) > LARGEST_CACHED:
                text, values = self._kept(text, values)
            elif self._texts.overflow(text):
                self._forget_statements()
            return collect(self.raw.execute(text, values))
        except Exception as error:
            raise_translated(error)

    def run_timed(
        self, collect: Collect[ResultT], text: str, values: Values, seconds: float
    ) -> tuple[ResultT, ReadDuration]:
        """Run a statement like `run`, and also return its duration."""
        before = time.thread_time(), time.perf_counter()
        result = self.run(collect, text, values, seconds)
        return result, ReadDuration(time.thread_time() - before[0], time.perf_counter() - before[1])

    def run_limited(self, collect: Collect[ResultT], text: str, values: Values, seconds: float) -> ResultT:
        """Run a read with the readers' size limit, on a connection that may write larger values."""
        before = self.raw.limit(apsw.SQLITE_LIMIT_LENGTH, self._largest_answer)
        try:
            return self.run(collect, text, values, seconds)
        finally:
            self.raw.limit(apsw.SQLITE_LIMIT_LENGTH, before)

    def run_change(self, collect: Collect[int], text: str, values: Values, seconds: float) -> int:
        """Run a statement that may change rows, and return their number.

        SQLite's count is that of the last statement which could change rows: DDL does not reset it.
        """
        before = self.raw.total_changes()
        changed = self.run(collect, text, values, seconds)
        return changed if self.raw.total_changes() != before else 0

    def run_script(self, text: str, seconds: float) -> None:
        """Run several statements without values."""
        self.run(all_rows, text, (), seconds)

    def try_begin(self) -> bool:
        """Begin a write transaction and return True, or return False if another process is in one."""
        try:
            self.raw.execute("BEGIN IMMEDIATE")
        except apsw.BusyError:
            return False
        except apsw.Error as error:
            raise_translated(error)
        return True

    def commit(self) -> None:
        """Commit to the disk."""
        self.run_script("COMMIT", float("inf"))

    def begin_part(self) -> None:
        """Open a savepoint."""
        self.run_script("SAVEPOINT part", float("inf"))

    def end_part(self) -> None:
        """Release the savepoint. Raises an error if it violates a deferred constraint, which COMMIT would check."""
        if self.raw.status(apsw.SQLITE_DBSTATUS_DEFERRED_FKS)[0]:
            raise IntegrityViolation("FOREIGN KEY constraint")
        self.run_script("RELEASE part", float("inf"))

    def undo_part(self) -> bool:
        """Roll back to the savepoint; return False if SQLite has already rolled back the whole transaction."""
        self._deadline = float("inf")
        if not self.is_closed and self.raw.in_transaction:
            with contextlib.suppress(apsw.Error):
                self.raw.execute("ROLLBACK TO part")
                self.raw.execute("RELEASE part")
                return True
        return False

    def roll_back(self) -> None:
        """Roll back the open transaction, if there is one."""
        self._deadline = float("inf")
        if self.raw.in_transaction:
            self.raw.execute("ROLLBACK")

    def _kept(self, text: str, values: Values) -> tuple[str, Values]:
        """Return the statement to run for one that apsw does not cache."""
        long = self._long
        if long is None:
            return text, values
        if long.is_repeated(text):
            if self._texts.overflow(text, TIMES):
                self._forget_statements()
            long.keep(text)
        return long.shortened(text, values)

    def _forget_statements(self) -> None:
        """Fill apsw's statement cache with tiny statements, because it cannot be cleared."""
        if self._long is not None:
            self._long.forget()
        for number in range(_CACHED_STATEMENTS):
            self.raw.execute(f"SELECT {number}").fetchall()

    def _first_version(self) -> Hashable:
        if self._data_version() is None:
            return None
        writes_ahead = self.raw.execute("PRAGMA journal_mode").get == "wal"
        self.version = (header_of(Path(self.raw.filename)) if writes_ahead else None) or self._data_version
        return self.version()

    def _data_version(self) -> int | None:
        try:
            version: int = self._versions.execute("PRAGMA data_version").get
        except apsw.Error:
            return None
        return version

    def interrupt(self) -> None:
        """Interrupt the running statement."""
        self.raw.interrupt()

    def close(self) -> None:
        self.is_closed = True
        self.raw.close(True)

    def _measure(self, *numbers: Any) -> int:
        size, most = numbers
        self._measured += size
        if self._measured > most:
            raise AnswerTooLarge
        return 1

    def _is_late(self) -> bool:
        return time.monotonic() > self._deadline
