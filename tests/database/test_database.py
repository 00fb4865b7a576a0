"""The choice of the driver."""

from pathlib import Path

import pytest

from octavo.database import open_database
from octavo.database.mysql import MysqlDatabase
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.sqlite import SqliteDatabase


@pytest.mark.parametrize("url, path", [("sqlite:///a/b.db", "a/b.db"), ("sqlite:////a/b.db", "/a/b.db")])
def test_sqlite(url: str, path: str) -> None:
    database = open_database(url)
    assert isinstance(database, SqliteDatabase)
    assert database.path == Path(path)


@pytest.mark.parametrize("url", ["postgresql://u@h/d", "postgres://u@h/d", None])
def test_postgresql(url: str | None) -> None:
    assert isinstance(open_database(url, parameters={"host": "h"}), PostgresqlDatabase)


@pytest.mark.parametrize("url", ["mysql://u@h/d", "mariadb://u@h/d", None])
def test_mysql(url: str | None) -> None:
    assert isinstance(open_database(url, parameters={"host": "h"}, client="mysql"), MysqlDatabase)


@pytest.mark.parametrize("url", ["oracle://u@h/d", "sqlite:a.db", ""])
def test_neither(url: str) -> None:
    with pytest.raises(ValueError, match="begins with"):
        open_database(url)
