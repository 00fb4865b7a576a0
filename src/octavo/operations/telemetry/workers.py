"""What several workers tell, as one: each writes what it knows into a file of a folder that all of them share.

Whoever is asked writes its own first, so that what was once told never becomes less. What a worker has counted stays
when it ends; what it held does not.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import orjson

from octavo.api.http.slow_requests import SlowRequest
from octavo.operations.telemetry.samples import Family, join

VARIABLE: Final = "OCTAVO_WORKERS_FOLDER"
"""The variable by which a supervisor tells its workers of the folder."""


class Workers:
    """The workers of a service, seen by one of them. `folder` is None where there is one alone."""

    def __init__(
        self,
        folder: Path | None,
        families: Callable[[], list[Family]],
        slow: Callable[[], list[SlowRequest]],
    ) -> None:
        self._folder = folder
        self._families = families
        self._slow = slow

    def families(self) -> list[Family]:
        """What all workers tell."""
        if self._folder is None:
            return self._families()
        self.write()
        return join(_families_of(process, told) for process, told in _read(self._folder))

    def slow(self) -> list[SlowRequest]:
        """The slow requests of all workers, the newest first."""
        if self._folder is None:
            return self._slow()
        self.write()
        found = [SlowRequest(**one) for _, told in _read(self._folder) for one in told["slow"]]
        return sorted(found, key=lambda one: one.at, reverse=True)

    def write(self) -> None:
        """Let the others know."""
        if self._folder is None:
            return
        file = self._folder / f"{os.getpid()}.json"
        made = file.with_suffix(".new")
        told = {"families": [asdict(one) for one in self._families()], "slow": [asdict(one) for one in self._slow()]}
        made.write_bytes(orjson.dumps(told))
        made.replace(file)


def _read(folder: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """By process, what each has written last."""
    for file in sorted(folder.glob("*.json")):
        with suppress(OSError, ValueError):
            yield int(file.stem), orjson.loads(file.read_bytes())


def _families_of(process: int, told: dict[str, Any]) -> list[Family]:
    families = [_family(one) for one in told["families"]]
    return families if _is_alive(process) else [one for one in families if one.kind != "gauge"]


def _family(told: dict[str, Any]) -> Family:
    samples = [(suffix, tuple((name, text) for name, text in labels), v) for suffix, labels, v in told["samples"]]
    return Family(told["name"], told["kind"], told["help"], samples, told["joins"])


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
