"""One operation leaves connections to other requests, however many root fields it has."""

import asyncio
from pathlib import Path

import asyncpg
import pytest

from tests.api.graphql.asking import ask
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import open_bookshop, postgresql_variables

pytestmark = pytest.mark.anyio

WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'relation'"
MANY = " ".join(["{", *(f"b{number}: books {{ data {{ id }} }}" for number in range(200)), "}"])
CONNECTIONS = 8
SHARE = 2


async def until_waiting(watching: asyncpg.Connection, number: int) -> None:
    """Wait until this number of statements waits for a lock on a table."""
    for _ in range(1000):
        if await watching.fetchval(WAITING) == number:
            return
        await asyncio.sleep(0.005)
    raise AssertionError(f"there were never {number}")


async def test_many_root_fields_hold_few_connections(anyio_backend: str, postgresql_url: str, tmp_path: Path) -> None:
    """While all reads of books wait, new ones and then prepared ones, other requests get responses."""
    variables = postgresql_variables(postgresql_url) | {"DATABASE_POOL_MAX": str(CONNECTIONS)}
    site = await open_bookshop(tmp_path, variables)
    watching, locking = await asyncpg.connect(postgresql_url), await asyncpg.connect(postgresql_url)
    try:
        for _ in range(2):
            await locking.execute("BEGIN; LOCK TABLE books")
            asking = asyncio.create_task(ask(site, MANY, FULL_TOKEN))
            await until_waiting(watching, SHARE)
            other = await ask(site, "{ authors { data { id } } }", FULL_TOKEN)
            assert other["data"]["authors"]["data"]
            assert await watching.fetchval(WAITING) == SHARE
            await locking.execute("ROLLBACK")
            answer = await asking
            assert len(answer["data"]) == 200
    finally:
        await watching.close()
        await locking.close()
        await site.database.close()
