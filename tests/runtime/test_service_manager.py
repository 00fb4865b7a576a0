"""What systemd is told (`Type=notify`): ready when requests are answered, and that the service ends."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from octavo.operations.runtime.service_manager import READY, tell_manager
from tests.cli.processes import PATIENCE, Server, free_port, spawn
from tests.cli.projects import make_project


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "manager"))
        listening.settimeout(PATIENCE)
        yield listening


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_manager_is_told(tmp_path: Path, manager: socket.socket, workers: str) -> None:
    project, port = make_project(tmp_path / "site"), free_port()
    options = ("start", "--project", str(project), "--port", str(port), "--workers", workers)
    server = Server(spawn(*options, NOTIFY_SOCKET=str(tmp_path / "manager")), port)
    assert manager.recv(100) == b"READY=1"
    assert server.get("/_ready") == (200, {"ready": True, "reasons": []})
    code, said = server.stop()
    assert code == 0, said
    if workers == "1":
        assert manager.recv(100) == b"STOPPING=1"


def test_what_cannot_be_told_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tell_manager(READY)
    assert caplog.messages == []
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "nobody"))
    tell_manager(READY)
    assert caplog.messages[0].startswith("Could not notify the service manager of READY=1")
    monkeypatch.setenv("NOTIFY_SOCKET", "@octavo-test-nobody")
    tell_manager(READY)
    assert len(caplog.messages) == 2
