"""Recorded requests get the recorded responses on SQLite, PostgreSQL and MySQL, each from a fresh copy of the content.

`known.json` lists intentional differences and missing features. If a listed item passes, the test fails.
"""

import shutil
from pathlib import Path

import pytest

from tests.conformance.corpus import (
    HERE,
    KNOWN,
    Server,
    dumped_sql,
    expect_instead,
    known_items,
    make_project,
    replay,
    restore,
    unpack,
)
from tests.models.site import mysql_variables, postgresql_variables
from tests.mysql_server import MysqlServer
from tests.postgresql_server import PostgresqlServer, database_name

CASES = (
    "auth",
    "auth-matrix",
    "fields",
    "filters",
    "filters-event",
    "filters-misc",
    "find",
    "graphql",
    "graphql-filters",
    "graphql-lang",
    "graphql-mutation-errors",
    "graphql-schema",
    "http",
    "locale-state",
    "odd-queries",
    "pagination",
    "populate",
    "routes",
    "sort",
    "upload",
    "users",
    "write-errors",
)
SCENARIOS = (
    "accepted-writes",
    "components",
    "crud",
    "form-data",
    "graphql",
    "i18n",
    "permissions",
    "relations",
    "single-type",
    "upload",
    "users",
)
AREAS = tuple(dict.fromkeys((*CASES, *SCENARIOS)))


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    folder = unpack("blog", tmp_path / "conformance")
    shutil.copytree(HERE / "cases", folder / "cases", dirs_exist_ok=True)
    return folder


def check_answers(database: str, recordings: Path, variables: dict[str, str], recorded: str = "") -> None:
    """Start Octavo, replay the requests, and compare the differences with the known ones, by area. `recorded`: the
    database of the recording, if it is another one.
    """
    folder = recordings.parent
    server = Server(make_project(recordings, folder / "project"), variables)
    try:
        replayed = replay(recordings, server, recorded or database, AREAS, folder / "replay.json")
    finally:
        output = server.stop()
    known = known_items("both") | known_items(database)
    assert replayed.areas.keys() == set(AREAS)
    assert replayed.differing(without=known) == {}
    assert known - replayed.items(differing=True) == set(), "these pass, or are no more: take them off known.json"
    assert "Traceback" not in output


def test_responses_on_sqlite_equal_the_recorded_ones(recordings: Path) -> None:
    check_answers("sqlite", recordings, {})


def test_responses_on_postgresql_equal_the_recorded_ones(recordings: Path, postgresql_server: PostgresqlServer) -> None:
    url = postgresql_server.create_database()
    postgresql_server.run_sql(database_name(url), dumped_sql(recordings))
    check_answers("postgres", recordings, postgresql_variables(url))
    postgresql_server.drop_database(url)


@pytest.mark.parametrize(
    "suites",
    [*(("left out", "both", database) for database in ("sqlite", "postgres", "mysql")), ("admin", "admin postgres")],
)
def test_known_differences_are_listed_once(suites: tuple[str, ...]) -> None:
    listed = [item for suite in suites for items in KNOWN[suite].values() for item in items]
    assert len(listed) == len(set(listed))


def test_responses_on_mysql_equal_the_recorded_ones(recordings: Path, mysql_server: MysqlServer) -> None:
    """v4's responses on MariaDB with the collation utf8mb4_general_ci. Most are equal to those on SQLite."""
    folder = unpack("mysql", recordings.parent)
    expect_instead(recordings, folder / "expected.jsonl")
    name = restore(mysql_server, folder)
    check_answers("mysql", recordings, mysql_variables(mysql_server.url(name)), recorded="sqlite")
