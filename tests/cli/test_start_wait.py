"""A start while its database is down, full, or refuses permanently."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.cli.processes import PATIENCE, Server, failure, free_port, run, spawn
from tests.cli.projects import database_variables, make_project
from tests.postgresql_server import PostgresqlServer, database_name

UNLIMITED = {"OCTAVO_DATABASE__START_WAIT": "unlimited"}
FORBIDDEN = {
    "data": None,
    "error": {"status": 403, "name": "ForbiddenError", "message": "Forbidden", "details": {}},
}
STARTING = {
    "data": None,
    "error": {
        "status": 503,
        "name": "ServiceUnavailableError",
        "message": "The service is starting and waits for its database",
        "details": {},
    },
}
REASONS = ["starting: the database is not available yet"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "site")


@contextmanager
def manager_at(path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(path))
        listening.settimeout(PATIENCE)
        yield listening


def states_until(manager: socket.socket, last: str) -> list[str]:
    states: list[str] = []
    while not states or states[-1] != last:
        states += manager.recv(2000).decode().split("\n")
    return states


@pytest.mark.parametrize("workers", ["1", "2"])
def test_waits_for_a_database_that_is_down(
    project: Path, tmp_path: Path, own_postgresql_server: PostgresqlServer, workers: str
) -> None:
    variables = {**UNLIMITED, **database_variables(own_postgresql_server.create_database())}
    own_postgresql_server.stop()
    port = free_port()
    options = ("start", "--project", str(project), "--port", str(port), "--workers", workers)
    with manager_at(tmp_path / "manager") as manager:
        server = Server(spawn(*options, NOTIFY_SOCKET=str(tmp_path / "manager"), **variables), port)
        try:
            server.wait()
            assert server.get("/_ready") == (503, {"ready": False, "reasons": REASONS})
            assert server.get("/api/stories?x=1") == (503, STARTING)
            waiting = json.loads(server.hear_of("tries again in")[-1])
            own_postgresql_server.start()
            states = states_until(manager, "READY=1")
            assert server.get("/api/stories") == (403, FORBIDDEN)
            code, output = server.stop()
        finally:
            server.process.kill()
    assert waiting["level"] == "warning"
    assert waiting["message"].startswith("The database cannot be reached: PostgreSQL at ")
    assert waiting["message"].endswith("; the start continues to wait and tries again in 0.5 s")
    assert states[0].startswith("STATUS=The database cannot be reached: PostgreSQL at ")
    assert states[1].startswith("EXTEND_TIMEOUT_USEC=120")
    assert "STATUS=The database is available" in states
    assert (code, "The database is available after" in output) == (0, True)


def test_waits_for_a_connection(project: Path, own_postgresql_server: PostgresqlServer) -> None:
    url = own_postgresql_server.create_database()
    own_postgresql_server.run_sql("postgres", "CREATE ROLE site LOGIN CONNECTION LIMIT 0")
    own_postgresql_server.run_sql("postgres", f'ALTER DATABASE "{database_name(url)}" OWNER TO site')
    variables = {**UNLIMITED, **database_variables(url), "DATABASE_USERNAME": "site"}
    port = free_port()
    server = Server(spawn("start", "--project", str(project), "--port", str(port), **variables), port)
    try:
        line = server.hear_of("tries again in")[-1]
        own_postgresql_server.run_sql("postgres", "ALTER ROLE site CONNECTION LIMIT -1")
        assert server.wait_for("/api/stories", 403) == FORBIDDEN
        assert server.stop()[0] == 0
    finally:
        server.process.kill()
    assert "TooManyConnectionsError" in line


def test_ends_when_the_time_is_over(project: Path) -> None:
    address = f"postgresql://somebody@127.0.0.1:{free_port()}/nothing"
    variables = {"DATABASE_URL": address, "OCTAVO_DATABASE__START_WAIT": "1s"}
    code, output = run("start", "--project", str(project), "--port", str(free_port()), **variables)
    lines = [json.loads(line)["message"] for line in output.splitlines() if line.startswith("{")]
    assert code == 1
    assert lines[0].endswith("; the start continues to wait for up to 1 s and tries again in 0.5 s")
    assert failure(output).splitlines()[-1].startswith("Error: The database cannot be reached: ")


def test_permanent_errors_fail_immediately(project: Path, postgresql_url: str) -> None:
    variables = {**UNLIMITED, **database_variables(postgresql_url)}
    start = ("start", "--project", str(project), "--port", "0")
    for wrong in ({"DATABASE_NAME": "nothing"}, {"DATABASE_USERNAME": "nobody"}, {"DATABASE_SCHEMA": "stagin"}):
        code, output = run(*start, **{**variables, **wrong})
        assert (code, output.count("\n")) == (1, 1)
        assert failure(output).startswith("Error: The database cannot be reached: PostgreSQL at ")


def test_responses_during_the_wait_are_complete(project: Path) -> None:
    address = f"postgresql://somebody@127.0.0.1:{free_port()}/nothing"
    port = free_port()
    start = spawn("start", "--project", str(project), "--port", str(port), DATABASE_URL=address, **UNLIMITED)
    server = Server(start, port)
    try:
        server.wait()
        with server.connect() as connection:
            connection.sendall(b"HEAD /api/stories HTTP/1.1\r\nHost: localhost\r\n\r\n")
            received = b"".join(iter(lambda: connection.recv(1000), b""))
        with server.connect() as connection:
            connection.sendall(b"\r\n\r\n")
            assert connection.recv(1000).startswith(b"HTTP/1.1 503 ")
        with urlopen(f"http://127.0.0.1:{port}/_HEALTH/", timeout=PATIENCE) as answer:
            assert answer.status == 204
    finally:
        start.terminate()
        start.communicate(timeout=PATIENCE)
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
    assert {b"retry-after: 5", b"connection: close"} <= set(head.split(b"\r\n"))
    assert body == b""
