"""Varnish in front of a node that reads from a replica: writers see their writes immediately, although responses are
cached.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from tests.cli.projects import database_variables
from tests.cluster.nodes import Cluster
from tests.cluster.test_varnish import CONTROL, Varnish, one_behind_varnish
from tests.postgresql_server import PostgresqlServer, database_name, start_server

WRITES = 40


@pytest.fixture(scope="module")
def replicated(tmp_path_factory: pytest.TempPathFactory, varnishd: Path) -> Iterator[tuple[Cluster, Varnish]]:
    """A node that reads from a replica, behind Varnish. It sends no purges."""
    folder = tmp_path_factory.mktemp("replicated")
    with ExitStack() as stack:
        primary = start_server()
        stack.callback(primary.remove)
        replica: PostgresqlServer = primary.replica()
        stack.callback(replica.remove)
        url = primary.create_database()
        name = database_name(url)
        host = quote(str(replica.parameters(name)["host"]))
        variables = {
            **database_variables(url),
            "DATABASE_REPLICAS": f"postgresql://postgres@/{name}?host={host}",
            "OCTAVO_DATABASE__REPLICA_LAG": "600000",
        }
        yield one_behind_varnish(stack, folder, varnishd, variables, CONTROL)


def test_own_writes_are_seen_through_the_cache(replicated: tuple[Cluster, Varnish]) -> None:
    cluster, varnish = replicated
    path = f"{varnish.address}/api/articles/1?fields[0]=reads"
    visitor, author = httpx.Client(timeout=30), httpx.Client(timeout=30)
    with visitor, author:
        kept = visitor.get(path).json()["data"]
        for value in range(1000, 1000 + WRITES):
            written = author.put(path, json={"data": {"reads": value}}, headers=cluster.headers)
            assert written.status_code == 200, written.text
            assert "octavo-position" in author.cookies
            assert author.get(path).json()["data"]["attributes"]["reads"] == value
            answer = visitor.get(path)
            assert (answer.headers["x-cache"], answer.json()["data"]) == ("hit", kept)
