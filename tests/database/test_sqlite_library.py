"""SQLite's process-wide configuration."""

from pathlib import Path

import apsw

from octavo.database.sqlite_connection import SqliteConnection, configure_library, first_value


def test_memory_statistics_are_off(tmp_path: Path) -> None:
    before = apsw.status(apsw.SQLITE_STATUS_MALLOC_COUNT)[0]
    connection = SqliteConnection(tmp_path / "data.db", 1_000_000, writes=True, pages=2_000)
    try:
        assert apsw.status(apsw.SQLITE_STATUS_MALLOC_COUNT)[0] == before
    finally:
        connection.close()


def test_the_texts_of_a_page_find_blocks_at_hand(tmp_path: Path) -> None:
    connection = SqliteConnection(tmp_path / "data.db", 1_000_000, writes=False, pages=2_000)
    try:
        texts = ", ".join(["replace(printf('%800d', ?1), ' ', '.')"] * 20)
        for _ in range(2):
            connection.raw.status(apsw.SQLITE_DBSTATUS_LOOKASIDE_MISS_FULL, True)
            assert len(connection.run(first_value, f"SELECT concat({texts})", (1,), 60.0)) == 16_000
        assert connection.raw.status(apsw.SQLITE_DBSTATUS_LOOKASIDE_MISS_FULL)[1] == 0
    finally:
        connection.close()


def test_a_library_in_use_is_not_reconfigured(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "data.db"))
    try:
        configure_library()
        assert connection.execute("SELECT 1").get == 1
    finally:
        connection.close()
