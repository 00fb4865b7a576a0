"""Behind PgBouncer with prepared statements in transaction mode, which needs version 1.21.

Debian 12 has an older version: set `PGBOUNCER` to the path of another one.
"""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from octavo.core.errors import ServiceUnavailable
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.postgresql_connection import SharedStatementsConnection
from octavo.database.topology import Topology
from tests.cli.processes import ROOT
from tests.cluster.poolers import pooled, through
from tests.cluster.test_pgbouncer import CLOSE
from tests.postgresql_server import PostgresqlServer, database_name

pytestmark = pytest.mark.anyio

FIRST = (1, 21)
SUITES = ("tests/golden", "tests/events/jobs", "tests/events")


def version(program: Path) -> tuple[int, ...]:
    reported = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"PgBouncer (\d+)\.(\d+)", reported)
    return tuple(map(int, found.groups())) if found else (0, 0)


@pytest.fixture(scope="module")
def program(pgbouncer: Path) -> Path:
    """A version that is new enough."""
    if version(pgbouncer) < FIRST:
        pytest.skip(f"{pgbouncer} is older than 1.21: name another one by PGBOUNCER")
    return pgbouncer


@pytest.fixture(scope="module")
def port(program: Path, postgresql_server: PostgresqlServer) -> Iterator[int]:
    with pooled(program, postgresql_server, more="max_prepared_statements = 200\n") as port:
        yield port


@pytest.fixture
async def database(
    port: int, postgresql_server: PostgresqlServer, postgresql_url: str
) -> AsyncIterator[PostgresqlDatabase]:
    name = database_name(postgresql_url)
    topology = Topology("primary", pooled=True, prepared=True, direct=postgresql_server.parameters(name))
    made = PostgresqlDatabase(parameters=through(port, name), topology=topology)
    await made.connect()
    yield made
    await made.close()


async def prepared(database: PostgresqlDatabase) -> int:
    """Return the number of named prepared statements on the connection's server."""
    count = await database.fetch_value("SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'PGBOUNCER%'")
    return int(count)


async def test_statements_are_prepared_once_for_all(database: PostgresqlDatabase) -> None:
    await database.execute_script("CREATE TABLE t (id int, name text); INSERT INTO t VALUES (1, 'a'), (2, 'b')")

    async def read(number: int) -> None:
        assert await database.fetch_value("SELECT name FROM t WHERE id = $1", (1 + number % 2,)) == "ab"[number % 2]
        async with database.transaction() as transaction:
            assert await transaction.execute("UPDATE t SET name = name WHERE id = $1", (1 + number % 2,)) == 1

    await asyncio.gather(*(read(number) for number in range(200)))
    assert await prepared(database) > 0


async def test_a_result_of_another_type_is_no_error(database: PostgresqlDatabase) -> None:
    await database.execute_script("CREATE TABLE t (value int); INSERT INTO t VALUES (1)")
    text = "SELECT value FROM t WHERE $1::int = 1"

    async def read_all() -> list[object]:
        return list(await asyncio.gather(*(database.fetch_value(text, (1,)) for _ in range(20))))

    assert await read_all() == [1] * 20
    await database.execute_script("ALTER TABLE t ALTER value TYPE text")
    assert await read_all() == ["1"] * 20
    await database.execute_script("ALTER TABLE t ALTER value TYPE int USING value::int")
    assert await read_all() == [1] * 20
    SharedStatementsConnection.generation = 0  # as of a process that starts while the pooler runs
    assert await read_all() == [1] * 20


async def test_a_pooler_without_prepared_statements_is_reported_at_the_start(
    program: Path, postgresql_server: PostgresqlServer, postgresql_url: str
) -> None:
    name = database_name(postgresql_url)
    with pooled(program, postgresql_server, more="max_prepared_statements = 0\n") as port:
        topology = Topology("primary", pooled=True, prepared=True, direct=postgresql_server.parameters(name))
        database = PostgresqlDatabase(parameters=through(port, name), topology=topology, start_patience=0)
        with pytest.raises(ServiceUnavailable) as refused:
            await database.connect()
        assert "max_prepared_statements" in str(refused.value.reason)
        await database.close()


async def test_lost_connections_of_the_pooler_are_replaced(
    database: PostgresqlDatabase, postgresql_server: PostgresqlServer, postgresql_url: str
) -> None:
    text = "SELECT $1::int"
    assert await database.fetch_value(text, (1,)) == 1
    postgresql_server.run_sql(database_name(postgresql_url), CLOSE)
    assert await database.fetch_value(text, (2,)) == 2


def test_reads_and_writes_go_through_it(program: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.cluster.through_pooler", "-k", "postgresql", *SUITES]
    environment = {**os.environ, "PGBOUNCER": str(program), "POOLER": "prepared"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    said = done.stdout[-4000:]
    assert done.returncode == 0, said
    reported = re.search(r"(\d+) databases through the pooler", said)
    assert reported is not None, said
    assert int(reported[1]) > 5
