"""The progress file: one line per finished request, so that an interrupted comparison can be resumed."""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from octavo.core.errors import ApplicationError
from octavo.operations.comparison.results import Outcome

_VERSION: Final = 1
_PRIVATE: Final = 0o600


def fingerprint_of(*parts: object) -> str:
    """Return the fingerprint of the options that results depend on."""
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()


class ProgressFile:
    """An open progress file. `finished` are the outcomes of earlier runs by key."""

    def __init__(self, stream: IO[str], finished: dict[str, Outcome]) -> None:
        self._stream = stream
        self.finished = finished

    def add(self, outcome: Outcome) -> None:
        """Append an outcome."""
        self._stream.write(json.dumps(outcome.as_json(), ensure_ascii=False) + "\n")
        self._stream.flush()


@contextmanager
def open_progress(file: Path, fingerprint: str) -> Iterator[ProgressFile]:
    """Open or create a progress file, locked for other processes. Raises ApplicationError, OSError."""
    with open(file, "a+", encoding="utf-8", errors="replace", opener=_open_private) as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ApplicationError(f"{file} is in use by another comparison; choose another file") from error
        stream.seek(0)
        header = stream.readline()
        if header:
            _check_header(file, header, fingerprint)
        finished = dict(_outcomes(stream)) if header else {}
        _end_last_line(stream)
        if not header:
            stream.write(json.dumps({"octavoCompare": _VERSION, "fingerprint": fingerprint}) + "\n")
            stream.flush()
        yield ProgressFile(stream, finished)


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, _PRIVATE)


def _check_header(file: Path, line: str, fingerprint: str) -> None:
    value = _parsed(line)
    if not isinstance(value, dict) or value.get("octavoCompare") != _VERSION:
        raise ApplicationError(f"{file} is not a progress file; choose another file")
    if value.get("fingerprint") != fingerprint:
        raise ApplicationError(f"{file} is from a comparison with other URLs, roles or masks; choose another file")


def _outcomes(lines: Iterable[str]) -> Iterator[tuple[str, Outcome]]:
    """Yield the outcomes. A line that a crash cut off is ignored, and its request is sent again."""
    for line in lines:
        value = _parsed(line)
        try:
            outcome = Outcome.from_json(value)
        except (AttributeError, KeyError, TypeError):
            continue
        yield outcome.key, outcome


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (json.JSONDecodeError, RecursionError):
        return None


def _end_last_line(stream: IO[str]) -> None:
    end = stream.seek(0, os.SEEK_END)
    if end:
        stream.seek(max(0, end - 1))
        last = stream.read()
        stream.seek(0, os.SEEK_END)
        if last != "\n":
            stream.write("\n")
