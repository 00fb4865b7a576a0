"""Template databases, written once per test run and copied for each test: writing one takes ten times as long."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.models.site import mysql_variables, postgresql_variables
from tests.mysql_server import MysqlServer
from tests.postgresql_server import PostgresqlServer


@dataclass(frozen=True)
class Copy:
    """A copy of a template: a file that still has to be copied, or a database with its URL and variables."""

    file: Path | None = None
    url: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)

    def place(self, target: Path) -> None:
        """Copy the file, if any, to the path where a project looks for its SQLite database."""
        if self.file is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.file, target)


@contextmanager
def copy_of(request: pytest.FixtureRequest, name: str) -> Iterator[Copy]:
    """Return a copy of `sqlite_NAME_template` (a file), `postgresql_NAME_template` or `mysql_NAME_template` (database
    names).

    The requesting fixture has a parameter, `sqlite`, `postgresql` or `mysql`.
    """
    template = request.getfixturevalue(f"{request.param}_{name}_template")
    if request.param == "sqlite":
        yield Copy(file=template)
        return
    if request.param == "mysql":
        other: MysqlServer = request.getfixturevalue("mysql_server")
        with other.copied(template) as name:
            yield Copy(url=other.url(name), variables=mysql_variables(other.url(name)))
        return
    server: PostgresqlServer = request.getfixturevalue("postgresql_server")
    url = server.create_database(template)
    yield Copy(url=url, variables=postgresql_variables(url))
    server.drop_database(url)
