"""The driver for MariaDB and MySQL on a real server. `test_connection` tests most of the protocol."""

import asyncio
import signal
import ssl
from collections.abc import AsyncIterator
from typing import Any

import pytest

from octavo.core.errors import ServiceUnavailable, TablesChanged
from octavo.database import open_database
from octavo.database.ambient import ambient
from octavo.database.connection import (
    AnswerTooLarge,
    Database,
    DatabaseMisconfigured,
    DatabaseReadOnly,
    IdTaken,
    IntegrityViolation,
    Links,
    LockTimeout,
    StatementTimeout,
    TransactionConflict,
    TransactionFailed,
    UniqueViolation,
    UnsuitableValue,
)
from octavo.database.mysql import MysqlDatabase
from octavo.database.mysql_connection import MysqlConnection, check_version, parameters_of, tls_context
from octavo.database.mysql_errors import ConnectionLost
from octavo.database.mysql_statements import fill
from octavo.database.unit_of_work import unit_of_work
from tests.mysql_server import MysqlServer
from tests.raising import raising

pytestmark = [pytest.mark.anyio]

TABLES = """
CREATE TABLE articles (
    id int unsigned AUTO_INCREMENT PRIMARY KEY, title varchar(255) NOT NULL, slug varchar(255),
    `rank` int, changed datetime(6), price decimal(10,2), size double, due time(3), day date,
    CONSTRAINT articles_rank CHECK (`rank` >= 0)
);
CREATE UNIQUE INDEX articles_slug_unique ON articles (slug);
CREATE TABLE notes (
    id int AUTO_INCREMENT PRIMARY KEY, article_id int unsigned,
    CONSTRAINT notes_article_fk FOREIGN KEY (article_id) REFERENCES articles (id) ON DELETE CASCADE
)
"""
_DIGITS = "(SELECT 0 n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4)"
ENDLESS = f"SELECT sum(sin(t0.n)) FROM {', '.join(f'{_DIGITS} t{number}' for number in range(16))}"


@pytest.fixture
async def database(anyio_backend: str, mysql_server: MysqlServer, mysql_name: str) -> AsyncIterator[MysqlDatabase]:
    made = MysqlDatabase(mysql_server.url(mysql_name))
    await made.connect()
    yield made
    await made.close()


@pytest.fixture
async def crowd(anyio_backend: str, mysql_server: MysqlServer, mysql_name: str) -> AsyncIterator[MysqlDatabase]:
    """The articles, for more callers than connections. All connections are open, and callers wait up to a minute, so
    that slow machines pass.
    """
    made = MysqlDatabase(mysql_server.url(mysql_name), minimum=10, maximum=10, patience=60.0, start_patience=60.0)
    await made.connect()
    yield await _with_articles(made)
    await made.close()


@pytest.fixture
async def articles(database: MysqlDatabase) -> MysqlDatabase:
    return await _with_articles(database)


async def _with_articles(database: MysqlDatabase) -> MysqlDatabase:
    await database.execute_script(TABLES)
    async with database.transaction() as transaction:
        for number in range(1, 4):
            text = "INSERT INTO articles (id, title, slug) VALUES (?1, ?2, ?3)"
            await transaction.execute(text, (number, f"Title {number}", f"slug-{number}"))
    return database


async def titles(database: Database) -> list[str]:
    return [row[0] for row in await database.fetch_all("SELECT title FROM articles ORDER BY id")]


async def test_reads(articles: MysqlDatabase) -> None:
    rows = await articles.fetch_all("SELECT id, slug FROM articles WHERE id > ?1", (1,))
    assert [tuple(row) for row in rows] == [(2, "slug-2"), (3, "slug-3")]
    assert await articles.fetch_row("SELECT id, slug FROM articles ORDER BY id") == (1, "slug-1")
    assert await articles.fetch_value("SELECT count(*) FROM articles") == 3
    nothing = "SELECT id FROM articles WHERE id = ?1"
    assert list(await articles.fetch_all(nothing, (9,))) == []
    assert await articles.fetch_row(nothing, (9,)) is None
    assert await articles.fetch_value(nothing, (9,)) is None
    assert await articles.fetch_json(nothing, (9,)) is None


async def test_json_comes_as_bytes(database: MysqlDatabase) -> None:
    assert await database.fetch_json("SELECT json_array(?1)", ("ä€😀",)) == '["ä€😀"]'.encode()
    assert await database.fetch_json("SELECT CAST(json_array(?1) AS BINARY)", ("ä€😀",)) == '["ä€😀"]'.encode()
    assert await database.fetch_json("SELECT NULL") is None


