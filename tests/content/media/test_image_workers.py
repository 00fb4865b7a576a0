"""Workers for images: results, errors, limits on time and memory, and slow functions beside fast ones."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

from octavo.content.media.image_workers import ImageWorkers, WorkerLimits
from octavo.core.errors import ApplicationError, ServiceUnavailable

LIMITS = WorkerLimits(seconds=20, memory=150 << 20, at_once=1, slow=1, slow_after=0.2)


@pytest.fixture
def workers() -> Iterator[ImageWorkers]:
    with_limits = ImageWorkers(LIMITS)
    yield with_limits
    with_limits.close()


def test_a_worker_is_another_process_and_is_reused() -> None:
    workers = ImageWorkers(WorkerLimits(slow_after=30))
    first, second = workers.run_blocking(os.getpid), workers.run_blocking(os.getpid)
    assert first == second != os.getpid()
    workers.close()


@pytest.mark.parametrize(
    "work, message",
    [
        (
            partial(bytearray, 200 << 20),
            "The image needs more than 150 MB of memory. Save it with fewer pixels",
        ),
        (os.abort, "The image cannot be processed. Save it again with another program"),
        (partial(os.truncate, __file__, -1), "The image cannot be processed. Save it again with another program"),
        (partial(int, "x"), "The image cannot be processed. Save it again with another program"),
    ],
)
def test_failures_are_errors_of_the_request(workers: ImageWorkers, work: Callable[[], Any], message: str) -> None:
    with pytest.raises(ApplicationError) as raised:
        workers.run_blocking(work)
    assert raised.value.message == message
    assert workers.run_blocking(partial(int, "7")) == 7


def test_slow_functions_are_stopped(tmp_path: Path) -> None:
    workers = ImageWorkers(WorkerLimits(seconds=1, slow_after=0.1))
    with pytest.raises(ApplicationError, match="needs more than 1 seconds to process"):
        workers.run_blocking(partial(time.sleep, 3600))
    workers.close()


def test_a_slow_function_delays_only_itself(workers: ImageWorkers, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)  # the first function waits until the test writes to the pipe
    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(workers.run_blocking, partial(Path.read_text, pipe))
        assert workers.run_blocking(partial(int, "7")) == 7
        assert not slow.done()
        pipe.write_text("written")
        assert slow.result() == "written"


def test_heavy_functions_wait_for_each_other_and_delay_no_others(tmp_path: Path) -> None:
    workers, pipe = ImageWorkers(WorkerLimits(slow_after=300, seconds=600)), tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(workers.run_blocking, partial(Path.read_text, pipe), heavy=True)
        with pipe.open("w") as written:  # waits until the first function reads
            second = threads.submit(workers.run_blocking, partial(int, "8"), heavy=True)
            assert workers.run_blocking(partial(int, "7")) == 7
            assert not second.done()
            written.write("written")
        assert (first.result(), second.result()) == ("written", 8)
    workers.close()


def test_a_worker_that_was_killed_is_replaced(workers: ImageWorkers) -> None:
    first = workers.run_blocking(os.getpid)
    os.kill(first, 9)
    while psutil.Process(first).status() != psutil.STATUS_ZOMBIE:  # its memory is released before
        time.sleep(0.01)
    assert workers.run_blocking(os.getpid) != first


@pytest.mark.parametrize(
    "work, reason",
    [
        (partial(Path("/dev/full").write_text, "x"), "an image cannot be processed"),
        (partial(Path("/missing/file").read_bytes), "an image cannot be processed"),
        (partial(signal.raise_signal, signal.SIGKILL), "a worker for images was stopped: a signal ended it: 9"),
    ],
)
def test_faults_of_the_machine_make_the_service_unavailable(
    workers: ImageWorkers, work: Callable[[], Any], reason: str
) -> None:
    with pytest.raises(ServiceUnavailable) as raised:
        workers.run_blocking(work)
    assert raised.value.reason == reason
    assert workers.run_blocking(partial(int, "7")) == 7


def test_workers_receive_no_secrets(workers: ImageWorkers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_PASSWORD", "secret")
    assert workers.run_blocking(partial(os.getenv, "DATABASE_PASSWORD")) is None


def test_a_worker_that_cannot_start_makes_images_unavailable(
    workers: ImageWorkers, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "missing"))
    with pytest.raises(ServiceUnavailable, match="Images cannot be processed"):
        workers.run_blocking(os.getpid)
