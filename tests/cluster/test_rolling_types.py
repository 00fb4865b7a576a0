"""Changed definitions while old and new nodes serve: one node after the other is updated."""

import asyncio
import json
import logging
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.processes import run
from tests.cli.projects import write_type
from tests.cluster.conftest import create_content
from tests.cluster.load import Load, Results, problems
from tests.cluster.nodes import ADMINISTRATOR, USER, Cluster, cluster, node_variables
from tests.cluster.press import article_with, write_press
from tests.postgresql_server import PostgresqlServer, database_name
from tests.s3_server import S3Server

logger = logging.getLogger(__name__)
pytestmark = pytest.mark.anyio


@pytest.fixture
def pair(tmp_path: Path, haproxy: Path, postgresql_server: PostgresqlServer, s3_server: S3Server) -> Iterator[Cluster]:
    """Two nodes with the same definitions."""
    url, bucket = postgresql_server.create_database(), s3_server.new_bucket()
    projects = [write_press(tmp_path / name, cron=False) for name in ("a", "b")]
    with cluster(tmp_path, haproxy, projects, node_variables(url, s3_server, bucket)) as made:
        create_content(made, url)
        yield made
    postgresql_server.drop_database(url)


async def deploy(pair: Cluster, definition: dict[str, Any], migration: Path | None = None) -> None:
    """Update one node after the other, with time for both versions to serve."""
    for node in pair.nodes:
        await asyncio.to_thread(node.end, signal.SIGTERM)
        write_type(node.project, definition)
        if migration is not None:
            folder = node.project / "database/migrations"
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(migration, folder)
        node.start()
        await asyncio.to_thread(node.wait)
        await asyncio.sleep(4)


async def loaded(pair: Cluster, definition: dict[str, Any], migration: Path | None = None) -> Results:
    load = Load(pair.balancer, pair.token, ADMINISTRATOR, USER)
    reported = await load.run(lambda: deploy(pair, definition, migration))
    logger.warning("%s %s", dict(reported.done), dict(reported.unknown))
    return reported


def check(pair: Cluster, results: Results, server: PostgresqlServer) -> None:
    found = problems(results, lambda text: server.run_sql(database_name(pair.database), text))
    assert not found, "\n".join(found[:30])
    assert results.unknown == Counter()


@pytest.mark.parametrize(
    "definition",
    [
        article_with(subtitle={"type": "string", "required": True, "default": "?"}, badges={"type": "json"}),
        article_with(note=None),
    ],
    ids=["more", "less"],
)
async def test_attributes_are_added_and_removed(
    pair: Cluster, definition: dict[str, Any], postgresql_server: PostgresqlServer
) -> None:
    check(pair, await loaded(pair, definition), postgresql_server)


async def test_an_attribute_gets_another_name(
    pair: Cluster, tmp_path: Path, postgresql_server: PostgresqlServer
) -> None:
    """Nodes that know only the old name respond with an error and change nothing."""
    write_press(tmp_path / "renamed", cron=False)
    project = ("--project", str(tmp_path / "renamed"))
    code, output = run("db", "rename", "articles", "note", "remark", *project, **pair.variables)
    assert code == 0, output
    (migration,) = (tmp_path / "renamed/database/migrations").iterdir()
    renamed = json.loads((tmp_path / "renamed/src/api/article/content-types/article/schema.json").read_text())
    reported = await loaded(pair, renamed, migration)
    assert [line for line in reported.failed if not line.partition(": ")[2].startswith("503 ")] == []
    assert [what for what in reported.unknown if not what.endswith(" 503")] == []
    reported.failed, reported.unknown = [], Counter()
    check(pair, reported, postgresql_server)
