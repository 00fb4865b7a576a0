"""SIGHUP reloads the service, with one worker and with several, without failed requests."""

import json
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.processes import Server, run, serving
from tests.cli.projects import PLACE, make_project, write_type

DONE = {1: "Reloaded the project", 2: "all workers are replaced"}
TALE: dict[str, Any] = {
    **PLACE,
    "collectionName": "tales",
    "info": {"singularName": "tale", "pluralName": "tales", "displayName": "Tale"},
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "site")


@contextmanager
def requesting(server: Server) -> Iterator[list[int]]:
    """Send one request after another, each on a new connection. All must get a response."""
    found: list[int] = []
    ended = threading.Event()

    def send() -> None:
        while not ended.is_set():
            try:
                found.append(server.get("/api/stories")[0])
            except OSError:
                found.append(0)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield found
    finally:
        ended.set()
        sender.join()


@pytest.mark.parametrize("workers", [1, 2])
def test_reloads_without_a_lost_request(project: Path, workers: int) -> None:
    with serving("start", project, "--workers", str(workers)) as server:
        server.hear_of("Octavo serves")
        assert server.get("/api/tales")[0] == 404
        with requesting(server) as found:
            write_type(project, TALE)
            server.process.send_signal(signal.SIGHUP)
            lines = server.hear_of(DONE[workers])
            assert server.get("/api/tales")[0] == 403
            write_type(project, "{")
            server.process.send_signal(signal.SIGHUP)
            reported = server.hear_of("The change is invalid; the previous version is still served.")[-1]
            assert server.get("/api/tales")[0] == 403
        code, _ = server.stop()
    assert any("SIGHUP: reloading the project" in line for line in lines)
    assert json.loads(reported)["level"] == "error"
    assert code == 0
    assert set(found) == {403}


@pytest.mark.parametrize("workers", [1, 2])
def test_reloads_log_levels(project: Path, workers: int) -> None:
    settings = project / "config/server.toml"
    settings.parent.mkdir()
    with serving("start", project, "--workers", str(workers)) as server:
        server.hear_of("Octavo serves")
        settings.write_text('[log]\naccess = true\nlevels = {"octavo.access" = "error"}\n', "utf-8")
        server.process.send_signal(signal.SIGHUP)
        server.hear_of(DONE[workers])
        server.get("/api/stories")
        settings.write_text("[log]\naccess = true\n", "utf-8")
        server.process.send_signal(signal.SIGHUP)
        silent = server.hear_of(DONE[workers])
        server.get("/api/stories")
        server.hear_of("octavo.access")
        assert server.stop()[0] == 0
    assert not any("octavo.access" in line for line in silent)


def test_reads_secrets_in_files_again(project: Path, tmp_path: Path) -> None:
    secret = tmp_path / "token"
    secret.write_text("the-first-token-of-the-metrics", "utf-8")
    variables = {"OCTAVO_SERVER__METRICS__TOKEN_FILE": str(secret)}
    with serving("start", project, **variables) as server:
        server.hear_of("Octavo serves")
        secret.write_text("the-second-token-of-the-metrics", "utf-8")
        assert run("reload", "--project", str(project)) == (
            0,
            f"Sent SIGHUP to process {server.process.pid}. The service's log shows the result.\n",
        )
        server.hear_of(DONE[1])
        code, _ = run("status", "--project", str(project), OCTAVO_SERVER__METRICS__TOKEN=secret.read_text("utf-8"))
        assert code == 0


@pytest.mark.parametrize("command", ["develop", None])
def test_finds_no_service_to_reload(project: Path, command: str | None) -> None:
    own = ("--project", str(project))
    if command is None:
        code, output = run("reload", *own)
    else:
        with serving(command, project) as server:
            server.hear_of("Octavo serves")
            code, output = run("reload", *own)
            assert server.process.poll() is None
    assert (code, output.startswith(f"Error: No service of {project} was started by `octavo start`")) == (1, True)


def test_another_process_with_the_same_id_is_not_reloaded(project: Path) -> None:
    with serving("start", project) as server:
        server.hear_of("Octavo serves")
        record = project / ".octavo/service.json"
        record.write_text(json.dumps({**json.loads(record.read_text("utf-8")), "born": "1"}), "utf-8")
        assert run("reload", "--project", str(project))[0] == 1
        assert server.process.poll() is None
