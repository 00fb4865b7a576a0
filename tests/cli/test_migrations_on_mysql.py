"""Migrations on MySQL and MariaDB, where DDL commits immediately: dry runs are refused, and errors report it."""

from pathlib import Path

import pytest

from tests.cli.conftest import Call, refused, said
from tests.cli.test_migrations import write
from tests.mysql_server import MysqlServer

REFUSED = (
    "`--dry-run` cannot roll back table changes on MySQL and MariaDB. Try the migration on a copy of the database."
)
pytestmark = pytest.mark.parametrize("call", ["sqlite"], indirect=True)


@pytest.fixture
def tables(mysql_server: MysqlServer, mysql_name: str, monkeypatch: pytest.MonkeyPatch) -> MysqlServer:
    monkeypatch.setenv("DATABASE_URL", mysql_server.url(mysql_name))
    return mysql_server


def test_migrate(call: Call, project: Path, tables: MysqlServer, mysql_name: str) -> None:
    assert said(call("db", "migrate", "--dry-run")) == ["No pending migrations."]
    write(project, "1.sql", "CREATE TABLE visits (id integer);")
    assert refused(call("db", "migrate", "--dry-run")) == REFUSED
    assert tables.run_sql("SHOW TABLES", mysql_name) == ""
    assert said(call("db", "migrate")) == ["Run: 1.sql"]


def test_rename(call: Call, project: Path, tables: MysqlServer, mysql_name: str) -> None:
    said(call("db", "upgrade"))
    result = call("db", "rename", "stories", "title", "headline", "--dry-run")
    assert (refused(result), result.stdout) == (REFUSED, "")
    assert "title" in tables.run_sql("DESCRIBE stories", mysql_name)


def test_a_failing_migration(call: Call, project: Path, tables: MysqlServer, mysql_name: str) -> None:
    write(project, "1.sql", "CREATE TABLE visits (id integer);\nSELECT nothing;")
    begin = "A migration failed and its table changes were not rolled back. database/migrations/1.sql:2: "
    assert refused(call("db", "migrate")).startswith(begin)
    assert "visits" in tables.run_sql("SHOW TABLES", mysql_name)
