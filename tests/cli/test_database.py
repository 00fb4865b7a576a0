"""`octavo db`: differences, upgrades, copies."""

from pathlib import Path

import apsw
import pytest

from tests.cli.conftest import Call, answered, refused, said
from tests.cli.projects import STORY, write_type


def shorten(project: Path) -> None:
    """A definition that wants less than the database has."""
    write_type(project, {**STORY, "attributes": {"name": {"type": "string"}}})


def test_diff_and_upgrade(call: Call, project: Path) -> None:
    assert "create table stories" in answered(call("db", "diff", "--json"))["additive"]
    assert said(call("db", "upgrade"))[0] == "Made:"
    assert said(call("db", "diff")) == ["The database is what the definitions ask for."]
    assert said(call("db", "upgrade")) == ["Nothing to change."]
    shorten(project)
    differences = answered(call("db", "diff", "--json"))
    assert [text.split(" (")[0] for text in differences["additive"]] == ["add column stories.name"]
    assert any(text.startswith("drop column stories.title") for text in differences["losing"])
    assert answered(call("db", "upgrade", "--json"))["left"] == differences["losing"]
    assert said(call("db", "diff"))[0] == "Loses data, made only by octavo db upgrade --allow-data-loss:"
    assert answered(call("db", "upgrade", "--allow-data-loss", "--json"))["applied"] == differences["losing"]
    assert said(call("db", "diff")) == ["The database is what the definitions ask for."]


def test_backup_and_restore(call: Call, project: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    said(call("db", "upgrade"))
    copy = tmp_path / "copies/monday.db"
    if "postgresql" in request.node.name:
        for command, tool in (("backup", "pg_dump"), ("restore", "pg_restore")):
            copy.parent.mkdir(exist_ok=True)
            if command == "restore":
                copy.touch()
            message = refused(call("db", command, str(copy)))
            assert message.startswith(f"PostgreSQL has its own tools: {tool} ")
            assert "\n" not in message
        return
    said(call("permissions", "grant", "public", "api::story.story.find"))
    said(call("db", "backup", str(copy)))
    assert refused(call("db", "backup", str(copy))) == f"{copy} is there already; --force replaces it"
    said(call("db", "backup", str(copy), "--force"))
    said(call("permissions", "revoke", "public", "api::story.story.find"))
    assert call("db", "restore", str(copy), input="n\n").exit_code == 1
    said(call("db", "restore", str(copy), "--yes"))
    assert "api::story.story.find" in call("permissions", "list").stdout


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_restores_only_databases(call: Call, project: Path, tmp_path: Path) -> None:
    said(call("db", "upgrade"))
    before = said(call("permissions", "list"))
    text = tmp_path / "text.db"
    text.write_text("no database" * 1000, "utf-8")
    assert refused(call("db", "restore", str(text), "--yes")).startswith(f"{text} is no SQLite database: ")
    empty = tmp_path / "empty.db"
    empty.touch()
    assert refused(call("db", "restore", str(empty), "--yes")) == f"{empty} is an empty database"
    assert call("db", "restore", str(tmp_path / "none.db"), "--yes").exit_code == 2
    assert said(call("permissions", "list")) == before


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_copies_what_is_in_use(call: Call, project: Path, tmp_path: Path) -> None:
    said(call("db", "upgrade"))
    connection = apsw.Connection(str(project / ".octavo/data.db"))
    connection.execute("INSERT INTO stories (title) VALUES ('kept')")
    connection.execute("BEGIN IMMEDIATE; INSERT INTO stories (title) VALUES ('not yet')")
    said(call("db", "backup", str(tmp_path / "copy.db")))
    copied = apsw.Connection(str(tmp_path / "copy.db")).execute("SELECT title FROM stories").fetchall()
    assert copied == [("kept",)]
