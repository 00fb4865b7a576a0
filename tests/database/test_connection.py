"""The connection protocol on each driver."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from octavo.core.errors import TablesChanged
from octavo.database.connection import (
    Database,
    IntegrityViolation,
    StatementTimeout,
    TransactionFailed,
    UniqueViolation,
    UnsuitableValue,
)

pytestmark = pytest.mark.anyio

TABLES = """
CREATE TABLE articles (
    id integer PRIMARY KEY, title varchar(255) NOT NULL, slug varchar(255), rank integer CHECK (rank >= 0)
);
CREATE UNIQUE INDEX articles_slug_unique ON articles (slug);
CREATE UNIQUE INDEX articles_title_unique ON articles (lower(title));
CREATE TABLE notes (id integer PRIMARY KEY, article_id integer REFERENCES articles (id) ON DELETE CASCADE)
"""


def said(database: Database, text: str) -> str:
    """Return the statement with the database's placeholders."""
    return text if database.dialect.name == "sqlite" else text.replace("?", "$")


@pytest.fixture
async def articles(database: Database) -> Database:
    await database.execute_script(TABLES)
    async with database.transaction() as transaction:
        for number in range(1, 4):
            await transaction.execute(
                said(database, "INSERT INTO articles (id, title, slug) VALUES (?1, ?2, ?3)"),
                (number, f"Title {number}", f"slug-{number}"),
            )
    return database


async def titles(database: Database) -> list[str]:
    return [row[0] for row in await database.fetch_all("SELECT title FROM articles ORDER BY id")]


@pytest.mark.parametrize("long", [False, True])
async def test_reads(articles: Database, long: bool) -> None:
    rows = await articles.fetch_all(said(articles, "SELECT id, slug FROM articles WHERE id > ?1"), (1,), long=long)
    assert [tuple(row) for row in rows] == [(2, "slug-2"), (3, "slug-3")]
    row = await articles.fetch_row("SELECT id, slug FROM articles ORDER BY id", long=long)
    assert row is not None
    assert tuple(row) == (1, "slug-1")
    assert await articles.fetch_value("SELECT count(*) FROM articles", long=long) == 3


@pytest.mark.parametrize("long", [False, True])
async def test_reads_of_nothing(articles: Database, long: bool) -> None:
    text = said(articles, "SELECT id FROM articles WHERE id = ?1")
    assert list(await articles.fetch_all(text, (9,), long=long)) == []
    assert await articles.fetch_row(text, (9,), long=long) is None
    assert await articles.fetch_value(text, (9,), long=long) is None
    assert await articles.fetch_json(text, (9,), long=long) is None


async def test_json_comes_as_bytes(database: Database) -> None:
    text = {"sqlite": "SELECT json_object('a', ?1)", "postgresql": "SELECT json_build_object('a', $1::text)"}
    answer = await database.fetch_json(text[database.dialect.name], ("ä€😀",))
    assert answer is not None
    assert answer.decode().replace(" ", "") == '{"a":"ä€😀"}'.replace(" ", "")
    assert await database.fetch_json("SELECT NULL") is None


async def test_text_as_json_comes_as_bytes(database: Database) -> None:
    assert await database.fetch_json("SELECT CAST('[\"ä\"]' AS text)") == '["ä"]'.encode()


async def test_execute_counts_rows(articles: Database) -> None:
    async with articles.transaction() as transaction:
        assert await transaction.execute("UPDATE articles SET rank = 1 WHERE id > 1") == 2
        assert await transaction.execute("CREATE TABLE other (id integer)") == 0
        assert await transaction.execute("UPDATE articles SET rank = 1 WHERE id > 100") == 0
        assert await transaction.execute("DELETE FROM articles") == 3


async def test_statements_are_counted(articles: Database) -> None:
    before = articles.statements
    await articles.fetch_value("SELECT 1")
    async with articles.transaction() as transaction:
        await transaction.lock("name")
        await transaction.execute("UPDATE articles SET rank = 1")
        await transaction.fetch_all("SELECT 1", long=True)
    await articles.execute("UPDATE articles SET rank = 2")
    assert articles.statements - before == 4


