"""`octavo start` as a process: errors at the start, requests, and the shutdown."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.processes import Server, failure, free_port, run, serving, spawn
from tests.cli.projects import STORY, database_variables, make_project, write_type

FORBIDDEN = {
    "data": None,
    "error": {"status": 403, "name": "ForbiddenError", "message": "Forbidden", "details": {}},
}
BIG = 40_000_000


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "site")


def test_serves_a_v4_folder_with_only_its_env(project: Path) -> None:
    with serving("start", project) as server:
        assert server.get("/api/stories") == (403, FORBIDDEN)
        tables, serves = server.hear_of("Octavo serves")[-2:]
        assert json.loads(tables)["message"].endswith(" created")
        assert json.loads(serves)["message"] == f"Octavo serves {project} at http://localhost:{server.port}"
        assert server.stop() == (0, "")
    assert (project / ".octavo/data.db").is_file()


def test_serves_on_postgresql(project: Path, postgresql_url: str) -> None:
    with serving("start", project, **database_variables(postgresql_url)) as server:
        assert server.get("/api/stories") == (403, FORBIDDEN)
        assert server.stop()[0] == 0
    assert not (project / ".octavo").exists()


def test_sigusr1_logs_the_state_of_caches(project: Path) -> None:
    with serving("start", project) as server:
        server.get("/api/stories")
        server.process.send_signal(signal.SIGUSR1)
        messages = server.hear_of("REST lists: ")
        assert any("Caches hold 0.0 of 64.0 MB" in line for line in messages)
        assert server.stop()[0] == 0


def test_a_draining_service_responds(project: Path) -> None:
    with serving("start", project, OCTAVO_SERVER__DRAIN="10m") as server:
        assert server.get("/_ready") == (200, {"ready": True, "reasons": []})
        server.process.send_signal(signal.SIGTERM)
        assert server.wait_for("/_ready", 503)["reasons"] == ["draining: the service is shutting down"]
        assert server.get("/api/stories") == (403, FORBIDDEN)
        server.process.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("workers", [1, 2])
def test_running_requests_finish_at_a_stop(project: Path, number: int, workers: int) -> None:
    (project / "public/big.bin").write_bytes(b"x" * BIG)
    patient = {"OCTAVO_SERVER__SHUTDOWN": "3600"}  # on a busy machine, the other worker may take long to stop
    with serving("start", project, "--workers", str(workers), **patient) as server, server.connect() as connection:
        connection.sendall(b"GET /big.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        received = len(connection.recv(1000))
        server.process.send_signal(number)
        wait_until_refused(server)
        assert server.process.poll() is None
        while piece := connection.recv(1 << 20):
            received += len(piece)
        server.process.wait(90)
        code, output = server.stop()
    assert received > BIG
    assert code == 0
    assert "Traceback" not in output


FORK = """
import os, signal, sys, time
from octavo.operations.runtime.supervisor import reset_signals_in_forks

number = getattr(signal, sys.argv[1])
signal.signal(number, lambda *_: None)
reset_signals_in_forks()
ends = set()
for _ in range(50):
    worker = os.fork()
    if not worker:
        time.sleep(20)
        os._exit(0)
    os.kill(worker, number)
    ends.add(os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]))
os.kill(os.getpid(), number)  # still heard, and handled
print(ends == {-number})
"""


@pytest.mark.parametrize("number", ["SIGTERM", "SIGINT"])
def test_a_worker_is_ended_from_the_first_moment(number: str) -> None:
    """Its signal handlers are not the supervisor's."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", FORK, number], capture_output=True, text=True, check=True, timeout=90, env=environment
    )
    assert done.stdout.strip() == "True"


BETWEEN = """
import asyncio, os, signal
from octavo.api.http.application import HttpApplication
from octavo.api.http.router import Router
from octavo.operations.runtime.supervisor import new_event_loop
from octavo.operations.runtime.worker import stop_on_sigterm

loop, heard, ended = new_event_loop(), [], asyncio.Event()
for number in (signal.SIGTERM, signal.SIGINT):
    loop.add_signal_handler(number, lambda: (heard.append(1), ended.set()))
loop.run_until_complete(stop_on_sigterm(HttpApplication(Router())))

def send(*numbers):
    for number in numbers:
        os.kill(os.getpid(), number)

async def end():
    loop.call_soon(send, signal.SIGINT, signal.SIGTERM)
    await asyncio.wait_for(ended.wait(), 60)
    send(signal.SIGINT, signal.SIGTERM)
    await asyncio.sleep(0.7)

send(signal.SIGINT, signal.SIGTERM)
loop.run_until_complete(end())
print(len(heard))
"""


