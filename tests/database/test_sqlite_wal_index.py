"""The header of a WAL index: what changes it, and that reading it releases no lock."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from octavo.database.sqlite import SqliteDatabase
from octavo.database.sqlite_connection import header_of

pytestmark = pytest.mark.anyio


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.db"


@pytest.fixture
def writer(file: Path) -> Iterator[apsw.Connection]:
    connection = apsw.Connection(str(file))
    connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE notes (title TEXT)").fetchall()
    yield connection
    connection.close()


def opened(file: Path) -> Callable[[], bytes | None]:
    found = header_of(file)
    assert found is not None
    return found


def elsewhere(file: Path, statement: str) -> str:
    """Return the value of a statement in another process."""
    code = (
        "import sys, apsw\n"
        "try: apsw.Connection(sys.argv[1]).execute(sys.argv[2]).fetchall(); print('done')\n"
        "except apsw.BusyError: print('busy')"
    )
    result = subprocess.run([sys.executable, "-c", code, file, statement], capture_output=True, text=True, check=True)
    return result.stdout.strip()


def test_only_commits_change_it(file: Path, writer: apsw.Connection) -> None:
    header = opened(file)
    seen = [header()]
    for statement in (
        "INSERT INTO notes VALUES ('a')",
        "UPDATE notes SET title = 'b'",
        "CREATE TABLE tags (name TEXT)",
    ):
        writer.execute(statement)
        seen.append(header())
    assert elsewhere(file, "DELETE FROM notes") == "done"
    seen.append(header())
    assert None not in seen
    assert len(set(seen)) == len(seen)
    for nothing in ("BEGIN IMMEDIATE; INSERT INTO notes VALUES ('c'); ROLLBACK", "SELECT * FROM notes"):
        writer.execute(nothing).fetchall()
        assert header() == seen[-1]


def test_a_restarted_log_never_has_an_earlier_header(file: Path, writer: apsw.Connection) -> None:
    header, seen = opened(file), set[bytes | None]()
    for _ in range(5):
        writer.execute("INSERT INTO notes VALUES ('a')")
        assert header() not in seen
        seen.add(header())
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def test_locks_stay(file: Path, writer: apsw.Connection) -> None:
    """Closing a file descriptor of the index would release them, and two processes would write at once."""
    writer.execute("BEGIN IMMEDIATE")
    for _ in range(3):
        assert opened(file)()
    assert elsewhere(file, "INSERT INTO notes VALUES ('b')") == "busy"
    writer.execute("COMMIT")
    assert elsewhere(file, "INSERT INTO notes VALUES ('b')") == "done"


def test_databases_without_wal_have_none(file: Path) -> None:
    apsw.Connection(str(file)).execute("CREATE TABLE notes (title TEXT)")
    assert header_of(file) is None


async def test_a_database_uses_it(file: Path) -> None:
    database = SqliteDatabase(file)
    await database.connect()
    await database.execute_script("CREATE TABLE notes (title TEXT)")
    versions = database.versions()
    first = versions.at_once()
    assert first is not None
    assert first.stamp == (1, opened(file)())
    await database.execute("INSERT INTO notes VALUES ('a')")
    second = versions.at_once()
    assert second is not None
    assert second.stamp == (1, opened(file)()) != first.stamp
    assert versions.at_once() is second
    await database.close()
