"""`octavo db`: differences, upgrades, copies."""

import os
from pathlib import Path

import apsw
import pytest

from octavo.cli.secret_checks import is_open_to_all
from tests.cli.conftest import Call, answered, refused, said
from tests.cli.projects import STORY, write_type
from tests.postgresql_server import PostgresqlServer, database_name

LATER = {
    **STORY,
    "collectionName": "laters",
    "info": {"singularName": "later", "pluralName": "laters", "displayName": "Later"},
    "attributes": {"story": {"type": "relation", "relation": "manyToOne", "target": "api::story.story"}},
}


def shorten(project: Path) -> None:
    """Write a definition with fewer attributes than the database has."""
    write_type(project, {**STORY, "attributes": {"name": {"type": "string"}}})


def test_diff_and_upgrade(call: Call, project: Path) -> None:
    assert "create table stories" in answered(call("db", "diff", "--json"))["additive"]
    assert said(call("db", "upgrade"))[0] == "Changed:"
    assert said(call("db", "diff")) == ["The database matches the definitions."]
    assert said(call("db", "upgrade")) == ["Nothing to change."]
    shorten(project)
    differences = answered(call("db", "diff", "--json"))
    made = [text.split(" (")[0] for text in differences["additive"]]
    index = ["drop index octavo_stories_called on stories", "create index octavo_stories_called on stories"]
    assert made == [index[0], "add column stories.name", index[1]]
    assert any(text.startswith("drop column stories.title") for text in differences["losing"])
    assert answered(call("db", "upgrade", "--json"))["left"] == differences["losing"]
    assert said(call("db", "diff"))[0] == "Changes that lose data, only with octavo db upgrade --allow-data-loss:"
    assert answered(call("db", "upgrade", "--allow-data-loss", "--json"))["applied"] == differences["losing"]
    assert said(call("db", "diff")) == ["The database matches the definitions."]


