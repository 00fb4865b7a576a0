"""Run the pending migrations of a project in order, each in a separate transaction.

The transaction is exclusive and includes the record that the migration has run. So of all processes using a database
one runs it, the others find it done. If the process is killed, everything is rolled back, except table changes on
databases that commit these immediately (`Dialect.rolls_back_tables`).
"""

import logging
import re
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from octavo.core.bounded_files import MEGABYTE, read_own_file
from octavo.core.clock import this_moment
from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database, LockTimeout, Transaction, TransactionFailed
from octavo.database.migrations.files import FOLDER, Migration, MigrationFailed, State, migration_name, read_migrations
from octavo.database.migrations.renames import RenamingTransaction
from octavo.database.migrations.transaction import MigrationTransaction
from octavo.database.synchronize import found_tables
from octavo.database.table_lock_retries import retry_locked
from octavo.database.trigger_removal import release_tables
from octavo.project.failures import describe, failure_place
from octavo.project.functions import Function, function_at
from octavo.project.problems import InvalidCode
from octavo.query.sql.ddl.changes import CreateTable
from octavo.query.sql.ddl.physical import physical_tables
from octavo.query.sql.ddl.tables import INTERNAL_TABLES
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement
from octavo.query.sql.script import InvalidScript, ScriptStatement, statements_of

_TABLE: Final = next(table for table in INTERNAL_TABLES if table.name == "strapi_migrations")
_NAMES: Final = "SELECT name FROM strapi_migrations"
_FORGET: Final = RawStatement("DELETE FROM strapi_migrations WHERE name = {name}")
_NOTE: Final = RawStatement("INSERT INTO strapi_migrations (name, time) VALUES ({name}, {now:instant})")


async def done_names(connection: Connection, dialect: Dialect) -> frozenset[str]:
    """Return the names of the migrations that have run."""
    if _TABLE.name not in await found_tables(connection, dialect):
        return frozenset()
    return frozenset(migration_name(row[0] or "") for row in await connection.fetch_all(_NAMES))


async def forget_done(transaction: Transaction, dialect: Dialect, migration: Migration) -> None:
    """Remove the record that a migration has run."""
    for file in migration.files:
        await transaction.execute(*_FORGET.bind(dialect, name=file))


async def note_done(transaction: Transaction, dialect: Dialect, migration: Migration) -> None:
    """Record that a migration has run."""
    if _TABLE.name not in await found_tables(transaction, dialect):
        (table,) = physical_tables((_TABLE,), dialect)
        making = CreateTable(table.name, table.columns, ())
        await transaction.execute_script(";\n".join(making.statements(dialect)))
    for file in migration.files:
        await transaction.execute(*_NOTE.bind(dialect, name=file, now=this_moment()))


logger = logging.getLogger(__name__)

LARGEST: Final = 16 * MEGABYTE
"""Maximum bytes of a migration. Larger ones are data, which belongs in `octavo import` or seeds."""