async def test_types_come_as_texts(articles: MysqlDatabase) -> None:
    text = "UPDATE articles SET changed = ?1, price = ?2, size = ?3, due = ?4, day = ?5 WHERE id = 1"
    await articles.execute(text, ("2020-01-02 03:04:05.678", "12.50", 0.1, "10:20:30.400", "2020-02-29"))
    row = await articles.fetch_row("SELECT changed, price, size, due, day, id > 0 FROM articles WHERE id = 1")
    assert row == ("2020-01-02 03:04:05.678000", "12.50", 0.1, "10:20:30.400", "2020-02-29", 1)


VALUES: list[Any] = [
    *(None, True, False, 0, -1, 2**63 - 1, -(2**63), 2**64 - 1),
    *(0.1, -0.0, 1e300, 5e-324, 1.7976931348623157e308, 123456789.123456789, 1 / 3),
    *(
        "",
        "ä€😀",
        "it's",
        "back\\slash\\",
        "\\'",
        "\\\\' OR 1=1 -- ",
        'double "quotes"',
        "a\x1ab\nc\rd\te",
        "%s %(a)s ?1",
    ),
    *("`;DROP TABLE x;", "/* ?1 */", "\x7f\x01", "ＳＥＬＥＣＴ", "é"),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
async def test_values_are_read_unchanged(database: MysqlDatabase, value: Any) -> None:
    assert await database.fetch_row("SELECT ?1, '?1', `?2` FROM (SELECT ?1 AS `?2`) t /* ?3 */ -- ?4", (value,)) == (
        value,
        "?1",
        value,
    )


async def test_texts_of_all_characters_are_read_unchanged(database: MysqlDatabase) -> None:
    every = "".join(chr(code) for code in range(1, 0x3000)) + "\\" * 3 + "'" * 3
    assert await database.fetch_value("SELECT ?1", (every,)) == every
    assert await database.fetch_value("SELECT char_length(?1)", (every,)) == len(every)


@pytest.mark.parametrize("value", ["a\0b", "\ud800", "a\udfffb", 10**400, float("nan")])
async def test_unsuitable_values(database: MysqlDatabase, value: Any) -> None:
    with pytest.raises(UnsuitableValue):
        await database.fetch_value("SELECT ?1", (value,))
    with raising(UnsuitableValue):
        async with database.transaction() as transaction:
            await transaction.execute("SELECT ?1", (value,))
    assert await database.fetch_value("SELECT ?1", (1,)) == 1


@pytest.mark.parametrize(
    "column, value",
    [
        ("title", "x" * 256),
        ("`rank`", 2**31),
        ("`rank`", "many"),
        ("day", "2020-02-30"),
        ("changed", "0000-00-00"),
        ("price", "123456789.00"),
        ("due", "1000:00:00"),
    ],
)
async def test_values_that_do_not_fit(articles: MysqlDatabase, column: str, value: Any) -> None:
    with pytest.raises(UnsuitableValue):
        await articles.execute(f"UPDATE articles SET {column} = ?1 WHERE id = 1", (value,))
    assert await titles(articles) == ["Title 1", "Title 2", "Title 3"]


def test_fill() -> None:
    text = "SELECT ?2, ?1, '?1 \\' ?2', \"?1\", `?1`, ?1 # ?1\n, ?10 -- ?1"
    values = (1, "a'b", *range(3, 10), None)
    assert fill(text, values) == b"SELECT 'a''b', 1, '?1 \\' ?2', \"?1\", `?1`, 1 # ?1\n, NULL -- ?1"


async def test_infinity_is_compared_but_not_stored(articles: MysqlDatabase) -> None:
    await articles.execute("UPDATE articles SET size = ?1", (1.5,))
    for text, value, number in (("size < ?1", "inf", 3), ("size > ?1", "inf", 0), ("size > ?1", "-inf", 3)):
        found = await articles.fetch_value(f"SELECT count(*) FROM articles WHERE {text}", (float(value),))
        assert found == number
    with pytest.raises(UnsuitableValue):
        await articles.execute("UPDATE articles SET size = ?1", (float("inf"),))


async def test_execute_counts_matching_rows(articles: MysqlDatabase) -> None:
    async with articles.transaction() as transaction:
        assert await transaction.execute("UPDATE articles SET `rank` = 1 WHERE id > 1") == 2
        assert await transaction.execute("UPDATE articles SET `rank` = 1 WHERE id > 1") == 2
        assert await transaction.execute("UPDATE articles SET `rank` = 1 WHERE id > 100") == 0
        assert await transaction.execute("DELETE FROM articles") == 3


async def test_statements_are_counted(articles: MysqlDatabase) -> None:
    before = articles.statements
    await articles.fetch_value("SELECT 1")
    async with articles.transaction() as transaction:
        await transaction.lock("name")
        await transaction.execute("UPDATE articles SET `rank` = 1")
        await transaction.fetch_all("SELECT 1", long=True)
    await articles.execute("UPDATE articles SET `rank` = 2")
    assert articles.statements - before == 4


async def test_only_the_transaction_sees_its_own_writes(articles: MysqlDatabase) -> None:
    async with articles.transaction() as transaction:
        await transaction.execute("DELETE FROM articles WHERE id > 1")
        assert await transaction.fetch_value("SELECT count(*) FROM articles") == 1
        assert await articles.fetch_value("SELECT count(*) FROM articles") == 3
    assert await articles.fetch_value("SELECT count(*) FROM articles") == 1


async def test_snapshot(articles: MysqlDatabase) -> None:
    async with articles.snapshot() as snapshot:
        await articles.execute("DELETE FROM articles WHERE id = 1")
        assert await snapshot.fetch_value("SELECT count(*) FROM articles") == 3
    with pytest.raises(Exception, match="READ ONLY"):
        async with articles.snapshot() as snapshot:
            await snapshot.execute("DELETE FROM articles")
    async with articles.transaction() as transaction:  # on the same connection: default isolation again
        before = await transaction.fetch_value("SELECT count(*) FROM articles")
        await articles.execute("DELETE FROM articles WHERE id = 2")
        assert before - await transaction.fetch_value("SELECT count(*) FROM articles") == 1


async def test_exception_rolls_back(articles: MysqlDatabase) -> None:
    with raising(KeyError):
        async with articles.transaction() as transaction:
            await transaction.execute("DELETE FROM articles")
            raise KeyError
    assert len(await titles(articles)) == 3


@pytest.mark.parametrize(
    "text, kind, rule",
    [
        ("INSERT INTO articles (title, slug) VALUES ('new', 'slug-1')", UniqueViolation, "articles_slug_unique"),
        ("INSERT INTO articles (id, title) VALUES (1, 'new')", IdTaken, "PRIMARY"),
        ("INSERT INTO notes VALUES (1, 9)", IntegrityViolation, "notes_article_fk"),
        ("INSERT INTO articles (id) VALUES (9)", IntegrityViolation, "title"),
        ("INSERT INTO articles (title) VALUES (NULL)", IntegrityViolation, "title"),
        ("INSERT INTO articles (title, `rank`) VALUES ('new', -1)", IntegrityViolation, "articles_rank"),
    ],
)
async def test_violations(articles: MysqlDatabase, text: str, kind: type[Exception], rule: str) -> None:
    with pytest.raises(IntegrityViolation) as caught:
        await articles.execute(text)
    assert type(caught.value) is kind
    assert caught.value.rule == rule


@pytest.mark.parametrize(
    "text", ["SELECT subtitle FROM articles", "SELECT id FROM books", "INSERT INTO articles (subtitle) VALUES ('a')"]
)
async def test_names_that_are_not_there(articles: MysqlDatabase, text: str) -> None:
    with pytest.raises(TablesChanged):
        await (articles.execute(text) if text.startswith("INSERT") else articles.fetch_all(text))


async def test_failed_transaction_takes_no_statements(articles: MysqlDatabase) -> None:
    with raising(TransactionFailed):
        async with articles.transaction() as transaction:
            await transaction.execute("DELETE FROM articles WHERE id = 1")
            with pytest.raises(IntegrityViolation):
                await transaction.execute("INSERT INTO articles (id) VALUES (9)")
            await transaction.execute("DELETE FROM articles")
    with raising(TransactionFailed):
        async with articles.transaction() as transaction:
            await transaction.execute("DELETE FROM articles WHERE id = 1")
            with pytest.raises(UnsuitableValue):
                await transaction.execute("UPDATE articles SET slug = ?1", ("\0",))
    assert len(await titles(articles)) == 3
    with pytest.raises(TransactionFailed):
        await transaction.execute("DELETE FROM articles")


async def test_parts(articles: MysqlDatabase) -> None:
    async with articles.transaction() as transaction:
        await transaction.execute("DELETE FROM articles WHERE id = 1")
        with raising(UniqueViolation):
            async with transaction.part():
                async with transaction.part():
                    await transaction.execute("DELETE FROM articles WHERE id = 2")
                await transaction.execute("INSERT INTO articles (title, slug) VALUES ('a', 'slug-3')")
        async with transaction.part():
            with raising(KeyError):
                async with transaction.part():
                    await transaction.execute("DELETE FROM articles")
                    raise KeyError
    assert await titles(articles) == ["Title 2", "Title 3"]


@pytest.mark.parametrize("fetch", ["fetch_all", "fetch_row", "fetch_value", "fetch_json"])
async def test_fetching_outside_a_transaction_cannot_write(articles: MysqlDatabase, fetch: str) -> None:
    with pytest.raises(Exception, match="READ ONLY"):
        await getattr(articles, fetch)("DELETE FROM articles")
    assert len(await titles(articles)) == 3


async def test_ambient_transaction(articles: MysqlDatabase) -> None:
    async with unit_of_work(articles) as unit:
        with ambient(articles, unit):
            await articles.execute("DELETE FROM articles WHERE id = 1")
            assert await articles.fetch_value("SELECT count(*) FROM articles") == 2
            assert await articles.contents.fetch_row("SELECT count(*) FROM articles") == (2,)
    assert len(await titles(articles)) == 2


async def test_statement_timeout(mysql_server: MysqlServer, mysql_name: str) -> None:
    database = MysqlDatabase(mysql_server.url(mysql_name), statement_timeout=0.5)
    await database.connect()
    with pytest.raises(StatementTimeout):
        await database.fetch_value(ENDLESS)
    with raising(StatementTimeout):
        async with database.transaction() as transaction:
            await transaction.fetch_value(ENDLESS)
    assert await database.fetch_value("SELECT 1") == 1
    await database.close()


async def test_no_statement_timeout(mysql_server: MysqlServer, mysql_name: str) -> None:
    database = MysqlDatabase(mysql_server.url(mysql_name), statement_timeout=0)
    await database.connect()
    assert await database.fetch_value("SELECT sleep(1.2)") == 0
    await database.close()


async def test_parallel_inserts_of_one_unique_value(crowd: MysqlDatabase) -> None:
    async def insert(number: int) -> bool:
        try:
            async with unit_of_work(crowd) as unit:
                text = "INSERT INTO articles (title, slug) VALUES (?1, 'one')"
                await unit.connection.execute(text, (f"parallel {number}",))
        except UniqueViolation:
            return False
        return True

    assert sorted(await asyncio.gather(*map(insert, range(24)))) == [False] * 23 + [True]


async def test_locks_serialize_by_name(crowd: MysqlDatabase) -> None:
    async def add_one() -> None:
        async with crowd.transaction() as transaction:
            await transaction.lock("rank of article 1")
            rank = await transaction.fetch_value("SELECT coalesce(`rank`, 0) FROM articles WHERE id = 1")
            await asyncio.sleep(0.001)
            await transaction.execute("UPDATE articles SET `rank` = ?1 WHERE id = 1", (rank + 1,))

    await asyncio.gather(*(add_one() for _ in range(20)))
    assert await crowd.fetch_value("SELECT `rank` FROM articles WHERE id = 1") == 20


async def test_shared_locks_exclude_only_exclusive_ones(articles: MysqlDatabase) -> None:
    inside: set[str] = set()
    together = asyncio.Event()

    async def share(name: str) -> None:
        async with articles.transaction() as transaction:
            await transaction.lock_all([f"entry {name}"], shared=["type"])
            inside.add(name)
            if len(inside) == 2:
                together.set()
            async with asyncio.timeout(5):
                await together.wait()
            await asyncio.sleep(0.05)
            inside.remove(name)

    async def own() -> None:
        await together.wait()
        async with articles.transaction() as transaction:
            await transaction.lock("type")
            assert not inside

    await asyncio.gather(share("a"), share("b"), own())
    async with articles.transaction() as transaction:
        await transaction.lock_all([])


async def test_linked_entries_are_locked(articles: MysqlDatabase) -> None:
    await articles.execute_script(
        "CREATE TABLE links (article int, other int); INSERT INTO links VALUES (1, 2), (1, 3)"
    )
    links = Links("links", "article", "other")
    order: list[str] = []

    async def first() -> None:
        async with articles.transaction() as transaction:
            await transaction.lock_linked("octavo: ", links, ("t", 1, ["t", "u"], [1, 7]))
            waiting = [asyncio.create_task(then(name)) for name in ("t 1", "t 2", "t 3", "u 7")]
            await asyncio.sleep(0.2)
            order.append("first")
        await asyncio.gather(*waiting)

    async def then(name: str) -> None:
        async with articles.transaction() as transaction:
            await transaction.lock(f"octavo: {name}")
            order.append(name)

    await first()
    assert order[0] == "first"
    assert len(order) == 5


async def test_deadlocks_are_conflicts(articles: MysqlDatabase) -> None:
    met = asyncio.Barrier(2)

    async def change(one: int, other: int) -> None:
        async with articles.transaction() as transaction:
            await transaction.execute("UPDATE articles SET `rank` = 1 WHERE id = ?1", (one,))
            await met.wait()
            async with transaction.part():
                await transaction.execute("UPDATE articles SET `rank` = 1 WHERE id = ?1", (other,))

    found = await asyncio.gather(change(1, 2), change(2, 1), return_exceptions=True)
    assert sorted(type(one).__name__ for one in found) == ["NoneType", "TransactionConflict"]
    assert any(isinstance(one, TransactionConflict) for one in found)


async def test_exclusive_transactions_serialize(articles: MysqlDatabase) -> None:
    inside: list[int] = []

    async def change(number: int) -> None:
        async with articles.transaction(exclusive=True) as transaction:
            inside.append(number)
            await transaction.execute("UPDATE articles SET `rank` = 0")
            await transaction.execute_script(f"CREATE TABLE made_{number} (id int)")
            await transaction.execute("UPDATE articles SET `rank` = ?1 WHERE id = 1", (number,))
            await asyncio.sleep(0.01)
            inside.append(number)

    await asyncio.gather(*map(change, range(4)))
    assert inside[0::2] == inside[1::2]
    assert await articles.fetch_value("SELECT `rank` FROM articles WHERE id = 1") == inside[-1]


async def test_exclusive_transaction_after_a_change_of_tables(articles: MysqlDatabase) -> None:
    """Statements after the DDL are rolled back, the DDL is not."""
    with raising(KeyError):
        async with articles.transaction(exclusive=True) as transaction:
            async with transaction.part():
                await transaction.execute_script("CREATE TABLE made (id int); CREATE TABLE also_made (id int)")
            await transaction.execute("DELETE FROM articles")
            raise KeyError
    assert len(await titles(articles)) == 3
    assert await articles.fetch_value("SELECT count(*) FROM made, also_made") == 0


async def test_exclusive_transaction_that_waits_for_a_table(articles: MysqlDatabase) -> None:
    async with articles.transaction() as other:
        await other.execute("UPDATE articles SET `rank` = 1")
        with raising(LockTimeout):
            async with articles.transaction(exclusive=True) as transaction:
                await transaction.execute_script("ALTER TABLE articles ADD COLUMN more int")


async def test_several_exclusive_processes(mysql_server: MysqlServer, mysql_name: str) -> None:
    one, two = (MysqlDatabase(mysql_server.url(mysql_name), exclusive_patience=0.2) for _ in range(2))
    await one.connect()
    await two.connect()
    async with one.transaction(exclusive=True):
        with pytest.raises(ServiceUnavailable) as caught:
            async with two.transaction(exclusive=True):
                pass
        assert "another process is changing tables" in caught.value.reason
    async with two.transaction(exclusive=True):
        pass
    await one.close()
    await two.close()


async def test_apart(articles: MysqlDatabase) -> None:
    async with articles.apart() as connection:
        await connection.execute_script("CREATE INDEX titles ON articles (title)")
        assert await connection.execute("UPDATE articles SET `rank` = 5") == 3
        assert await connection.fetch_value("SELECT sum(`rank`) FROM articles") == 15


async def test_cancellation_anywhere_leaves_nothing(articles: MysqlDatabase) -> None:
    async def change() -> None:
        async with articles.transaction() as transaction:
            await transaction.execute("UPDATE articles SET `rank` = 1 WHERE id = 1")
            await transaction.fetch_all("SELECT * FROM articles", long=True)
            await asyncio.sleep(0.001)
            await transaction.execute("UPDATE articles SET `rank` = 1 WHERE id = 2")

    for step in range(40):
        await articles.execute("UPDATE articles SET `rank` = 0")
        task = asyncio.create_task(change())
        await asyncio.sleep(step * 0.0001)
        task.cancel()
        await asyncio.wait((task,))
        ranks = await articles.fetch_all("SELECT `rank` FROM articles WHERE id < 3")
        assert [row[0] for row in ranks] in ([0, 0], [1, 1])
    assert await articles.execute("UPDATE articles SET `rank` = 2") == 3


async def test_cancellation_while_a_connection_opens(articles: MysqlDatabase) -> None:
    async def change() -> None:
        async with articles.apart() as connection:
            await connection.fetch_value("SELECT 1")
            await asyncio.Event().wait()

    for steps in range(40):
        task = asyncio.create_task(change())
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        async with asyncio.timeout(10):
            await asyncio.wait((task,))
        assert task.cancelled()
    assert await articles.fetch_value("SELECT 1") == 1


async def test_cancelled_read_ends_on_the_server(articles: MysqlDatabase) -> None:
    for _ in range(12):
        task = asyncio.create_task(articles.fetch_value(ENDLESS))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait((task,))
        assert task.cancelled()
    assert await articles.fetch_value("SELECT 1") == 1
    text = "SELECT count(*) FROM information_schema.processlist WHERE info LIKE ?1"
    async with asyncio.timeout(5):
        while await articles.fetch_value(text, ("SELECT sum(sin(%",)):  # noqa: ASYNC110 - no event to await
            await asyncio.sleep(0.05)


async def test_large_answers(mysql_server: MysqlServer, mysql_name: str) -> None:
    database = MysqlDatabase(mysql_server.url(mysql_name), largest_answer=1_000)
    await database.connect()
    text = "SELECT group_concat('x' SEPARATOR '') FROM (SELECT 1 FROM information_schema.columns LIMIT {}) t"
    assert await database.fetch_json(text.format(1_000)) == b"x" * 1_000
    for fetch in (database.fetch_json, database.contents.fetch_json, database.fetch_all):
        with pytest.raises(AnswerTooLarge):
            await fetch(text.format(1_002))
    with pytest.raises(AnswerTooLarge):
        await database.fetch_json("SELECT repeat('x', 1001)")
    with pytest.raises(AnswerTooLarge):
        await database.fetch_json("SELECT concat('[', repeat('x', 2000000000), ']')")
    with pytest.raises(UnsuitableValue, match="max_allowed_packet"):
        await database.fetch_value("SELECT length(?1)", ("x" * 2**24,))
    assert await database.fetch_value("SELECT 1") == 1
    await database.close()


async def test_a_truncated_list_is_detected_among_many_warnings(mysql_server: MysqlServer, mysql_name: str) -> None:
    database = MysqlDatabase(mysql_server.url(mysql_name), largest_answer=1_000)
    await database.connect()
    rows = "SELECT 'a' AS a FROM information_schema.columns LIMIT {}"
    text = f"SELECT sum(CAST(a AS double)), group_concat('x' SEPARATOR '') FROM ({rows}) t"
    assert await database.fetch_all(text.format(1_000)) == ((0, "x" * 1_000),)
    with pytest.raises(AnswerTooLarge):
        await database.fetch_all(text.format(1_002))
    async with database.apart() as session:
        await session.execute("SET SESSION max_error_count = 64")
        with pytest.raises(AnswerTooLarge, match="stored 64 of 1000 warnings"):
            await session.fetch_all(text.format(1_000))
    await database.close()


async def test_plan(articles: MysqlDatabase) -> None:
    plan = await articles.plan_of("SELECT title FROM articles WHERE slug = ?1")
    assert plan.startswith("select_type SIMPLE")
    plan = await articles.plan_of("SELECT slug FROM articles ORDER BY slug LIMIT 1")
    assert "key articles_slug_unique" in plan
    assert "slug" not in await articles.plan_of("SELECT title FROM articles WHERE slug > '' AND title > ?1 AND id > 0")


# RETURNING


@pytest.fixture(params=["native", "emulated"])
def returning(
    request: pytest.FixtureRequest, articles: MysqlDatabase, monkeypatch: pytest.MonkeyPatch
) -> MysqlDatabase:
    """MariaDB has the clause for INSERT and DELETE, MySQL does not have it."""
    if request.param == "emulated":
        monkeypatch.setattr(MysqlConnection, "has_returning", False)
    return articles


async def test_returning(returning: MysqlDatabase) -> None:
    async with returning.transaction() as transaction:
        text = "INSERT INTO articles (title, slug) VALUES (?1, ?2), (?3, ?4) RETURNING id"
        rows = await transaction.fetch_all(text, ("a", "where ?1", "b", "x RETURNING id"))
        assert [tuple(row) for row in rows] == [(4,), (5,)]
        row = await transaction.fetch_row("INSERT INTO articles (title) VALUES ('c') RETURNING id, title")
        assert row == (6, "c")
        text = "UPDATE articles SET `rank` = id + ?1, title = 'WHERE (' WHERE id > ?2 AND id < ?3 RETURNING id, `rank`"
        rows = await transaction.fetch_all(text, (10, 3, 6))
        assert [tuple(row) for row in rows] == [(4, 14), (5, 15)]
        assert await transaction.fetch_all(text, (10, 3, 4)) == ()
        text = "DELETE FROM articles WHERE id IN (?1, ?2) RETURNING slug, id"
        rows = await transaction.fetch_all(text, (4, 5))
        assert sorted(tuple(row) for row in rows) == [("where ?1", 4), ("x RETURNING id", 5)]
        assert await transaction.fetch_all(text, (4, 5)) == ()
    assert len(await titles(returning)) == 4


async def test_returning_without_an_id_concerns_only_the_rows_of_the_condition(returning: MysqlDatabase) -> None:
    await returning.execute_script("CREATE TABLE secrets (name varchar(255) PRIMARY KEY, content longtext, ends int)")
    await returning.execute("INSERT INTO secrets VALUES ('a', 'same', 1), ('b', 'same', 2), ('c', 'same', 3)")
    async with returning.transaction() as transaction:
        text = "DELETE FROM secrets WHERE name = ?1 RETURNING content, ends"
        assert await transaction.fetch_all(text, ("a",)) == (("same", 1),)
        assert await transaction.fetch_all(text, ("a",)) == ()
        text = "UPDATE secrets SET ends = 0 WHERE name = ?1 RETURNING name, ends"
        assert await transaction.fetch_all(text, ("b",)) == (("b", 0),)
    assert await returning.fetch_all("SELECT name, ends FROM secrets ORDER BY name") == (("b", 0), ("c", 3))


async def test_returning_everything(returning: MysqlDatabase) -> None:
    async with returning.transaction() as transaction:
        rows = await transaction.fetch_all("UPDATE articles SET title = 'all' RETURNING id, title")
        assert [tuple(row) for row in rows] == [(1, "all"), (2, "all"), (3, "all")]
        [row] = await transaction.fetch_all("DELETE FROM articles WHERE id = ?1 RETURNING *", (2,))
        assert row[:2] == (2, "all")
        [row] = await transaction.fetch_all("UPDATE articles SET title = 'one' WHERE id = ?1 RETURNING *", (1,))
        assert row[:2] == (1, "one")


async def test_returning_of_upserts(returning: MysqlDatabase) -> None:
    await returning.execute_script("CREATE TABLE counts (name varchar(255) PRIMARY KEY, hits int)")
    text = (
        "INSERT INTO counts (name, hits) VALUES (?1, 1) ON DUPLICATE KEY UPDATE hits = counts.hits + 1 RETURNING hits"
    )
    async with returning.transaction() as transaction:
        assert await transaction.fetch_value(text, ("a(b,c",)) == 1
        assert await transaction.fetch_value(text, ("a(b,c",)) == 2
        assert await transaction.fetch_value(text, ("other",)) == 1
        text = "UPDATE counts SET hits = 0 WHERE name = ?1 RETURNING name"
        assert await transaction.fetch_all(text, ("other",)) == (("other",),)


# Servers that are unreachable or refuse connections


async def test_lost_connections(own_mysql_server: MysqlServer) -> None:
    name = own_mysql_server.create_database()
    database = MysqlDatabase(own_mysql_server.url(name), maximum=4)
    await database.connect()
    await database.execute_script(TABLES)
    await asyncio.gather(*(database.fetch_value("SELECT sleep(0.05)") for _ in range(4)))
    own_mysql_server.kill()
    own_mysql_server.start()
    assert await database.fetch_value("SELECT 1") == 1
    own_mysql_server.stop(signal.SIGTERM)
    own_mysql_server.start()
    async with database.transaction() as transaction:
        await transaction.execute("INSERT INTO articles (title) VALUES ('a')")
    with raising(ConnectionLost):
        async with database.transaction() as transaction:
            await transaction.execute("INSERT INTO articles (title) VALUES ('b')")
            own_mysql_server.kill()
            await transaction.execute("INSERT INTO articles (title) VALUES ('c')")
    with pytest.raises(ServiceUnavailable):
        await database.fetch_value("SELECT 1")
    own_mysql_server.start()
    assert await titles(database) == ["a"]
    await database.close()


async def test_frozen_server(own_mysql_server: MysqlServer) -> None:
    database = MysqlDatabase(own_mysql_server.url(own_mysql_server.create_database()), maximum=2)
    await database.connect()
    own_mysql_server.freeze()
    try:
        async with asyncio.timeout(12):
            with pytest.raises(ServiceUnavailable):
                await database.fetch_value("SELECT 1")
    finally:
        own_mysql_server.freeze(False)
    assert await database.fetch_value("SELECT 1") == 1
    await database.close()


async def test_read_only_server(own_mysql_server: MysqlServer) -> None:
    name = own_mysql_server.create_database()
    own_mysql_server.run_sql(f"CREATE USER plain@'%' IDENTIFIED BY 'x'; GRANT ALL ON `{name}`.* TO plain@'%'")
    database = MysqlDatabase(f"mysql://plain:x@127.0.0.1:{own_mysql_server.port}/{name}")
    await database.connect()
    await database.execute_script(TABLES)
    assert not await database.is_read_only()
    own_mysql_server.run_sql("SET GLOBAL read_only = 1")
    with pytest.raises(DatabaseReadOnly):
        await database.execute("DELETE FROM articles")
    assert await database.is_read_only()
    assert await titles(database) == []
    await database.close()


@pytest.mark.parametrize("change", [{"password": "wrong"}, {"user": "nobody"}, {"database": "not_there"}])
async def test_errors_that_a_retry_does_not_fix(
    mysql_server: MysqlServer, mysql_name: str, change: dict[str, str]
) -> None:
    given = {"host": "127.0.0.1", "port": mysql_server.port, "user": "octavo", "password": "a secret / % @"}
    database = open_database(parameters={**given, "database": mysql_name, **change}, client="mysql")
    with pytest.raises(DatabaseMisconfigured) as caught:
        await database.connect()
    assert caught.value.reason == f"MySQL at 127.0.0.1:{mysql_server.port}"
    await database.close()


async def test_socket(mysql_server: MysqlServer, mysql_name: str) -> None:
    given = {"host": str(mysql_server.socket), "user": "root", "database": mysql_name}
    database = open_database(parameters=given, client="mysql")
    await database.connect()
    assert await database.fetch_value("SELECT database()") == mysql_name
    await database.close()


@pytest.mark.parametrize("mode", ["prefer", "require"])
def test_contexts_that_verify_nothing_read_no_certificates(mode: str) -> None:
    context = tls_context(mode)
    assert context is not None
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_NONE, False)
    assert context.cert_store_stats() == {"x509": 0, "crl": 0, "x509_ca": 0}
    assert tls_context(mode) is context


