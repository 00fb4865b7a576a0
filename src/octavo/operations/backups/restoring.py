"""Restore a backup: find the file, check that the database is not in use, and replace the database."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from octavo.core.values import dataclass
from octavo.database import open_database
from octavo.database.sqlite_copy import NotADatabase, copy_database, is_open_elsewhere
from octavo.database.topology import Topology
from octavo.operations.backups.postgresql_tools import find_tool, restore_database
from octavo.operations.backups.store import BackupFailed, Manifest, Store, read_copy
from octavo.operations.runtime.database_servers import direct_server
from octavo.operations.runtime.prepare_database import reach_database
from octavo.settings import Settings

_MARKS: Final = {b"SQLite format 3\0": "sqlite", b"PGDMP": "postgresql"}
_NAMES: Final = {"postgresql": "PostgreSQL", "mysql": "MySQL"}
_LONGEST_MARK: Final = max(map(len, _MARKS))
_PATIENCE_SECONDS: Final = 3.0
"""How long to wait for sessions to close after their process has ended."""
_PAUSE_SECONDS: Final = 0.2
_NO_RESTORE: Final = (
    "Octavo does not restore backups of MySQL and MariaDB, because it could not undo a failed restore. Stop the "
    "service, create an empty database, and restore with its client: gunzip -c database.sql.gz | mysql NAME"
)


@dataclass(frozen=True, slots=True)
class Source:
    """The file of a backup, and its manifest if it has one."""

    file: Path
    manifest: Manifest | None = None


def find_source(path: Path, settings: Settings) -> Source:
    """Return the backup in a file or a folder. Raises BackupFailed and OSError."""
    if settings.database.is_mysql:
        raise BackupFailed(_NO_RESTORE)
    copy = read_copy(path if path.is_dir() else path.parent)
    if copy is not None and (path.is_dir() or path.name == copy.manifest.file):
        _require_same_kind(path, copy.path / copy.manifest.file, copy.manifest.database, settings)
        return Source(copy.path / copy.manifest.file, copy.manifest)
    if not path.is_dir():
        _require_same_kind(path, path, _kind_of(path), settings)
        return Source(path)
    copies = Store(path).copies()
    if not copies:
        raise BackupFailed(f"{path} is a folder, not a backup. Pass a file, or the folder of one backup")
    raise BackupFailed(f"{path} contains several backups. Pass one of them; the newest is {copies[0].path}")


def _kind_of(file: Path) -> str | None:
    """Return the database that a file is a backup of, by its first bytes, or None if unknown."""
    with file.open("rb") as opened:
        begin = opened.read(_LONGEST_MARK)
    return next((database for mark, database in _MARKS.items() if begin.startswith(mark)), None)


def _require_same_kind(path: Path, file: Path, database: str | None, settings: Settings) -> None:
    """Raise BackupFailed for a backup of the other kind of database, with the command to copy it instead."""
    own = "sqlite" if _is_file(settings) else "postgresql"
    if database in (None, own):
        return
    remedy = (
        f"`octavo db copy sqlite:///{file.resolve()} postgresql://USER@HOST/NAME` copies its data"
        if database == "sqlite"
        else f"restore it to a {_NAMES.get(database, database)} database, then copy the data with `octavo db copy`"
    )
    raise BackupFailed(f"{path} is a backup of {database}, but the project uses {own}: {remedy}")


def target_of(settings: Settings) -> str:
    """Return the database to replace, for display."""
    return str(settings.database_file) if _is_file(settings) else f"database {settings.database.name}"


def replaces_nothing(settings: Settings) -> bool:
    """Return whether there is no database yet."""
    return _is_file(settings) and not settings.database_file.exists()


def require_tools(settings: Settings) -> None:
    """Raise BackupFailed if a program that a restore needs is missing."""
    if not _is_file(settings):
        for name in ("psql", "pg_restore"):
            find_tool(name)


def require_unused(settings: Settings, remedy: str) -> None:
    """Raise BackupFailed if another process uses the database, such as a running service.

    The message ends with `remedy`. Raises StartFailed if the database cannot be reached.
    """
    end = time.monotonic() + _PATIENCE_SECONDS
    while is_open_elsewhere(settings.database_file) if _is_file(settings) else asyncio.run(_sessions(settings)):
        if time.monotonic() > end:
            raise BackupFailed(f"{target_of(settings)} is in use: stop the service first. {remedy}")
        time.sleep(_PAUSE_SECONDS)


def restore(settings: Settings, source: Source, progress: Callable[[int, int], None]) -> None:
    """Replace the database with a backup, or change nothing. Raises BackupFailed and OSError."""
    if not _is_file(settings):
        restore_database(settings, source.file)
        return
    try:
        copy_database(source.file, settings.database_file, progress)
    except NotADatabase as error:
        raise BackupFailed(str(error)) from error


def _is_file(settings: Settings) -> bool:
    return settings.database.client == "sqlite"


async def _sessions(settings: Settings) -> int:
    server, places = direct_server(settings)
    topology = Topology(role="primary", places=places if len(places) > 1 else ())
    database = open_database(
        client=settings.database.client, parameters=server, pool_minimum=1, pool_maximum=1, topology=topology
    )
    await reach_database(database)
    try:
        # This connection, the only one of `database`, does not count.
        return int(await database.fetch_value(database.dialect.service_sessions))
    finally:
        await database.close()
