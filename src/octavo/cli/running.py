"""Record the address of a running service that was started with `--port` or `--host`, which are not settings.

`octavo ready`, `octavo status` and `octavo slow` read the record. It is valid on the same machine, while the process
runs.
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


def write_record(project: Path, host: str, port: int) -> None:
    """Record the address of this process. A read-only project has no record."""
    file = project / _FILE
    new = file.with_name(f"{file.name}.{os.getpid()}")
    with suppress(OSError):
        file.parent.mkdir(exist_ok=True)
        new.write_text(json.dumps({**_own(), "host": host, "port": port}), encoding="utf-8")
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


def _own() -> dict[str, Any]:
    return {"process": os.getpid(), "machine": socket.gethostname()}


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
