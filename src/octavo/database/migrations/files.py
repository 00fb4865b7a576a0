"""Finds the migrations of a project: which files belong to one, and which of them is run on this database.

A migration is called as its files are, less their endings: `2026.01.31T00.00.00.tidy` may be `.py` or `.sql`, or have
a file for each database, `.sqlite.sql` and `.postgresql.sql`. Their order is that of their names, as in v4.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Final

from octavo.core.values import dataclass
from octavo.query.sql.dialects.base import FILE_WORDS, Dialect

FOLDER: Final = "database/migrations"
_STAMP: Final = "%Y.%m.%dT%H.%M.%S"
_STAMP_LENGTH: Final = len("2026.01.31T09.30.00")
_AHEAD: Final = timedelta(minutes=1)
_RUN: Final = frozenset({".sql", ".py"})
_NOT_RUN: Final = frozenset({".js", ".ts", ".cjs", ".mjs"})


class MigrationFailed(Exception):
    """A migration cannot be run; nothing of it has been done. The text names the file and the place in it."""


class State(StrEnum):
    """How a migration stands to a database."""

    DONE = "done"
    PENDING = "pending"
    FOREIGN = "for another database"
    NOT_RUN = "JavaScript, not run"


@dataclass(frozen=True, slots=True)
class Migration:
    """One migration: its name, the names of all its files, and the one to run here, if there is one."""

    name: str
    files: tuple[str, ...]
    path: Path | None

    def state(self, done: Iterable[str]) -> State:
        """How it stands, given the names of those that have run."""
        if self.name in done:
            return State.DONE
        if self.path is not None:
            return State.PENDING
        return State.FOREIGN if any(_suffix(file) in _RUN for file in self.files) else State.NOT_RUN


def migration_name(file: str) -> str:
    """What a file's migration is called."""
    path = PurePosixPath(file)
    if path.suffix in _RUN | _NOT_RUN:
        path = path.with_suffix("")
        if path.suffix[1:] in FILE_WORDS and _suffix(file) == ".sql":
            path = path.with_suffix("")
    return path.name


def read_migrations(folder: Path, dialect: Dialect) -> tuple[Migration, ...]:
    """All migrations of a folder, in order. Raises MigrationFailed where one would have to run twice."""
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    kept = [name for name in names if _suffix(name) in _RUN | _NOT_RUN and not name.startswith((".", "__"))]
    kept.sort(key=lambda name: (migration_name(name), name))
    return tuple(_migration(folder, name, tuple(files), dialect) for name, files in groupby(kept, key=migration_name))


def _migration(folder: Path, name: str, files: tuple[str, ...], dialect: Dialect) -> Migration:
    own = [file for file in files if _word(file) in dialect.file_words]
    chosen = own or [file for file in files if _suffix(file) in _RUN and _word(file) is None]
    if len(chosen) > 1 or (own and f"{name}.py" in files):
        told = ", ".join(file for file in files if _suffix(file) in _RUN)
        raise MigrationFailed(f"{FOLDER}: {told}: one migration cannot have several files for the same database")
    return Migration(name, files, folder / chosen[0] if chosen else None)


def _word(file: str) -> str | None:
    """The database that a file is for, if its name says one."""
    word = PurePosixPath(PurePosixPath(file).stem).suffix[1:]
    return word if _suffix(file) == ".sql" and word in FILE_WORDS else None


def _suffix(file: str) -> str:
    return PurePosixPath(file).suffix


def new_migration(project: Path, name: str, suffix: str) -> Path:
    """Where a migration is to be written that runs behind all others: called after this second, or a later one."""
    folder, moment = project / FOLDER, datetime.now(UTC)
    last = max((path.name[:_STAMP_LENGTH] for path in folder.glob("[0-9]*")), default="")
    while (stamp := moment.strftime(_STAMP)) <= last and (moment - datetime.now(UTC)) < _AHEAD:
        moment += timedelta(seconds=1)
    return folder / f"{stamp}.{name}{suffix}"
