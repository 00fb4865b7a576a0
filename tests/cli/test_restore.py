"""`octavo db restore`: the choice of the backup, conflicting connections, and the backup's metadata."""

import asyncio
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from octavo.cli import main
from octavo.database import open_database
from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work
from octavo.events.jobs import backup_records
from tests.cli.conftest import Call, purges, refused, said
from tests.cli.projects import database_variables, make_project
from tests.postgresql_server import PostgresqlServer, database_name

EVERYTHING = """
CREATE TYPE mood AS ENUM ('a', 'b');
CREATE DOMAIN short AS varchar(5) CHECK (value <> '');
CREATE TYPE pair AS (a mood, b short);
CREATE TABLE notes (id serial PRIMARY KEY, mood mood, text short);
INSERT INTO notes (mood, text) VALUES ('a', 'one');
CREATE FUNCTION of_notes(mood) RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM public.notes WHERE mood = $1';
CREATE AGGREGATE added(integer) (SFUNC = int4pl, STYPE = integer);
CREATE VIEW happy AS SELECT *, of_notes(mood) FROM notes;
CREATE MATERIALIZED VIEW kept AS SELECT * FROM happy;
CREATE SEQUENCE apart;
CREATE COLLATION plain FROM "C";
CREATE STATISTICS together ON mood, text FROM notes;
"""

ELSEWHERE = """
CREATE SCHEMA other;
CREATE FUNCTION one() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 1';
CREATE TABLE other.mine (note integer REFERENCES notes, moods mood[], one integer DEFAULT one());
CREATE VIEW other.seen AS SELECT * FROM notes;
CREATE FUNCTION other.of(mood) RETURNS integer LANGUAGE sql AS 'SELECT 1';
CREATE POLICY of_mine ON other.mine USING (one() = 1);
"""
"""Objects in another schema that depend on the project's."""
LOST = (
    "default value for other.mine.one, function other.of(public.mood), policy of_mine on other.mine, "
    "table column other.mine.moods, table constraint mine_note_fkey on other.mine, view other.seen"
)


