"""Snapshots: a long read sees one state and blocks no client."""

import pytest

from octavo.database.connection import Database

pytestmark = pytest.mark.anyio


async def test_snapshots_do_not_see_other_writes(database: Database) -> None:
    await database.execute_script("CREATE TABLE t (id integer); INSERT INTO t VALUES (1)")
    async with database.snapshot() as snapshot:
        await database.execute("INSERT INTO t VALUES (2)")
        assert await snapshot.fetch_value("SELECT count(*) FROM t") == 1
        assert await database.fetch_value("SELECT count(*) FROM t") == 2
        assert [tuple(row) for row in await snapshot.fetch_all("SELECT id FROM t")] == [(1,)]
    async with database.snapshot() as snapshot:
        assert await snapshot.fetch_value("SELECT count(*) FROM t") == 2


async def test_it_only_reads(database: Database) -> None:
    await database.execute_script("CREATE TABLE t (id integer)")
    with pytest.raises(Exception, match=r"only reads|read-only"):
        async with database.snapshot() as snapshot:
            await snapshot.execute("INSERT INTO t VALUES (1)")
    assert await database.fetch_value("SELECT count(*) FROM t") == 0
