"""Maintained counts with many concurrent SQL writers: in every snapshot they are correct or unknown."""

import asyncio
import random
import sys
import threading
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

import apsw
import asyncpg
import pytest

from octavo.database.connection import Database
from octavo.database.maintained_counts import CountMaintenance
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.sqlite import SqliteDatabase
from octavo.database.synchronize import synchronize
from octavo.query.sql.dialects.maintained_counts import MaintainedCounts, RequestedCount
from tests.database.test_totals import TABLE, Desk, registry

pytestmark = pytest.mark.anyio

ROUNDS, WRITERS = 25, 4
SEEDS = range(2)


def work(chance: random.Random, now: str) -> list[str]:
    """Return the statements of a writer's transaction."""
    locale = chance.choice(["'en'", "'fr'", "NULL"])
    published = chance.choice([now, "NULL"])
    changes = [
        f"INSERT INTO notes (title, locale, published_at) SELECT name, {locale}, {published} FROM tags",
        f"INSERT INTO notes (locale, published_at) VALUES ({locale}, {published})",
        f"UPDATE notes SET locale = {locale} WHERE id % 7 = {chance.randrange(7)}",
        f"UPDATE notes SET published_at = {published} WHERE id % 5 = {chance.randrange(5)}",
        f"DELETE FROM notes WHERE id % 11 = {chance.randrange(11)}",
        "UPDATE notes SET title = 'other' WHERE id % 3 = 0",
    ]
    chosen = [chance.choice(changes) for _ in range(chance.randrange(1, 4))]
    if chance.random() < 0.3:
        chosen += ["SAVEPOINT a", chance.choice(changes), chance.choice(["ROLLBACK TO a", "RELEASE a"])]
    return ["BEGIN", *chosen, chance.choice(["COMMIT", "COMMIT", "ROLLBACK"])]


def questions(totals: MaintainedCounts) -> list[str]:
    """Return statements that select a maintained count (-1: unknown) and the counted rows."""
    asked = [(None, None, "1 = 1"), (True, ["'en'"], "published_at IS NOT NULL AND locale = 'en'")]
    asked += [(False, None, "published_at IS NULL"), (None, ["'fr'"], "locale = 'fr'")]
    return [
        f"SELECT ({totals.total(RequestedCount(TABLE, 'SELECT -1', published, locales))}),"
        f" (SELECT count(*) FROM notes WHERE {where})"
        for published, locales, where in asked
    ]


async def desk_on(database: SqliteDatabase | PostgresqlDatabase, folder: Path) -> Desk:
    content = registry(folder / "content")
    await database.connect()
    await synchronize(database, content)
    desk = Desk(database, content, CountMaintenance(database, content))
    await desk.write("INSERT INTO tags (name) VALUES ('a'), ('b'), ('c')")
    await desk.add(20)
    await desk.keeper.keep()
    return desk


async def write_on_postgresql(url: str, chance: random.Random, *, truncates: bool) -> None:
    """Write in transactions, some of which roll back or fail. Sometimes the writer is killed."""
    connection = await asyncpg.connect(url)
    for _ in range(ROUNDS):
        script = work(chance, "now() AT TIME ZONE 'UTC'")
        if truncates and chance.random() < 0.1:
            script = ["BEGIN", "TRUNCATE notes CASCADE", script[1], chance.choice(["COMMIT", "ROLLBACK"])]
        try:
            for statement in script:
                await connection.execute(statement)
            if chance.random() < 0.05:
                await connection.execute("BEGIN; DELETE FROM notes WHERE id % 2 = 0")
                connection.terminate()
                connection = await asyncpg.connect(url)
        except asyncpg.PostgresError:  # they lock each other's rows
            await connection.execute("ROLLBACK")
    await connection.close()


async def look_on_postgresql(url: str, asked: list[str], isolation: str, done: asyncio.Event) -> int:
    """Compare maintained counts with counted rows in snapshots. Return how often they were known."""
    connection, seen = await asyncpg.connect(url), 0
    while not done.is_set():
        async with connection.transaction(isolation=isolation, readonly=True):
            for question in asked:
                kept, counted = await connection.fetchrow(question)
                assert kept in (-1, counted), question
                seen += kept != -1
    await connection.close()
    return seen


async def keep_and_fold(desk: Desk, done: asyncio.Event) -> None:
    fold = _totals(desk.database).fold
    while not done.is_set():
        await desk.keeper.keep()
        await desk.database.execute(str(fold))


@pytest.mark.parametrize("truncates", [False, True])
async def test_many_writers_on_postgresql(postgresql_url: str, tmp_path: Path, truncates: bool) -> None:
    """TRUNCATE also empties a table in older snapshots, so runs with it do not compare."""
    database = PostgresqlDatabase(postgresql_url)
    desk, done = await desk_on(database, tmp_path), asyncio.Event()
    keeping = asyncio.create_task(keep_and_fold(desk, done))
    asked, isolation = questions(_totals(database)), "read_committed" if truncates else "repeatable_read"
    looking = asyncio.create_task(look_on_postgresql(postgresql_url, asked, isolation, done))
    writers = (random.Random(number) for number in range(WRITERS))
    await asyncio.gather(*(write_on_postgresql(postgresql_url, writer, truncates=truncates) for writer in writers))
    done.set()
    await keeping
    assert await looking > 0
    await desk.keeper.keep()
    await desk.assert_kept()
    await database.close()


@pytest.mark.parametrize("seed", SEEDS)
async def test_many_writers_on_sqlite(sqlite_path: Path, tmp_path: Path, seed: int) -> None:
    database = SqliteDatabase(sqlite_path)
    desk = await desk_on(database, tmp_path)
    wrong: list[Any] = []

    def write(number: int) -> None:
        mine = random.Random(seed * 100 + number)
        connection = apsw.Connection(str(sqlite_path))
        connection.set_busy_timeout(60_000)
        asked = questions(_totals(database))
        for _ in range(ROUNDS):
            script = work(mine, "1700000000000")
            if mine.random() < 0.1:
                script.insert(1, "INSERT OR REPLACE INTO notes (id, locale) VALUES (1, 'fr')")
            for statement in ("BEGIN IMMEDIATE", *script[1:]):
                connection.execute(statement)
            rows = [connection.execute(question).fetchall()[0] for question in asked]
            wrong.extend(row for row in rows if row[0] not in (-1, row[1]))
        connection.close()

    writers = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        await desk.keeper.keep()
        await asyncio.sleep(0.01)
    assert not wrong
    await desk.keeper.keep()
    await desk.assert_kept()
    await database.close()


async def test_a_writer_that_is_killed_on_sqlite(sqlite_path: Path, tmp_path: Path) -> None:
    database = SqliteDatabase(sqlite_path)
    desk = await desk_on(database, tmp_path)
    program = (
        "import sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)\n"
        "while True:\n"
        '    c.execute("BEGIN IMMEDIATE")\n'
        "    c.execute(\"INSERT INTO notes (locale, published_at) VALUES ('en', 1)\")\n"
        "    c.execute(\"UPDATE notes SET locale = 'fr' WHERE id % 2\")\n"
        '    c.execute("COMMIT")\n'
        "    print('.', flush=True)\n"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, str(sqlite_path), stdout=PIPE)
    assert process.stdout is not None
    await process.stdout.readexactly(20)
    process.kill()
    await process.wait()
    await desk.assert_kept()
    await database.close()


def _totals(database: Database) -> MaintainedCounts:
    totals = database.dialect.totals
    assert totals is not None
    return totals
