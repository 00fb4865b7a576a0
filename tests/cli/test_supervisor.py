"""If the supervisor is killed, its workers stop."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from tests.cli.processes import PATIENCE, Server, free_port, spawn
from tests.cli.projects import make_project

BIG = 40_000_000
METRICS = {"OCTAVO_SERVER__METRICS__TOKEN": "a-token-for-those-who-look"}


@contextmanager
def supervised(folder: Path) -> Iterator[tuple[Server, list[psutil.Process]]]:
    project, port = make_project(folder / "site"), free_port()
    (project / "public/big.bin").write_bytes(b"x" * BIG)
    temporary = folder / "temporary"
    temporary.mkdir()
    options = ("start", "--project", str(project), "--port", str(port), "--workers", "2")
    server = Server(spawn(*options, TMPDIR=str(temporary), **METRICS), port)
    workers: list[psutil.Process] = []
    try:
        server.wait()
        workers += psutil.Process(server.process.pid).children()
        yield server, workers
    finally:
        for process in workers:
            if is_running(process):
                process.kill()
        server.process.kill()
        server.process.communicate(timeout=PATIENCE)


def is_running(process: psutil.Process) -> bool:
    """Return whether a process still runs. An orphan has no parent that waits for it, so it may remain a zombie."""
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def wait_for_the_end(workers: list[psutil.Process]) -> None:
    deadline = time.monotonic() + PATIENCE
    while any(is_running(worker) for worker in workers):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_workers_end_with_a_killed_supervisor(tmp_path: Path) -> None:
    with supervised(tmp_path) as (server, workers), server.connect() as connection:
        assert len(workers) == 2
        assert [*(tmp_path / "temporary").glob("octavo-*")]
        connection.sendall(b"GET /big.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        received = len(connection.recv(1000))
        server.process.kill()
        while piece := connection.recv(1 << 20):  # the request in progress finishes
            received += len(piece)
        output, _ = server.process.communicate(timeout=PATIENCE)  # until the last worker has closed the stream
        wait_for_the_end(workers)
        with pytest.raises(ConnectionRefusedError):
            server.connect()
    assert received > BIG
    assert output.count("has ended. This worker ends as well") == 2
    assert not [*(tmp_path / "temporary").glob("octavo-*")]


def test_a_stop_removes_the_folder(tmp_path: Path) -> None:
    with supervised(tmp_path) as (server, _):
        code, output = server.stop(signal.SIGTERM)
    assert (code, "This worker ends" in output) == (0, False)
    assert not [*(tmp_path / "temporary").glob("octavo-*")]
