"""A real MariaDB or MySQL server for tests, from the system's programs or the folder in `OCTAVO_TEST_MYSQL`.

It can run as root.
"""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

_SECONDS: Final = 60
_SBIN: Final = ("/usr/sbin", "/usr/local/sbin", "/usr/libexec", "/usr/local/mysql/bin")
_OPTIONS: Final = (
    "--bind-address=127.0.0.1",
    "--skip-name-resolve",
    "--skip-log-bin",
    "--character-set-server=utf8mb4",
    "--innodb-flush-log-at-trx-commit=2",
    "--innodb-doublewrite=0",
    "--innodb-flush-method=nosync",
    "--innodb-stats-persistent=0",  # each new table would write rows of statistics
    "--innodb-buffer-pool-size=64M",
    "--max-allowed-packet=16M",
)
"""Small and fast. Commits survive a crash of the server, but not necessarily one of the machine."""
_MARIADB_OPTIONS: Final = (
    "--innodb-log-file-size=32M",
    "--innodb-file-per-table=0",  # a file per table doubles the time of a copy, but MySQL needs it for temporary tables
)
_MYSQL_OPTIONS: Final = (
    "--innodb-redo-log-capacity=64M",
    "--mysqlx=OFF",
    "--secure-file-priv=NULL",
    "--auto-generate-certs=OFF",
)
"""Without the X protocol, whose port is the same for all servers, and without a folder that a package creates."""
_END: Final = "statements ended"
_DEFINING: Final = ("Com_alter", "Com_create", "Com_drop", "Com_rename", "Com_truncate")
"""Counters of the server, by the start of their names."""
_UNCHECKED: Final = "SET unique_checks = 0, foreign_key_checks = 0"
_NEXT_IDS: Final = "SELECT table_name, auto_increment FROM information_schema.tables WHERE table_schema = DATABASE()"
_COLUMNS: Final = (
    "SELECT table_name, column_name FROM information_schema.columns"
    " WHERE table_schema = DATABASE() AND extra NOT LIKE '%GENERATED%' ORDER BY table_name, ordinal_position"
)
"""The columns that can be written."""
USER: Final = "octavo"
PASSWORD: Final = "a secret / % @"


def find_program(*names: str) -> str | None:
    """Return the path of the first program that is installed, or in the folder of `OCTAVO_TEST_MYSQL`."""
    path = os.environ.get("OCTAVO_TEST_MYSQL") or os.pathsep.join((os.environ.get("PATH", ""), *_SBIN))
    return next((found for name in names if (found := shutil.which(name, path=path))), None)


def require_program(*names: str) -> str:
    """Return the path of the first program that is installed, or skip the test."""
    found = find_program(*names)
    if found is None:
        pytest.skip(f"needs {' or '.join(names)} (on Debian: apt install mariadb-server)")
    return found