@pytest.mark.parametrize("mode, checks_name", [("verify-ca", False), ("verify-full", True)])
def test_contexts_that_verify_are_shared(mode: str, checks_name: bool) -> None:
    context = tls_context(mode)
    assert context is not None
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, checks_name)
    assert tls_context(mode) is context
    assert tls_context("disable") is None


async def test_no_server_there() -> None:
    database = open_database("mysql://a:b@127.0.0.1:1/c")
    with pytest.raises(ServiceUnavailable) as caught:
        await database.connect()
    assert not isinstance(caught.value, DatabaseMisconfigured)
    assert caught.value.reason == "MySQL at 127.0.0.1:1"
    await database.close()


@pytest.mark.parametrize(
    "version, kind", [("5.7.44-log", "MySQL"), ("8.0.18", "MySQL"), ("10.5.9-MariaDB", "MariaDB"), ("odd", "MySQL")]
)
def test_old_servers_are_refused(version: str, kind: str) -> None:
    with pytest.raises(DatabaseMisconfigured) as caught:
        check_version(version, kind)
    assert caught.value.reason.startswith(f"{kind} {version} is too old: Octavo needs MySQL 8.0.19 or MariaDB 10.6")
    assert "`octavo db copy`" in caught.value.reason


@pytest.mark.parametrize(
    "version, kind",
    [("8.0.19", "MySQL"), ("9.1.0", "MySQL"), ("10.6.0-MariaDB", "MariaDB"), ("11.4.2-MariaDB", "MariaDB")],
)
def test_newer_servers(version: str, kind: str) -> None:
    check_version(version, kind)


@pytest.mark.parametrize(
    "query, mode",
    [
        ("", "prefer"),
        ("?ssl=true", "require"),
        ("?ssl-mode=REQUIRED", "require"),
        ("?ssl-mode=VERIFY_IDENTITY", "verify-full"),
        ("?sslmode=verify-ca", "verify-ca"),
        ("?ssl=0", "disable"),
    ],
)
def test_encryption_in_a_url(query: str, mode: str) -> None:
    assert parameters_of(f"mysql://u:p@h/n{query}")["ssl"] == mode


def test_unknown_encryption_is_refused() -> None:
    with pytest.raises(ValueError, match="ssl: expected one of disable, prefer"):
        parameters_of("mysql://u:p@h/n?ssl=yes")
