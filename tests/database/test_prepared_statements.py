"""Prepared statements of a connection are bounded in bytes, on each database."""

from pathlib import Path

import apsw
import pytest

from octavo.database.connection_share import MOST_TEXT, StatementTexts
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.sqlite_connection import SqliteConnection, all_rows

pytestmark = pytest.mark.anyio

LONG = 4_000


def long_statement(number: int) -> str:
    """Return a statement of about `LONG` bytes that differs for each number."""
    text = f"SELECT {number}"
    return text + f", '{'x' * (LONG - len(text) - 4)}'"


def test_texts_are_counted_once_and_too_long_ones_not_at_all() -> None:
    texts = StatementTexts(largest=10, most=20)
    assert not texts.overflow("x" * 11)
    assert [texts.overflow(text) for text in ("a" * 10, "b" * 10, "a" * 10)] == [False, False, False]
    assert texts.overflow("c" * 10)
    assert [texts.overflow(text) for text in ("c" * 10, "a" * 10)] == [False, False]


def test_a_connection_to_sqlite_keeps_a_bounded_amount(tmp_path: Path) -> None:
    connection = SqliteConnection(tmp_path / "data.db", 1_000_000, writes=False, pages=100)

    def used() -> int:
        return int(connection.raw.status(apsw.SQLITE_DBSTATUS_STMT_USED)[0])

    def run(number: int) -> None:
        connection.run(all_rows, long_statement(number), (), 60)

    fitting, found = MOST_TEXT // LONG, []
    for number in range(3 * fitting):
        run(number)
        found.append(used())
    connection.close()
    each = (found[fitting // 2] - found[0]) / (fitting // 2)
    assert fitting * each * 0.9 < max(found) < fitting * each * 2


async def test_a_connection_to_postgresql_keeps_a_bounded_amount(postgresql_url: str) -> None:
    database = PostgresqlDatabase(postgresql_url, minimum=1, maximum=1)
    await database.connect()
    counts = []
    for number in range(3 * MOST_TEXT // LONG):
        assert (await database.fetch_row(long_statement(number)))[0] == number  # type: ignore[index]
        counts.append(await database.fetch_value("SELECT count(*) FROM pg_prepared_statements"))
    assert await database.fetch_json("SELECT '{}'::json") == b"{}"  # the codecs are still there
    await database.close()
    fitting = MOST_TEXT // LONG
    assert fitting * 0.9 < max(counts) <= fitting + 5
    assert min(counts[fitting:]) < 10
