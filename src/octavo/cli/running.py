"""Record the address and the process of a running service. Its address can differ from the settings.

`octavo ready`, `octavo status`, `octavo slow` and `octavo reload` read the record. It is valid on the same machine,
while the process runs.
"""

import json
import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from octavo.core.bounded_files import read_own_file

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
    found = _read(file)
    if found is not None and _own().items() <= found.items():
        with suppress(OSError):
            file.unlink()
            file.parent.rmdir()  # only succeeds if empty, as on PostgreSQL


def recorded_place(project: Path) -> tuple[str, int] | None:
    """Return host and port of the recorded service, or None if it does not run."""
    found = _read(project / _FILE)
    if found is None or found.get("machine") != socket.gethostname():
        return None
    host, port, process = found.get("host"), found.get("port"), found.get("process")
    if not (isinstance(host, str) and type(port) is int and type(process) is int and _lives(process)):
        return None
    return host, port


def reloading_process(project: Path) -> int | None:
    """Return the recorded process if it reloads at SIGHUP. The system can have given its id to another program."""
    found = _read(project / _FILE)
    if found is None or recorded_place(project) is None or found.get("reloads") is not True:
        return None
    process: int = found["process"]
    return process if found.get("born") == _born(process) else None


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
        found = json.loads(read_own_file(file, _LARGEST))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


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
