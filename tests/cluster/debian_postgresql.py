"""Debian's PostgreSQL, which has extensions that the one from PyPI lacks, and may be an older version."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

_NOBODY_ELSE = "listen_addresses = ''\nfsync = off\nunix_socket_directories = '{}'\n"


class DebianPostgresql:
    """A server in its own folder with a Unix socket. If the tests run as root, it runs as the package's user."""

    def __init__(self, control: Path, folder: Path) -> None:
        self._programs = control.resolve().parent
        self._folder = folder
        self._user = "postgres" if os.getuid() == 0 else None
        self._log = folder / "log"
        if self._user is not None:
            shutil.chown(folder, self._user)

    def start(self) -> None:
        data = self._folder / "data"
        self._run("initdb", "-D", data, "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust", "-U", "octavo")
        with (data / "postgresql.conf").open("a") as settings:
            settings.write(_NOBODY_ELSE.format(self._folder))
        self._run("pg_ctl", "-D", data, "-w", "-l", self._log, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", self._folder / "data", "-w", "-m", "immediate", "stop")

    def create_database(self, name: str) -> str:
        """Create an empty database and return its URL."""
        self._run("createdb", "-h", self._folder, "-U", "octavo", name)
        return self.url(name)

    def url(self, database: str) -> str:
        """Return the URL of a database."""
        return f"postgresql://octavo@/{database}?host={quote(str(self._folder), safe='')}"

    def errors(self) -> list[str]:
        """Return the errors in the server's log."""
        return [line for line in self._log.read_text("utf-8").splitlines() if " ERROR: " in line]

    def _run(self, program: str, *arguments: str | Path) -> None:
        command = [self._programs / program, *arguments]
        subprocess.run(command, user=self._user, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def debian_server(control: Path) -> Iterator[DebianPostgresql]:
    """Run a server for the duration of the block."""
    folder = Path(tempfile.mkdtemp(prefix="octavo-debian-"))
    server = DebianPostgresql(control, folder)
    try:
        server.start()
        yield server
        server.stop()
    finally:
        shutil.rmtree(folder)
