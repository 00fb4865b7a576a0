"""Administrators' recorded requests get the recorded responses, in a project with content and on an empty database.

`known.json` lists the intentional differences. If a listed item passes, the test fails.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance.corpus import KNOWN, ROOT, Server, administered, expect_instead, replay, restore, unpack
from tests.models.site import mysql_variables, postgresql_variables
from tests.mysql_server import MysqlServer
from tests.postgresql_server import PostgresqlServer


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    folder = unpack("admin", tmp_path / "conformance")
    for name in ("admin", "admin-first"):
        (folder.parent / name / "deviations.json").write_text("{}", encoding="utf-8")
    return folder


def areas_of(recordings: Path) -> list[str]:
    return sorted({path.stem for path in recordings.glob("*/*.jsonl")} - {"quirks"})


def known(database: str) -> set[str]:
    kinds = ("admin", f"admin {database}")
    return {item for kind in kinds for items in KNOWN.get(kind, {}).values() for item in items}


def check_answers(
    database: str, recordings: Path, project: Path, variables: dict[str, str], recorded: str = ""
) -> None:
    """Start Octavo, replay the requests, and compare the differences with the known ones."""
    areas = areas_of(recordings)
    server = Server(project, variables, "develop")
    try:
        replayed = replay(recordings, server, recorded or database, areas, recordings.parent / "replay.json")
    finally:
        output = server.stop()
    assert replayed.areas.keys() == set(areas)
    assert replayed.differing(without=known(database)) == {}
    assert known(database) - replayed.items(differing=True) == set(), "these pass: take them off known.json"
    assert "Traceback" not in output


def test_responses_on_sqlite_equal_the_recorded_ones(recordings: Path) -> None:
    check_answers("sqlite", recordings, administered(recordings, recordings.parent / "project"), {})


def test_responses_on_postgresql_equal_the_recorded_ones(recordings: Path, postgresql_server: PostgresqlServer) -> None:
    project = administered(recordings, recordings.parent / "project")
    url = postgresql_server.create_database()
    copying = [sys.executable, "-m", "octavo", "db", "copy", f"sqlite:///{project}/.tmp/data.db", url]
    subprocess.run([*copying, "--project", str(project)], cwd=ROOT, env={"PYTHONPATH": "src"}, check=True)
    check_answers("postgres", recordings, project, postgresql_variables(url))
    postgresql_server.drop_database(url)


def test_responses_on_mysql_equal_the_recorded_ones(recordings: Path, mysql_server: MysqlServer) -> None:
    """v4's responses on MariaDB with the collation utf8mb4_general_ci. Most are equal to those on SQLite."""
    folder = unpack("mysql", recordings.parent)
    expect_instead(recordings, folder / "admin.jsonl")
    project = administered(recordings, recordings.parent / "project")
    url = mysql_server.url(name := restore(mysql_server, folder))
    copying = [sys.executable, "-m", "octavo", "db", "copy", f"sqlite:///{project}/.tmp/data.db", url, "--force"]
    subprocess.run([*copying, "--project", str(project)], cwd=ROOT, env={"PYTHONPATH": "src"}, check=True)
    check_answers("mysql", recordings, project, mysql_variables(url), recorded="sqlite")
    mysql_server.drop_database(name)


def test_an_empty_project_gets_its_first_administrator(recordings: Path) -> None:
    project = administered(recordings, recordings.parent / "project")
    (project / ".tmp/data.db").unlink()
    first = recordings.parent / "admin-first"
    server = Server(project, {}, "develop")
    try:
        replayed = replay(first, server, "sqlite", (), recordings.parent / "replay.json")
    finally:
        output = server.stop()
    assert replayed.items() != set()
    assert replayed.differing(without=known("first")) == {}
    assert "Traceback" not in output


def test_each_known_item_has_one_reason() -> None:
    for kind, reasons in KNOWN.items():
        items = [item for listed in reasons.values() for item in listed]
        assert len(items) == len(set(items)), (kind, json.dumps(reasons))
