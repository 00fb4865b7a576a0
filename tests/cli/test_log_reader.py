"""A service whose log is not read or cannot be written responds and stops as usual."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.processes import PATIENCE, ROOT, Server, free_port
from tests.cli.projects import make_project

PIPE = 64 * 1024
LINE = 200
"""Fewer bytes than a line of the access log has."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "site")


def start(project: Path, workers: int, redirections: str, **more: str) -> Server:
    port = free_port()
    command = f"exec {sys.executable} -m octavo start --project {project} --port {port} --workers {workers}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **more}
    shell = ["sh", "-c", f"{command} {redirections}"]
    process = subprocess.Popen(shell, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return Server(process, port)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_reader_that_stalls(project: Path, workers: int) -> None:
    server = start(project, workers, "", OCTAVO_SERVER__LOG__ACCESS="true")
    try:
        server.wait()
        for _ in range(2 * PIPE // LINE):
            assert server.get("/api/stories")[0] == 403
        assert server.get("/_health") == (204, None)
        server.process.terminate()
        assert server.process.wait(PATIENCE) == 0
    finally:
        server.process.kill()
        server.process.communicate()


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("redirections", [">&- 2>&-", ">/dev/full 2>/dev/full", ">&-", "2>&-"])
def test_streams_that_cannot_be_written(project: Path, workers: int, redirections: str) -> None:
    server = start(project, workers, redirections)
    try:
        server.wait()
        assert server.get("/api/stories")[0] == 403
        server.process.terminate()
        assert server.process.wait(PATIENCE) == 0
    finally:
        server.process.kill()
        server.process.communicate()
