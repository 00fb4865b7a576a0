"""Listening on a Unix socket, and on sockets that systemd passes, with one worker and with several."""

import http.client
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pytest

from octavo.api.http.proxies import TrustedProxies
from octavo.operations.runtime.listening import listening
from octavo.operations.runtime.prepare_database import StartFailed
from octavo.settings import SettingsError, load_settings
from octavo.settings.files.server import Server
from octavo.settings.lint import lint_warnings
from tests.cli.processes import PATIENCE, ROOT, run, spawn
from tests.cli.projects import make_project

ACTIVATE: Final = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ |= {"LISTEN_FDS": sys.argv[2], "LISTEN_PID": str(os.getpid())}
os.execv(sys.executable, [sys.executable, "-m", "octavo", *sys.argv[3:]])
"""
WORKERS = pytest.mark.parametrize("workers", ["1", "2"])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "site")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "octavo.sock"


class Connection(http.client.HTTPConnection):
    """An HTTP connection over a Unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("cms.example.org", timeout=PATIENCE)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(str(self._path))


def ask(path: Path, target: str, method: str = "GET", body: Any = None, **headers: str) -> int:
    connection = Connection(path)
    given = {"Content-Type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
    with closing(connection):
        connection.request(method, target, None if body is None else json.dumps(body), given)
        answer = connection.getresponse()
        answer.read()
    return answer.status


def wait(path: Path, process: subprocess.Popen[str]) -> None:
    """Wait until the service responds."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            assert ask(path, "/_ready") == 200
            return
        except (OSError, http.client.HTTPException):
            assert process.poll() is None, process.communicate()[0]
            time.sleep(0.02)
    raise TimeoutError


@contextmanager
def ended(process: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=PATIENCE)


def hear(process: subprocess.Popen[str], text: str) -> None:
    """Read the output up to a line."""
    assert process.stdout is not None
    assert any(text in line for line in process.stdout)


def start(project: Path, path: Path, *options: str, **variables: str) -> subprocess.Popen[str]:
    return spawn("start", "--project", str(project), "--host", f"unix:{path}", *options, **variables)


@WORKERS
def test_a_service_listens_on_a_unix_socket(project: Path, path: Path, workers: str) -> None:
    """Octavo trusts forwarded client addresses: only users with access to the socket can send them."""
    with ended(start(project, path, "--workers", workers, OCTAVO_SERVER__SOCKET_MODE="600")) as process:
        wait(path, process)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        hear(process, f"unix:{path}")
        assert run("ready", "--project", str(project)) == (0, "ready\n")
        wrong = {"identifier": "ann@example.org", "password": "wrong-one"}
        tries = [ask(path, "/api/auth/local", "POST", wrong, X_Forwarded_For="203.0.113.4") for _ in range(7)]
        assert tries == [400] * 5 + [429] * 2
        assert ask(path, "/api/auth/local", "POST", wrong, X_Forwarded_For="203.0.113.5") == 400
        process.send_signal(signal.SIGHUP)
        wait(path, process)
        process.terminate()
        assert process.wait(PATIENCE) == 0
        assert not path.exists()


def test_a_stale_socket_is_replaced(project: Path, path: Path) -> None:
    with ended(start(project, path)) as process:
        wait(path, process)
        process.kill()
        process.wait(PATIENCE)
        assert path.exists()
    with ended(start(project, path)) as process:
        wait(path, process)
        code, said = run("start", "--project", str(project), "--host", f"unix:{path}")
        assert code == 1
        assert f"Another service listens on the Unix socket {path}; choose another with --host" in said
        assert ask(path, "/_health") == 204


def test_a_socket_whose_queue_of_connections_is_full_is_in_use(path: Path) -> None:
    with ExitStack() as stack, socket.socket(socket.AF_UNIX) as service:
        service.bind(str(path))
        service.listen(0)
        with suppress(BlockingIOError):
            while True:
                client = stack.enter_context(socket.socket(socket.AF_UNIX))
                client.setblocking(False)
                client.connect(str(path))
        options = Server(host=f"unix:{path}")
        with pytest.raises(StartFailed, match="Another service listens"), listening(options, None):
            pass


def test_problems_of_the_socket_are_reported(project: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", "utf-8")

    def error(host: str, **variables: str) -> str:
        code, said = run("start", "--project", str(project), "--host", host, **variables)
        assert code == 1
        return said

    assert f"{tmp_path}/file: a file of this name exists" in error(f"unix:{tmp_path}/file")
    assert (tmp_path / "file").read_text("utf-8") == "mine"
    assert "No such file or directory" in error(f"unix:{tmp_path}/none/octavo.sock")
    assert "too long" in error(f"unix:{tmp_path}/{'x' * 108}")
    nobody = error(f"unix:{tmp_path}/a.sock", OCTAVO_SERVER__SOCKET_OWNER="nobody-of-this-name")
    assert "server.socketOwner: nobody-of-this-name" in nobody
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "site"]


def test_settings_of_the_socket(project: Path) -> None:
    """A service behind a Unix socket trusts the proxy, so its address is not required."""
    variables = {"HOST": "unix:/run/octavo.sock", "PUBLIC_URL": "https://cms.example.org"}
    settings = load_settings(project, variables, mode="production")
    assert (settings.server.unix_socket, settings.server.socket_mode) == (Path("/run/octavo.sock"), "660")
    assert [*lint_warnings(settings)] == []
    assert "" in TrustedProxies(unix=True)
    assert "" not in TrustedProxies(["127.0.0.1"])
    for bad in ({"HOST": "unix:octavo.sock"}, {"OCTAVO_SERVER__SOCKET_MODE": "999"}):
        with pytest.raises(SettingsError):
            load_settings(project, bad)


@pytest.mark.parametrize("value", ["0o660", "660", "432"])
def test_permissions_of_the_socket_are_a_string(project: Path, value: str) -> None:
    """The integer `0o660` has the decimal digits 432. As an octal number, these would let all users connect."""
    file = project / "config/server.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"socketMode = {value}\n", "utf-8")
    with pytest.raises(SettingsError, match='such as "660"'):
        load_settings(project, {}, mode="production")
    file.write_text('socketMode = "0660"\n', "utf-8")
    assert load_settings(project, {}, mode="production").server.socket_mode == "660"


def activate(listener: socket.socket, project: Path, *options: str, count: str = "1") -> subprocess.Popen[str]:
    """Start a service as systemd does, with an open socket."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    number = str(listener.fileno())
    command = [sys.executable, "-c", ACTIVATE, number, count, "start", "--project", str(project), *options]
    return subprocess.Popen(
        command,
        env={**kept, "PYTHONPATH": str(ROOT / "src"), "PYTHONUNBUFFERED": "1"},
        pass_fds=(listener.fileno(),),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@WORKERS
def test_a_unix_socket_of_systemd(project: Path, path: Path, workers: str) -> None:
    """Connections that arrive before the start, and during a restart, wait in the socket."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(16)
        for _ in range(2):
            with ended(activate(listener, project, "--workers", workers)) as process:
                assert ask(path, "/_ready") == 200
                wrong = {"identifier": "ann@example.org", "password": "wrong-one"}
                assert ask(path, "/api/auth/local", "POST", wrong, X_Forwarded_For="203.0.113.4") == 400
                process.terminate()
                assert process.wait(PATIENCE) == 0
        assert path.exists()


@WORKERS
def test_a_tcp_socket_of_systemd(project: Path, workers: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with ended(activate(listener, project, "--workers", workers)) as process:
            asking = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            asking.request("GET", "/_ready")
            assert asking.getresponse().status == 200
            asking.close()
            hear(process, f"http://localhost:{port}")
            assert run("ready", "--project", str(project)) == (0, "ready\n")


def test_sockets_that_cannot_be_used(project: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        said = activate(listener, project, count="2").communicate(timeout=PATIENCE)[0]
        assert "Octavo listens on one socket, but systemd has passed 2" in said
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        said = activate(datagrams, project).communicate(timeout=PATIENCE)[0]
        assert "does not listen for streams" in said
