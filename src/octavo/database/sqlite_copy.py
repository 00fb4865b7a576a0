"""Copies of SQLite databases: whole and consistent while others read and write, and all of it or nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import apsw

Progress = Callable[[int, int], None]
"""Told how many pages are done, and of how many."""

_STEP_PAGES: Final = 500
_BUSY_MILLISECONDS: Final = 10_000


class NotADatabase(ValueError):
    """A file is no SQLite database, or a damaged one."""


Look = Callable[[apsw.Connection], None]
"""Shown the state that is copied."""


def copy_database(source: Path, target: Path, progress: Progress, look: Look | None = None) -> None:
    """Copy a database over another one, which may be missing, in one transaction.

    Raises FileNotFoundError and NotADatabase for the source, OSError for the target.
    """
    if not source.is_file():
        raise FileNotFoundError(f"There is no file {source}")
    reader = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        _check(reader, source)
        if look is not None:
            look(reader)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch(0o600)  # it holds what the owner alone may read; a file that is there stays as open as it is
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
    """Whether another connection has a database open: whoever works in WAL mode keeps a lock on it all the time."""
    if not file.exists():
        return False
    try:
        connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READWRITE)
    except apsw.CantOpenError:
        return False  # who writes to it will say so
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
    """Refuse a damaged source, and keep the view of it: what others write meanwhile does not count."""
    reader.set_busy_timeout(_BUSY_MILLISECONDS)
    try:
        reader.execute("BEGIN")
        tables = reader.execute("SELECT count(*) FROM sqlite_schema").fetchall()[0][0]
        verdict = reader.execute("PRAGMA quick_check(1)").fetchall()[0][0]
    except (apsw.NotADBError, apsw.CorruptError) as error:
        raise NotADatabase(f"{source} is no SQLite database: {error}") from error
    if verdict != "ok":
        raise NotADatabase(f"{source} is damaged: {verdict}")
    if not tables:
        raise NotADatabase(f"{source} is an empty database")


def _copy(reader: apsw.Connection, writer: apsw.Connection, progress: Progress) -> None:
    with writer.backup("main", reader, "main") as backup:
        while not backup.done:
            backup.step(_STEP_PAGES)
            progress(backup.page_count - backup.remaining, backup.page_count)
