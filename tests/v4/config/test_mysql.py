"""Projects on MySQL: the start is refused with the command that copies their data."""

from pathlib import Path
from typing import Any

import pytest

from tests.v4.config.project import problems, read, write

SERVER = {"host": "db", "port": 3307, "database": "my site", "user": "me@x", "password": "secret", "ssl": False}


@pytest.mark.parametrize(
    "connection, expected",
    [
        ({"client": "mysql", "connection": SERVER}, "mysql://me%40x@db:3307/my%20site TARGET"),
        (
            {"client": "mysql2", "connection": {**SERVER, "timezone": "+02:00"}, "pool": {"min": 0}},
            "mysql://me%40x@db:3307/my%20site TARGET --time-zone +02:00",
        ),
        ({"client": "mysql", "connection": "mysql://me%40x:secret@db/n"}, "mysql://me%40x@db:3306/n TARGET"),
        (
            {
                "client": "mysql",
                "connection": {"socketPath": "/run/my sql", "database": "n", "user": "me", "timezone": "utc"},
            },
            "mysql://me@/n?socket=/run/my%20sql TARGET",
        ),
        (
            {"client": "mysql", "connection": {"uri": "mysql://me:secret@db/n", "timezone": "local"}},
            "mysql://me@db:3306/n TARGET",
        ),
        ({"client": "mysql", "connection": "mysql://["}, "mysql://USER@localhost:3306/NAME TARGET"),
        ({"client": "mysql"}, "mysql://USER@localhost:3306/NAME TARGET"),
    ],
)
def test_the_command(tmp_path: Path, connection: dict[str, Any], expected: str) -> None:
    write(tmp_path, {"config/database.json": {"connection": connection}})
    assert problems(tmp_path) == [
        "config/database.json:1: connection.client: expected sqlite or postgres, because Octavo does not serve MySQL. "
        f"Copy the data with `octavo db copy {expected}`; set client = ... in config/database.toml"
    ]


def test_values_that_need_running_code(tmp_path: Path) -> None:
    file = """module.exports = ({ env }) => ({ connection: { client: env('DATABASE_CLIENT', 'mysql'), connection: {
        host: env('DATABASE_HOST', 'db'), database: secrets.name, user: env('DATABASE_USERNAME'), password: 'secret',
    } } });"""
    write(tmp_path, {"config/database.js": file})
    [problem] = problems(tmp_path, {"DATABASE_HOST": "other"})
    assert "`octavo db copy mysql://USER@other:3306/NAME TARGET`" in problem
    assert "secret" not in problem


def test_keys_of_mysql_do_not_apply_to_another_database(tmp_path: Path) -> None:
    """Else the copy would be looked for at the port of MySQL."""
    files = {
        "config/database.json": {"connection": {"client": "mysql", "connection": SERVER}},
        "config/database.toml": 'client = "postgres"\nname = "copied"',
    }
    database = read(tmp_path, files).database
    assert (database.host, database.port, database.name, database.user) == ("localhost", 5432, "copied", None)
    assert (database.password, database.ssl) == (None, "prefer")