def test_a_worker_is_ended_while_its_loop_does_not_run() -> None:
    """As between its start and serving, when the loop would lose signals. The server may receive one."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", BETWEEN], capture_output=True, text=True, check=True, timeout=90, env=environment
    )
    assert done.stdout.strip() == "1"


def test_running_requests_of_workers_may_take_long(project: Path) -> None:
    (project / "public/big.bin").write_bytes(b"x" * BIG)
    with serving("start", project, "--workers", "2") as server, server.connect() as connection:
        connection.sendall(b"GET /big.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        received = len(connection.recv(1000))
        for _ in range(3):
            server.process.send_signal(signal.SIGTERM)
            time.sleep(1)
        while piece := connection.recv(1 << 20):
            received += len(piece)
    assert received > BIG


def wait_until_refused(server: Server) -> None:
    for _ in range(4000):
        try:
            server.connect().close()
        except ConnectionRefusedError:
            return
        time.sleep(0.02)
    raise TimeoutError


def test_does_not_wait_for_ever(project: Path) -> None:
    (project / "public/big.bin").write_bytes(b"x" * BIG)
    with serving("start", project, OCTAVO_SERVER__SHUTDOWN="1") as server, server.connect() as connection:
        connection.sendall(b"GET /big.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
        connection.recv(1000)
        code, output = server.stop()
    assert code == 0
    assert "Cut off 1 request that had not finished at the stop" in output


def test_an_idle_connection_does_not_delay_a_stop(project: Path) -> None:
    patient = {"OCTAVO_SERVER__SHUTDOWN": "3600"}
    with serving("start", project, **patient) as server, server.connect() as connection:
        connection.sendall(b"GET /_health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(1000).startswith(b"HTTP/1.1 204")
        assert server.stop()[0] == 0


def test_a_stop_during_the_start(project: Path) -> None:
    """At any time: before Python handles signals, during synchronization, and while the server begins to listen."""
    workers = ("1", "2", "1", "2")
    patient = {"OCTAVO_SERVER__SHUTDOWN": "3600"}
    start = ("start", "--project", str(project), "--port")
    starts = [spawn(*start, str(free_port()), "--workers", number, **patient) for number in workers]
    for number, process in enumerate(starts):
        time.sleep(0.1 + 0.15 * number)
        process.terminate()
    assert {process.wait(timeout=90) for process in starts} <= {0, -signal.SIGTERM}
    assert not any("Traceback" in process.communicate()[0] for process in starts)


def test_a_port_in_use(project: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, output = run("start", "--project", str(project), "--port", str(port))
    message = f"Error: Port {port} of 127.0.0.1 is in use; choose another with --port or the variable PORT\n"
    assert (code, failure(output)) == (1, message)


def test_all_invalid_definitions_are_reported(project: Path) -> None:
    write_type(project, "{")
    broken = {**STORY, "info": {"singularName": "tale", "pluralName": "tales"}, "collectionName": "tales"}
    write_type(project, {**broken, "attributes": {"a": {"type": "strng"}, "b": {"type": "component"}}})
    code, output = run("start", "--project", str(project), "--port", str(free_port()))
    first, *rest = failure(output).splitlines()
    assert code == 1
    assert first == f"Error: {len(rest)} problems in the content type definitions:"
    assert {line.split(":")[0].strip() for line in rest} == {
        f"src/api/{name}/content-types/{name}/schema.json" for name in ("story", "tale")
    }


OTHER_TYPES = {"title": {"type": "integer"}, "kind": {"type": "enumeration", "enum": ["a", "b"]}}
TYPES = {"title": {"type": "string"}, "kind": {"type": "integer"}, "same": {"type": "string"}}
LONGER = {**OTHER_TYPES, "same": {"type": "text"}}
VARCHAR = "character varying(255)"


@pytest.mark.parametrize("options", [("start",), ("start", "--workers", "2"), ("develop",)])
def test_all_mismatched_columns_are_reported(project: Path, postgresql_url: str, options: tuple[str, ...]) -> None:
    variables = database_variables(postgresql_url)
    write_type(project, {**STORY, "attributes": TYPES})
    assert run("db", "upgrade", "--project", str(project), **variables)[0] == 0
    write_type(project, {**STORY, "attributes": LONGER})
    code, output = run(*options, "--project", str(project), "--port", str(free_port()), **variables)
    assert code == 1
    lines = failure(output).splitlines()
    begin = lines.index("Error: Columns of the database contradict the definitions:")
    assert lines[begin + 1 : begin + 3] == [
        f"  stories.title is {VARCHAR}, should be integer",
        f"  stories.kind is integer, should be {VARCHAR}",
    ]
    assert "octavo db convert TYPE ATTRIBUTE" in lines[begin + 3]
    assert "Traceback" not in output


def test_the_command_in_the_error_message_solves_the_problem(project: Path, postgresql_url: str) -> None:
    variables = database_variables(postgresql_url)
    for attributes in (TYPES, LONGER):
        write_type(project, {**STORY, "attributes": attributes})
        assert run("db", "upgrade", "--allow-data-loss", "--project", str(project), **variables)[0] == 0
    with serving("start", project, **variables) as server:
        assert server.get("/api/stories") == (403, FORBIDDEN)


def test_sqlite_serves_columns_of_another_type_and_warns(project: Path) -> None:
    """They accept all values, so nothing fails."""
    write_type(project, {**STORY, "attributes": TYPES})
    assert run("db", "upgrade", "--project", str(project))[0] == 0
    write_type(project, {**STORY, "attributes": LONGER})
    with serving("start", project) as server:
        code, output = server.stop()
    assert code == 0
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    messages = [line["message"] for line in lines if line["level"] == "warning" and "should be" in line["message"]]
    assert messages == [
        "stories.title is varchar(255), should be integer; octavo db convert converts it",
        "stories.kind is integer, should be varchar(255); octavo db convert converts it",
    ]


def test_all_wrong_settings_are_reported(project: Path) -> None:
    (project / "config").mkdir()
    (project / "config/server.toml").write_text('prot = 1\nworkers = "two"\n', "utf-8")
    code, output = run("start", "--project", str(project), OCTAVO_API__REST__DEFAULT_LIMIT="0")
    assert code == 1
    assert failure(output).splitlines() == [
        "Error: 3 problems in the settings:",
        "  config/server.toml: prot: unknown key; did you mean port?",
        '  config/server.toml: workers: expected a whole number, at least 1, not "two"',
        '  OCTAVO_API__REST__DEFAULT_LIMIT: api.rest.defaultLimit: expected a whole number, at least 1, not "0"',
    ]


def test_missing_secrets_are_named(project: Path) -> None:
    (project / ".env").write_text("JWT_SECRET=\n", "utf-8")
    code, output = run("start", "--project", str(project))
    assert code == 1
    how = " (octavo secrets new --missing adds one to .env)"
    assert failure(output).splitlines() == [
        "Error: 2 problems in the settings:",
        f"  .env: JWT_SECRET: expected a secret; production does not start without it{how}",
        f"  .env: API_TOKEN_SALT: expected a secret; production does not start without it{how}",
    ]


def test_a_database_out_of_reach(project: Path) -> None:
    port = free_port()
    address = f"postgresql://somebody:secret-word@127.0.0.1:{port}/nothing"
    variables = {"DATABASE_URL": address, "OCTAVO_DATABASE__START_WAIT": "0"}
    code, output = run("start", "--project", str(project), "--port", "0", **variables)
    assert code == 1
    assert failure(output).startswith(
        f"Error: The database cannot be reached: PostgreSQL at 127.0.0.1:{port}: ConnectionRefused"
    )
    assert "secret-word" not in output
    assert "Traceback" not in output


def test_a_missing_schema(project: Path, postgresql_url: str) -> None:
    variables = {**database_variables(postgresql_url), "DATABASE_SCHEMA": "stagin"}
    code, output = run("start", "--project", str(project), "--port", "0", **variables)
    assert code == 1
    assert "the database has no schema 'stagin'; CREATE SCHEMA" in output


def test_a_folder_that_is_no_project(tmp_path: Path) -> None:
    code, output = run("start", "--project", str(tmp_path))
    assert code == 1
    assert failure(output).startswith(f"Error: {tmp_path} is not a project: it has neither src/ nor config/.")


def test_concurrent_starts_create_one_database(project: Path) -> None:
    ports = [free_port(), free_port()]
    servers = [Server(spawn("start", "--project", str(project), "--port", str(port)), port) for port in ports]
    try:
        for server in servers:
            server.wait()
        assert run("permissions", "list", "--project", str(project), "--json")[1].count('"type"') == 2
    finally:
        assert [server.stop()[0] for server in servers] == [0, 0]


def test_graphql_is_answered_by_every_worker(project: Path) -> None:
    with serving("start", project, "--workers", "2") as server:
        answers = [server.get("/graphql?query={__typename}") for _ in range(10)]
        assert server.stop()[0] == 0
    assert answers == [(200, {"data": {"__typename": "Query"}})] * 10


def test_workers_share_one_sqlite_file(project: Path) -> None:
    with serving("start", project, "--workers", "2") as server:
        assert run("permissions", "grant", "public", "api::story.story.find", "--project", str(project))[0] == 0
        server.wait_for("/api/stories", 200)
        time.sleep(1.1)  # the other worker has noticed by now
        assert {server.get("/api/stories")[0] for _ in range(20)} == {200}
        assert server.stop()[0] == 0
