"""`python -m benchmarks.photos`: memory and the latency of other requests while 20 photos are uploaded at once.

Two services have a small magazine each. Requests to the first one are timed while photos are uploaded to it, and in
alternating rounds while the same photos are uploaded to the second one: an equal load in other processes. The memory is
the proportional set size of the server and its workers. Also measures a transformed image: the first request, and a
stored one. Needs `/proc`, so Linux.
"""

import asyncio
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from functools import partial
from http.client import HTTPConnection
from itertools import chain
from multiprocessing.synchronize import Event
from pathlib import Path
from statistics import median, quantiles
from threading import Thread
from typing import Any, Final

import click
import psutil  # type: ignore[import-untyped]

from benchmarks.load_data import TOKEN_FILE, fill, write_project
from benchmarks.uploads import PHOTO, photograph, upload
from tests.cli.processes import Server, serving

_LIST: Final = "/api/articles?pagination[pageSize]=5&populate=*"
_PAUSE: Final = 0.002
_SAMPLE_SECONDS: Final = 0.02
_STORED_REQUESTS: Final = 2000


def tree(server: Server) -> list[Any]:
    root = psutil.Process(server.process.pid)
    return [root, *root.children(recursive=True)]


def proportional(pid: int) -> int:
    """The proportional set size of a process in bytes: shared pages count once."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def spent(server: Server) -> float:
    """The processor time of the server itself, in seconds."""
    times = psutil.Process(server.process.pid).cpu_times()
    return float(times.user + times.system)


@contextmanager
def sampled_peak(server: Server) -> Iterator[list[int]]:
    """Sample the memory; the list has the peak at the end."""
    peak, running = [0], [True]

    def sample() -> None:
        while running:
            with suppress(psutil.Error):
                peak[0] = max(peak[0], sum(proportional(process.pid) for process in tree(server)))
            time.sleep(_SAMPLE_SECONDS)

    thread = Thread(target=sample)
    thread.start()
    try:
        yield peak
    finally:
        running.clear()
        thread.join()


def probe(port: int, stop: Event, results: Any) -> None:
    """Send one small request after the other until `stop`, and report their times in milliseconds."""
    found = []
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        while not stop.is_set():
            start = time.perf_counter()
            connection.request("GET", _LIST)
            answer = connection.getresponse()
            answer.read()
            found.append((time.perf_counter() - start) * 1000)
            assert answer.status == 200
            time.sleep(_PAUSE)
    results.put(found)


def latencies(port: int, beside: Callable[[], Any]) -> list[float]:
    """Return the times of requests while a function runs."""
    context = multiprocessing.get_context("spawn")
    stop, results = context.Event(), context.Queue()
    process = context.Process(target=probe, args=(port, stop, results))
    process.start()
    try:
        time.sleep(1)  # its start is no part of the measurement
        beside()
    finally:
        stop.set()
    found: list[float] = results.get(timeout=60)
    process.join()
    return found


def upload_all(server: Server, token: str, picture: bytes, count: int, urls: list[str]) -> None:
    """Upload a photo several times at once; add the URLs."""
    with ThreadPoolExecutor(count) as threads:
        found = list(threads.map(partial(upload, server, token, len(picture), picture), range(0, 2 * count, 2)))
    assert all(item.status == 200 and len(item.row["formats"]) == 4 for item in found), found[0]
    urls.extend(item.row["url"] for item in found)


def request(server: Server, path: str, count: int = 1) -> None:
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        for _ in range(count):
            connection.request("GET", path, headers={"Accept": "image/webp"})
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200
            assert answer.headers["content-type"] == "image/webp", answer.headers


def measure_transformed(server: Server, urls: list[str]) -> tuple[float, float]:
    """Return the CPU time in milliseconds of a first request, of the server and its workers, and of a stored one."""
    firsts = []
    for url in urls:
        before = sum(sum(process.cpu_times()[:2]) for process in tree(server))
        request(server, f"{url}?preset=card")
        firsts.append(sum(sum(process.cpu_times()[:2]) for process in tree(server)) - before)
    before = spent(server)
    request(server, f"{urls[0]}?preset=card", _STORED_REQUESTS)
    return median(firsts) * 1000, (spent(server) - before) * 1000 / _STORED_REQUESTS


@contextmanager
def magazine(folder: Path) -> Iterator[tuple[Server, str]]:
    """A service with a small magazine, and a token."""
    settings = write_project(folder, {})
    asyncio.run(fill(settings, lambda _done, _all: None, 500))
    presets = {"OCTAVO_API__IMAGES__PRESETS": '{"card": {"width": 800}}'}
    with serving("start", settings.project, **presets) as server:
        yield server, (settings.project / TOKEN_FILE).read_text()
        server.stop()


@click.command()
@click.option("--rounds", default=4, show_default=True)
@click.option("--count", default=20, show_default=True, help="Uploads at once.")
def main(rounds: int, count: int) -> None:
    """Upload photos of 12 megapixels at once; print memory, latencies and the time of transformed images."""
    picture = photograph(4_000_000, PHOTO)
    times: dict[str, list[list[float]]] = {"beside uploads": [], "beside uploads to another service": []}
    peaks = list[float]()
    urls = list[str]()
    with (
        tempfile.TemporaryDirectory(prefix="octavo-photos-") as folder,
        magazine(Path(folder) / "one") as (server, token),
        magazine(Path(folder) / "two") as other,
    ):
        latencies(server.port, partial(time.sleep, 1))  # requests are prepared
        for _ in range(rounds):
            with sampled_peak(server) as peak:
                own = partial(upload_all, server, token, picture, count, urls)
                times["beside uploads"].append(latencies(server.port, own))
            peaks.append(peak[0] / 1e6)
            times["beside uploads to another service"].append(
                latencies(server.port, partial(upload_all, *other, picture, count, []))
            )
        first, stored = measure_transformed(server, urls[:11])
    click.echo(f"photo: {len(picture) / 1e6:.1f} MB; {count} uploads at once, {rounds} rounds")
    click.echo(f"memory of the server and its workers: {', '.join(f'{peak:.0f}' for peak in peaks)} MB at the peak")
    for name, found in times.items():
        middle = median(found[0])
        worst = ", ".join(f"{p99(each):.1f}" for each in found)
        click.echo(
            f"requests {name}: median {middle:.1f} ms, p99 {worst} ms, together {p99(list(chain(*found))):.1f} ms"
        )
    click.echo(f"800 pixels in WebP: first {first:.0f} ms of CPU time (server and workers), stored {stored:.2f} ms")


def p99(found: list[float]) -> float:
    return quantiles(found, n=100)[98]


if __name__ == "__main__":
    main()
