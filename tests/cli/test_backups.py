"""Copies by the clock: made, verified, listed; what is damaged is told; nothing is left of what fails."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from octavo.cli import main
from tests.cli.conftest import Call, answered, refused, said
from tests.cli.projects import database_variables
from tests.postgresql_server import PostgresqlServer, database_name


@pytest.fixture(autouse=True)
def tools(postgresql_server: PostgresqlServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tools of the server at hand; little has to stay free."""
    monkeypatch.setenv("PATH", f"{postgresql_server.binaries}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("OCTAVO_DATABASE__BACKUPS__LEAVE_FREE", "1 MB")


def test_made_verified_kept_restored(call: Call, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said(call("db", "upgrade"))
    said(call("permissions", "grant", "public", "api::story.story.find"))
    (project / "public/uploads/a.jpg").write_text("a")
    monkeypatch.setenv("OCTAVO_DATABASE__BACKUPS__UPLOADS", "true")
    monkeypatch.setenv("OCTAVO_DATABASE__BACKUPS__KEEP__DAILY", "0")
    monkeypatch.setenv("OCTAVO_DATABASE__BACKUPS__KEEP__WEEKLY", "0")
    assert said(call("db", "backup", "--scheduled"))[0].startswith(f"Copied the database to {project}/backups/")
    (first,) = answered(call("db", "backups", "--json"))
    assert said(call("db", "backup", "--scheduled"))[0].endswith("; 1 older removed")
    (copy,) = answered(call("db", "backups", "--json", "--verify"))
    assert copy["file"] != first["file"]
    assert (copy["verified"], copy["now"], copy["uploads"]) == ("restored", "restored", 1)
    said(call("permissions", "revoke", "public", "api::story.story.find"))
    folder = Path(copy["file"]).parent
    assert refused(call("db", "restore", str(folder.parent), "--yes")) == (
        f"{folder.parent} holds several copies: name one of them; the newest is {folder}"
    )
    told = said(call("db", "restore", str(folder), "--yes"))
    assert told[1] == f"Uploaded files were not restored; they are in {folder}/uploads."
    assert "api::story.story.find" in call("permissions", "list").stdout
    assert not [*project.glob("backups/.unfinished*"), *project.glob("backups/*/.scratch*")]


def test_a_damaged_copy_is_told(call: Call, project: Path) -> None:
    said(call("db", "upgrade"))
    said(call("db", "backup", "--scheduled"))
    (manifest,) = project.glob("backups/*/manifest.json")
    told = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**told, "tables": {**told["tables"], "up_roles": 9}}))
    result = call("db", "backups", "--verify", "--json")
    assert result.exit_code == 1
    assert "up_roles has 0 rows, not 9" in result.stdout
    copy = manifest.parent / told["file"]
    content = copy.read_bytes()
    copy.write_bytes(content[: len(content) // 2])
    result = call("db", "backups", "--verify", "--json")
    assert result.exit_code == 1
    assert result.stderr == "Error: 1 of 1 copy is not sound\n"


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_no_room(call: Call, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said(call("db", "upgrade"))
    monkeypatch.setenv("OCTAVO_DATABASE__BACKUPS__LEAVE_FREE", "900000 GB")
    assert refused(call("db", "backup", "--scheduled")).startswith(f"No room in {project}/backups: ")
    assert [one.name for one in (project / "backups").iterdir()] == [".lock"]


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_forms(call: Call) -> None:
    assert call("db", "backup").exit_code == 2
    assert call("db", "backup", "file", "--scheduled").exit_code == 2
    assert said(call("db", "backups"))[0].startswith("There is no copy in ")
    assert refused(call("db", "backups", "--verify")).startswith("there is no copy in ")


def test_without_the_right_to_make_databases(
    postgresql_server: PostgresqlServer, postgresql_url: str, project: Path
) -> None:
    variables = database_variables(postgresql_url)

    def run(*arguments: str, **others: str) -> str:
        done = CliRunner().invoke(main, [*arguments, "--project", str(project)], env={**variables, **others})
        assert done.exit_code == 0, done.output
        return done.stdout

    run("db", "upgrade")
    role = "octavo_plain"
    grants = "GRANT ALL ON SCHEMA public TO {0}; GRANT ALL ON ALL TABLES IN SCHEMA public TO {0};"
    sequences = "GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {0};"
    made = f"DO $$ BEGIN CREATE ROLE {role} LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;"
    rights = f"{made} {grants} {sequences}"
    postgresql_server.run_sql(database_name(postgresql_url), rights.replace("{0}", role))
    told = run("db", "backup", "--scheduled", DATABASE_USERNAME=role)
    assert "read and counted" in told
    assert "there is no scratch database (ERROR: permission denied to create database)" in " ".join(told.split())
    (copy,) = json.loads(run("db", "backups", "--json", DATABASE_USERNAME=role))
    assert copy["verified"] == "read"