_DIRECTIVE: Final = re.compile(r"^--\s*octavo:[ \t]*(?P<text>.*?)\s*$", re.MULTILINE)
_CONDITION: Final = re.compile(r"only with (?:table (?P<table>[^\s.]+)|column (?P<of>[^\s.]+)\.(?P<column>[^\s.]+))")
_TEXT: Final = re.compile(r"'[^']*'")
_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The statements that a migration would run; empty if it would only be recorded as done."""

    file: str
    statements: tuple[str, ...]


class _Undo(Exception):
    """Ends a rehearsal: its changes are rolled back."""


async def migration_states(database: Database, folder: Path) -> list[tuple[Migration, State]]:
    """Return all migrations of a folder and their state on a database. Raises MigrationFailed."""
    migrations = read_migrations(folder, database.dialect)
    done = await done_names(database, database.dialect) if migrations else frozenset()
    return [(migration, migration.state(done)) for migration in migrations]


async def run_migrations(database: Database, folder: Path) -> tuple[str, ...]:
    """Run the pending migrations and return their files, in order. After MigrationFailed, earlier ones stay applied.

    Raises TablesLocked if others hold locks for too long.
    """
    states = await migration_states(database, folder)
    _log_not_run(migration for migration, state in states if state is State.NOT_RUN)
    pending = [migration for migration, state in states if state is State.PENDING]
    run: list[str] = []
    for migration in pending:
        if await retry_locked(database, partial(_run_once, database, migration)):
            run.append(_file(migration))
            logger.info("Ran migration %s", _file(migration))
    return tuple(run)


def _log_not_run(migrations: Iterable[Migration]) -> None:
    names = [migration.files[0] for migration in migrations]
    if names:
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        logger.warning(
            "JavaScript migrations do not run: %s%s. Rewrite them as .py or .sql files of the same name",
            ", ".join(names[:5]),
            more,
        )


async def take_back(database: Database, path: Path, source: str) -> None:
    """Revert a migration that has run, with the source of its opposite in Python, and remove its record.

    Does nothing if it has not run. Raises MigrationFailed.
    """
    migration = Migration(migration_name(path.name), (path.name,), path)

    async def undo() -> None:
        async with database.transaction(exclusive=True) as connection:
            if migration.name in await done_names(connection, database.dialect):
                await _run_python(RenamingTransaction(connection, database.dialect), path, source)
                await forget_done(connection, database.dialect, migration)

    await retry_locked(database, undo)


async def rehearse(database: Database, folder: Path) -> list[Rehearsal]:
    """Run all pending migrations in one transaction, roll it back, and return the statements. Raises
    MigrationFailed."""
    states = await migration_states(database, folder)
    pending = [migration for migration, state in states if state is State.PENDING]
    if not pending:
        return []
    _check_rollback(database.dialect)
    return await retry_locked(database, partial(_rehearse, database, pending))


async def rehearse_source(database: Database, path: Path, source: str) -> Rehearsal:
    """Run the source of a Python migration that is not saved yet, and roll it back. Raises MigrationFailed."""
    _check_rollback(database.dialect)

    async def rehearsed() -> Rehearsal:
        rehearsal = Rehearsal(path.name, ())
        try:
            async with database.transaction(exclusive=True) as connection:
                transaction = RenamingTransaction(connection, database.dialect)
                await _run_python(transaction, path, source)
                rehearsal = Rehearsal(path.name, tuple(transaction.said))
                raise _Undo
        except _Undo:
            return rehearsal

    return await retry_locked(database, rehearsed)


def _check_rollback(dialect: Dialect) -> None:
    """Raise MigrationFailed if the database cannot roll back table changes."""
    if not dialect.rolls_back_tables:
        raise MigrationFailed(
            "`--dry-run` cannot roll back table changes on MySQL and MariaDB. "
            "Try the migration on a copy of the database."
        )


async def _rehearse(database: Database, pending: Sequence[Migration]) -> list[Rehearsal]:
    rehearsals = []
    try:
        async with database.transaction(exclusive=True) as connection:
            for migration in pending:
                transaction = await _run(connection, database, migration)
                rehearsals.append(Rehearsal(_file(migration), tuple(transaction.said)))
            raise _Undo
    except _Undo:
        return rehearsals


async def _run_once(database: Database, migration: Migration) -> bool:
    """Run a migration unless another process has done so in the meantime; return whether it ran here."""
    async with database.transaction(exclusive=True) as connection:
        if migration.name in await done_names(connection, database.dialect):
            return False
        await _run(connection, database, migration)
        await note_done(connection, database.dialect, migration)
        return True


def _file(migration: Migration) -> str:
    assert migration.path is not None, "it is run"
    return migration.path.name


async def _run(connection: Transaction, database: Database, migration: Migration) -> MigrationTransaction:
    assert migration.path is not None, "it is run"
    transaction = RenamingTransaction(connection, database.dialect)
    run = _run_python if migration.path.suffix == ".py" else _run_sql
    await release_tables(connection, database.dialect)
    try:
        source = read_own_file(migration.path, LARGEST).decode("utf-8-sig").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise _failed(database.dialect, f"{FOLDER}/{migration.path.name}", describe(error)) from error
    await run(transaction, migration.path, source)
    try:
        await connection.fetch_value("SELECT 1")
    except TransactionFailed as error:
        raise _failed(
            database.dialect, f"{FOLDER}/{migration.path.name}", "it continued after a failed statement"
        ) from error
    return transaction


def _failed(dialect: Dialect, place: str, message: str) -> MigrationFailed:
    outcome = "and was rolled back" if dialect.rolls_back_tables else "and its table changes were not rolled back"
    return MigrationFailed(f"A migration failed {outcome}. {place}: {message}")


async def _run_sql(transaction: MigrationTransaction, path: Path, source: str) -> None:
    place = f"{FOLDER}/{path.name}"
    try:
        statements = list(statements_of(source, transaction.dialect.script))
    except InvalidScript as error:
        raise _failed(transaction.dialect, f"{place}:{error.line}", str(error)) from error
    if not await _is_meant(transaction, place, source):
        return
    for number, statement in enumerate(statements, start=1):
        try:
            await transaction.run(statement)
        except LockTimeout:
            raise
        except Exception as error:
            cause = str(error.__cause__ or error)
            message = f"{cause}\n  statement {number} of {len(statements)}: {_shortened(statement)}"
            raise _failed(transaction.dialect, f"{place}:{statement.line}", message) from error


async def _is_meant(transaction: MigrationTransaction, place: str, source: str) -> bool:
    """Return whether the conditions of a file are true, for example `-- octavo: only with table talks`."""
    for directive in _DIRECTIVE.finditer(source):
        condition = _CONDITION.fullmatch(directive["text"])
        if condition is None:
            line = source.count("\n", 0, directive.start()) + 1
            message = "expected `-- octavo: only with table TABLE` or `-- octavo: only with column TABLE.COLUMN`"
            raise _failed(transaction.dialect, f"{place}:{line}", message)
        if condition["table"] and not await transaction.has_table(condition["table"]):
            return False
        if condition["of"] and not await transaction.has_column(condition["of"], condition["column"]):
            return False
    return True


def _shortened(statement: ScriptStatement) -> str:
    """Return a statement for the log: on one line, without string literals, which may be secret."""
    text = " ".join(_TEXT.sub("'…'", statement.text).split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


async def _run_python(transaction: MigrationTransaction, path: Path, source: str) -> None:
    place = f"{FOLDER}/{path.name}"
    project = path.parents[2]
    try:
        await _load_up(path, place, source)(transaction)
    except LockTimeout:
        raise
    except InvalidCode as error:
        raise _failed(transaction.dialect, *_first_problem(error)) from error
    except SyntaxError as error:
        raise _failed(transaction.dialect, f"{place}:{error.lineno}", f"SyntaxError: {error.msg}") from error
    except (Exception, SystemExit) as error:
        reported = error if str(error) or error.__cause__ is None else error.__cause__
        raise _failed(transaction.dialect, failure_place(error, project, place), describe(reported)) from error


def _first_problem(error: InvalidCode) -> tuple[str, str]:
    return error.problems[0].place, error.problems[0].message


def _load_up(path: Path, place: str, source: str) -> Function:
    """Return the function `up` of a file. The file is executed once, without bytecode or an imported module."""
    module = ModuleType(f"octavo_migration_{path.stem}")
    module.__file__ = str(path)
    names: dict[str, Any] = module.__dict__
    exec(compile(source, str(path), "exec", dont_inherit=True), names)  # noqa: S102  the project's own code
    return function_at(names.get("up"), f"{place}: up", "transaction")
