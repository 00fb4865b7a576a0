"""Atomic, consistent copies of SQLite databases while others read and write."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import apsw

Progress = Callable[[int, int], None]
"""Called with the number of copied pages, and the total."""

_STEP_PAGES: Final = 500
_BUSY_MILLISECONDS: Final = 10_000


class NotADatabase(ValueError):
    """A file is not an SQLite database, or it is damaged."""


Look = Callable[[apsw.Connection], None]
"""Called with a connection to the state that is copied."""


def copy_database(source: Path, target: Path, progress: Progress, look: Look | None = None) -> None:
    """Copy a database over another one, which may not exist, in one transaction.

    Raises FileNotFoundError and NotADatabase for the source, OSError for the target.
    """
    if not source.is_file():
        raise FileNotFoundError(f"The file {source} does not exist")
    reader = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        _check(reader, source)
        if look is not None:
            look(reader)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch(0o600)  # only the owner may read it; an existing file keeps its permissions
        writer = apsw.Connection(str(target))
        try:
            writer.set_busy_timeout(_BUSY_MILLISECONDS)
            _copy(reader, writer, progress)
        finally:
            writer.close()
    except (apsw.BusyError, apsw.CantOpenError, apsw.ReadOnlyError, apsw.NotADBError) as error:
        raise OSError(f"{target} cannot be written: {error}") from error
    finally:
        reader.close()


def is_open_elsewhere(file: Path) -> bool:
    """Return whether another connection has a database open: in WAL mode, it holds a lock all the time."""
    if not file.exists():
        return False
    try:
        connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READWRITE)
    except apsw.CantOpenError:
        return False  # writing to the file will raise the error
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK").fetchall()
    except (apsw.BusyError, apsw.LockedError):
        return True
    except (apsw.NotADBError, apsw.CorruptError, apsw.ReadOnlyError):
        return False
    finally:
        connection.close()
    return False


def _check(reader: apsw.Connection, source: Path) -> None:
    """Raise NotADatabase for a damaged source, and hold a snapshot of it, so that later writes are not copied."""
    reader.set_busy_timeout(_BUSY_MILLISECONDS)
    try:
        reader.execute("BEGIN")
        tables = reader.execute("SELECT count(*) FROM sqlite_schema").fetchall()[0][0]
        verdict = reader.execute("PRAGMA quick_check(1)").fetchall()[0][0]
    except (apsw.NotADBError, apsw.CorruptError) as error:
        raise NotADatabase(f"{source} is not an SQLite database: {error}") from error
    if verdict != "ok":
        raise NotADatabase(f"{source} is damaged: {verdict}")
    if not tables:
        raise NotADatabase(f"{source} is an empty database")


def _copy(reader: apsw.Connection, writer: apsw.Connection, progress: Progress) -> None:
    with writer.backup("main", reader, "main") as backup:
        while not backup.done:
            backup.step(_STEP_PAGES)
            progress(backup.page_count - backup.remaining, backup.page_count)
