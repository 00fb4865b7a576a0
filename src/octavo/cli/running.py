"""The running service of a project: its URL for display, and the record of its address and process.

`octavo ready`, `octavo status`, `octavo slow` and `octavo reload` read the record. It is valid on the same machine,
while the process runs.
"""

import json
import os
import socket
from contextlib import suppress
from errno import ECONNREFUSED
from pathlib import Path
from typing import Any, Final

from octavo.core.bounded_files import read_own_file
from octavo.settings import Settings
from octavo.settings.files.server import UNIX

_FILE: Final = ".octavo/service.json"
_LARGEST: Final = 10_000
_START_TIME: Final = 19
"""Position in `/proc/PID/stat` after the program's name, which can contain spaces."""


def write_record(project: Path, host: str, port: int, *, reloads: bool = False) -> None:
    """Record the address of this process, and whether it reloads at SIGHUP. A read-only project has no record."""
    file = project / _FILE
    new = file.with_name(f"{file.name}.{os.getpid()}")
    with suppress(OSError):
        file.parent.mkdir(exist_ok=True)
        new.write_text(json.dumps({**_own(), "host": host, "port": port, "reloads": reloads}), encoding="utf-8")
        new.replace(file)


def remove_record(project: Path) -> None:
    """Remove the record of this process, but not that of a service that started later."""
    file = project / _FILE
    record = _read(file)
    if record is not None and _own().items() <= record.items():
        with suppress(OSError):
            file.unlink()
            file.parent.rmdir()  # only succeeds if empty, as on PostgreSQL


def recorded_place(project: Path) -> tuple[str, int] | None:
    """Return host and port of the recorded service, or None if it does not run."""
    record = _read(project / _FILE)
    if record is None or record.get("machine") != socket.gethostname():
        return None
    host, port, process = record.get("host"), record.get("port"), record.get("process")
    if not (isinstance(host, str) and type(port) is int and type(process) is int and _lives(process)):
        return None
    return host, port


def reloading_process(project: Path) -> int | None:
    """Return the recorded process if it reloads at SIGHUP. The system can have given its id to another program."""
    record = _read(project / _FILE)
    if record is None or recorded_place(project) is None or record.get("reloads") is not True:
        return None
    process: int = record["process"]
    return process if record.get("born") == _born(process) else None


def _own() -> dict[str, Any]:
    return {"process": os.getpid(), "machine": socket.gethostname(), "born": _born(os.getpid())}


def _born(process: int) -> str | None:
    """Return the system's start time of a process, or None if it does not report it."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    return stat.rpartition(")")[2].split()[_START_TIME]


def _read(file: Path) -> dict[str, Any] | None:
    try:
        record = json.loads(read_own_file(file, _LARGEST))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def _lives(process: int) -> bool:
    """Return whether a process exists. Signal 0 checks this on POSIX systems only."""
    if os.name != "posix" or process <= 0:
        return process > 0
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


_DISPLAYED = dict.fromkeys(("0.0.0.0", "::", "127.0.0.1"), "localhost")  # noqa: S104 - addresses to display, not to bind
_REQUESTED = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - containers may not know the name `localhost`


def address_of(settings: Settings) -> str:
    """Return the URL of the service on this machine, for display."""
    if settings.server.unix_socket is not None:
        return settings.server.host
    return _address(_DISPLAYED.get(settings.server.host, settings.server.host), settings.server.port)


def local_url(settings: Settings) -> str:
    """Return the URL to request from this machine, without name resolution.

    A service that was started with `--port` or `--host` has recorded its address.
    """
    host, port = recorded_place(settings.project) or (settings.server.host, settings.server.port)
    if host.startswith(UNIX):
        return host
    return _address(_REQUESTED.get(host, host), port)


def silence(address: str, error: Exception) -> str:
    """Return why a request to an address failed, for display."""
    reason = getattr(error, "reason", error)
    if isinstance(reason, OSError) and reason.errno == ECONNREFUSED:
        return f"no service is listening at {address}"
    if isinstance(reason, TimeoutError):
        return f"{address} timed out"
    return f"{address} cannot be reached: {reason}"


def _address(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
