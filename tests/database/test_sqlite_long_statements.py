"""Statements too long for the driver's cache are cached by Octavo, within bounds."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from octavo.database.connection import Row, UnsuitableValue, Values
from octavo.database.connection_share import MOST_TEXT
from octavo.database.sqlite_connection import LARGEST_CACHED, LARGEST_KEPT, SqliteConnection, all_rows

LONG = LARGEST_CACHED + 1


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[SqliteConnection]:
    opened = SqliteConnection(tmp_path / "data.db", 8 * LARGEST_KEPT, writes=False, pages=100)
    yield opened
    opened.close()


def long_text(query: str, size: int = LONG) -> str:
    """Return a query of `size` bytes whose last column contains no parameter."""
    start, end = f"SELECT {query}, '?1''?2", "'"
    return start + "x" * (size - len(start) - len(end)) + end


def run(connection: SqliteConnection, text: str, values: Values = ()) -> list[Row]:
    return [row[:-1] for row in connection.run(all_rows, text, values, 60)]


def views(connection: SqliteConnection) -> list[str]:
    """Return the views of the connection."""
    return [name for (name,) in connection.run(all_rows, "SELECT name FROM sqlite_temp_schema", (), 60)]


def prepared(connection: SqliteConnection) -> int:
    """Return how many statements too long for the driver's cache were prepared."""
    return int(connection.raw.cache_stats()["too_big"])


def test_repeated_statements_are_not_prepared_again(connection: SqliteConnection) -> None:
    text = long_text("?1, typeof(?2), ?3 IN (?1, ?2)")
    rows = [("a", 1, 1), ("b", None, "b"), ("c", b"2", 4), ("d", 2.5, 2.5), ("e", 1, 1)]
    found = [run(connection, text, values) for values in rows]
    assert found == [
        [("a", "integer", 1)],
        [("b", "null", 1)],
        [("c", "blob", 0)],
        [("d", "real", 1)],
        [("e", "integer", 1)],
    ]
    assert prepared(connection) == 1  # the first time
    assert connection.run(all_rows, text, rows[0], 60)[0][-1].startswith("?1'?2x")


def test_once_is_not_enough_nor_is_another_text(connection: SqliteConnection) -> None:
    for number in range(5):
        assert run(connection, long_text(f"{number}")) == [(number,)]
    assert not views(connection)


def test_an_invalid_value_raises_the_usual_error(connection: SqliteConnection) -> None:
    text = long_text("?1")
    for _ in range(3):
        with pytest.raises(UnsuitableValue):
            run(connection, text, ("\ud800",))


def test_a_rolled_back_transaction_leaves_no_statement(connection: SqliteConnection) -> None:
    text = long_text("1")
    connection.raw.execute("BEGIN")
    for _ in range(3):
        assert run(connection, text) == [(1,)]
    connection.roll_back()
    assert [run(connection, text) for _ in range(3)] == [[(1,)]] * 3
    assert len(views(connection)) == 1


def test_the_connection_reads_only_afterwards(connection: SqliteConnection) -> None:
    for _ in range(3):
        run(connection, long_text("1"))
    with pytest.raises(apsw.ReadOnlyError):
        connection.raw.execute("CREATE TABLE mine (id)")


def test_the_cache_is_bounded(connection: SqliteConnection) -> None:
    fitting, found = MOST_TEXT // LONG // 2, []
    for number in range(3 * fitting):
        for _ in range(3):
            assert run(connection, long_text(f"{number}")) == [(number,)]
        found.append(len(views(connection)))
    assert fitting - 1 <= max(found) <= fitting
    assert min(found[fitting - 1 :]) == 1
    run(connection, too_long := long_text("1", LARGEST_KEPT + 1))
    run(connection, too_long)
    assert len(views(connection)) == found[-1]


def test_tables_can_change_during_the_life_of_a_statement(connection: SqliteConnection, tmp_path: Path) -> None:
    other = SqliteConnection(tmp_path / "data.db", 1_000_000, writes=True, pages=100)
    other.raw.execute("CREATE TABLE books (id INTEGER PRIMARY KEY, title); INSERT INTO books VALUES (7, 'one')")
    text = f"SELECT title, id, 1 FROM books WHERE id = ?1 AND '{'x' * LONG}' <> ''"
    assert [run(connection, text, (7,)) for _ in range(3)] == [[("one", 7)]] * 3
    other.raw.execute("ALTER TABLE books ADD COLUMN pages; CREATE INDEX titles ON books (title)")
    other.raw.execute("UPDATE books SET title = 'two'")
    assert run(connection, text, (7,)) == [("two", 7)]
    other.close()
