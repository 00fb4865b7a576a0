"""`octavo db copy` with a MySQL source: options, output and errors."""

import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Call, refused, said
from tests.mysql_server import MysqlServer

TABLES = """
CREATE TABLE stories (id int unsigned AUTO_INCREMENT PRIMARY KEY, title varchar(255), published_at datetime(6));
INSERT INTO stories VALUES (7, 'Äpfel', '2024-07-01 12:00:00.5');
CREATE TABLE boats (id int)
"""
pytestmark = pytest.mark.parametrize("call", ["sqlite"], indirect=True)


def test_copy(
    call: Call, project: Path, mysql_server: MysqlServer, mysql_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mysql_server.run_sql(TABLES, mysql_name)
    url, target = mysql_server.url(mysql_name), f"sqlite:///{project / 'copy.db'}"
    user, _, rest = url.removeprefix("mysql://").partition(":")
    without_password = f"mysql://{user}@{rest.partition('@')[2]}"
    message = refused(call("db", "copy", without_password, target))
    assert message.startswith(f"The database cannot be reached: MySQL at 127.0.0.1:{mysql_server.port}, database test_")
    assert message.endswith("MYSQL_PWD can hold the password")
    monkeypatch.setenv("MYSQL_PWD", "a secret / % @")
    expected = [
        "Copied 1 row of 1 table.",
        "Skipped boats: no definition uses it.",
        "Skipped stories.published_at: no definition uses it.",
    ]
    assert said(call("db", "copy", without_password, target, "--time-zone", "Europe/Berlin")) == expected
    assert "--force replaces its data" in refused(call("db", "copy", url, target))
    assert said(call("db", "copy", url, target, "--force")) == expected


@pytest.mark.parametrize("zone", ["+02:00", "-03:30"])
def test_a_server_in_another_time_zone(
    call: Call, project: Path, mysql_server: MysqlServer, mysql_name: str, zone: str
) -> None:
    mysql_server.run_sql(TABLES, mysql_name)
    arguments = ("db", "copy", mysql_server.url(mysql_name), f"sqlite:///{project / 'copy.db'}", "--force")
    mysql_server.run_sql(f"SET GLOBAL time_zone = '{zone}'")
    try:
        warned, quiet = call(*arguments), call(*arguments, "--time-zone", "UTC")
    finally:
        mysql_server.run_sql("SET GLOBAL time_zone = 'SYSTEM'")
    assert f"the server's time zone is {zone}" in warned.output
    assert "zone" not in quiet.output
    assert (warned.exit_code, quiet.exit_code) == (0, 0)


def test_the_driver_is_an_extra(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncmy", None)
    monkeypatch.delitem(sys.modules, "octavo.operations.transfer.mysql.source", raising=False)
    monkeypatch.delitem(sys.modules, "octavo.operations.transfer.mysql.values", raising=False)
    assert refused(call("db", "copy", "mysql://h/n", "sqlite:///copy.db")) == (
        "MySQL requires the asyncmy package: pip install 'octavo[mysql]'"
    )


def test_wrong_calls(call: Call, project: Path, mysql_name: str, mysql_server: MysqlServer) -> None:
    source, target = mysql_server.url(mysql_name), "sqlite:///copy.db"
    assert refused(call("db", "copy", source, target)) == "The source has no table of this project"
    assert refused(call("db", "copy", source, source)) == "source and target are the same database"
    assert refused(call("db", "copy", "mysql://h", target)).endswith("the name of the database is missing")
    assert refused(call("db", "copy", source, target, "--time-zone", "Mars")).startswith("unknown time zone 'Mars'")
    assert refused(call("db", "copy", target, "sqlite:///b.db", "--time-zone", "UTC")) == (
        "--time-zone is only for MySQL sources: other databases store instants in UTC"
    )
