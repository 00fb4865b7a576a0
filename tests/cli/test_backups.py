"""Scheduled backups: created, verified, listed. Damaged copies are reported, and failures leave no files."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from octavo.cli import main
from tests.cli.conftest import Call, answered, refused, said
from tests.cli.projects import database_variables
from tests.postgresql_server import PostgresqlServer, database_name
from tests.s3_server import KEY, SECRET, S3Server


@pytest.fixture(autouse=True)
def tools(postgresql_server: PostgresqlServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's tools are on the path, and little free space is required."""
    monkeypatch.setenv("PATH", f"{postgresql_server.binaries}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("OCTAVO_DATABASE__BACKUPS__MIN_FREE_SPACE", "1 MB")


def test_backups_are_created_verified_retained_and_restored(
    call: Call, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(call("db", "upgrade"))
    said(call("permissions", "grant", "public", "api::story.story.find"))
    (project / "public/uploads/a.jpg").write_text("a")
    monkeypatch.setenv("OCTAVO_DATABASE__BACKUPS__UPLOADS", "true")
    monkeypatch.setenv("OCTAVO_DATABASE__BACKUPS__KEEP__DAILY", "0")
    monkeypatch.setenv("OCTAVO_DATABASE__BACKUPS__KEEP__WEEKLY", "0")
    assert said(call("db", "backup", "--scheduled"))[0].startswith(f"Backed up the database to {project}/backups/")
    (first,) = answered(call("db", "backups", "--json"))
    assert said(call("db", "backup", "--scheduled"))[0].endswith("removed 1 older")
    (copy,) = answered(call("db", "backups", "--json", "--verify"))
    assert copy["file"] != first["file"]
    assert (copy["verified"], copy["now"], copy["uploads"]) == ("restored", "restored", 1)
    said(call("permissions", "revoke", "public", "api::story.story.find"))
    folder = Path(copy["file"]).parent
    assert refused(call("db", "restore", str(folder.parent), "--yes")) == (
        f"{folder.parent} contains several backups. Pass one of them; the newest is {folder}"
    )
    reported = said(call("db", "restore", str(folder), "--yes"))
    assert reported[1] == f"Uploaded files were not restored; they are in {folder}/uploads."
    assert "api::story.story.find" in call("permissions", "list").stdout
    assert not [*project.glob("backups/.unfinished*"), *project.glob("backups/*/.scratch*")]


def test_a_damaged_copy_is_reported(call: Call, project: Path) -> None:
    said(call("db", "upgrade"))
    said(call("db", "backup", "--scheduled"))
    (manifest,) = project.glob("backups/*/manifest.json")
    reported = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**reported, "tables": {**reported["tables"], "up_roles": 9}}))
    result = call("db", "backups", "--verify", "--json")
    assert result.exit_code == 1
    assert "up_roles has 0 rows, not 9" in result.stdout
    copy = manifest.parent / reported["file"]
    content = copy.read_bytes()
    copy.write_bytes(content[: len(content) // 2])
    result = call("db", "backups", "--verify", "--json")
    assert result.exit_code == 1
    assert result.stderr == "Error: 1 of 1 backup is damaged\n"


@pytest.fixture
def bucket(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty bucket for backups. The folder retains only the newest one."""
    name = s3_server.new_bucket()
    given = {
        "NAME": name,
        "PREFIX": "copies/site",
        "ENDPOINT": s3_server.address,
        "FORCE_PATH_STYLE": "true",
        "ACCESS_KEY_ID": KEY,
        "SECRET_ACCESS_KEY": SECRET,
        "ONLY": "true",
    }
    for key, value in given.items():
        monkeypatch.setenv(f"OCTAVO_DATABASE__BACKUPS__BUCKET__{key}", value)
    for rule, number in {"LAST": 2, "DAILY": 0, "WEEKLY": 0}.items():
        monkeypatch.setenv(f"OCTAVO_DATABASE__BACKUPS__KEEP__{rule}", str(number))
    return name


def test_backups_are_uploaded_to_a_bucket_and_restored_from_it(
    call: Call, project: Path, bucket: str, s3_server: S3Server
) -> None:
    said(call("db", "upgrade"))
    said(call("permissions", "grant", "public", "api::story.story.find"))
    place = f"s3://{bucket}/copies/site"
    s3_server.client.put_object(Bucket=bucket, Key="copies/site/20200101T000000Z/other.txt", Body=b"not ours")
    made = [said(call("db", "backup", "--scheduled")) for _ in range(3)]
    assert [lines[1] for lines in made] == [
        f"Uploaded 1 to {place} and verified it; removed {older} older there" for older in (0, 0, 1)
    ]
    here, newest, older = answered(call("db", "backups", "--json", "--verify"))
    assert here["file"].startswith(f"{project}/backups/")
    assert newest["file"] == here["file"].replace(f"{project}/backups", place)
    assert [one["now"] for one in (here, newest, older)] == ["restored", "read", "read"]
    kept = {"/".join(one["file"].split("/")[-2:-1]) for one in (newest, older)}
    files = {f"copies/site/{name}/{file}" for name in kept for file in ("manifest.json", Path(here["file"]).name)}
    assert set(s3_server.keys(bucket)) == {*files, "copies/site/20200101T000000Z/other.txt"}
    said(call("permissions", "revoke", "public", "api::story.story.find"))
    name = older["file"].split("/")[-2]
    brought = answered(call("db", "backups", "--fetch", name, "--json"))
    said(call("db", "restore", brought[1]["file"], "--yes"))
    assert "api::story.story.find" in call("permissions", "list").stdout
    assert f"{name} is already in" in refused(call("db", "backups", "--fetch", name))


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_missing_files_are_uploaded_with_the_next_backup(
    call: Call, project: Path, bucket: str, s3_server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(call("db", "upgrade"))
    monkeypatch.setenv("OCTAVO_DATABASE__BACKUPS__BUCKET__NAME", "nobody-has-made-this-one")
    assert "s3://nobody-has-made-this-one/copies/site cannot be used" in refused(call("db", "backup", "--scheduled"))
    assert len([*project.glob("backups/*/manifest.json")]) == 1  # it is stored all the same
    monkeypatch.setenv("OCTAVO_DATABASE__BACKUPS__BUCKET__NAME", bucket)
    assert said(call("db", "backup", "--scheduled"))[1].startswith("Uploaded 2 to ")
    (key,) = [one for one in s3_server.keys(bucket) if one.endswith("database.db")][:1]
    s3_server.client.put_object(Bucket=bucket, Key=key, Body=b"damaged")
    result = call("db", "backups", "--verify", "--json")
    assert result.exit_code == 1
    assert f"s3://{bucket}/{key} differs from the uploaded file" in result.stdout
    assert refused(call("db", "backups", "--fetch", key.split("/")[-2])).endswith("differs from the uploaded file")


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_no_room(call: Call, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said(call("db", "upgrade"))
    monkeypatch.setenv("OCTAVO_DATABASE__BACKUPS__MIN_FREE_SPACE", "900000 GB")
    assert refused(call("db", "backup", "--scheduled")).startswith(f"Not enough space in {project}/backups: ")
    assert [one.name for one in (project / "backups").iterdir()] == [".lock"]


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_forms(call: Call) -> None:
    assert call("db", "backup").exit_code == 2
    assert call("db", "backup", "file", "--scheduled").exit_code == 2
    assert said(call("db", "backups"))[0].startswith("No backups in ")
    assert refused(call("db", "backups", "--verify")).startswith("no backups in ")


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
    reported = run("db", "backup", "--scheduled", DATABASE_USERNAME=role)
    assert "read and counted" in reported
    assert "there is no scratch database (ERROR: permission denied to create database)" in " ".join(reported.split())
    (copy,) = json.loads(run("db", "backups", "--json", DATABASE_USERNAME=role))
    assert copy["verified"] == "read"
