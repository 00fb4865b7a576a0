"""MySQL and MariaDB backups with `mysqldump`, in one snapshot. The rows are counted while they are written.

To verify a backup, it is restored into a scratch database on the same server, which requires privileges on all
databases. Without them, the backup is read to its end and its rows are counted.
"""

import gzip
import re
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from octavo.operations.backups.mysql_tools import quoted, require_encryption, run_client, start_client, start_dump
from octavo.operations.backups.store import BackupFailed, NoScratch
from octavo.settings import Settings

FILE: Final = "database.sql.gz"
_LEVEL: Final = 3
_COMPRESSED: Final = ".gz"
_SCRATCH: Final = "octavo_scratch_"
_LONGEST_NAME: Final = 64
_LONGEST_STATEMENT: Final = 2**20
_NAME: Final = rb"`((?:[^`]|``)+)`"
_TABLE: Final = re.compile(rb"CREATE TABLE " + _NAME + rb" \(")
_INSERT: Final = re.compile(rb"INSERT INTO " + _NAME + rb" (?:\((?:[^`()]|`[^`]*`)+\) )?VALUES (?=\()")
_DELIMITER: Final = b"DELIMITER "
_END: Final = b"-- Dump completed"
_REFUSED: Final = re.compile(r"^ERROR (1044|1142|1227|1419)\b")
"""Missing privileges: for databases, for statements, for objects of other users, and for triggers."""
_ATTEMPTS: Final = 5
_PAUSE_SECONDS: Final = 0.2
_SESSIONS: Final = "SELECT count(*) FROM information_schema.processlist WHERE db = "
_USES: Final = f"{_SESSIONS}left(concat('{_SCRATCH}', database()), {_LONGEST_NAME})"
_TABLES: Final = (
    "FROM information_schema.tables WHERE table_schema = database()"
    " AND table_type IN ('BASE TABLE', 'SYSTEM VERSIONED')"
)


def size_of(settings: Settings, before: int | None) -> int:
    """Estimate the size of a backup in bytes, from the previous one or from the tables."""
    if before is not None:
        return before * 3 // 2
    return int(run_client(settings, f"SELECT coalesce(sum(data_length), 0) {_TABLES}")[0])


def make(settings: Settings, target: Path) -> Mapping[str, int]:
    """Create a backup, compressed if its name ends with `.gz`, and return the number of rows by table.

    Raises BackupFailed.
    """
    require_encryption(settings)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    counted: dict[str, int] = {}
    try:
        part.touch(0o600)  # only the owner can read backups
        with start_dump(settings) as dump, _open(part, "wb", target.suffix) as file:
            for text in _joined(_whole(dump), counted):
                file.write(text)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return counted


def read(copy: Path) -> Mapping[str, int]:
    """Read a backup to its end and return the number of rows by table. Raises BackupFailed."""
    counted: dict[str, int] = {}
    table: str | None = None
    for line, is_outside in _with_place(_lines(copy)):
        if table is None and is_outside and (match := _TABLE.match(line)):
            counted[_unquoted(match[1])] = 0
        elif table is None and is_outside and (match := _INSERT.match(line)):
            table = _unquoted(match[1])
        if table is not None:
            counted[table] += 1
            table = None if line.endswith(b";\n") else table
    return counted


def restored(settings: Settings, copy: Path) -> Mapping[str, int]:
    """Restore a backup into a scratch database, drop it, and return the number of rows by table.

    Raises BackupFailed and NoScratch.
    """
    name = f"{_SCRATCH}{settings.database.name}"[:_LONGEST_NAME]
    require_encryption(settings)
    _require_unused(settings, name)
    drop = f"DROP DATABASE IF EXISTS {quoted(name)}"  # left by a killed process
    try:
        run_client(settings, f"{drop}; CREATE DATABASE {quoted(name)} CHARACTER SET utf8mb4")
    except BackupFailed as error:
        raise NoScratch(str(error)) from None
    try:
        _restore(settings, copy, name)
        tables = run_client(settings, f"SELECT table_name {_TABLES}", name)
        counts = run_client(settings, ";".join(map(_count, tables)), name)
        return dict(zip(tables, map(int, counts), strict=True))
    finally:
        run_client(settings, drop)


def _require_unused(settings: Settings, name: str) -> None:
    """Raise BackupFailed if a session uses the scratch database. Those of ended processes take a moment to close."""
    for _ in range(_ATTEMPTS):
        if run_client(settings, _USES) == ["0"]:
            return
        time.sleep(_PAUSE_SECONDS)
    raise BackupFailed(f"The scratch database {name} is in use by another verification. Try again later")


def _count(table: str) -> str:
    return f"SELECT count(*) FROM {quoted(table)}"  # noqa: S608 - a name


def _restore(settings: Settings, copy: Path, name: str) -> None:
    try:
        with start_client(settings, name) as client, suppress(BrokenPipeError):  # the client reports its error
            client.writelines(_lines(copy))
    except BackupFailed as error:
        if _REFUSED.match(str(error)):
            raise NoScratch(str(error)) from None
        raise


def _lines(copy: Path) -> Iterator[bytes]:
    """Yield the lines of a backup. Raises BackupFailed if it is damaged."""
    try:
        with _open(copy, "rb", copy.suffix) as file:
            yield from _whole(file)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BackupFailed(f"The backup is damaged: {error}") from error


@contextmanager
def _open(path: Path, mode: str, suffix: str) -> Iterator[IO[bytes]]:
    with path.open(mode) as plain:
        if suffix != _COMPRESSED:
            yield plain
            return
        with gzip.GzipFile("", mode, _LEVEL, plain) as file:
            yield file  # type: ignore[misc]


def _whole(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a dump. Raises BackupFailed if its end is missing."""
    last = b""
    for line in lines:
        last = line if line.strip() else last
        yield line
    if not last.startswith(_END):
        raise BackupFailed("The backup is damaged: its end is missing")


def _with_place(lines: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yield each line, and whether it is outside the bodies of triggers and functions."""
    is_outside = True
    for line in lines:
        if line.startswith(_DELIMITER):
            is_outside = line.split() == [b"DELIMITER", b";"]
        yield line, is_outside


def _joined(lines: Iterable[bytes], counted: dict[str, int]) -> Iterator[bytes]:
    """Yield the text of a dump that has a statement for each row, and count the rows. Statements get many rows, each on
    a line of its own, because restoring single rows takes several times as long."""
    begin, size = b"", 0
    for line, is_outside in _with_place(lines):
        match = _INSERT.match(line) if is_outside else None
        if match is None:
            if begin:
                yield b";\n"
            begin, size = b"", 0
            if is_outside and (table := _TABLE.match(line)):
                counted[_unquoted(table[1])] = 0
            yield line
            continue
        counted[_unquoted(match[1])] += 1
        row = line[match.end() :].removesuffix(b";\n")
        if match[0] == begin and size + len(row) < _LONGEST_STATEMENT:
            yield b",\n" + row
        else:
            yield (b";\n" if begin else b"") + match[0] + row
            begin, size = match[0], 0
        size += len(row)


def _unquoted(name: bytes) -> str:
    return name.decode().replace("``", "`")
