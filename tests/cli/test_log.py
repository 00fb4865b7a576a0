"""The log of a running service: a line for every event, and no secrets."""

import json
import os
import re
import signal
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from tests.cli.processes import Server, serving
from tests.cli.projects import make_project

SECRET = "hush-4711"
LOG = {"OCTAVO_SERVER__LOG__ACCESS": "true", "OCTAVO_SERVER__LOG__LEVEL": "debug"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "site")


def call(server: Server, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, str]:
    """Return the status and the request id."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        given = {"Content-Type": "application/json"} | {name.replace("_", "-"): text for name, text in headers.items()}
        connection.request(method, path, None if body is None else json.dumps(body), given)
        answer = connection.getresponse()
        answer.read()
        return answer.status, answer.headers["x-request-id"]
    finally:
        connection.close()


def test_no_line_holds_a_secret(project: Path) -> None:
    login = {"identifier": f"{SECRET}@example.org", "password": SECRET}
    with serving("start", project, **LOG) as server:
        names = [
            call(server, "GET", f"/api/stories?filters[title][$eq]={SECRET}&token={SECRET}"),
            call(server, "GET", f"/api/stories?filters[nope][$eq]={SECRET}", Authorization=f"Bearer {SECRET}"),
            call(server, "GET", "/api/stories", Cookie=f"session={SECRET}", X_Request_Id=f"{SECRET} and more"),
            call(server, "POST", "/api/stories", {"data": {"title": SECRET}}),
            call(server, "POST", "/api/auth/local", login),
            call(server, "POST", "/api/auth/reset-password", {"code": SECRET, "password": SECRET}),
            call(server, "GET", f"/api/auth/email-confirmation?confirmation={SECRET}"),
            call(server, "POST", "/admin/login", {"email": login["identifier"], "password": SECRET}),
            call(server, "POST", "/graphql", {"query": f'{{ stories(filters: {{title: {{eq: "{SECRET}"}}}}) {{x}} }}'}),
            call(server, "GET", f"/nowhere?{SECRET}"),
        ]
        output = server.stop()[1]
    lines = [json.loads(line) for line in output.splitlines()]
    reported = {line["request.id"]: line for line in lines if line["logger"] == "octavo.access"}
    assert [(reported[name]["http.response.status_code"], name) for _, name in names] == names
    assert SECRET not in output


def test_lines_are_text_while_one_develops(project: Path) -> None:
    with serving("develop", project, **LOG) as server:
        _, name = call(server, "GET", "/api/stories", traceparent=f"00-{'ab' * 16}-{'cd' * 8}-01")
        line = server.hear_of("octavo.access: GET '/api/stories'")[-1]
        server.stop()
    assert name == "ab" * 16
    assert re.search(rf" INFO octavo\.access: GET '/api/stories' 403 in [\d.]+ ms for 127\.0\.0\.1 \[{name}\]$", line)


def test_a_killed_worker_is_logged(project: Path) -> None:
    with serving("start", project, "--workers", "2", **LOG) as server:
        call(server, "GET", "/api/stories")
        reported = json.loads(server.hear_of("octavo.access")[-1])
        os.kill(reported["process.pid"], signal.SIGKILL)
        line = json.loads(server.hear_of("Unexpected exit from worker")[-1])
        server.stop()
    assert (line["level"], line["logger"]) == ("error", "_granian")
