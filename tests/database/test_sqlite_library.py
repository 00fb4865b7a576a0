"""How SQLite itself is configured in the process."""

from pathlib import Path

import apsw

from octavo.database.sqlite_connection import SqliteConnection
from octavo.database.sqlite_library import forgo_memory_statistics


def test_what_connections_take_is_not_counted(tmp_path: Path) -> None:
    before = apsw.status(apsw.SQLITE_STATUS_MALLOC_COUNT)[0]
    connection = SqliteConnection(tmp_path / "data.db", 1_000_000, writes=True, pages=2_000)
    try:
        assert apsw.status(apsw.SQLITE_STATUS_MALLOC_COUNT)[0] == before
    finally:
        connection.close()


def test_a_library_in_use_stays_as_it_is(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "data.db"))
    try:
        forgo_memory_statistics()
        assert connection.execute("SELECT 1").get == 1
    finally:
        connection.close()
