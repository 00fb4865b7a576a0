"""PostgreSQL backups with `pg_dump`, in one snapshot, in which the rows are also counted.

To verify a backup, it is restored into a scratch database on the same server, which requires the privilege to create
databases. Without it, the backup is read to its end and its rows are counted.
"""

import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, NoReturn

from octavo.operations.backups.postgresql_tools import (
    dump_database,
    environment,
    find_tool,
    restore_database,
)
from octavo.operations.backups.program_pipes import close_broken, first_line
from octavo.operations.backups.store import BackupFailed, NoScratch
from octavo.query.sql.dialects.postgresql import POSTGRESQL
from octavo.settings import Settings

FILE: Final = "database.dump"
_MARK: Final = b"octavo-end-of-answer\n"
_SCRATCH: Final = "octavo_scratch_"
_LONGEST_NAME: Final = 63
_COPY: Final = re.compile(rb'COPY (?:"(?:[^"]|"")+"|[^".]+)\.("(?:[^"]|"")+"|[^" ]+) \(')
_EXTENSIONS: Final = """
SELECT format('CREATE SCHEMA IF NOT EXISTS %I; CREATE EXTENSION IF NOT EXISTS %I SCHEMA %I;', nspname, extname, nspname)
FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname <> 'plpgsql'"""


class _Session:
    """A `psql` process that runs queries one after the other. Raises BackupFailed."""

    def __init__(self, process: subprocess.Popen[bytes], messages: IO[bytes]) -> None:
        self._process = process
        self._messages = messages

    def ask(self, text: str) -> list[str]:
        """Run a query and return the lines of the result."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(f"{text};\n\\echo {_MARK.decode()}".encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            close_broken(self._process.stdin)
            self._fail()
        lines: list[str] = []
        while (line := self._process.stdout.readline()) and line != _MARK:
            lines.append(line.decode().rstrip("\n"))
        return lines if line else self._fail()

    def _fail(self) -> NoReturn:
        self._process.wait()
        self._messages.seek(0)
        said = self._messages.read().decode(errors="replace")
        raise BackupFailed(first_line(said) or "the database closed the connection")


@contextmanager
def _session(settings: Settings, database: str | None = None) -> Iterator[_Session]:
    """Open a session with the project's database, or another one on the same server."""
    command = [find_tool("psql"), "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"]
    with (
        tempfile.TemporaryFile() as messages,
        subprocess.Popen(
            command, env=environment(settings, database), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=messages
        ) as process,
    ):
        found = _Session(process, messages)
        try:
            found.ask("SET client_min_messages = warning")
            yield found
        finally:
            process.kill()  # all queries are finished


def size_of(settings: Settings, before: int | None) -> int:
    """Estimate the size of a backup in bytes, from the previous one or from the tables."""
    if before is not None:
        return before * 3 // 2
    schema = POSTGRESQL.literal(settings.database.schema)
    text = f"""SELECT coalesce(sum(pg_table_size(oid)), 0)::bigint FROM pg_class
      WHERE relkind = 'r' AND relnamespace = {schema}::regnamespace"""  # noqa: S608 - a literal
    with _session(settings) as session:
        return int(session.ask(text)[0])


def make(settings: Settings, target: Path) -> Mapping[str, int]:
    """Create a backup and return the number of rows by table in its snapshot. Raises BackupFailed."""
    with _session(settings) as session:
        session.ask("SET statement_timeout = 0")
        session.ask("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        snapshot = session.ask("SELECT pg_export_snapshot()")[0]
        counted = _count_rows(session, settings.database.schema)
        dump_database(settings, target, snapshot)
        return counted


def restored(settings: Settings, copy: Path) -> Mapping[str, int]:
    """Restore a backup into a scratch database, drop it, and return the number of rows by table.

    Raises BackupFailed and NoScratch.
    """
    name = f"{_SCRATCH}{environment(settings)['PGDATABASE']}"[:_LONGEST_NAME]
    with _scratch(settings, copy, name), _session(settings, name) as session:
        return _count_rows(session, settings.database.schema)


@contextmanager
def copied(settings: Settings, dump: Path, name: str) -> Iterator[str]:
    """Copy the database to a new one on the same server, by way of a file, and drop it at the end.

    Yields the name. Raises BackupFailed.
    """
    make(settings, dump)
    try:
        with _scratch(settings, dump, name):
            dump.unlink()
            yield name
    except NoScratch as error:
        raise BackupFailed(f"a copy of the database cannot be created: {error}") from error


def count_rows(settings: Settings) -> Mapping[str, int]:
    """Return the number of rows by table. Raises BackupFailed."""
    with _session(settings) as session:
        return _count_rows(session, settings.database.schema)


@contextmanager
def _scratch(settings: Settings, copy: Path, name: str) -> Iterator[None]:
    """Restore a backup into a new database, and drop it at the end. Raises BackupFailed and NoScratch."""
    quoted, schema = _quoted(name), _quoted(settings.database.schema)
    with _session(settings) as session:
        extensions = session.ask(_EXTENSIONS)
        session.ask(f"DROP DATABASE IF EXISTS {quoted}")  # left by a killed process
        try:
            session.ask(f"CREATE DATABASE {quoted} TEMPLATE template0")
        except BackupFailed as error:
            raise NoScratch(str(error)) from None
    try:
        with _session(settings, name) as session:
            session.ask(f"CREATE SCHEMA IF NOT EXISTS {schema}")
            try:
                session.ask("\n".join(extensions) or "SELECT")
            except BackupFailed as error:
                raise NoScratch(str(error)) from None
        restore_database(settings, copy, name)
        yield
    finally:
        with _session(settings) as session:
            session.ask(f"DROP DATABASE IF EXISTS {quoted} WITH (FORCE)")


def read(copy: Path) -> Mapping[str, int]:
    """Read a backup to its end and return the number of rows by table. Raises BackupFailed."""
    command = [find_tool("pg_restore"), "--file=-", str(copy)]
    with (
        tempfile.TemporaryFile() as messages,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=messages) as process,
    ):
        assert process.stdout is not None
        counted = _count_lines(process.stdout)
        if process.wait():
            messages.seek(0)
            raise BackupFailed(f"The backup is damaged: {first_line(messages.read().decode(errors='replace'))}")
    return counted


def _count_lines(text: IO[bytes]) -> dict[str, int]:
    """Return the number of rows by table: in a dump, each row is a line between its `COPY` and `\\.`."""
    counted: dict[str, int] = {}
    table = None
    for line in text:
        if table is not None:
            if line == b"\\.\n":
                table = None
            else:
                counted[table] += 1
        elif line.startswith(b"COPY ") and (match := _COPY.match(line)):
            table = _unquoted(match[1].decode())
            counted[table] = 0
    return counted


def _count_rows(session: _Session, schema: str) -> dict[str, int]:
    literal = POSTGRESQL.literal(schema)
    names = session.ask(f"SELECT tablename FROM pg_tables WHERE schemaname = {literal} ORDER BY tablename")  # noqa: S608
    return {name: int(session.ask(f"SELECT count(*) FROM {_quoted(schema)}.{_quoted(name)}")[0]) for name in names}  # noqa: S608


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name
