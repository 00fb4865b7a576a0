"""Services for concurrent requests.

On database servers two processes run, so in-process caches and locks are not enough. On SQLite there is one.
"""

import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.cli.processes import serving
from tests.cli.projects import database_variables, write_type
from tests.concurrency.service import PART, SECRETS, TYPES, Service
from tests.models.club import NEVER
from tests.mysql_server import MysqlServer
from tests.postgresql_server import PostgresqlServer


def _project(project: Path) -> Path:
    for definition in TYPES:
        write_type(project, definition)
    (project / "src/components/shared").mkdir(parents=True)
    (project / "src/components/shared/part.json").write_text(json.dumps(PART), "utf-8")
    (project / "public/uploads").mkdir(parents=True)
    (project / ".env").write_text(SECRETS, "utf-8")
    return project


@contextmanager
def _served(request: pytest.FixtureRequest, project: Path, command: str, count: int) -> Iterator[Service]:
    """Serve a project on SQLite, or in `count` processes on a server, with its first administrator."""
    with ExitStack() as stack:
        variables, processes = {}, 1
        if request.param == "postgresql":
            server: PostgresqlServer = request.getfixturevalue("postgresql_server")
            url = server.create_database()
            stack.callback(server.drop_database, url)
            variables, processes = database_variables(url), count
        elif request.param == "mysql":
            other: MysqlServer = request.getfixturevalue("mysql_server")
            name = other.create_database()
            stack.callback(other.drop_database, name)
            variables, processes = {"DATABASE_URL": other.url(name)}, count
        running = [stack.enter_context(serving(command, project, **variables, **NEVER)) for _ in range(processes)]
        found = Service([one.port for one in running], project)
        person = {"password": "Passw0rd-of-Ada", "firstname": "Ada", "lastname": "L"}
        firsts = found.ten(
            lambda number: found.ask(
                "POST", "/admin/register-admin", {**person, "email": f"ada{number}@example.org"}, port=number
            )
        )
        assert Counter(status for status, _ in firsts) == {200: 1, 400: 9}, "one first administrator"
        found.token = next(answer["data"]["token"] for status, answer in firsts if status == 200)
        yield found


@pytest.fixture(scope="module", params=["sqlite", "postgresql", "mysql"])
def service(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service on each database, in production mode."""
    with _served(request, _project(tmp_path_factory.mktemp("ten")), "start", 2) as found:
        found.make("POST", "/i18n/locales", {"code": "fr", "name": "French (fr)", "isDefault": False})
        body = {"name": "full", "description": "", "type": "full-access", "lifespan": None}
        found.full = found.make("POST", "/admin/api-tokens", body)["data"]["accessKey"]
        time.sleep(1.2)  # other processes see both within a second
        yield found


@pytest.fixture(scope="module", params=["sqlite", "postgresql", "mysql"])
def building(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service on each database, in development mode: content types can be created, and mails are files."""
    with _served(request, _project(tmp_path_factory.mktemp("ten")), "develop", 1) as found:
        yield found
