"""Several processes on one database, and processes that are killed."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import octavo
from octavo.database.connection import Database
from tests.database.writing_process import CHILDREN, TABLES

pytestmark = pytest.mark.anyio

PROGRAM = Path(__file__).with_name("writing_process.py")
INCOMPLETE = f"""
SELECT id FROM parents WHERE (SELECT count(*) FROM children WHERE parent_id = parents.id) <> {CHILDREN}
UNION ALL SELECT parent_id FROM children WHERE parent_id NOT IN (SELECT id FROM parents)
"""


@pytest.fixture
def database_address(request: pytest.FixtureRequest, database: Database) -> str:
    """Return the URL of the database that `database` is connected to."""
    if database.dialect.name == "sqlite":
        return f"sqlite:///{request.getfixturevalue('sqlite_path')}"
    return str(request.getfixturevalue("postgresql_url"))


def start_writing(url: str, first: int, number: int, tasks: int) -> subprocess.Popen[str]:
    arguments = [sys.executable, str(PROGRAM), url, str(first), str(number), str(tasks)]
    environment = os.environ | {"PYTHONPATH": str(Path(octavo.__file__).parents[1])}
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=environment)


def read_lines(process: subprocess.Popen[str], number: int) -> list[str]:
    assert process.stdout is not None
    return [process.stdout.readline() for _ in range(number)]


async def stored(database: Database) -> set[int]:
    return {row[0] for row in await database.fetch_all("SELECT id FROM parents")}


@pytest.mark.parametrize("acknowledged", [1, 40, 150])
async def test_a_killed_process_loses_no_commit_and_leaves_no_partial_write(
    database: Database, database_address: str, acknowledged: int
) -> None:
    await database.execute_script(TABLES)
    process = start_writing(database_address, 0, 1_000_000, 4)
    lines = await asyncio.to_thread(read_lines, process, acknowledged)
    process.kill()
    rest, _ = await asyncio.to_thread(process.communicate)
    reported = {int(line) for line in [*lines, *rest.splitlines(keepends=True)] if line.endswith("\n")}
    assert len(reported) >= acknowledged
    # The killed process's lock is released.
    await database.execute("DELETE FROM children WHERE parent_id < 0")
    assert reported <= await stored(database)
    assert list(await database.fetch_all(INCOMPLETE)) == []


async def test_two_processes_write_while_a_third_reads_and_writes(database: Database, database_address: str) -> None:
    await database.execute_script(TABLES)
    processes = [start_writing(database_address, first, 150, 4) for first in (1000, 2000)]
    endings = asyncio.gather(*(asyncio.to_thread(process.communicate) for process in processes))
    own = 0
    while not endings.done():
        own += 1
        async with database.transaction() as transaction:
            await transaction.fetch_all("SELECT count(*) FROM parents")
            await transaction.execute(f"INSERT INTO parents VALUES ({own})")
            await transaction.execute(f"INSERT INTO children VALUES ({own}, 0), ({own}, 1), ({own}, 2)")
        assert list(await database.fetch_all(INCOMPLETE)) == []
        assert list(await database.fetch_all(INCOMPLETE, long=True)) == []
        await asyncio.sleep(0.005)
    assert [process.returncode for process in processes] == [0, 0]
    assert await stored(database) == {*range(1, own + 1), *range(1000, 1150), *range(2000, 2150)}


async def test_migrations_of_two_processes_do_not_collide(
    new_database: Callable[..., Database], database: Database
) -> None:
    other = new_database()
    await other.connect()
    tables = {
        "sqlite": "SELECT count(*) FROM sqlite_schema WHERE name = 'made'",
        "postgresql": "SELECT count(*) FROM pg_class WHERE relname = 'made'",
    }[database.dialect.name]

    async def migrate(here: Database) -> bool:
        async with here.transaction(exclusive=True) as transaction:
            if await transaction.fetch_value(tables):
                return False
            await asyncio.sleep(0.01)
            await transaction.execute_script("CREATE TABLE made (id integer); CREATE INDEX made_index ON made (id)")
            return True

    assert sorted(await asyncio.gather(migrate(database), migrate(other))) == [False, True]
    await other.close()
