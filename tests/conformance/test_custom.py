"""Recorded responses of a server with a customized GraphQL API. `custom/` is the same customization in Octavo's
form."""

from pathlib import Path

import pytest

from tests.conformance.corpus import Server, customize, dumped_sql, make_project, replay, unpack
from tests.models.site import postgresql_variables
from tests.postgresql_server import PostgresqlServer, database_name

AREA = "graphql-custom"


@pytest.fixture
def content(tmp_path: Path) -> Path:
    """The content of the recordings `blog`."""
    return unpack("blog", tmp_path / "conformance")


def check_answers(database: str, content: Path, variables: dict[str, str]) -> None:
    recordings = unpack("custom", content.parent)
    project = make_project(content, content.parent / "project")
    server = Server(project, variables | customize(project))
    try:
        replayed = replay(recordings, server, database, [AREA], content.parent / "replay.json")
    finally:
        output = server.stop()
    assert len(replayed.items()) == 217
    assert replayed.differing(without=set()) == {}
    assert "Traceback" not in output


def test_responses_on_sqlite_equal_the_recorded_ones(content: Path) -> None:
    check_answers("sqlite", content, {})


def test_responses_on_postgresql_equal_the_recorded_ones(content: Path, postgresql_server: PostgresqlServer) -> None:
    url = postgresql_server.create_database()
    postgresql_server.run_sql(database_name(url), dumped_sql(content))
    check_answers("postgres", content, postgresql_variables(url))
    postgresql_server.drop_database(url)