async def test_only_the_transaction_sees_its_own_writes(articles: Database) -> None:
    async with articles.transaction() as transaction:
        await transaction.execute("DELETE FROM articles WHERE id > 1")
        assert await transaction.fetch_value("SELECT count(*) FROM articles") == 1
        assert await transaction.fetch_value("SELECT count(*) FROM articles", long=True) == 1
        assert await articles.fetch_value("SELECT count(*) FROM articles") == 3
    assert await articles.fetch_value("SELECT count(*) FROM articles") == 1


async def test_exception_rolls_back(articles: Database) -> None:
    async def fail() -> None:
        async with articles.transaction() as transaction:
            await transaction.execute("DELETE FROM articles")
            raise KeyError

    with pytest.raises(KeyError):
        await fail()
    assert await titles(articles) == ["Title 1", "Title 2", "Title 3"]


VIOLATIONS: list[tuple[str, type[Exception], str, str]] = [
    (
        "INSERT INTO articles (id, title, slug) VALUES (9, 'new', 'slug-1')",
        UniqueViolation,
        "articles.slug",
        "articles_slug_unique",
    ),
    (
        "INSERT INTO articles (id, title) VALUES (9, 'TITLE 1')",
        UniqueViolation,
        "articles_title_unique",
        "articles_title_unique",
    ),
    ("INSERT INTO articles (id, title) VALUES (1, 'new')", UniqueViolation, "articles.id", "articles_pkey"),
    ("INSERT INTO notes VALUES (1, 9)", IntegrityViolation, "FOREIGN KEY constraint failed", "notes_article_id_fkey"),
    ("INSERT INTO articles (id) VALUES (9)", IntegrityViolation, "articles.title", "title"),
    (
        "INSERT INTO articles (id, title, rank) VALUES (9, 'new', -1)",
        IntegrityViolation,
        "rank >= 0",
        "articles_rank_check",
    ),
]


@pytest.mark.parametrize("text, kind, on_sqlite, on_postgresql", VIOLATIONS)
async def test_violations(
    articles: Database, text: str, kind: type[Exception], on_sqlite: str, on_postgresql: str
) -> None:
    with pytest.raises(IntegrityViolation) as caught:
        await articles.execute(text)
    assert isinstance(caught.value, UniqueViolation) is (kind is UniqueViolation)
    assert caught.value.rule == (on_sqlite if articles.dialect.name == "sqlite" else on_postgresql)


@pytest.mark.parametrize(
    "text", ["SELECT subtitle FROM articles", "SELECT id FROM books", "INSERT INTO articles (subtitle) VALUES ('a')"]
)
async def test_names_that_are_not_there(articles: Database, text: str) -> None:
    with pytest.raises(TablesChanged, match=r"no such|does not exist|no column named") as caught:
        await (articles.execute(text) if text.startswith("INSERT") else articles.fetch_all(text))
    assert str(caught.value) == str(caught.value.__cause__)
    assert len(await titles(articles)) == 3


@pytest.mark.parametrize("text", ["SELECT id FROM articles WHERE title > 1", "INSERT INTO articles (id) SELECT true"])
async def test_mismatched_types(articles: Database, text: str) -> None:
    """SQLite compares values of any types."""
    if articles.dialect.name == "postgresql":
        with pytest.raises(TablesChanged):
            await (articles.execute(text) if text.startswith("INSERT") else articles.fetch_all(text))


