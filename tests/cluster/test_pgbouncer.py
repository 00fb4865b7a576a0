"""Behind PgBouncer in transaction mode, where each transaction may use another connection."""

import asyncio
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from octavo.core.errors import ServiceUnavailable
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.topology import Topology
from tests.cli.processes import ROOT
from tests.cluster.poolers import pooled, through
from tests.cluster.programs import PATIENCE
from tests.postgresql_server import PostgresqlServer, database_name, start_server

pytestmark = pytest.mark.anyio

CLOSE = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
    "AND pid <> pg_backend_pid()"
)
SUITES = ("tests/golden", "tests/events/jobs", "tests/events", "tests/content/controllers", "tests/modeling/builder")
"""Tests that run again through the pooler: all kinds of reads, and tests that write, work in the background or change
tables.
"""


@pytest.fixture(scope="module")
def port(pgbouncer: Path, postgresql_server: PostgresqlServer) -> Iterator[int]:
    with pooled(pgbouncer, postgresql_server) as port:
        yield port


@pytest.fixture
async def database(
    port: int, postgresql_server: PostgresqlServer, postgresql_url: str
) -> AsyncIterator[PostgresqlDatabase]:
    name = database_name(postgresql_url)
    topology = Topology("primary", pooled=True, direct=postgresql_server.parameters(name))
    made = PostgresqlDatabase(parameters=through(port, name), topology=topology)
    await made.connect()
    yield made
    await made.close()


async def test_a_start_without_the_setting_names_it(port: int, postgresql_url: str) -> None:
    for _ in range(5):
        database = PostgresqlDatabase(parameters=through(port, database_name(postgresql_url)), start_patience=0)
        with pytest.raises(ServiceUnavailable) as refused:
            await database.connect()
        assert "`pooler`" in str(refused.value.reason)
        await database.close()


async def test_a_pooler_in_session_mode_is_as_good_as_none(
    pgbouncer: Path, postgresql_server: PostgresqlServer, postgresql_url: str
) -> None:
    with pooled(pgbouncer, postgresql_server, "session", size=20) as port:
        database = PostgresqlDatabase(parameters=through(port, database_name(postgresql_url)))
        await database.connect()
        assert await database.fetch_value("SELECT 1") == 1
        await database.close()


async def test_every_statement_has_its_settings(database: PostgresqlDatabase) -> None:
    shown = "SELECT current_setting('statement_timeout'), current_setting('jit'), current_setting('timezone')"
    rows = await asyncio.gather(*(database.fetch_row(shown) for _ in range(40)))
    assert {tuple(row or ()) for row in rows} == {("15s", "off", "UTC")}
    async with database.transaction() as transaction:
        assert await transaction.fetch_row(shown) == ("15s", "off", "UTC")
    async with database.snapshot() as snapshot:
        assert await snapshot.fetch_row(shown) == ("15s", "off", "UTC")
    async with database.apart() as apart:
        assert (await apart.fetch_row(shown) or ())[0] == "0"


async def test_statements_of_many_do_not_mix(database: PostgresqlDatabase) -> None:
    await database.execute_script("CREATE TABLE t (id int, name text); INSERT INTO t VALUES (1, 'a'), (2, 'b')")

    async def read(number: int) -> None:
        assert await database.fetch_value(f"SELECT $1::int + {number}", (number,)) == 2 * number
        assert await database.fetch_value("SELECT name FROM t WHERE id = $1", (1 + number % 2,)) == "ab"[number % 2]
        async with database.transaction() as transaction:
            await transaction.lock(f"lock {number % 3}")
            assert await transaction.execute("UPDATE t SET name = name WHERE id = $1", (1 + number % 2,)) == 1

    await asyncio.gather(*(read(number) for number in range(200)))


async def test_a_connection_that_is_lost_is_replaced(
    database: PostgresqlDatabase, postgresql_server: PostgresqlServer, postgresql_url: str
) -> None:
    assert await database.fetch_value("SELECT 1") == 1
    postgresql_server.run_sql(database_name(postgresql_url), CLOSE)
    assert await database.fetch_value("SELECT 2") == 2
    async with database.transaction() as transaction:
        assert await transaction.fetch_value("SELECT 3") == 3


async def test_a_server_that_follows_another_one_is_left(pgbouncer: Path) -> None:
    """As when a DNS name points to another server after a switchover, while the pooler has connections to the former
    one."""
    with ExitStack() as stack:
        primary = start_server()
        stack.callback(primary.remove)
        name = database_name(primary.create_database())
        primary.run_sql(name, "CREATE TABLE notes (number int); INSERT INTO notes VALUES (1)")
        replica = primary.replica()
        stack.callback(replica.remove)
        endpoint = new_folder()
        stack.callback(shutil.rmtree, endpoint)

        def lead_to(server: PostgresqlServer) -> None:
            (endpoint / "new").symlink_to(str(server.parameters(name)["host"]))
            (endpoint / "new").rename(endpoint / "server")

        lead_to(primary)
        port = stack.enter_context(pooled(pgbouncer, None, host=endpoint / "server", more="server_login_retry = 1\n"))
        direct = {**primary.parameters(name), "host": str(endpoint / "server")}
        database = PostgresqlDatabase(
            parameters=through(port, name), topology=Topology("primary", pooled=True, direct=direct)
        )
        await database.connect()
        try:
            read = "SELECT max(number), pg_is_in_recovery() FROM notes"
            assert tuple(await database.fetch_row(read) or ()) == (1, False)
            lead_to(replica)
            primary.run_sql(name, CLOSE)
            for _ in range(8):
                with pytest.raises(ServiceUnavailable):
                    await database.fetch_row(read)
                with pytest.raises(ServiceUnavailable):
                    await database.execute("INSERT INTO notes VALUES (9)")
            lead_to(primary)
            assert await answered(lambda: database.execute("INSERT INTO notes VALUES (2)")) == 1
            assert await answered(lambda: database.fetch_row(read)) == (2, False)
            primary.stop("immediate")
            replica.promote()
            lead_to(replica)
            assert await answered(lambda: database.execute("INSERT INTO notes VALUES (3)")) == 1
            assert await answered(lambda: database.fetch_row(read)) == (3, False)
        finally:
            await database.close()


def new_folder() -> Path:
    """Create a folder that the pooler, which runs as another user, can read."""
    folder = Path(tempfile.mkdtemp(prefix="octavo-endpoint-"))
    folder.chmod(0o755)
    return folder


async def answered(ask: Callable[[], Awaitable[Any]]) -> Any:
    """Return the result once the operation succeeds. Until then it may fail."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return await ask()
        except ServiceUnavailable:
            assert time.monotonic() < deadline
        await asyncio.sleep(0.1)


def test_reads_writes_jobs_and_changes_of_types_go_through_it(pgbouncer: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.cluster.through_pooler", "-k", "postgresql", *SUITES]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    said = done.stdout[-4000:]
    assert done.returncode == 0, said
    reported = re.search(r"(\d+) databases through the pooler", said)
    assert reported is not None, said
    assert int(reported[1]) > 20