@pytest.fixture
def tools(postgresql_server: PostgresqlServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's tools come first on the path."""
    monkeypatch.setenv("PATH", f"{postgresql_server.binaries}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.usefixtures("tools")
def test_backup_and_restore(call: Call, tmp_path: Path) -> None:
    said(call("db", "upgrade"))
    said(call("db", "totals", "--enable"))  # triggers, and functions if the database has any
    copy = tmp_path / "copies/monday.db"
    said(call("permissions", "grant", "public", "api::story.story.find"))
    said(call("db", "backup", str(copy)))
    assert not is_open_to_all(copy)
    assert refused(call("db", "backup", str(copy))) == f"{copy} already exists; --force replaces it"
    said(call("db", "backup", str(copy), "--force"))
    said(call("permissions", "revoke", "public", "api::story.story.find"))
    assert call("db", "restore", str(copy), input="n\n").exit_code == 1
    said(call("db", "restore", str(copy), "--yes"))
    assert "api::story.story.find" in call("permissions", "list").stdout


@pytest.mark.usefixtures("tools")
def test_a_copy_replaces_everything(call: Call, project: Path, tmp_path: Path) -> None:
    """Tables created after the copy are dropped, too, and the service starts on the restored database."""
    said(call("db", "upgrade"))
    said(call("db", "backup", str(tmp_path / "copy")))
    write_type(project, LATER)
    assert any("laters" in line for line in said(call("db", "upgrade")))
    said(call("db", "restore", str(tmp_path / "copy"), "--yes"))
    assert "create table laters" in answered(call("db", "diff", "--json"))["additive"]
    said(call("db", "upgrade"))
    assert said(call("db", "diff")) == ["The database matches the definitions."]


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize("call", ["postgresql"], indirect=True)
def test_invalid_and_incomplete_copies_change_nothing(call: Call, tmp_path: Path) -> None:
    said(call("db", "upgrade"))
    said(call("permissions", "grant", "public", "api::story.story.find"))
    said(call("db", "backup", str(tmp_path / "copy")))
    before = said(call("permissions", "list"))
    whole = (tmp_path / "copy").read_bytes()
    for content in (b"", b"no copy" * 1000, whole[: len(whole) // 2], whole[:-200]):
        (tmp_path / "wrong").write_bytes(content)
        assert refused(call("db", "restore", str(tmp_path / "wrong"), "--yes"))
        assert said(call("permissions", "list")) == before


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize("call", ["postgresql"], indirect=True)
def test_obstacles_to_a_restore_are_reported(
    call: Call, tmp_path: Path, postgresql_server: PostgresqlServer, postgresql_url: str
) -> None:
    """Even if the unread part of the copy does not fit into a pipe."""
    name = database_name(postgresql_url)
    rows = "SELECT repeat(md5(n::text), 40) FROM generate_series(1, 2000) AS n"
    postgresql_server.run_sql(name, f"CREATE TABLE notes AS {rows}")
    said(call("db", "backup", str(tmp_path / "copy")))
    postgresql_server.run_sql(name, "CREATE SCHEMA reports; CREATE VIEW reports.daily AS SELECT * FROM notes")
    assert "would lose: view reports.daily" in refused(call("db", "restore", str(tmp_path / "copy"), "--yes"))
    assert postgresql_server.run_sql(name, "SELECT count(*) FROM notes").strip() == "2000"


@pytest.mark.parametrize("call", ["postgresql"], indirect=True)
def test_missing_tools_are_reported(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said(call("db", "upgrade"))
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "copy").touch()
    ending = " is required but not installed. It is part of PostgreSQL's client programs"
    assert refused(call("db", "backup", str(tmp_path / "new"))) == f"pg_dump{ending}"
    assert refused(call("db", "restore", str(tmp_path / "copy"), "--yes")) == f"psql{ending}"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("new")] == []


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_restores_only_databases(call: Call, project: Path, tmp_path: Path) -> None:
    said(call("db", "upgrade"))
    before = said(call("permissions", "list"))
    text = tmp_path / "text.db"
    text.write_text("no database" * 1000, "utf-8")
    assert refused(call("db", "restore", str(text), "--yes")).startswith(f"{text} is not an SQLite database: ")
    empty = tmp_path / "empty.db"
    empty.touch()
    assert refused(call("db", "restore", str(empty), "--yes")) == f"{empty} is an empty database"
    assert call("db", "restore", str(tmp_path / "none.db"), "--yes").exit_code == 2
    assert said(call("permissions", "list")) == before


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_a_database_in_use_is_copied(call: Call, project: Path, tmp_path: Path) -> None:
    said(call("db", "upgrade"))
    connection = apsw.Connection(str(project / ".octavo/data.db"))
    connection.execute("INSERT INTO stories (title) VALUES ('kept')")
    connection.execute("BEGIN IMMEDIATE; INSERT INTO stories (title) VALUES ('not yet')")
    said(call("db", "backup", str(tmp_path / "copy.db")))
    copied = apsw.Connection(str(tmp_path / "copy.db")).execute("SELECT title FROM stories").fetchall()
    assert copied == [("kept",)]


def test_counts_are_maintained_checked_and_removed(call: Call, project: Path) -> None:
    assert said(call("db", "totals"))[0].startswith("No counts are maintained yet")
    said(call("db", "totals", "--enable"))
    assert answered(call("db", "totals", "--json"))["totals"][0]["maintained"]
    assert said(call("db", "totals", "--check"))[0] == "All counts are correct."
    assert said(call("db", "totals", "--disable"))[0].startswith("Removed ")
    assert not answered(call("db", "totals", "--json"))["totals"][0]["maintained"]
    (project / "config").mkdir(exist_ok=True)
    with (project / "config/database.toml").open("a") as file:
        file.write('\ntotals = "counted"\n')
    assert "maintained counts have no effect" in refused(call("db", "totals", "--enable"))