class MysqlServer:
    """One server in its own folder. `port` is on 127.0.0.1, `socket` a file. root has no password on the socket."""

    def __init__(self, *options: str) -> None:
        self._server = require_program("mariadbd", "mysqld")
        self._client = require_program("mariadb", "mysql")
        self._process: subprocess.Popen[bytes] | None = None
        self._copies: dict[str, MysqlCopies] = {}
        self.folder = Path(tempfile.mkdtemp(prefix="mysql-"))  # a socket's path has at most 107 characters
        self.socket = self.folder / "s"
        self.data = self.folder / "data"
        (self.folder / "tmp").mkdir()
        self.is_mariadb = "MariaDB" in _output(self._server, "--version")
        self._options = (
            *(_MARIADB_OPTIONS if self.is_mariadb else _MYSQL_OPTIONS),
            *options,
            f"--tmpdir={self.folder / 'tmp'}",  # a server removes tables of others there
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        try:
            self._install()
            self.start()
            self.run_sql(f"CREATE USER '{USER}'@'%' IDENTIFIED BY '{PASSWORD}'; GRANT ALL ON *.* TO '{USER}'@'%'")
        except BaseException:
            self.remove()
            raise

    def _install(self) -> None:
        if self.is_mariadb:
            options = ("--auth-root-authentication-method=normal", "--skip-test-db", *self._options)
            program = require_program("mariadb-install-db", "mysql_install_db")
            _output(program, "--no-defaults", f"--datadir={self.data}", f"--user={_user()}", *options)
        else:
            options = ("--initialize-insecure", f"--datadir={self.data}", f"--user={_user()}", *self._options)
            _output(self._server, "--no-defaults", *options)

    @property
    def exact(self) -> str:
        """Return the collation that compares code points."""
        return "utf8mb4_nopad_bin" if self.is_mariadb else "utf8mb4_0900_bin"

    def url(self, database: str) -> str:
        """Return the URL of a database on this server."""
        return f"mysql://{USER}:a%20secret%20%2F%20%25%20%40@127.0.0.1:{self.port}/{database}"

    def create_database(self, charset: str = "utf8mb4", collation: str = "") -> str:
        """Return the name of a new, empty database."""
        name, collate = _new_name(), f" COLLATE {collation}" if collation else ""
        self.run_sql(f"CREATE DATABASE `{name}` CHARACTER SET {charset}{collate}")
        return name

    @contextmanager
    def copied(self, name: str) -> Iterator[str]:
        """Yield the name of a copy of a database that no longer changes. Tests use a copy one after the other."""
        if name not in self._copies:
            self._copies[name] = MysqlCopies(self, name)
        copies = self._copies[name]
        copied = copies.take()
        yield copied
        copies.give_back(copied)

    def dump(self, name: str) -> str:
        """Return the statements that create the tables of a database with their rows."""
        program = require_program("mariadb-dump", "mysqldump")
        gtid = () if self.is_mariadb else ("--set-gtid-purged=OFF",)
        options = ("--skip-lock-tables", "--skip-add-locks", "--skip-add-drop-table", "--skip-disable-keys", *gtid)
        return _output(program, "--no-defaults", f"--socket={self.socket}", "--user=root", *options, name)

    def drop_database(self, name: str) -> None:
        """Drop a database."""
        self.run_sql(f"DROP DATABASE IF EXISTS `{name}`")

    def run_sql(self, text: str, database: str = "") -> str:
        """Run statements as root; return their rows, with tabs between the columns and without headers."""
        command = [*self._command(), *([database] if database else [])]
        found = subprocess.run(command, input=text, text=True, capture_output=True, check=False)
        if found.returncode:
            raise RuntimeError(found.stderr)
        return found.stdout

    def open_session(self) -> "_Session":
        """Return a client that stays connected."""
        return _Session([*self._command(), "--unbuffered"])

    def _command(self) -> list[str]:
        options = ("--batch", "--skip-column-names", "--default-character-set=utf8mb4")
        return [self._client, "--no-defaults", f"--socket={self.socket}", "--user=root", *options]

    def start(self) -> None:
        """Start the server, again at the same port, and wait until it accepts connections."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *(self._server, "--no-defaults", f"--datadir={self.data}", f"--user={_user()}"),
                    *(f"--socket={self.socket}", f"--port={self.port}", f"--pid-file={self.folder / 'pid'}"),
                    *_OPTIONS,
                    *self._options,
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        until = time.monotonic() + _SECONDS
        while True:
            try:
                self.run_sql("SELECT 1")
                return
            except RuntimeError as error:
                if self._process.poll() is not None or time.monotonic() > until:
                    lines = (self.folder / "log").read_text("utf-8", "replace")[-2000:]
                    raise RuntimeError(f"the server did not start: {error}\n{lines}") from error
                time.sleep(0.05)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Shut the server down."""
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait()

    def kill(self) -> None:
        """Kill the server as in a crash. `start` starts it again."""
        self.stop(signal.SIGKILL)

    def freeze(self, frozen: bool = True) -> None:
        """Pause the server, or let it continue."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP if frozen else signal.SIGCONT)
        if frozen:
            os.waitpid(self._process.pid, os.WUNTRACED)  # all threads have stopped

    def remove(self) -> None:
        """Stop the server and remove its folder."""
        for copies in self._copies.values():
            copies.close()
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class _Session:
    """A client for many statements. Starting a client per statement takes as long as restoring a copy."""

    def __init__(self, command: list[str]) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True)

    def run(self, text: str) -> list[str]:
        """Run statements and return the lines of their rows. Raise RuntimeError with the client's output."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{text};\nSELECT '{_END}';\n")
        self._process.stdin.flush()
        lines: list[str] = []
        for line in self._process.stdout:
            if line.rstrip("\n") == _END:
                return lines
            lines.append(line.rstrip("\n"))
        raise RuntimeError("\n".join(lines))

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


class MysqlCopies:
    """Copies of one database that no longer changes.

    Creating fifty tables takes 0.1 seconds of CPU time. After a test, changed tables of its copy get the original's
    rows again. If the copy then equals the original, the next test uses it.
    """

    def __init__(self, server: MysqlServer, original: str) -> None:
        self._server = server
        self._original = original
        self._free: list[str] = []
        self._definitions = 0
        self._session = server.open_session()
        charset, collation = server.run_sql("SELECT @@character_set_database, @@collation_database", original).split()
        default = f"ALTER DATABASE CHARACTER SET {charset} COLLATE {collation}"
        self._creation = f"{default}; {_UNCHECKED};\n{server.dump(original)}"
        columns: dict[str, list[str]] = {}
        for line in server.run_sql(_COLUMNS, original).splitlines():
            table, column = line.split("\t")
            columns.setdefault(table, []).append(f"`{column}`")
        self._columns = {table: ", ".join(names) for table, names in columns.items()}
        expiry = "" if server.is_mariadb else "SET information_schema_stats_expiry = 0; "
        self._reading = f"{expiry}CHECKSUM TABLE {', '.join(f'`{table}`' for table in columns)}; {_NEXT_IDS}"
        self._state = self._read_state(original)

    def take(self) -> str:
        """Return the name of a database that equals the original."""
        name = self._free.pop() if self._free else self._create()
        self._definitions = self._count_definitions()
        return name

    def give_back(self, name: str) -> None:
        """Keep a copy for the next test, or drop it if it cannot be restored."""
        if self._count_definitions() == self._definitions and self._restore(name):
            self._free.append(name)
        else:
            self._session.run(f"DROP DATABASE `{name}`")

    def close(self) -> None:
        """Disconnect."""
        self._session.close()

    def _create(self) -> str:
        name = _new_name()
        self._session.run(f"CREATE DATABASE `{name}`; USE `{name}`;\n{self._creation}")
        return name

    def _restore(self, name: str) -> bool:
        """Restore a database with the original's tables. Return whether it has the original's rows and next ids."""
        found = self._read_state(name)
        changed = [table for table in self._columns if found[table] != self._state[table]]
        if not changed:
            return True
        statements = [_UNCHECKED]
        for table in changed:
            columns = self._columns[table]
            rows = f"SELECT {columns} FROM `{self._original}`.`{table}`"
            statements += [f"TRUNCATE `{table}`", f"INSERT INTO `{table}` ({columns}) {rows}"]
        return self._read_state(name, "; ".join(statements) + "; ") == self._state

    def _read_state(self, name: str, before: str = "") -> dict[str, str]:
        """Return the checksum of each table's rows and its next id, after running some statements."""
        state: dict[str, str] = {}
        for line in self._session.run(f"USE `{name}`; {before}{self._reading}"):
            table, value = line.split("\t")
            table = table.rpartition(".")[2]
            state[table] = f"{state.get(table, '')} {value}"
        return state

    def _count_definitions(self) -> int:
        """Return how many statements have changed definitions on this server."""
        lines = self._session.run("SHOW GLOBAL STATUS LIKE 'Com\\_%'")
        return sum(int(line.split("\t")[1]) for line in lines if line.startswith(_DEFINING))


def _new_name() -> str:
    return f"test_{uuid.uuid4().hex}"


def _user() -> str:
    return "root" if os.geteuid() == 0 else str(os.geteuid())


def _output(*command: str) -> str:
    found = subprocess.run(command, text=True, capture_output=True, check=False)
    if found.returncode:
        raise RuntimeError(f"{' '.join(command)}: {found.stdout[-2000:]}{found.stderr[-2000:]}")
    return found.stdout