@pytest.fixture(autouse=True)
def tools(postgresql_server: PostgresqlServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's tools are on the path."""
    monkeypatch.setenv("PATH", f"{postgresql_server.binaries}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("OCTAVO_DATABASE__BACKUPS__MIN_FREE_SPACE", "1 MB")


@pytest.fixture
def change_and_restore(
    call: Call, tmp_path: Path, postgresql_server: PostgresqlServer, postgresql_url: str
) -> Callable[[str], None]:
    """Back up the database, change it, and restore the backup."""

    def run(change: str) -> None:
        said(call("db", "backup", str(tmp_path / "copy")))
        postgresql_server.run_sql(database_name(postgresql_url), change)
        said(call("db", "restore", str(tmp_path / "copy"), "--yes"))

    return run


@pytest.mark.parametrize("call", ["postgresql"], indirect=True)
def test_all_objects_of_a_schema_are_restored(
    call: Call,
    tmp_path: Path,
    postgresql_server: PostgresqlServer,
    postgresql_url: str,
    change_and_restore: Callable[[str], None],
) -> None:
    name = database_name(postgresql_url)
    postgresql_server.run_sql(name, EVERYTHING)
    change_and_restore("DELETE FROM notes; CREATE TYPE younger AS ENUM ('c'); CREATE VIEW new AS SELECT 1")
    assert postgresql_server.run_sql(name, "SELECT reltuples FROM pg_class WHERE relname = 'notes'") == "1\n"
    assert postgresql_server.run_sql(name, "SELECT text, of_notes FROM happy") == "one|1\n"
    left = "SELECT to_regtype('younger') IS NULL, to_regclass('new') IS NULL"
    assert postgresql_server.run_sql(name, left) == "t|t\n"
    postgresql_server.run_sql(name, ELSEWHERE)
    reported = refused(call("db", "restore", str(tmp_path / "copy"), "--yes"))
    assert reported.endswith(f"other schemas are built on what is to be replaced, and would lose: {LOST}")
    assert postgresql_server.run_sql(name, "SELECT count(moods) FROM other.mine") == "0\n"


PUBLISHED = """
CREATE TABLE "No tes" (id integer PRIMARY KEY, "te xt" text, other text);
CREATE PUBLICATION "p 1" FOR TABLE "No tes" ("te xt", id) WHERE (id > 1);
CREATE PUBLICATION whole FOR TABLE "No tes";
CREATE PUBLICATION everything FOR ALL TABLES;
"""


@pytest.mark.parametrize("call", ["postgresql"], indirect=True)
def test_publications_keep_their_tables(
    postgresql_server: PostgresqlServer, postgresql_url: str, change_and_restore: Callable[[str], None]
) -> None:
    name = database_name(postgresql_url)
    postgresql_server.run_sql(name, PUBLISHED)
    reported = "SELECT pubname, tablename, attnames, rowfilter FROM pg_publication_tables"
    reported += " WHERE tablename <> 'younger' ORDER BY 1"
    before = postgresql_server.run_sql(name, reported)
    change_and_restore("CREATE TABLE younger (id integer); ALTER PUBLICATION whole ADD TABLE younger")
    assert postgresql_server.run_sql(name, reported) == before
    assert 'p 1|No tes|{id,"te xt"}|(id > 1)' in before
    assert postgresql_server.run_sql(name, "SELECT count(*) FROM pg_publication_rel") == "2\n"


EXTENDED = """
CREATE EXTENSION vector;
CREATE TABLE points (at vector(2));
CREATE INDEX ON points USING hnsw (at vector_l2_ops);
CREATE SCHEMA other;
CREATE TABLE other.points (at vector(2) DEFAULT '[1,2]');
INSERT INTO points VALUES ('[3,4]');
"""


@pytest.mark.parametrize("call", ["postgresql"], indirect=True)
def test_extensions_and_their_users_stay(
    postgresql_server: PostgresqlServer, postgresql_url: str, change_and_restore: Callable[[str], None]
) -> None:
    name = database_name(postgresql_url)
    postgresql_server.run_sql(name, EXTENDED)
    change_and_restore("DELETE FROM points; INSERT INTO other.points VALUES (DEFAULT)")
    assert postgresql_server.run_sql(name, "SELECT * FROM points") == "[3,4]\n"
    assert postgresql_server.run_sql(name, "SELECT * FROM other.points") == "[1,2]\n"


def test_a_service_that_runs_is_noticed(call: Call, project: Path, tmp_path: Path, postgresql_url: str) -> None:
    said(call("db", "upgrade"))
    said(call("db", "backup", str(tmp_path / "copy")))
    on_sqlite = (project / ".octavo/data.db").exists()

    async def meanwhile(*options: str) -> tuple[str, int]:
        database = open_database(f"sqlite:///{project}/.octavo/data.db" if on_sqlite else postgresql_url)
        await database.connect()
        try:
            await database.fetch_value("SELECT 1 FROM stories")
            result = await asyncio.to_thread(call, "db", "restore", str(tmp_path / "copy"), "--yes", *options)
            return result.stderr, result.exit_code
        finally:
            await database.close()

    reported, code = asyncio.run(meanwhile())
    assert code == 1
    assert "is in use: stop the service first. --force restores anyway" in reported
    if on_sqlite:
        assert asyncio.run(meanwhile("--force")) == ("", 0)
    said(call("db", "restore", str(tmp_path / "copy"), "--yes"))


@pytest.mark.usefixtures("cached")
def test_a_restore_purges_cdns(call: Call, tmp_path: Path) -> None:
    said(call("db", "upgrade"))
    said(call("db", "backup", str(tmp_path / "without an outbox")))
    said(call("permissions", "grant", "public", "api::story.story.find"))
    said(call("db", "restore", str(tmp_path / "without an outbox"), "--yes"))
    assert purges(call) == [["all"]]
    said(call("db", "backup", str(tmp_path / "with one")))
    said(call("db", "restore", str(tmp_path / "with one"), "--yes"))
    assert purges(call) == [["all"], ["all"]]


def test_a_restored_maintenance_mode_is_reported(call: Call, tmp_path: Path) -> None:
    said(call("db", "upgrade"))
    said(call("maintenance", "on"))
    said(call("db", "backup", str(tmp_path / "copy")))
    said(call("maintenance", "off"))
    result = call("db", "restore", str(tmp_path / "copy"), "--yes")
    assert result.exit_code == 0
    assert "octavo maintenance off" in result.output


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_a_running_backup_is_not_restored_as_running(call: Call, project: Path, tmp_path: Path) -> None:
    said(call("db", "upgrade"))

    async def begin(database: Database) -> None:
        async with unit_of_work(database) as unit:
            await unit.connection.execute_script(backup_records.TABLE.script(database.dialect))
        await backup_records.begin(database, backup_records.Record())

    asyncio.run(_with_database(project, begin))
    said(call("db", "backup", str(tmp_path / "copy")))
    said(call("db", "restore", str(tmp_path / "copy"), "--yes"))
    assert asyncio.run(_with_database(project, backup_records.read_record)) == backup_records.Record()


@pytest.mark.parametrize("call", ["sqlite"], indirect=True)
def test_choice_of_the_backup(call: Call, project: Path, tmp_path: Path) -> None:
    said(call("db", "upgrade"))
    said(call("db", "backup", "--scheduled"))
    (manifest,) = project.glob("backups/*/manifest.json")
    said(call("db", "restore", str(manifest.parent), "--yes"))
    found = asyncio.run(_with_database(project, backup_records.read_record))
    reported = json.loads(manifest.read_text())
    assert (found.verified_at, found.size) == (reported["made_at"], reported["bytes"])
    assert found.begun_at <= found.ended_at <= time.time() * 1000
    assert "is a folder, not a backup" in refused(call("db", "restore", str(tmp_path), "--yes"))
    manifest.write_text(json.dumps({**reported, "database": "postgresql"}))
    wrong = f"{manifest.parent} is a backup of postgresql, but the project uses sqlite: {MOVED['postgresql']}"
    assert refused(call("db", "restore", str(manifest.parent), "--yes")) == wrong


MOVED = {
    "sqlite": "`octavo db copy sqlite:///COPY postgresql://USER@HOST/NAME` copies its data",
    "postgresql": "restore it to a PostgreSQL database, then copy the data with `octavo db copy`",
}


def test_a_copy_of_the_other_database_is_known(
    call: Call, project: Path, tmp_path: Path, postgresql_server: PostgresqlServer
) -> None:
    said(call("db", "upgrade"))
    copy, on_sqlite = tmp_path / "copy", (project / ".octavo/data.db").exists()
    other, own = ("postgresql", "sqlite") if on_sqlite else ("sqlite", "postgresql")
    variables = database_variables(postgresql_server.create_database()) if on_sqlite else {}
    made = make_project(tmp_path / "other")
    said(CliRunner().invoke(main, ["db", "upgrade", "--project", str(made)], env=variables))
    said(CliRunner().invoke(main, ["db", "backup", str(copy), "--project", str(made)], env=variables))
    reported = refused(call("db", "restore", str(copy), "--yes"))
    moved = MOVED[other].replace("COPY", str(copy))
    assert reported == f"{copy} is a backup of {other}, but the project uses {own}: {moved}"


@pytest.mark.parametrize("call", ["postgresql"], indirect=True)
def test_a_copy_that_is_cut_off_changes_nothing(call: Call, tmp_path: Path) -> None:
    said(call("db", "upgrade"))
    said(call("db", "backup", str(tmp_path / "copy")))
    whole = (tmp_path / "copy").read_bytes()
    for size in (1000, len(whole) - 200):
        (tmp_path / "copy").write_bytes(whole[:size])
        reported = refused(call("db", "restore", str(tmp_path / "copy"), "--yes"))
        assert reported.startswith("Nothing was restored: ")


async def _with_database(project: Path, work):  # type: ignore[no-untyped-def]
    database = open_database(f"sqlite:///{project}/.octavo/data.db")
    await database.connect()
    try:
        return await work(database)
    finally:
        await database.close()


def test_a_restore_cancels_pending_removals_of_files(
    call: Call, project: Path, tmp_path: Path, postgresql_url: str
) -> None:
    """The storage may be that of the backup's project."""
    said(call("db", "upgrade"))
    on_sqlite = (project / ".octavo/data.db").exists()

    async def run(text: str) -> int:
        database = open_database(f"sqlite:///{project}/.octavo/data.db" if on_sqlite else postgresql_url)
        await database.connect()
        try:
            async with unit_of_work(database) as unit:
                await unit.connection.execute(text)
            return int(await database.fetch_value("SELECT count(*) FROM octavo_storage_cleanup"))
        finally:
            await database.close()

    insert = "INSERT INTO octavo_storage_cleanup (object, due_at) VALUES ('{}.png', 1)"
    assert asyncio.run(run(insert.format("a"))) == 1
    said(call("db", "backup", str(tmp_path / "copy")))
    assert asyncio.run(run(insert.format("b"))) == 2
    said(call("db", "restore", str(tmp_path / "copy"), "--yes"))
    assert asyncio.run(run("SELECT 1")) == 0
