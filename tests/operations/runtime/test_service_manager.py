"""Notifications for systemd (`Type=notify`): ready when requests are served, and stopping."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from octavo.operations.runtime.service_manager import READY, notify_service_manager, watchdog_seconds
from tests.cli.processes import PATIENCE, Server, free_port, spawn
from tests.cli.projects import make_project


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "manager"))
        listening.settimeout(PATIENCE)
        yield listening


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_manager_is_notified(tmp_path: Path, manager: socket.socket, workers: str) -> None:
    project, port = make_project(tmp_path / "site"), free_port()
    options = ("start", "--project", str(project), "--port", str(port), "--workers", workers)
    server = Server(spawn(*options, NOTIFY_SOCKET=str(tmp_path / "manager")), port)
    assert manager.recv(100) == b"READY=1"
    assert server.get("/_ready") == (200, {"ready": True, "reasons": []})
    code, said = server.stop()
    assert code == 0, said
    if workers == "1":
        assert manager.recv(100) == b"STOPPING=1"


def test_failed_notifications_are_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    notify_service_manager(READY)
    assert caplog.messages == []
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "nobody"))
    notify_service_manager(READY)
    assert caplog.messages[0].startswith("Could not notify the service manager of READY=1")
    monkeypatch.setenv("NOTIFY_SOCKET", "@octavo-test-nobody")
    notify_service_manager(READY)
    assert len(caplog.messages) == 2


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_running_loop_notifies_the_watchdog(tmp_path: Path, manager: socket.socket, workers: str) -> None:
    project, port = make_project(tmp_path / "site"), free_port()
    options = ("start", "--project", str(project), "--port", str(port), "--workers", workers)
    variables = {"NOTIFY_SOCKET": str(tmp_path / "manager"), "WATCHDOG_USEC": "200000"}
    server = Server(spawn(*options, **variables), port)
    found: list[bytes] = []
    while found.count(b"WATCHDOG=1") < 5:
        found.append(manager.recv(100))
    assert READY.encode() in found
    code, said = server.stop()
    assert code == 0, said


def test_a_watchdog_of_another_process_is_not_notified(tmp_path: Path, manager: socket.socket) -> None:
    project, port = make_project(tmp_path / "site"), free_port()
    variables = {"NOTIFY_SOCKET": str(tmp_path / "manager"), "WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"}
    server = Server(spawn("start", "--project", str(project), "--port", str(port), **variables), port)
    assert manager.recv(100) == b"READY=1"
    assert server.stop()[0] == 0
    assert manager.recv(100) == b"STOPPING=1"


@pytest.mark.parametrize(
    "limit, watched, seconds",
    [("30000000", "7", 30.0), ("500000", None, 0.5), ("500000", "8", None), ("0", "7", None), ("soon", "7", None)],
)
def test_the_time_limit_of_the_watchdog(
    monkeypatch: pytest.MonkeyPatch, limit: str, watched: str | None, seconds: float | None
) -> None:
    assert watchdog_seconds(7) is None
    monkeypatch.setenv("WATCHDOG_USEC", limit)
    if watched is not None:
        monkeypatch.setenv("WATCHDOG_PID", watched)
    assert watchdog_seconds(7) == seconds
