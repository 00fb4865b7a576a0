"""Write families to a database, each in one transaction, and print the id of each committed one.

python writing_process.py URL FIRST_ID NUMBER TASKS
"""

import asyncio
import sys
from collections.abc import Iterator

from octavo.database import open_database
from octavo.database.connection import Database

TABLES = """
CREATE TABLE parents (id integer PRIMARY KEY);
CREATE TABLE children (parent_id integer NOT NULL REFERENCES parents (id), position integer)
"""
CHILDREN = 3


async def write_family(database: Database, number: int) -> None:
    """Write a parent with its children."""
    first, second = ("?1", "?2") if database.dialect.name == "sqlite" else ("$1", "$2")
    async with database.transaction() as transaction:
        await transaction.execute(f"INSERT INTO parents VALUES ({first})", (number,))
        for position in range(CHILDREN):
            await transaction.execute(f"INSERT INTO children VALUES ({first}, {second})", (number, position))


async def _write_all(database: Database, numbers: Iterator[int]) -> None:
    for number in numbers:
        await write_family(database, number)
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


async def _main(url: str, first: int, number: int, tasks: int) -> None:
    database = open_database(url)
    await database.connect()
    numbers = iter(range(first, first + number))
    await asyncio.gather(*(_write_all(database, numbers) for _ in range(tasks)))
    await database.close()


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], *map(int, sys.argv[2:5])))
