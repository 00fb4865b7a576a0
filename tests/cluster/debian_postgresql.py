"""A PostgreSQL of Debian's: it has extensions that the one of PyPI has not, and may be an older one."""

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
    """One server in its own folder, by a socket there. Root gives it to the user of the package."""

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
        """The address of a new, empty database."""
        self._run("createdb", "-h", self._folder, "-U", "octavo", name)
        return self.url(name)

    def url(self, database: str) -> str:
        """The address of a database on this server."""
        return f"postgresql://octavo@/{database}?host={quote(str(self._folder), safe='')}"

    def errors(self) -> list[str]:
        """What the server has refused so far, as its log says."""
        return [line for line in self._log.read_text("utf-8").splitlines() if " ERROR: " in line]

    def _run(self, program: str, *arguments: str | Path) -> None:
        command = [self._programs / program, *arguments]
        subprocess.run(command, user=self._user, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def debian_server(control: Path) -> Iterator[DebianPostgresql]:
    """A server that is there as long as a user needs it."""
    folder = Path(tempfile.mkdtemp(prefix="octavo-debian-"))
    server = DebianPostgresql(control, folder)
    try:
        server.start()
        yield server
        server.stop()
    finally:
        shutil.rmtree(folder)