@pytest.mark.parametrize("swallowed", [UniqueViolation, UnsuitableValue])
async def test_failed_transaction_is_never_committed(articles: Database, swallowed: type[Exception]) -> None:
    text = said(articles, "INSERT INTO articles (id, title, slug) VALUES (9, 'new', ?1)")
    value = "slug-1" if swallowed is UniqueViolation else "\0"

    async def swallow() -> None:
        async with articles.transaction() as transaction:
            await transaction.execute("DELETE FROM articles WHERE id = 3")
            with pytest.raises(swallowed):
                await transaction.execute(text, (value,))

    with pytest.raises(TransactionFailed):
        await swallow()
    assert await titles(articles) == ["Title 1", "Title 2", "Title 3"]


async def test_failed_transaction_takes_no_statements(articles: Database) -> None:
    async def go_on() -> None:
        async with articles.transaction() as transaction:
            with pytest.raises(IntegrityViolation):
                await transaction.execute("INSERT INTO articles (id) VALUES (9)")
            await transaction.execute("DELETE FROM articles")

    with pytest.raises(TransactionFailed):
        await go_on()
    assert await titles(articles) == ["Title 1", "Title 2", "Title 3"]


async def test_finished_transaction_takes_no_statements(articles: Database) -> None:
    async with articles.transaction() as transaction:
        pass
    with pytest.raises(TransactionFailed):
        await transaction.execute("DELETE FROM articles")
    assert await titles(articles) == ["Title 1", "Title 2", "Title 3"]


@pytest.mark.parametrize("fetch", ["fetch_all", "fetch_row", "fetch_value", "fetch_json"])
@pytest.mark.parametrize("long", [False, True])
async def test_fetching_outside_a_transaction_cannot_write(articles: Database, fetch: str, long: bool) -> None:
    with pytest.raises(Exception, match="read"):
        await getattr(articles, fetch)("DELETE FROM articles RETURNING id", long=long)
    assert await titles(articles) == ["Title 1", "Title 2", "Title 3"]


UNSUITABLE: list[tuple[str, Any]] = [
    ("text", "a\0b"),
    ("text", "\ud800"),
    ("text", "a\udfffb"),
    ("bigint", 2**63),
    ("bigint", -(2**63) - 1),
    ("bigint", 10**400),
    ("double precision", float("nan")),
]


@pytest.mark.parametrize("kind, value", UNSUITABLE)
@pytest.mark.parametrize("long", [False, True])
async def test_unsuitable_values(database: Database, kind: str, value: Any, long: bool) -> None:
    with pytest.raises(UnsuitableValue):
        await database.fetch_value(said(database, f"SELECT CAST(?1 AS {kind})"), (value,), long=long)
    with pytest.raises(UnsuitableValue):
        async with database.transaction() as transaction:
            await transaction.execute(said(database, f"SELECT CAST(?1 AS {kind})"), (value,))
    assert await database.fetch_value(said(database, "SELECT CAST(?1 AS bigint)"), (-(2**63),)) == -(2**63)


SUITABLE: list[tuple[str, Any]] = [
    ("text", "ä€😀\x01\x7f\n"),
    ("text", None),
    ("bigint", 2**63 - 1),
    ("double precision", 1.5e300),
    ("double precision", -0.1),
]


@pytest.mark.parametrize("kind, value", SUITABLE)
async def test_values_are_read_unchanged(database: Database, kind: str, value: Any) -> None:
    assert await database.fetch_value(said(database, f"SELECT CAST(?1 AS {kind})"), (value,)) == value


async def test_statement_timeout(new_database: Callable[..., Database]) -> None:
    endless = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c"
    database = new_database(statement_timeout=0.5)
    await database.connect()
    with pytest.raises(StatementTimeout):
        await database.fetch_value(endless)
    with pytest.raises(StatementTimeout):
        async with database.transaction() as transaction:
            await transaction.fetch_value(endless)
    assert await database.fetch_value("SELECT 1") == 1
    await database.close()


async def test_parallel_inserts_of_one_unique_value(articles: Database) -> None:
    async def insert(number: int) -> bool:
        try:
            async with articles.transaction() as transaction:
                text = said(articles, "INSERT INTO articles (id, title, slug) VALUES (?1, ?2, 'one')")
                await transaction.execute(text, (number, f"parallel {number}"))
        except UniqueViolation:
            return False
        return True

    assert sorted(await asyncio.gather(*map(insert, range(100, 124)))) == [False] * 23 + [True]


