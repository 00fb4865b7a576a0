"""Backups of MySQL and MariaDB: created, verified, listed, restored with the database's own client."""

import asyncio
import gzip
import json
import os
from pathlib import Path

import pytest

from octavo.database.mysql import MysqlDatabase
from tests.cli.conftest import Call, answered, refused, said
from tests.mysql_server import PASSWORD, MysqlServer

ROWS = r"""
CREATE TABLE `a ``b` (id int PRIMARY KEY, t longtext, b blob, `VALUES (` int, g int AS (id + 1));
INSERT INTO `a ``b` (id, t, b, `VALUES (`) VALUES (1, 'two\nlines;\n(''x'')', x'00ff0a', 1),
  (2, 'INSERT INTO `x` VALUES (1);', NULL, 2);
CREATE TABLE nothing (id int);
CREATE TABLE versioned (id int) /*M! WITH SYSTEM VERSIONING */;
CREATE VIEW names AS SELECT id FROM `a ``b`;
DELIMITER ;;
CREATE TRIGGER twice AFTER INSERT ON `a ``b` FOR EACH ROW BEGIN
INSERT INTO nothing VALUES (1);
INSERT INTO nothing VALUES (2);
END;;
DELIMITER ;
"""
pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("call", ["sqlite"], indirect=True)]


@pytest.fixture
def database(mysql_server: MysqlServer, mysql_name: str, monkeypatch: pytest.MonkeyPatch) -> str:
    programs = [folder] if (folder := os.environ.get("OCTAVO_TEST_MYSQL")) else []
    monkeypatch.setenv("PATH", os.pathsep.join([*programs, os.environ["PATH"]]))
    monkeypatch.setenv("OCTAVO_DATABASE__BACKUPS__MIN_FREE_SPACE", "1 MB")
    monkeypatch.setenv("DATABASE_URL", mysql_server.url(mysql_name))
    mysql_server.run_sql(ROWS, mysql_name)
    return mysql_name


def test_a_backup(call: Call, project: Path, mysql_server: MysqlServer, database: str) -> None:
    assert said(call("db", "backup", "--scheduled"))[0].startswith(f"Backed up the database to {project}/backups/")
    (copy,) = answered(call("db", "backups", "--json", "--verify"))
    assert (copy["verified"], copy["now"]) == ("restored", "restored")
    file = Path(copy["file"])
    tables = json.loads((file.parent / "manifest.json").read_text())["tables"]
    assert (tables["a `b"], tables["nothing"], "names" in tables) == (2, 0, False)
    text = gzip.decompress(file.read_bytes())
    other = mysql_server.create_database()
    mysql_server.run_sql(text.decode(), other)
    rows = (
        "SELECT id, t, hex(b), `VALUES (`, g FROM `a ``b`; SELECT * FROM names;"
        "SELECT action_statement FROM information_schema.triggers WHERE trigger_schema = database()"
    )
    assert mysql_server.run_sql(rows, other) == mysql_server.run_sql(rows, database)
    assert refused(call("db", "restore", str(file), "--yes")).startswith("Octavo does not restore backups of MySQL")
    scratch = f"octavo_scratch_{database}"
    other_process = mysql_server.open_session()
    other_process.run(f"CREATE DATABASE `{scratch}`; USE `{scratch}`")
    assert f"The scratch database {scratch} is in use" in call("db", "backups", "--verify", "--json").stdout
    other_process.run("USE mysql")
    other_process.close()
    for damaged in (gzip.compress(text[: len(text) // 2]), file.read_bytes()[:-20]):
        file.write_bytes(damaged)
        assert "The backup is damaged: " in call("db", "backups", "--verify", "--json").stdout
    mysql_server.drop_database(other)


def test_a_user_without_other_databases(
    call: Call, project: Path, mysql_server: MysqlServer, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    password = PASSWORD.replace("secret", '"#')  # would begin a comment in a file of options
    mysql_server.run_sql(
        f"CREATE USER IF NOT EXISTS site@'%' IDENTIFIED BY '{password}'; GRANT ALL ON `{database}`.* TO site@'%'"
    )
    url = mysql_server.url(database).replace("octavo:", "site:").replace("secret", "%22%23")
    monkeypatch.setenv("DATABASE_URL", url)
    lines = " ".join(said(call("db", "backup", "--scheduled")))
    assert "read and counted" in lines
    assert "there is no scratch database (ERROR 1044 (42000) at line 1: Access denied for user 'site'" in lines
    plain = project / "plain.sql"
    said(call("db", "backup", str(plain)))
    assert plain.read_text("utf-8").rstrip().endswith("-- Dump completed")
    assert plain.stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("DATABASE_URL", mysql_server.url(database).replace("secret", "wrong"))
    result = refused(call("db", "backup", str(plain), "--force"))
    assert "Access denied" in result
    if mysql_server.is_mariadb:  # without TLS, unlike MySQL
        monkeypatch.setenv("DATABASE_URL", mysql_server.url(database))
        monkeypatch.setenv("OCTAVO_DATABASE__SSL", "require")
        assert "does not encrypt connections" in refused(call("db", "backup", str(plain), "--force"))
    assert not list(project.glob("*.part"))


async def test_an_import_needs_a_database_that_is_not_in_use(
    anyio_backend: str, call: Call, project: Path, mysql_server: MysqlServer, database: str
) -> None:
    (project / "file.tar").write_text("")
    command = ("import", "-f", str(project / "file.tar"), "--force")
    service = MysqlDatabase(mysql_server.url(database))
    await service.connect()
    try:
        assert "is in use: stop the service first" in refused(await asyncio.to_thread(call, *command))
    finally:
        await service.close()
    assert "is in use" not in refused(await asyncio.to_thread(call, *command))
