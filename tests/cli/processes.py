"""`octavo` as a separate process, and a minimal HTTP client."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

ROOT = Path(__file__).parents[2]
PATIENCE = 90.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def spawn(*arguments: str, **variables: str) -> subprocess.Popen[str]:
    """Start a command, without the settings in the tests' own environment."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return subprocess.Popen(
        [sys.executable, "-m", "octavo", *arguments],
        env={**kept, "PYTHONPATH": str(ROOT / "src"), "PYTHONUNBUFFERED": "1", **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def run(*arguments: str, **variables: str) -> tuple[int, str]:
    """Run a command. Return its exit code and output."""
    process = spawn(*arguments, **variables)
    output, _ = process.communicate(timeout=PATIENCE)
    return process.returncode, output


def failure(output: str) -> str:
    """Return the output of a failed command, as text even if it logs JSON."""
    lines = []
    for line in output.splitlines():
        reported = json.loads(line) if line.startswith("{") else {}
        lines.append(f"Error: {reported['message']}" if reported.get("level") == "critical" else line)
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Server:
    """A running service."""

    process: subprocess.Popen[str]
    port: int

    def get(self, path: str) -> tuple[int, Any]:
        try:
            with urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=PATIENCE) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except HTTPError as error:
            return error.code, json.loads(error.read())

    def text(self, path: str) -> str:
        """Return a page's text."""
        with urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=PATIENCE) as answer:
            return str(answer.read().decode())

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def wait(self) -> None:
        """Wait until the service responds."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                assert self.get("/_health") == (204, None)
                return
            except OSError:
                assert self.process.poll() is None, self.process.communicate()[0]
                time.sleep(0.01)
        raise TimeoutError

    def wait_for(self, path: str, status: int) -> Any:
        """Wait for a response with this status, and return it."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                found, body = self.get(path)
            except OSError:
                found, body = 0, None
            if found == status:
                return body
            time.sleep(0.03)
        raise TimeoutError(path)

    def hear(self, start: str) -> list[str]:
        """Return the output up to a line with this prefix."""
        return self._hear(lambda line: line.startswith(start))

    def hear_of(self, text: str) -> list[str]:
        """Return the output up to a line that contains this text."""
        return self._hear(lambda line: text in line)

    def _hear(self, enough: Callable[[str], bool]) -> list[str]:
        """Kill the process if the line does not appear."""
        assert self.process.stdout is not None
        lines: list[str] = []
        watchdog = threading.Timer(PATIENCE, self.process.kill)
        watchdog.start()
        for line in self.process.stdout:
            lines.append(line.rstrip("\n"))
            if enough(line):
                break
        watchdog.cancel()
        return lines

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Stop the service. Return its exit code and output."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        output, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, output


@contextmanager
def serving(command: str, project: Path, *options: str, **variables: str) -> Iterator[Server]:
    """Run a service for the duration of the block, starting when it responds."""
    port = free_port()
    server = Server(spawn(command, "--project", str(project), "--port", str(port), *options, **variables), port)
    try:
        server.wait()
        yield server
    finally:
        if server.process.poll() is None:
            server.process.terminate()
        assert server.process.stdout is not None
        if not server.process.stdout.closed:
            server.process.communicate(timeout=PATIENCE)
