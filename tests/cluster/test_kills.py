"""Three nodes behind a balancer under load. One is killed every few seconds: no failures, no lost or duplicate
writes."""

import asyncio
import itertools
import logging
import os
from collections import Counter

import pytest

from tests.cluster.load import Load, problems
from tests.cluster.nodes import ADMINISTRATOR, USER, Cluster
from tests.postgresql_server import PostgresqlServer, database_name

logger = logging.getLogger(__name__)
pytestmark = pytest.mark.anyio

SECONDS = float(os.environ.get("CLUSTER_SECONDS", "45"))
"""Duration of the load."""


async def kill_repeatedly(press: Cluster, seconds: float) -> None:
    """Kill a node every few seconds, start it again, and wait for it."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    for node in itertools.cycle(press.nodes):
        await asyncio.sleep(2)
        if loop.time() > until:
            return
        await asyncio.to_thread(node.end)
        await asyncio.sleep(0.5)
        node.start()
        await asyncio.to_thread(node.wait)


async def test_killed_nodes_lose_and_duplicate_nothing(press: Cluster, postgresql_server: PostgresqlServer) -> None:
    load = Load(press.balancer, press.token, ADMINISTRATOR, USER)
    reported = await load.run(lambda: kill_repeatedly(press, SECONDS))
    logger.warning("%s %s", dict(reported.done), dict(reported.unknown))
    found = problems(reported, lambda text: postgresql_server.run_sql(database_name(press.database), text))
    assert not found, "\n".join(found[:30])


async def test_rolling_restarts_lose_no_request(press: Cluster, postgresql_server: PostgresqlServer) -> None:
    load = Load(press.balancer, press.token, ADMINISTRATOR, USER)
    reported = await load.run(lambda: asyncio.to_thread(press.roll))
    logger.warning("%s %s", dict(reported.done), dict(reported.unknown))
    assert reported.unknown == Counter()
    found = problems(reported, lambda text: postgresql_server.run_sql(database_name(press.database), text))
    assert not found, "\n".join(found[:30])