async def test_locks_serialize_by_name(articles: Database) -> None:
    async def add_one() -> None:
        async with articles.transaction() as transaction:
            await transaction.lock("rank of article 1")
            rank = await transaction.fetch_value("SELECT coalesce(rank, 0) FROM articles WHERE id = 1")
            await asyncio.sleep(0.001)
            await transaction.execute(said(articles, "UPDATE articles SET rank = ?1 WHERE id = 1"), (rank + 1,))

    await asyncio.gather(*(add_one() for _ in range(20)))
    assert await articles.fetch_value("SELECT rank FROM articles WHERE id = 1") == 20


async def test_several_locks_hold_each_of_their_names(articles: Database) -> None:
    """The locks of several names are taken in one order, so that callers do not deadlock."""
    held = ["rank of article 1", "rank of article 2"]

    async def add_one(number: int) -> None:
        async with articles.transaction() as transaction:
            if number % 2:
                await transaction.lock_all(held)
            else:
                await transaction.lock(held[number // 2 % 2])
            rank = await transaction.fetch_value("SELECT coalesce(rank, 0) FROM articles WHERE id = 1")
            await asyncio.sleep(0.001)
            if number % 2 or number // 2 % 2 == 0:
                text = said(articles, "UPDATE articles SET rank = ?1 WHERE id = 1")
                await transaction.execute(text, (rank + 1,))

    await asyncio.gather(*map(add_one, range(20)))
    assert await articles.fetch_value("SELECT rank FROM articles WHERE id = 1") == 15
    async with articles.transaction() as transaction:
        await transaction.lock_all([])


async def test_exclusive_transactions_serialize(articles: Database) -> None:
    inside: list[int] = []

    async def change(number: int) -> None:
        async with articles.transaction(exclusive=True) as transaction:
            inside.append(number)
            await transaction.execute("UPDATE articles SET rank = 0")
            await asyncio.sleep(0.01)
            inside.append(number)

    await asyncio.gather(*map(change, range(4)))
    assert inside[0::2] == inside[1::2]


async def test_cancellation_anywhere_leaves_nothing(articles: Database) -> None:
    async def change() -> None:
        async with articles.transaction() as transaction:
            await transaction.execute("UPDATE articles SET rank = 1 WHERE id = 1")
            await transaction.fetch_all("SELECT * FROM articles", long=True)
            await asyncio.sleep(0.001)
            await transaction.execute("UPDATE articles SET rank = 1 WHERE id = 2")

    for step in range(60):
        await articles.execute("UPDATE articles SET rank = 0")
        task = asyncio.create_task(change())
        await asyncio.sleep(step * 0.0001)
        task.cancel()
        await asyncio.wait((task,))
        ranks = await articles.fetch_all("SELECT rank FROM articles WHERE id < 3")
        assert [row[0] for row in ranks] in ([0, 0], [1, 1])
    assert await articles.execute("UPDATE articles SET rank = 2") == 3


async def test_cancelled_read_leaves_nothing_behind(articles: Database) -> None:
    slow = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c"
    for _ in range(12):
        task = asyncio.create_task(articles.fetch_value(slow, long=True))
        await asyncio.sleep(0.005)
        task.cancel()
        await asyncio.wait((task,))
        assert task.cancelled()
    assert await articles.fetch_value("SELECT 1", long=True) == 1


async def test_close_waits_for_what_is_running(articles: Database) -> None:
    begun = asyncio.Event()

    async def change() -> None:
        async with articles.transaction() as transaction:
            begun.set()
            await asyncio.sleep(0.05)
            await transaction.execute("DELETE FROM articles")

    task = asyncio.create_task(change())
    await begun.wait()
    await articles.close()
    assert task.done()
    assert task.exception() is None
