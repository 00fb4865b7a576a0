"""The header of a WAL index: what moves it, and that looking at it takes no lock away."""

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
    """What a statement in another process comes to."""
    code = (
        "import sys, apsw\n"
        "try: apsw.Connection(sys.argv[1]).execute(sys.argv[2]).fetchall(); print('done')\n"
        "except apsw.BusyError: print('busy')"
    )
    result = subprocess.run([sys.executable, "-c", code, file, statement], capture_output=True, text=True, check=True)
    return result.stdout.strip()


def test_each_commit_moves_it_and_nothing_else(file: Path, writer: apsw.Connection) -> None:
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


def test_a_log_that_begins_anew_is_never_what_was_there(file: Path, writer: apsw.Connection) -> None:
    header, seen = opened(file), set[bytes | None]()
    for _ in range(5):
        writer.execute("INSERT INTO notes VALUES ('a')")
        assert header() not in seen
        seen.add(header())
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def test_locks_stay(file: Path, writer: apsw.Connection) -> None:
    """To close what was opened of the index would take them away, and two would write at once."""
    writer.execute("BEGIN IMMEDIATE")
    for _ in range(3):
        assert opened(file)()
    assert elsewhere(file, "INSERT INTO notes VALUES ('b')") == "busy"
    writer.execute("COMMIT")
    assert elsewhere(file, "INSERT INTO notes VALUES ('b')") == "done"


def test_there_is_none_where_nothing_is_written_ahead(file: Path) -> None:
    apsw.Connection(str(file)).execute("CREATE TABLE notes (title TEXT)")
    assert header_of(file) is None


async def test_a_database_goes_by_it(file: Path) -> None:
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
