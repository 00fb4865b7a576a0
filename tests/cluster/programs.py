"""External programs: proxies, caches, poolers. They must be installed."""

import asyncio
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

PATIENCE: Final = 60.0

PACKAGES: Final = {
    "haproxy": "haproxy",
    "varnishd": "varnish varnish-modules",
    "pgbouncer": "pgbouncer",
    "nginx": "nginx-light",
    "caddy": "caddy",
    "pg_ctl": "postgresql",
}
"""Each program, and the Debian package that contains it."""

_FOLDERS: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def found(name: str) -> Path | None:
    """Return the path of a program, also outside an ordinary user's PATH. A variable (HAPROXY) can name another."""
    if name.upper() in os.environ:
        return Path(os.environ[name.upper()])
    folders = [_FOLDERS, *(str(folder) for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True))]
    path = shutil.which(name) or shutil.which(name, path=":".join(folders))
    return None if path is None else Path(path)


def missing() -> list[str]:
    """Return the missing programs."""
    return [name for name in PACKAGES if found(name) is None]


def how_to_install(names: Sequence[str]) -> str:
    """Return installation instructions."""
    packages = " ".join(PACKAGES[name] for name in names)
    return f"{', '.join(names)} not found: on Debian, apt-get install {packages}"


async def until(true: Callable[[], Any]) -> None:
    """Wait until a condition holds, checked in a thread. Raise TimeoutError if it never holds."""
    async with asyncio.timeout(PATIENCE):
        while not await asyncio.to_thread(true):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.02)


def wait_for_port(port: int, process: subprocess.Popen[str] | None = None) -> None:
    """Wait until a process listens on the port. Raise RuntimeError if the process exits."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if process is not None and process.poll() is not None:
            raise RuntimeError(f"{process.args!r} has ended with {process.returncode}")
        with socket.socket() as asking:
            if asking.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise TimeoutError(f"nothing listens on {port}")


@contextmanager
def running(*command: str | Path, port: int, log: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a program in the foreground that listens on `port`. Its output goes to a file."""
    with log.open("w") as written:
        process = subprocess.Popen([str(part) for part in command], stdout=written, stderr=written, text=True)
    try:
        try:
            wait_for_port(port, process)
        except (RuntimeError, TimeoutError) as error:
            raise RuntimeError(f"{error}\n{log.read_text()}") from error
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
