"""Tests with external programs around a service. `make cluster-test` runs them, other runs skip them.

They are collected only if `tests/cluster` or a file in it is named. A test whose program is missing fails, and names
the package that contains it.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster import programs
from tests.cluster.debian_postgresql import DebianPostgresql, debian_server
from tests.cluster.nodes import ADMINISTRATOR, USER, Cluster, cluster, node_variables
from tests.cluster.press import write_press
from tests.postgresql_server import PostgresqlServer
from tests.s3_server import S3Server

HERE = Path(__file__).parent


def _named(config: pytest.Config) -> bool:
    return any(
        Path(config.invocation_params.dir, argument.partition("::")[0]).resolve().is_relative_to(HERE)
        for argument in config.args
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if collection_path.is_relative_to(HERE) and not _named(config):
        return True
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.cluster)


def pytest_report_header() -> str | None:
    gone = programs.missing()
    return programs.how_to_install(gone) if gone else None


def _program(name: str) -> Path:
    path = programs.found(name)
    if path is None:
        pytest.fail(programs.how_to_install([name]), pytrace=False)
    return path


@pytest.fixture(scope="session")
def haproxy() -> Path:
    """The path of HAProxy. The fixtures below are similar."""
    return _program("haproxy")


@pytest.fixture(scope="session")
def varnishd() -> Path:
    return _program("varnishd")


@pytest.fixture(scope="session")
def pgbouncer() -> Path:
    return _program("pgbouncer")


@pytest.fixture(scope="session")
def nginx() -> Path:
    return _program("nginx")


@pytest.fixture(scope="session")
def caddy() -> Path:
    return _program("caddy")


@pytest.fixture(scope="session")
def debian_postgresql() -> Iterator[DebianPostgresql]:
    """A server on which each test creates a database."""
    with debian_server(_program("pg_ctl")) as server:
        yield server


def create_content(made: Cluster, url: str) -> None:
    """Create users, a token, and the targets of articles."""
    made.database = url
    made.token = made.octavo("tokens", "create", "load", "--type", "full-access").strip().splitlines()[-1]
    made.octavo("admin", "create-user", ADMINISTRATOR["email"], OCTAVO_ADMIN_PASSWORD=ADMINISTRATOR["password"])
    made.octavo("users", "create", USER["identifier"], "bob@example.org", "--password", USER["password"])
    for name in ("cats", "tides", "bread"):
        made.create("tags", name=name)
    made.create("authors", name="Ann")


@pytest.fixture(scope="session")
def press(
    tmp_path_factory: pytest.TempPathFactory, haproxy: Path, postgresql_server: PostgresqlServer, s3_server: S3Server
) -> Iterator[Cluster]:
    """Three nodes of one project behind HAProxy, each with its own folder."""
    folder = tmp_path_factory.mktemp("press")
    url, bucket = postgresql_server.create_database(), s3_server.new_bucket()
    projects = [write_press(folder / name) for name in ("a", "b", "c")]
    variables = node_variables(url, s3_server, bucket)
    with cluster(folder, haproxy, projects, variables) as made:
        create_content(made, url)
        yield made
    postgresql_server.drop_database(url)
