"""`octavo ready` and `octavo status` find a service started with --port, only while it runs."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from octavo.cli.running import recorded_place, remove_record, write_record
from tests.cli.processes import run, serving

FILE = ".octavo/service.json"
TOKEN = {"OCTAVO_SERVER__METRICS__TOKEN": "a-token-for-those-who-look"}


@pytest.mark.parametrize("command, workers", [("start", 1), ("start", 2), ("develop", 1)])
def test_finds_a_service_by_its_project(project: Path, command: str, workers: int) -> None:
    own = ("--project", str(project))
    more = ("--workers", str(workers)) if workers > 1 else ()
    with serving(command, project, *more, **TOKEN) as server:
        server.hear_of("Octavo serves")
        assert run("ready", *own) == (0, "ready\n")
        code, output = run("status", *own, **TOKEN)
        assert (code, ": ready" in output) == (0, True)
        assert run("ready", *own, "--url", "http://127.0.0.1:1")[0] == 1
        assert server.stop()[0] == 0
    assert not (project / FILE).exists()
    code, output = run("ready", *own, PORT="1")
    assert (code, "no service is listening at http://127.0.0.1:1" in output) == (1, True)


def test_a_record_ends_with_its_process(project: Path) -> None:
    with serving("start", project) as server:
        server.hear_of("Octavo serves")
        assert recorded_place(project) == ("127.0.0.1", server.port)
        server.process.kill()
        server.process.wait()
    assert (project / FILE).exists()
    assert recorded_place(project) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"process": 0},
        {"process": -1},
        {"process": 1 << 99},
        {"process": "1"},
        {"port": None},
        {"host": 1},
        {"machine": "x"},
    ],
)
def test_invalid_records_are_ignored(tmp_path: Path, changes: dict[str, object]) -> None:
    file = tmp_path / FILE
    file.parent.mkdir()
    record = {"host": "127.0.0.1", "port": 1, "process": os.getpid(), "machine": socket.gethostname()}
    file.write_text(json.dumps(record), "utf-8")
    assert recorded_place(tmp_path) == ("127.0.0.1", 1)
    file.write_text(json.dumps({**record, **changes}), "utf-8")
    assert recorded_place(tmp_path) is None
    for text in ("", "[]", "{"):
        file.write_text(text, "utf-8")
        assert recorded_place(tmp_path) is None


def test_leaves_the_record_of_a_later_service(tmp_path: Path) -> None:
    write_record(tmp_path, "127.0.0.1", 1)
    later = f"import pathlib, octavo.cli.running as it; it.write_record(pathlib.Path({str(tmp_path)!r}), 'x', 2)"
    environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", later], check=True, timeout=60, env=environment)
    remove_record(tmp_path)
    assert json.loads((tmp_path / FILE).read_text("utf-8"))["port"] == 2
    write_record(tmp_path, "127.0.0.1", 1)
    remove_record(tmp_path)
    assert not (tmp_path / ".octavo").exists()


def test_a_second_service_on_the_same_port_changes_nothing(project: Path) -> None:
    with serving("start", project) as server:
        server.hear_of("Octavo serves")
        code, output = run("start", "--project", str(project), "--port", str(server.port))
        assert (code, "is in use" in output) == (1, True)
        assert run("ready", "--project", str(project)) == (0, "ready\n")


def test_a_project_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / ".octavo").write_text("in the way", "utf-8")
    write_record(tmp_path, "127.0.0.1", 1)
    assert recorded_place(tmp_path) is None
    remove_record(tmp_path)
