"""Reads from real replicas: streaming replication between two servers."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

import pytest

from octavo.core.errors import ServiceUnavailable
from octavo.database.connection import Row
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.read_positions import READER, UNKNOWN, position_text, read_position
from octavo.database.replicated import ReplicatedDatabase
from octavo.database.topology import Freshness, Topology
from octavo.database.unit_of_work import UnitOfWork, run_unit, unit_of_work
from tests.database.test_postgresql import KILL_OTHERS
from tests.postgresql_server import PostgresqlServer, database_name, start_server

pytestmark = pytest.mark.anyio

PATIENCE = 60.0
LONG = 600.0
WHERE = "SELECT pg_is_in_recovery()::text, (SELECT max(number) FROM notes)"


WAIT = "WITH one AS (INSERT INTO notes VALUES ($1::integer)) SELECT 1 FROM pg_advisory_xact_lock_shared(7)"
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'"


class Asking:
    """Reads content, and must see its own writes."""

    def __init__(self, needed: int = 0) -> None:
        self.needed = needed
        self.lags = True

    def may_lag(self) -> bool:
        return self.lags

    def require_primary(self) -> None:
        self.lags = False

    def wrote(self) -> None:
        self.lags = False


@contextmanager
def asking(reader: Asking) -> Iterator[Asking]:
    token = READER.set(reader)
    yield reader
    READER.reset(token)


@pytest.fixture(scope="module")
def primary() -> Iterator[PostgresqlServer]:
    server = start_server()
    yield server
    server.remove()


@pytest.fixture(scope="module")
def replica(primary: PostgresqlServer) -> Iterator[PostgresqlServer]:
    server = primary.replica()
    yield server
    server.remove()


@pytest.fixture
def name(primary: PostgresqlServer) -> str:
    name = database_name(primary.create_database())
    primary.run_sql(name, "CREATE TABLE notes (number int); INSERT INTO notes VALUES (1)")
    return name


@asynccontextmanager
async def opened(
    primary: PostgresqlServer, replica: PostgresqlServer, name: str, seconds: float = LONG
) -> AsyncIterator[ReplicatedDatabase]:
    topology = Topology("primary", replicas=[replica.parameters(name)], freshness=Freshness(seconds))
    database = ReplicatedDatabase(parameters=primary.parameters(name), topology=topology, patience=20.0)
    database._log.interval = 0.05
    await database.connect()
    try:
        await until(lambda: used(database))
        yield database
    finally:
        await database.close()


def used(database: ReplicatedDatabase) -> bool:
    return database.servers()[1].used


async def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it does not come about"
        await asyncio.sleep(0.01)


async def read(database: ReplicatedDatabase, text: str = WHERE) -> Row:
    row = await database.contents.fetch_row(text)
    assert row is not None
    return row


async def write(database: ReplicatedDatabase, number: int) -> None:
    async with unit_of_work(database) as unit:
        await unit.connection.execute("INSERT INTO notes VALUES ($1)", (number,))


async def test_only_reads_that_may_lag_use_a_replica(
    primary: PostgresqlServer, replica: PostgresqlServer, name: str
) -> None:
    async with opened(primary, replica, name) as database:
        assert (await read(database))[0] == "false"  # no reader
        with asking(Asking()) as reader:
            assert await read(database) == ("true", 1)
            assert await database.contents.fetch_json("SELECT '[1]'::json") == b"[1]"
            assert (await database.fetch_row(WHERE) or ())[0] == "false"  # no content
            await database.execute("INSERT INTO notes VALUES (0)")
            assert reader.may_lag()  # internal data
            async with unit_of_work(database) as unit:
                with unit.ambient():
                    assert (await read(database))[0] == "false"
            assert not reader.may_lag()
            assert (await read(database))[0] == "false"
        here, there = database.servers()
        assert (here.reads, there.reads, there.failed) == (0, 2, 0)
        assert there.name in database.pools()


async def test_a_writer_sees_its_writes_immediately(
    primary: PostgresqlServer, replica: PostgresqlServer, name: str
) -> None:
    async with opened(primary, replica, name) as database:
        for number in range(2, 40):
            with asking(Asking()):
                await write(database, number)
                assert await read(database) == ("false", number)
            position = await database.position()
            assert 0 < position < UNKNOWN
            with asking(Asking(position)):
                assert (await read(database))[1] == number
        with asking(Asking(position)):
            await until(lambda: database._replicas[0].replayed >= position)
            assert await read(database) == ("true", 39)


async def test_the_result_of_a_failed_commit_may_be_unknown(
    primary: PostgresqlServer, replica: PostgresqlServer, name: str
) -> None:
    refusing = """
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
    CREATE CONSTRAINT TRIGGER late AFTER INSERT ON notes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    EXECUTE FUNCTION refuse()"""
    async with opened(primary, replica, name) as database:
        with asking(Asking()) as reader:
            with pytest.raises(Exception, match="so"):
                async with unit_of_work(database) as unit:
                    await unit.connection.execute("INSERT INTO notes VALUES (nothing_is_called(so))")
            assert reader.may_lag()
            primary.run_sql(name, refusing)
            with pytest.raises(Exception, match="no"):
                await write(database, 2)
            assert not reader.may_lag()


async def test_a_single_statement_that_is_lost_may_have_been_committed(
    primary: PostgresqlServer, replica: PostgresqlServer, name: str
) -> None:
    async def work(unit: UnitOfWork) -> None:
        await unit.commit_with("api::note.note", unit.connection.fetch_row(WAIT, (50,)))

    async with opened(primary, replica, name) as database, database.apart() as other:
        await other.execute("SELECT pg_advisory_lock(7)")
        with asking(Asking()) as reader:
            writing = asyncio.ensure_future(run_unit(database, UnitOfWork, work))
            async with asyncio.timeout(PATIENCE):
                while not await other.fetch_value(WAITING):  # noqa: ASYNC110 - only the server knows
                    await asyncio.sleep(0.01)
            assert reader.may_lag()
            await other.fetch_value(KILL_OTHERS)
            with pytest.raises(ServiceUnavailable):
                await writing
            assert not reader.may_lag()


async def test_concurrent_writers_get_positions_after_their_own(
    primary: PostgresqlServer, replica: PostgresqlServer, name: str
) -> None:
    async def write_and_read(database: ReplicatedDatabase, number: int) -> None:
        await write(database, number)
        with asking(Asking(await database.position())):
            assert await read(database, f"SELECT count(*) FROM notes WHERE number = {number}") == (1,)

    async with opened(primary, replica, name) as database:
        await asyncio.gather(*(write_and_read(database, number) for number in range(100, 164)))


async def test_a_stalled_replica_is_not_used_until_it_has_caught_up(
    primary: PostgresqlServer, replica: PostgresqlServer, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(primary, replica, name, seconds=0.3) as database:
        replica.run_sql(name, "SELECT pg_wal_replay_pause()")
        try:
            await write(database, 2)
            position = await database.position()
            with asking(Asking(position)):
                assert await read(database) == ("false", 2)
            await until(lambda: not used(database))
            with asking(Asking()):
                assert await read(database) == ("false", 2)
            await until(lambda: "bytes behind" in caplog.text)
            assert (database.servers()[1].size or 0) > 0
        finally:
            replica.run_sql(name, "SELECT pg_wal_replay_resume()")
        await until(lambda: used(database))
        with asking(Asking(position)):
            assert await read(database) == ("true", 2)


async def test_tables_missing_on_a_replica_are_read_from_the_primary(
    primary: PostgresqlServer, replica: PostgresqlServer, name: str
) -> None:
    async with opened(primary, replica, name) as database:
        with asking(Asking()):
            assert await read(database, "SELECT * FROM notes") == (1,)
            replica.run_sql(name, "SELECT pg_wal_replay_pause()")
            try:
                primary.run_sql(name, "CREATE TABLE later AS SELECT 7 AS number; ALTER TABLE notes ADD extra int")
                assert await read(database, "SELECT number, pg_is_in_recovery() FROM later") == (7, False)
                assert used(database)  # one statement does not prove others
                assert await read(database, "SELECT * FROM notes") == (1,)  # unchanged
            finally:
                replica.run_sql(name, "SELECT pg_wal_replay_resume()")
            await until(lambda: replica.run_sql(name, "SELECT to_regclass('later')").strip() == "later")
            assert await read(database, "SELECT * FROM notes") == (1, None)
        assert database.servers()[1].failed >= 1


async def test_a_killed_replica_causes_no_error(
    primary: PostgresqlServer, replica: PostgresqlServer, name: str
) -> None:
    async def keep_reading(database: ReplicatedDatabase, done: asyncio.Event) -> int:
        count = 0
        with asking(Asking()):
            while not done.is_set():
                assert (await read(database))[1] == 1
                count += 1
        return count

    async with opened(primary, replica, name) as database:
        done = asyncio.Event()
        readers = [asyncio.create_task(keep_reading(database, done)) for _ in range(4)]
        before = database.servers()[1].reads
        await until(lambda: database.servers()[1].reads > before)
        await asyncio.to_thread(replica.stop, "immediate")
        await until(lambda: not used(database))
        lag, size = database.servers()[1].seconds, database.servers()[1].size
        assert lag > 0
        assert size is None
        await until(lambda: database.servers()[1].seconds > lag + 0.1)
        await asyncio.to_thread(replica.start)
        await until(lambda: used(database))
        again = database.servers()[1].reads
        await until(lambda: database.servers()[1].reads > again)
        done.set()
        assert all(await asyncio.gather(*readers))


async def test_a_server_without_a_primary_is_no_replica(primary: PostgresqlServer, name: str) -> None:
    topology = Topology("primary", replicas=[primary.parameters(name)])
    database = ReplicatedDatabase(parameters=primary.parameters(name), topology=topology)
    await database.connect()
    try:
        await until(lambda: "promoted" in str(database._replicas[0]._reported))
        with asking(Asking()):
            assert (await read(database))[0] == "false"
        assert not used(database)
    finally:
        await database.close()


async def test_the_writable_one_of_several_servers_is_used(
    primary: PostgresqlServer, replica: PostgresqlServer, name: str
) -> None:
    given = primary.parameters(name)
    places = [(str(server.parameters(name)["host"]), 5432) for server in (replica, primary)]
    database = PostgresqlDatabase(parameters=given, topology=Topology("primary", places))
    await database.connect()
    assert await database.execute("INSERT INTO notes VALUES (2)") == 1
    await database.close()
    await until(lambda: name in replica.run_sql("postgres", "SELECT datname FROM pg_database"))
    following = PostgresqlDatabase(parameters=given, topology=Topology("primary", places[:1]), start_patience=0)
    with pytest.raises(ServiceUnavailable) as refused:
        await following.connect()
    assert "takes writes" in str(refused.value.reason)
    await following.close()


async def test_a_demoted_primary_is_replaced(primary: PostgresqlServer, replica: PostgresqlServer, name: str) -> None:
    places = [(str(server.parameters(name)["host"]), 5432) for server in (replica, primary)]
    await wait_for_table(replica, name)
    database = PostgresqlDatabase(parameters=primary.parameters(name), topology=Topology("any", places))
    await database.connect()  # to the replica
    assert await database.fetch_value("SELECT pg_is_in_recovery()") is True
    database._server.role = "primary"  # as after a switchover: open connections point to the wrong server
    assert await database.execute("INSERT INTO notes VALUES (2)") == 1
    assert await database.fetch_value("SELECT pg_is_in_recovery()") is False
    await database.close()


async def wait_for_table(replica: PostgresqlServer, name: str) -> None:
    """Wait until a replica has received a new database."""
    found = f"SELECT count(*) FROM pg_database WHERE datname = '{name}'"
    await until(lambda: replica.run_sql("postgres", found).strip() == "1")


def test_positions_are_written_as_postgresql_does() -> None:
    assert read_position("16/B374D848") == 0x16_B374D848
    assert position_text(0x16_B374D848) == "16/B374D848"
    assert read_position(position_text(UNKNOWN)) == UNKNOWN
    assert read_position("FFFFFFFF/FFFFFFFF") == UNKNOWN
    for text in ("", "16", "16/", "x/1", "123456789/1", "1/2/3", " 1/2", "1/2\n"):
        assert read_position(text) is None
