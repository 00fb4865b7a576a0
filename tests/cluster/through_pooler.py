"""A pytest plugin: PostgreSQL databases of tests are reached through PgBouncer in transaction mode.

python -m pytest -p tests.cluster.through_pooler -k postgresql tests/golden
"""

import inspect
import os
from contextlib import ExitStack
from typing import Any

import pytest

from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.topology import ALONE, Topology
from tests import conftest, postgresql_server
from tests.cluster import programs
from tests.cluster.poolers import pooled, through
from tests.postgresql_server import PostgresqlServer, database_name

_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}' AND pid <> pg_backend_pid()"""


class Pooled:
    """A pooler in front of the test run's server. It starts with the server."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._server: PostgresqlServer | None = None
        self._port = 0
        self.count = 0
        """Databases that were opened through it."""

    def start_server(self, name: str | None = None) -> PostgresqlServer:
        server = postgresql_server.start_server(name)
        if name is not None or self._server is None:
            program = programs.found("pgbouncer")
            assert program is not None, programs.how_to_install(["pgbouncer"])
            self._server, self._port = server, self._stack.enter_context(pooled(program, server))
        return server

    def instead(self, url: str | None = None, parameters: Any = None, **_: Any) -> dict[str, Any]:
        """Return the arguments of a database of that server through the pooler, or nothing for others."""
        if self._server is None:
            return {}
        given = parameters or {}
        leads_there = str(given.get("host", url)).partition("host=")[2] or str(given.get("host"))
        if leads_there != str(self._server.data):
            return {}
        self.count += 1
        name = given.get("database") or database_name(url or "")
        direct = self._server.parameters(name)
        return {"url": None, "parameters": through(self._port, name), "topology": self._topology(direct)}

    @staticmethod
    def _topology(direct: Any) -> Topology:
        return Topology("primary", pooled=True, prepared=os.environ.get("POOLER") == "prepared", direct=direct)

    def close(self) -> None:
        self._stack.close()


class Summary:
    """Reports how many databases were opened through the pooler."""

    def __init__(self, made: Pooled) -> None:
        self._made = made

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        terminalreporter.write_line(f"{self._made.count} databases through the pooler")


def pytest_configure(config: pytest.Config) -> None:
    made = Pooled()
    config.add_cleanup(made.close)
    config.pluginmanager.register(Summary(made))
    setattr(conftest, "start_server", made.start_server)  # noqa: B010 - it is imported there
    first = PostgresqlDatabase.__init__
    signature = inspect.signature(first)

    def initialize(self: PostgresqlDatabase, *given: Any, **named: Any) -> None:
        bound = signature.bind(self, *given, **named)
        if not bound.arguments.get("topology", ALONE).pooled:
            bound.arguments.update(made.instead(**{k: v for k, v in bound.arguments.items() if k != "self"}))
        first(*bound.args, **bound.kwargs)

    PostgresqlDatabase.__init__ = initialize  # type: ignore[method-assign]
    create = PostgresqlServer.create_database

    def create_database(self: PostgresqlServer, template: str = "template0") -> str:
        if template != "template0":  # the pooler may still have connections to it
            self.run_sql("postgres", _OTHERS.format(name=template))
        return create(self, template)

    PostgresqlServer.create_database = create_database  # type: ignore[method-assign]
