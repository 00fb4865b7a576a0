"""Run the client programs of MySQL and MariaDB. The password is never an argument. Functions raise BackupFailed."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import IO, Final

from octavo.operations.backups.program_pipes import close_broken, feed, first_line
from octavo.operations.backups.store import BackupFailed
from octavo.operations.runtime.database_certificates import is_pem
from octavo.operations.runtime.database_servers import direct_server
from octavo.settings import Settings

DUMP: Final = ("mysqldump", "mariadb-dump")
CLIENT: Final = ("mysql", "mariadb")
_MARIADB: Final = "MariaDB"
_LARGEST: Final = "--max-allowed-packet=1G"
_DUMP_OPTIONS: Final = (
    *("--single-transaction", "--quick", "--skip-extended-insert", "--hex-blob", "--no-tablespaces"),
    *("--routines", "--events", "--triggers", "--comments", "--skip-dump-date", "--default-character-set=utf8mb4"),
    _LARGEST,
)
_MYSQL_OPTIONS: Final = ("--set-gtid-purged=OFF", "--loose-column-statistics=0")
_CLIENT_OPTIONS: Final = ("--batch", "--raw", "--skip-column-names", "--default-character-set=utf8mb4", _LARGEST)
_ENCRYPTION: Final[Mapping[str, tuple[str, str]]] = {
    "disable": ("ssl-mode=DISABLED\nget-server-public-key", "skip-ssl"),
    "prefer": ("ssl-mode=PREFERRED\nget-server-public-key", "loose-skip-ssl-verify-server-cert"),
    "require": ("ssl-mode=REQUIRED", "ssl\nloose-skip-ssl-verify-server-cert"),
    "verify-ca": ("ssl-mode=VERIFY_CA", "ssl\nssl-verify-server-cert"),
    "verify-full": ("ssl-mode=VERIFY_IDENTITY", "ssl\nssl-verify-server-cert"),
}
"""The options of MySQL's and of MariaDB's programs by the setting `ssl`."""
_ERROR: Final = re.compile(r"^.*\berror\b.*$", re.IGNORECASE | re.MULTILINE)
"""The client may print the statement before it, which can contain values."""


def quoted(name: str) -> str:
    """Return a name for SQL."""
    return f"`{name.replace('`', '``')}`"


def find_program(names: Sequence[str]) -> str:
    """Return the path of a client program, which has different names."""
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        raise BackupFailed(f"{' or '.join(names)} is required but not installed. It is one of the database's programs")
    return program


def run_client(settings: Settings, text: str, database: str | None = None) -> list[str]:
    """Run statements in the project's database or another one, and return the lines of their results."""
    with tempfile.TemporaryFile() as output:
        with start_client(settings, database, output) as pipe:
            feed(text, BytesIO(), "", pipe)
        output.seek(0)
        return output.read().decode().splitlines()


def require_encryption(settings: Settings) -> None:
    """Raise BackupFailed if the server does not encrypt although `ssl` requires it: MariaDB's programs accept that."""
    if _encryption(settings) != "require":
        return
    if not "".join(run_client(settings, "SHOW STATUS LIKE 'Ssl_cipher'")).removeprefix("Ssl_cipher").strip():
        raise BackupFailed("The server does not encrypt connections, but the setting ssl requires it")


@contextmanager
def start_client(
    settings: Settings, database: str | None = None, output: IO[bytes] | int = subprocess.DEVNULL
) -> Iterator[IO[bytes]]:
    """Run the client, and yield the pipe for its statements. It ends with the block."""
    options = (*_CLIENT_OPTIONS, str(database or settings.database.name))
    with _started(settings, find_program(CLIENT), options, stdin=subprocess.PIPE, stdout=output) as process:
        assert process.stdin is not None
        yield process.stdin


@contextmanager
def start_dump(settings: Settings) -> Iterator[IO[bytes]]:
    """Run the dump of the project's database, and yield the pipe with its lines."""
    program = find_program(DUMP)
    others = () if _is_mariadb(program) else _MYSQL_OPTIONS
    options = (*others, *_DUMP_OPTIONS, settings.database.name)
    with _started(settings, program, options, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield process.stdout


@contextmanager
def _started(
    settings: Settings, program: str, options: Sequence[str], *, stdin: int, stdout: IO[bytes] | int
) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a program until the block ends, with the connection in a file that only the owner can read."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as messages:
        file = Path(folder, "options")
        lines = (*_address(settings), *_certificates(settings, Path(folder)))
        encryption = _ENCRYPTION[_encryption(settings)][_is_mariadb(program)]
        file.write_text("\n".join(("[client]", *lines, encryption, "")), "utf-8")
        command = [program, f"--defaults-file={file}", *options]
        with subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=messages) as process:
            try:
                yield process
            except BaseException as error:
                if isinstance(error, BackupFailed) and process.stdin is None:
                    # An incomplete dump, of which the program knows the reason.
                    raise BackupFailed(_end(process, messages) or str(error)) from error
                process.kill()
                _end(process, messages)
                raise
            if said := _end(process, messages):
                raise BackupFailed(said)


def _end(process: "subprocess.Popen[bytes]", messages: IO[bytes]) -> str:
    """Wait for a program and return its error, or an empty text."""
    for pipe in filter(None, (process.stdin, process.stdout)):
        close_broken(pipe)
    if not process.wait():
        return ""
    messages.seek(0)
    said = messages.read().decode(errors="replace")
    match = _ERROR.search(said)
    return match[0] if match else first_line(said) or f"the program exited with {process.returncode}"


@cache
def _is_mariadb(program: str) -> bool:
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return _MARIADB in done.stdout


def _encryption(settings: Settings) -> str:
    """Return the mode of the setting `ssl`. Like the service, programs do not encrypt connections to a socket."""
    _, ((host, _),) = direct_server(settings)
    return "disable" if host.startswith("/") else settings.database.ssl


def _address(settings: Settings) -> Iterator[str]:
    server, ((host, port),) = direct_server(settings)
    yield _option("user", server["user"])
    yield _option("password", server["password"] or "")
    if host.startswith("/"):
        yield _option("socket", host)
    else:
        yield from ("protocol=tcp", _option("host", host), _option("port", str(port)))


def _certificates(settings: Settings, folder: Path) -> Iterator[str]:
    """Yield the options of certificates; those that are not files become files in the folder."""
    given = settings.database
    for name, text in (("ca", given.ssl_ca), ("cert", given.ssl_cert), ("key", given.ssl_key)):
        if text and is_pem(text):
            (folder / name).write_text(text, "utf-8")
            yield _option(f"ssl-{name}", str(folder / name))
        elif text:
            yield _option(f"ssl-{name}", str(settings.project / text))


def _option(name: str, value: str) -> str:
    text = value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')  # `"#` would begin a comment
    return f'{name}="{text}"'
