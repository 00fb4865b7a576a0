"""The faults of the soak: of the service, its database, its disk and its clock, and changed definitions.

Each fault is over when its function returns. Faults that this machine cannot cause raise `Impossible`, and are
reported.
"""

import asyncio
import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import apsw
import httpx
import psutil  # type: ignore[import-untyped]

from benchmarks.soak_watch import Watch
from octavo.operations.runtime.definition_sync import raise_version
from octavo.operations.runtime.open_resources import open_project_database
from octavo.settings import Settings
from tests.cli.processes import ROOT, free_port
from tests.postgresql_server import PostgresqlServer

PATIENCE = 90.0
OUTAGE_SECONDS = 10.0
"""Duration of an outage."""
_CHUNK = 1024 * 1024
_FAKETIME = tuple(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))


class Impossible(Exception):
    """This machine cannot cause the fault."""


@dataclass(slots=True)
class Service:
    """The service as a process. Its log is outside the disk that is filled."""

    settings: Settings
    variables: Mapping[str, str]
    folder: Path
    watch: Watch
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        return self.folder / "service.log"

    @property
    def clock(self) -> Path:
        return self.folder / "clock"

    async def start(self) -> None:
        """Start it and wait until it is ready."""
        self.process = self._spawn()
        await self.is_ready()
        self.watch.begin_life(self.process.pid)

    def _spawn(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "octavo", "start", "--project", str(self.settings.project)]
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [*command, "--port", str(self.port)],
                env={**kept, "PYTHONPATH": str(ROOT / "src"), **self._faked(), **self.variables},
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def _faked(self) -> dict[str, str]:
        """Return the environment for a clock that follows a file, if libfaketime is installed."""
        if not _FAKETIME:
            return {}
        self.clock.write_text("+0", "utf-8")
        return {
            "LD_PRELOAD": str(_FAKETIME[0]),
            "FAKETIME_TIMESTAMP_FILE": str(self.clock),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    async def is_ready(self) -> None:
        """Wait until it accepts requests."""
        deadline = time.monotonic() + PATIENCE
        async with httpx.AsyncClient(base_url=self.url) as client:
            while time.monotonic() < deadline:
                with suppress(httpx.HTTPError):
                    if (await client.get("/_ready")).status_code == 200:
                        return
                await asyncio.sleep(0.05)
        raise TimeoutError(f"The service is not ready after {PATIENCE:.0f} s; see {self.log}")

    async def stop(self, number: int = signal.SIGTERM) -> None:
        """Stop it."""
        assert self.process is not None
        for one in psutil.Process(self.process.pid).children(recursive=True) if number == signal.SIGKILL else ():
            one.send_signal(number)
        self.process.send_signal(number)
        await asyncio.to_thread(self.process.wait, PATIENCE)


@dataclass(slots=True)
class World:
    """The targets of faults. `disk` is a small file system with all data, if there is one."""

    service: Service
    server: PostgresqlServer | None
    disk: Path | None
    turn: int = 0


Fault = Callable[[World], Awaitable[None]]


async def kill_service(world: World) -> None:
    """Kill the service and start it again."""
    await world.service.stop(signal.SIGKILL)
    await asyncio.sleep(1)
    await world.service.start()


async def kill_database(world: World) -> None:
    """Kill PostgreSQL and start it again."""
    server = world.server
    if server is None:
        raise Impossible("SQLite has no process of its own; that the service is killed stands for it")
    await asyncio.to_thread(server.kill)
    await asyncio.sleep(OUTAGE_SECONDS / 2)
    await asyncio.to_thread(server.start)
    await world.service.is_ready()


async def fill_disk(world: World) -> None:
    """Fill the disk completely for a while."""
    if world.disk is None:
        raise Impossible("no small file system could be mounted, which takes the rights of root")
    if world.server is None:
        _empty_log(world.service.settings.database_file)
    await keep_full(world.disk, OUTAGE_SECONDS)
    if world.server is not None:
        await asyncio.to_thread(world.server.start)  # it may have exited because the disk is full
    await world.service.is_ready()


async def keep_full(disk: Path, seconds: float) -> None:
    """Keep a file system full for a time, then free the space."""
    filler = disk / "filler"
    until = time.monotonic() + seconds
    with filler.open("wb", buffering=0) as file:
        while time.monotonic() < until:
            await asyncio.to_thread(_fill, file.fileno())
            await asyncio.sleep(0.2)
    filler.unlink()


def _empty_log(file: Path) -> None:
    """Truncate SQLite's log of changes, whose space would last for a while."""
    connection = apsw.Connection(str(file))
    connection.set_busy_timeout(5_000)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def _fill(descriptor: int) -> None:
    for size in (_CHUNK, 4096):
        try:
            while True:
                os.write(descriptor, bytes(size))
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise


async def jump_clock(world: World) -> None:
    """Set the wall clock of the service an hour ahead, and back."""
    if not _FAKETIME:
        raise Impossible("libfaketime is not installed (`apt install libfaketime`)")
    for offset in ("+3600", "+0"):
        world.service.clock.write_text(offset, "utf-8")
        await asyncio.sleep(OUTAGE_SECONDS)


async def change_types(world: World) -> None:
    """Add an attribute, and remove it the next time, as if another process changed the definitions."""
    path = world.service.settings.project / "src/api/author/content-types/author/schema.json"
    definition = json.loads(path.read_text("utf-8"))
    attributes = definition["attributes"]
    if attributes.pop("nickname", None) is None:
        attributes["nickname"] = {"type": "string"}
    path.write_text(json.dumps(definition), "utf-8")
    database = open_project_database(world.service.settings)
    try:
        await raise_version(database)
    finally:
        await database.close()
    await asyncio.sleep(3)


QUIETLY: frozenset[str] = frozenset({"types change", "the clock jumps"})
"""Faults during which no request may fail."""

FAULTS: Mapping[str, Fault] = {
    "the service is killed": kill_service,
    "types change": change_types,
    "the database is killed": kill_database,
    "the disk is full": fill_disk,
    "the clock jumps": jump_clock,
}
ONCE: frozenset[str] = frozenset({"the service is killed"})
"""Faults of the first round only, because memory is observed in one process."""
