"""SQLite backups: copies of the database, with the number of rows in the copied state."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import apsw

from octavo.database.sqlite_copy import NotADatabase, copy_database
from octavo.operations.backups.store import BackupFailed

_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
FILE = "database.db"


def size_of(file: Path) -> int:
    """Return the size in bytes of a backup and of one more copy to verify it."""
    parts = (file, file.with_name(file.name + "-wal"))
    return 2 * sum(part.stat().st_size for part in parts if part.exists())


def make(source: Path, target: Path, progress: Callable[[int, int], None]) -> Mapping[str, int]:
    """Create a backup and return the number of rows by table in its state. Raises BackupFailed."""
    counted: dict[str, int] = {}
    try:
        copy_database(source, target, progress, lambda reader: counted.update(count_rows(reader)))
    except (NotADatabase, apsw.Error) as error:
        raise BackupFailed(str(error)) from error
    return counted


def restored(copy: Path, scratch: Path) -> Mapping[str, int]:
    """Restore a backup into a scratch database, delete it, and return the number of rows by table.

    Raises BackupFailed.
    """
    try:
        copy_database(copy, scratch, lambda *_: None)
        return read(scratch)
    except (NotADatabase, apsw.Error) as error:
        raise BackupFailed(f"The backup is damaged: {error}") from error
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            scratch.with_name(scratch.name + suffix).unlink(missing_ok=True)


def read(copy: Path) -> Mapping[str, int]:
    """Read a whole backup and return the number of rows by table. Raises BackupFailed."""
    try:
        connection = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            verdict = connection.execute("PRAGMA integrity_check(1)").fetchall()[0][0]
            if verdict != "ok":
                raise BackupFailed(f"The backup is damaged: {verdict}")
            return count_rows(connection)
        finally:
            connection.close()
    except apsw.Error as error:
        raise BackupFailed(f"The backup is damaged: {error}") from error


def count_rows(connection: apsw.Connection) -> dict[str, int]:
    """Return the number of rows by table, including the tables of full-text and trigram indexes."""
    names = [row[0] for row in connection.execute(_TABLES)]
    return {name: _count(connection, name) for name in names}


def _count(connection: apsw.Connection, name: str) -> int:
    quoted = '"' + name.replace('"', '""') + '"'
    count: Any = connection.execute(f"SELECT count(*) FROM {quoted}").fetchall()[0][0]  # noqa: S608 - quoted
    return int(count)
