"""The ASGI application factory: uvicorn serves a project."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.processes import ROOT, Server, free_port
from tests.cli.projects import make_project


def test_uvicorn_serves_a_project(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    port = free_port()
    project = make_project(tmp_path)
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "uvicorn",
            "--factory",
            "octavo.asgi:create",
            "--port",
            str(port),
            "--no-access-log",
        ],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT / "src"),
            "OCTAVO_PROJECT": str(project),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    server = Server(process, port)
    try:
        server.wait()
        assert server.get("/api/stories")[0] == 403
    finally:
        code, output = server.stop()
    assert code in (0, -15)
    assert "Traceback" not in output
