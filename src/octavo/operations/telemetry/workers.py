"""Merge metrics of several workers: each writes its own to a file in a shared folder.

The worker that answers a request writes its own first, so that counters never decrease. Counters of an ended worker
stay, its gauges do not.
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
"""The variable with the folder, set by the supervisor for its workers."""


class Workers:
    """The workers of a service. `folder` is None for a single worker."""

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
        """Return the merged metrics of all workers."""
        if self._folder is None:
            return self._families()
        self.write()
        return join(_families_of(process, state) for process, state in _read(self._folder))

    def slow(self) -> list[SlowRequest]:
        """Return the slow requests of all workers, newest first."""
        if self._folder is None:
            return self._slow()
        self.write()
        requests = [SlowRequest(**one) for _, state in _read(self._folder) for one in state["slow"]]
        return sorted(requests, key=lambda one: one.at, reverse=True)

    def write(self) -> None:
        """Write this worker's metrics for the others."""
        if self._folder is None:
            return
        file = self._folder / f"{os.getpid()}.json"
        made = file.with_suffix(".new")
        state = {"families": [asdict(one) for one in self._families()], "slow": [asdict(one) for one in self._slow()]}
        made.write_bytes(orjson.dumps(state))
        made.replace(file)


def _read(folder: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield what each process has written last."""
    for file in sorted(folder.glob("*.json")):
        with suppress(OSError, ValueError):
            yield int(file.stem), orjson.loads(file.read_bytes())


def _families_of(process: int, state: dict[str, Any]) -> list[Family]:
    families = [_family(one) for one in state["families"]]
    return families if _is_alive(process) else [one for one in families if one.kind != "gauge"]


def _family(given: dict[str, Any]) -> Family:
    samples = [(suffix, tuple((name, text) for name, text in labels), v) for suffix, labels, v in given["samples"]]
    return Family(given["name"], given["kind"], given["help"], samples, given["joins"])


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
