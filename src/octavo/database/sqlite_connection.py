"""One connection to an SQLite file: a time limit on every statement, what it answers, parts that can be undone alone.

All of it blocks; `sqlite` decides what runs in the event loop and what in a thread.
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
from octavo.database.prepared_statements import StatementTexts
from octavo.database.read_placement import Took
from octavo.query.sql.dialects.sqlite import MEASURE

LARGEST_CACHED: Final = 16_383
"""The driver keeps no statement of more bytes."""
LARGEST_KEPT: Final = 64 * 1024
"""Bytes of text of the longest that are kept."""
TIMES: Final = 2
"""The memory of such a statement against that of a shorter one, byte for byte of text: there is the view as well."""
_MOST_SEEN: Final = 256
_VALUE: Final = "octavo_value"
_READS: Final = ("SELECT ", "WITH ")
_MARK = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|\?(\d+)""")


class LongStatements:
    """Those of one connection, whose values have `largest` bytes at most: the text of a view is one."""

    def __init__(self, raw: apsw.Connection, largest: int) -> None:
        self._raw = raw
        self._largest = min(LARGEST_KEPT, largest // 8)
        self._values: Values = ()
        self._seen: set[int] = set()
        self._short: dict[str, str] = {}
        self._made = 0
        raw.create_scalar_function(_VALUE, self._value, 1, deterministic=True)

    def becomes_known(self, text: str) -> bool:
        """Tell whether a statement is met for the second time, and can be kept from now on."""
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
        """Make a view of a statement."""
        name = f"octavo_read_{self._made}"
        self._made += 1
        self._change(f"CREATE TEMP VIEW {name} AS {_MARK.sub(_by_function, text)}")
        self._short[text] = f"SELECT * FROM {name}"

    def shortened(self, text: str, values: Values) -> tuple[str, Values]:
        """What to run for a statement: itself, unless it is kept."""
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
        """Change what is the connection's own, not the file."""
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
    """Raise the error of the protocol for an error of SQLite; what is no such error goes on as it is."""
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
    """An index on expressions is told as `index 'name'`, any other by its columns."""
    return rule[7:-1] if rule.startswith("index '") else rule


_HEADER: Final = 48
"""Bytes. There are two copies, one behind the other: where they differ, somebody is writing it."""
_FORMAT: Final = (3_007_000).to_bytes(4, sys.byteorder)
"""What it begins with."""
_IS_MADE: Final = 12
"""Where a byte tells that the index was made."""

_mapped: Final[dict[tuple[int, int], mmap]] = {}


def header_of(database: Path) -> Callable[[], bytes | None] | None:
    """What reads the header of a database that this process has open, and has read; None where there is none to be
    read. What it reads is None while somebody writes or makes it. To be called as long as the database is open."""
    index = database.with_name(f"{database.name}-shm")
    try:
        both = _mapping(index)
    except (OSError, ValueError):
        return None
    one, other = slice(0, _HEADER), slice(_HEADER, 2 * _HEADER)

    def header() -> bytes | None:
        first = both[one]
        return first if first == both[other] else None

    found = header()
    return header if found is not None and found.startswith(_FORMAT) and found[_IS_MADE] else None


def _mapping(index: Path) -> mmap:
    known = index.stat()
    file = known.st_dev, known.st_ino
    if file not in _mapped:
        _mapped[file] = mmap(os.open(index, os.O_RDONLY), 2 * _HEADER, access=ACCESS_READ)
    return _mapped[file]


_BLOCKS: Final = (1200, 100)
"""Bytes of a block and their number, of what each connection has at hand for small things. For the texts of a page with
relations it asks for far more than the forty that SQLite means to be enough, and each other one costs a call."""


def configure_library() -> None:
    """Have blocks at hand, and do not count what memory SQLite takes: nobody asks, and each block is counted under one
    lock of the process.

    What the library knows then is kept as it is if somebody else has a connection already.
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
"""What the header of a file says whose changes go to a file beside it first."""

configure_library()  # here: once, and before the first connection


def _open_untouched(path: Path) -> apsw.Connection:
    """To read alone. What was written ahead and then all taken into the file is read without a file beside it."""
    address = path.resolve().as_uri()
    with path.open("rb") as file:
        writes_ahead = file.read(20)[18:20] == _WRITES_AHEAD
    if writes_ahead and not path.with_name(f"{path.name}-wal").exists():
        address += "?immutable=1"
    return apsw.Connection(
        address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI, statementcachesize=_CACHED_STATEMENTS
    )


def all_rows(cursor: apsw.Cursor) -> Sequence[Row]:
    """All rows."""
    rows: Sequence[Row] = cursor.fetchall()
    return rows


def first_row(cursor: apsw.Cursor) -> Row | None:
    """The first row, leaving the others alone."""
    row: Row | None = cursor.fetchone()
    cursor.close(True)
    return row


def first_value(cursor: apsw.Cursor) -> Any:
    """The first column of the first row."""
    row = first_row(cursor)
    return None if row is None else row[0]


def first_json(cursor: apsw.Cursor) -> bytes | None:
    """The first column of the first row as bytes, whether it is a text or a blob."""
    row = cursor.fetchone()
    cursor.close(True)
    value = None if row is None else row[0]
    return value.encode() if isinstance(value, str) else value


def touched(cursor: apsw.Cursor) -> int:
    """The number of rows changed, after running to the end."""
    cursor.fetchall()
    return cursor.connection.changes()


class SqliteConnection:
    """One connection to the file, with a time limit on every statement. `pages` of the file are kept, in kilobytes.

    `untouched`: nothing of the file is changed, not even how it is written.
    """

    def __init__(self, path: Path, largest_answer: int, *, writes: bool, pages: int, untouched: bool = False) -> None:
        self.raw = (
            _open_untouched(path) if untouched else apsw.Connection(str(path), statementcachesize=_CACHED_STATEMENTS)
        )
        self._versions = self.raw.cursor()
        self.version: Callable[[], Hashable] = self._first_version
        """Tells another one when another connection has committed something since it was asked for last. None while
        that cannot be told at once, as while the file is being recovered."""
        self.is_closed = False
        self._texts = StatementTexts(LARGEST_KEPT)
        self._long = None if writes else LongStatements(self.raw, largest_answer)
        self._deadline = float("inf")
        self.set_busy_seconds(_THREAD_BUSY_SECONDS)
        if not untouched:
            self._configure()
        self.raw.execute(f"PRAGMA cache_size = -{pages}").fetchall()
        self.raw.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)  # else what has a LIMIT ? is prepared each time
        self.raw.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)  # "name" is a name, never by accident a text
        if not writes:
            self.raw.execute("PRAGMA query_only = ON").fetchall()
            self.raw.limit(apsw.SQLITE_LIMIT_LENGTH, largest_answer)
        self._largest_answer = largest_answer
        self._measured = 0
        self.raw.create_scalar_function(MEASURE, self._measure, 2)
        self.raw.set_progress_handler(self._is_late, _OPERATIONS_BETWEEN_CHECKS)

    def _configure(self) -> None:
        """Of processes that open a new file at once, SQLite lets one change it to WAL and makes the others not wait."""
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
        """Run a statement and take what it answers."""
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

    def run_timed(self, collect: Collect[ResultT], text: str, values: Values, seconds: float) -> tuple[ResultT, Took]:
        """As `run`; and what it took."""
        before = time.thread_time(), time.perf_counter()
        result = self.run(collect, text, values, seconds)
        return result, Took(time.thread_time() - before[0], time.perf_counter() - before[1])

    def run_limited(self, collect: Collect[ResultT], text: str, values: Values, seconds: float) -> ResultT:
        """Run a read as readers do, on a connection that may write larger values."""
        before = self.raw.limit(apsw.SQLITE_LIMIT_LENGTH, self._largest_answer)
        try:
            return self.run(collect, text, values, seconds)
        finally:
            self.raw.limit(apsw.SQLITE_LIMIT_LENGTH, before)

    def run_change(self, collect: Collect[int], text: str, values: Values, seconds: float) -> int:
        """Run a statement that may change rows; how many.

        SQLite's count is that of the last statement which could change any: DDL leaves it as it was.
        """
        before = self.raw.total_changes()
        changed = self.run(collect, text, values, seconds)
        return changed if self.raw.total_changes() != before else 0

    def run_script(self, text: str, seconds: float) -> None:
        """Run several statements without values."""
        self.run(all_rows, text, (), seconds)

    def try_begin(self) -> bool:
        """Begin a write transaction, unless another process is in one."""
        try:
            self.raw.execute("BEGIN IMMEDIATE")
        except apsw.BusyError:
            return False
        except apsw.Error as error:
            raise_translated(error)
        return True

    def commit(self) -> None:
        """Commit, to the disk."""
        self.run_script("COMMIT", float("inf"))

    def begin_part(self) -> None:
        """Begin a part of the open transaction that can be undone alone."""
        self.run_script("SAVEPOINT part", float("inf"))

    def end_part(self) -> None:
        """The part stays, unless it has left a rule broken that COMMIT would look at for all parts at once."""
        if self.raw.status(apsw.SQLITE_DBSTATUS_DEFERRED_FKS)[0]:
            raise IntegrityViolation("FOREIGN KEY constraint")
        self.run_script("RELEASE part", float("inf"))

    def undo_part(self) -> bool:
        """Undo the part; False when it is too late for that: SQLite undoes a whole transaction after some errors."""
        self._deadline = float("inf")
        if not self.is_closed and self.raw.in_transaction:
            with contextlib.suppress(apsw.Error):
                self.raw.execute("ROLLBACK TO part")
                self.raw.execute("RELEASE part")
                return True
        return False

    def roll_back(self) -> None:
        """Undo an open transaction, if there is one."""
        self._deadline = float("inf")
        if self.raw.in_transaction:
            self.raw.execute("ROLLBACK")

    def _kept(self, text: str, values: Values) -> tuple[str, Values]:
        """What to run for a statement that the driver does not keep prepared."""
        long = self._long
        if long is None:
            return text, values
        if long.becomes_known(text):
            if self._texts.overflow(text, TIMES):
                self._forget_statements()
            long.keep(text)
        return long.shortened(text, values)

    def _forget_statements(self) -> None:
        """Let the driver's cache be filled with statements of a few bytes: it cannot be told to forget."""
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
            found: int = self._versions.execute("PRAGMA data_version").get
        except apsw.Error:
            return None
        return found

    def interrupt(self) -> None:
        """Make the running statement fail soon."""
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
