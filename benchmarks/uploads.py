"""`python -m benchmarks.uploads`: many uploads at once; checks that memory stays bounded and that nothing is lost.

A new process serves an empty project. Every second file is a 12-megapixel photograph, which gets four formats. All
files differ, and each is read again afterwards. Needs `/proc`, so Linux.
"""

import hashlib
import io
import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import click
import psutil  # type: ignore[import-untyped]
from PIL import Image

from benchmarks.load_data import write_project
from octavo.cli.terminal import progress_bar
from octavo.content.media.storage.base import TEMPORARY
from tests.cli.processes import Server, run, serving

PHOTO = (4000, 3000)
_BOUNDARY = b"upload-of-a-benchmark"
_PATIENCE = 300


@dataclass(frozen=True, slots=True)
class Uploaded:
    """The result of one upload: its status, the row, the digest of the sent file, and its duration."""

    status: int
    row: dict[str, Any]
    digest: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Report:
    """The result of all uploads. Memory is the peak of the resident set, in millions of bytes."""

    uploads: int
    statuses: dict[int, int]
    lost: int
    formats: int
    leftovers: tuple[str, ...]
    memory_before: float
    memory_peak: float
    seconds: float
    slowest: float


def measure(folder: Path, count: int, size: int, together: int, photo: tuple[int, int] = PHOTO) -> Report:
    """Upload `count` files of `size` bytes, `together` at a time, to a service in a new project."""
    temporary = folder / "tmp"
    temporary.mkdir(parents=True)
    project = write_project(folder / "project", {}).project
    code, said = run("tokens", "create", "uploads", "--type", "full-access", "--project", str(project))
    assert code == 0, said
    picture = photograph(size // 2, photo)
    with serving("start", project, TMPDIR=str(temporary)) as server:
        token = said.split()[-1]
        before = peak_memory(server)
        start = time.perf_counter()
        with progress_bar("Uploading") as progress, ThreadPoolExecutor(together) as threads:
            found = list(_counted(threads.map(partial(upload, server, token, size, picture), range(count)), progress))
        seconds = time.perf_counter() - start
        with ThreadPoolExecutor(together) as threads:
            kept = sum(threads.map(partial(_is_kept, server), found))
        peak = peak_memory(server)
        server.stop()
    uploads = project / "public/uploads"
    leftovers = (path for path in (*temporary.rglob("*"), *uploads.glob(f"{TEMPORARY}*")) if path.is_file())
    return Report(
        uploads=count,
        statuses=dict(Counter(item.status for item in found)),
        lost=count - kept,
        formats=sum(len(item.row.get("formats") or ()) for item in found),
        leftovers=tuple(sorted(path.name for path in leftovers)),
        memory_before=before,
        memory_peak=peak,
        seconds=seconds,
        slowest=max(item.seconds for item in found),
    )


def _counted(found: Iterator[Uploaded], progress: Any) -> Iterator[Uploaded]:
    for number, item in enumerate(found, 1):
        progress(number, number)
        yield item


def photograph(most: int, size: tuple[int, int]) -> bytes:
    """Return a JPEG with noise, so that it is large."""
    image = Image.merge("RGB", [Image.effect_noise(size, sigma) for sigma in (30, 40, 50)])
    for quality in range(90, 0, -10):
        written = io.BytesIO()
        image.save(written, "JPEG", quality=quality)
        if written.tell() <= most:
            return written.getvalue()
    raise ValueError(f"{size} does not fit into {most} bytes")


def peak_memory(server: Server) -> float:
    """Return the largest resident set of the server's processes so far, in millions of bytes."""
    root = psutil.Process(server.process.pid)
    total = 0.0
    for process in (root, *root.children(recursive=True)):
        status = Path(f"/proc/{process.pid}/status").read_text("ascii")
        total += next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))
    return total / 1e6


def upload(server: Server, token: str, size: int, picture: bytes, number: int) -> Uploaded:
    """Upload one file. Octavo removes the padding after the end of a picture."""
    is_photo = number % 2 == 0
    head = picture if is_photo else b""
    content = head + os.urandom(size - len(head))
    name = f"photo-{number}.jpg" if is_photo else f"data-{number}.bin"
    body = b"".join((
        b'--%b\r\nContent-Disposition: form-data; name="files"; filename="%b"\r\n' % (_BOUNDARY, name.encode()),
        b"Content-Type: application/octet-stream\r\n\r\n",
        content,
        b"\r\n--%b--\r\n" % _BOUNDARY,
    ))  # fmt: skip
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": f"multipart/form-data; boundary={_BOUNDARY.decode()}",
    }
    start = time.perf_counter()
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=_PATIENCE)) as connection:
        connection.request("POST", "/api/upload", body, headers)
        answer = connection.getresponse()
        said = json.loads(answer.read())
    row = said[0] if answer.status == 200 else {}
    return Uploaded(answer.status, row, hashlib.sha256(head or content).hexdigest(), time.perf_counter() - start)


def _is_kept(server: Server, uploaded: Uploaded) -> bool:
    """Return whether the file is served as it was sent."""
    if uploaded.status != 200:
        return False
    digest = hashlib.sha256()
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=_PATIENCE)) as connection:
        connection.request("GET", uploaded.row["url"])
        answer = connection.getresponse()
        while piece := answer.read(1 << 20):
            digest.update(piece)
    return answer.status == 200 and digest.hexdigest() == uploaded.digest


@click.command()
@click.option("--count", default=1000, show_default=True, help="Uploads.")
@click.option("--megabytes", default=5, show_default=True, help="Size of each.")
@click.option("--together", default=8, show_default=True, help="At a time.")
def main(count: int, megabytes: int, together: int) -> None:
    """Upload many files at once; print durations, memory and lost files."""
    with tempfile.TemporaryDirectory(prefix="octavo-uploads-") as folder:
        report = measure(Path(folder), count, megabytes * 10**6, together)
    click.echo(f"{report.uploads} uploads of {megabytes} MB, {together} at a time: {report.seconds:.0f} s")
    click.echo(f"responses: {report.statuses}; slowest {report.slowest:.1f} s; formats: {report.formats}")
    click.echo(f"memory: {report.memory_before:.0f} MB before, {report.memory_peak:.0f} MB at its peak")
    click.echo(f"lost: {report.lost}; temporary files: {len(report.leftovers)}")


if __name__ == "__main__":
    main()
