"""Nodes that read from replicas, which are paused, killed and promoted: no failures, and clients see their own
writes."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from tests.cluster.load import Load, problems
from tests.cluster.nodes import ADMINISTRATOR, USER, Cluster, cluster, node_variables
from tests.cluster.press import write_press
from tests.cluster.programs import PATIENCE, until
from tests.postgresql_server import PostgresqlServer, database_name, start_server
from tests.s3_server import S3Server

logger = logging.getLogger(__name__)
pytestmark = pytest.mark.anyio

METRICS = {"Authorization": "Bearer a-token-for-metrics"}


@pytest.fixture(scope="module")
def servers() -> Iterator[list[PostgresqlServer]]:
    """A primary and two replicas."""
    with ExitStack() as stack:
        started = [start_server()]
        stack.callback(started[0].remove)
        for _ in range(2):
            started.append(started[0].replica())
            stack.callback(started[-1].remove)
        yield started


@pytest.fixture(scope="module")
def press(
    servers: list[PostgresqlServer], tmp_path_factory: pytest.TempPathFactory, haproxy: Path, s3_server: S3Server
) -> Iterator[Cluster]:
    """Two nodes with the replicas."""
    folder, url = tmp_path_factory.mktemp("press"), servers[0].create_database()
    name = database_name(url)
    hosts = [quote(str(server.parameters(name)["host"])) for server in servers[1:]]
    variables = {
        **node_variables(url, s3_server, s3_server.new_bucket()),
        "DATABASE_REPLICAS": ",".join(f"postgresql://postgres@/{name}?host={host}" for host in hosts),
        "OCTAVO_SERVER__METRICS__TOKEN": METRICS["Authorization"].removeprefix("Bearer "),
    }
    with cluster(folder, haproxy, [write_press(folder / name) for name in "ab"], variables) as made:
        made.database = url
        made.token = made.octavo("tokens", "create", "load", "--type", "full-access").strip().splitlines()[-1]
        made.octavo("admin", "create-user", ADMINISTRATOR["email"], OCTAVO_ADMIN_PASSWORD=ADMINISTRATOR["password"])
        made.octavo("users", "create", USER["identifier"], "bob@example.org", "--password", USER["password"])
        for tag in ("cats", "tides", "bread"):
            made.create("tags", name=tag)
        made.create("authors", name="Ann")
        yield made


def number(press: Cluster, name: str, server: PostgresqlServer | None = None) -> float:
    """Return a metric, summed over all nodes, of one server or of the primary."""
    label = 'server="primary"' if server is None else f'server="{server.data}'
    reported = [httpx.get(f"{node.address}/metrics", headers=METRICS, timeout=10).text for node in press.nodes]
    lines = [line for text in reported for line in text.splitlines() if line.startswith(f"{name}{{{label}")]
    return sum(float(line.rpartition(" ")[2]) for line in lines)


async def until_used(press: Cluster, server: PostgresqlServer, used: bool = True) -> None:
    deadline = time.monotonic() + PATIENCE
    while await asyncio.to_thread(number, press, "octavo_replica_used", server) != len(press.nodes) * used:
        assert time.monotonic() < deadline, (server.data, used)
        await asyncio.sleep(0.1)


async def test_failures_of_replicas_cause_no_error(press: Cluster, servers: list[PostgresqlServer]) -> None:
    primary, first, second = servers

    async def happen() -> None:
        for server in (first, second):
            await until_used(press, server)
        before = await asyncio.to_thread(number, press, "octavo_replica_failures_total", first)
        await asyncio.sleep(3)
        after = await asyncio.to_thread(number, press, "octavo_replica_failures_total", first)
        assert after == before  # any content can be read from a replica
        await asyncio.to_thread(first.run_sql, "postgres", "SELECT pg_wal_replay_pause()")
        await until_used(press, first, False)
        await asyncio.to_thread(second.stop, "immediate")
        await until_used(press, second, False)
        await asyncio.sleep(1)
        await asyncio.to_thread(second.start)
        await until_used(press, second)
        await asyncio.to_thread(first.run_sql, "postgres", "SELECT pg_wal_replay_resume()")
        await until_used(press, first)
        first.freeze()
        await until_used(press, first, False)
        first.freeze(False)
        await until_used(press, first)
        await asyncio.to_thread(second.promote)
        await until_used(press, second, False)
        await asyncio.sleep(2)

    load = Load(press.balancer, press.token, ADMINISTRATOR, USER)
    reported = await load.run(happen)
    reads = [number(press, "octavo_content_reads_total", one) for one in (None, first, second)]
    logger.warning("%s %s, reads %s", dict(reported.done), dict(reported.unknown), reads)
    found = problems(reported, lambda text: primary.run_sql(database_name(press.database), text))
    assert not found, "\n".join(found[:30])
    assert not reported.unknown
    assert all(reads)


async def own_writes(press: Cluster, name: str, seconds: float) -> AsyncIterator[str]:
    """Write through one node and read through any, as a browser and as a client that sends the header. Return writes
    that were not seen.
    """
    until = time.monotonic() + seconds
    count = 0
    headers = dict(press.headers)
    async with httpx.AsyncClient(timeout=30) as client:
        while time.monotonic() < until:
            count += 1
            data = {"title": f"{name} {count}", "publishedAt": "2024-01-01T00:00:00.000Z"}
            node = press.nodes[count % len(press.nodes)].address
            made = await client.post(f"{node}/api/articles", json={"data": data}, headers=headers)
            assert made.status_code == 200, made.text
            if count % 2:  # only the header
                client.cookies.clear()
                headers["Octavo-Position"] = made.headers["octavo-position"]
            entry = made.json()["data"]["id"]
            for other in press.nodes:
                found = await client.get(f"{other.address}/api/articles/{entry}", headers=headers)
                if found.status_code != 200:
                    yield f"{entry}: {found.status_code}"


async def test_own_writes_are_seen_on_all_nodes(press: Cluster, servers: list[PostgresqlServer]) -> None:
    async def all_of(name: str) -> list[str]:
        return [unseen async for unseen in own_writes(press, name, 8)]

    def reads() -> list[float]:
        return [number(press, "octavo_content_reads_total", one) for one in (None, servers[1])]

    before = reads()
    assert await asyncio.gather(*(all_of(f"own {one}") for one in range(6))) == [[]] * 6
    here, there = (after - first for after, first in zip(reads(), before, strict=True))
    logger.warning("reads: %s of the primary, %s of the replica", here, there)
    assert here


async def test_the_primary_may_be_restarted(press: Cluster, servers: list[PostgresqlServer]) -> None:
    def all_are(status: int) -> bool:
        return {httpx.get(f"{node.address}/_ready", timeout=10).status_code for node in press.nodes} == {status}

    primary, first, _ = servers
    await asyncio.to_thread(primary.stop)
    await until(lambda: all_are(503))
    await asyncio.to_thread(primary.start)
    await until_used(press, first)
    await until(lambda: all_are(200))
    await until(lambda: httpx.get(f"{press.balancer}/_ready", timeout=10).status_code == 200)  # it checks periodically
    await asyncio.to_thread(press.create, "tags", name="after")
