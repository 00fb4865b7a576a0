"""Find the migrations of a project, and the file of each to run on this database.

A migration is named after its files, without their suffixes: `2026.01.31T00.00.00.tidy` may be `.py` or `.sql`, or have
a file for each database, `.sqlite.sql` and `.postgresql.sql`. They run in the order of their names, as in v4.
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
    """A migration cannot be run. The message names the file and the position in it."""


class State(StrEnum):
    """The state of a migration on a database."""

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
        """Return the state, given the names of those that have run."""
        if self.name in done:
            return State.DONE
        if self.path is not None:
            return State.PENDING
        return State.FOREIGN if any(_suffix(file) in _RUN for file in self.files) else State.NOT_RUN


def migration_name(file: str) -> str:
    """Return the migration name of a file."""
    path = PurePosixPath(file)
    if path.suffix in _RUN | _NOT_RUN:
        path = path.with_suffix("")
        if path.suffix[1:] in FILE_WORDS and _suffix(file) == ".sql":
            path = path.with_suffix("")
    return path.name


def read_migrations(folder: Path, dialect: Dialect) -> tuple[Migration, ...]:
    """Return all migrations of a folder, in order. Raises MigrationFailed if one has two files for this database."""
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    kept = [name for name in names if _suffix(name) in _RUN | _NOT_RUN and not name.startswith((".", "__"))]
    kept.sort(key=lambda name: (migration_name(name), name))
    return tuple(_migration(folder, name, tuple(files), dialect) for name, files in groupby(kept, key=migration_name))


def _migration(folder: Path, name: str, files: tuple[str, ...], dialect: Dialect) -> Migration:
    own = [file for file in files if _word(file) in dialect.file_words]
    chosen = own or [file for file in files if _suffix(file) in _RUN and _word(file) is None]
    if len(chosen) > 1 or (own and f"{name}.py" in files):
        listed = ", ".join(file for file in files if _suffix(file) in _RUN)
        raise MigrationFailed(f"{FOLDER}: {listed}: one migration cannot have several files for the same database")
    return Migration(name, files, folder / chosen[0] if chosen else None)


def _word(file: str) -> str | None:
    """Return the database that a file name specifies, if any."""
    word = PurePosixPath(PurePosixPath(file).stem).suffix[1:]
    return word if _suffix(file) == ".sql" and word in FILE_WORDS else None


def _suffix(file: str) -> str:
    return PurePosixPath(file).suffix


def new_migration(project: Path, name: str, suffix: str) -> Path:
    """Return the path for a new migration that runs after all others: its name starts with the current time or
    later."""
    folder, moment = project / FOLDER, datetime.now(UTC)
    last = max((path.name[:_STAMP_LENGTH] for path in folder.glob("[0-9]*")), default="")
    while (stamp := moment.strftime(_STAMP)) <= last and (moment - datetime.now(UTC)) < _AHEAD:
        moment += timedelta(seconds=1)
    return folder / f"{stamp}.{name}{suffix}"
