"""Projects of v4 on MySQL."""

from pathlib import Path
from typing import Any

import pytest

from tests.v4.config.project import problems, read, write

SERVER = {"host": "db", "port": 3307, "database": "my site", "user": "me@x", "password": "secret", "ssl": False}


@pytest.mark.parametrize(
    "connection, host, port",
    [
        ({"client": "mysql", "connection": SERVER}, "db", 3307),
        ({"client": "mysql2", "connection": {**SERVER, "timezone": "Z"}, "pool": {"min": 0}}, "db", 3307),
        ({"client": "mysql", "connection": "mysql://me%40x:secret@db/my%20site"}, "db", 3306),
        ({"client": "mysql", "connection": {"uri": "mysql://me%40x:secret@db/my%20site"}}, "db", 3306),
        ({"client": "mysql", "connection": {**SERVER, "host": "", "socketPath": "/run/my sql"}}, "/run/my sql", 3307),
    ],
)
def test_its_server(tmp_path: Path, connection: dict[str, Any], host: str, port: int) -> None:
    database = read(tmp_path, {"config/database.json": {"connection": connection}}).database
    assert (database.client, database.host, database.port) == ("mysql", host, port)
    assert (database.name, database.user, database.password) == ("my site", "me@x", "secret")


def test_another_time_zone(tmp_path: Path) -> None:
    connection = {"client": "mysql", "connection": {**SERVER, "timezone": "+02:00"}}
    write(tmp_path, {"config/database.json": {"connection": connection}})
    [problem] = problems(tmp_path)
    assert "connection.client: expected times in UTC, not in connection.timezone '+02:00'" in problem
    assert "`octavo db copy ... --time-zone +02:00`" in problem


def test_keys_of_mysql_do_not_apply_to_another_database(tmp_path: Path) -> None:
    """Otherwise MySQL's port would be used for a copy."""
    files = {
        "config/database.json": {"connection": {"client": "mysql", "connection": SERVER}},
        "config/database.toml": 'client = "postgres"\nname = "copied"',
    }
    database = read(tmp_path, files).database
    assert (database.host, database.port, database.name, database.user) == ("localhost", 5432, "copied", None)
    assert (database.password, database.ssl) == (None, "prefer")
