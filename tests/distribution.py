"""Distribute tests to workers by module, the slowest modules first.

Each module sets up its fixtures once, and no worker is left with a slow module at the end.
"""

from contextlib import suppress
from functools import cache
from typing import Final

import pytest
from xdist.remote import Producer  # type: ignore[import-untyped]
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]
from xdist.workermanage import WorkerController  # type: ignore[import-untyped]

from tests.markers import FOLDERS, ROOT, SLOW, starts_processes

_BROWSER: Final = tuple(f"{folder}/" for folder, marker in FOLDERS.items() if marker == "browser")
SECONDS: Final = (
    *((folder, 20.0) for folder in ("pages/day/", "conformance/")),
    *((folder, 3.0) for folder in _BROWSER),
    ("concurrency/", 1.0),
    *((path, 0.3) for path in SLOW),
    ("", 0.05),
)
"""Estimated seconds per test, by the start of its path. The first match counts."""
PROCESS_SECONDS: Final = 1.0
"""The estimate for a test in a module that starts processes."""


@cache
def estimate_seconds(module: str) -> float:
    """Return an estimate for one test of a module. Only the order of estimates matters."""
    path = module.removeprefix("tests/")
    seconds = next(seconds for start, seconds in SECONDS if path.startswith(start))
    return max(seconds, PROCESS_SECONDS) if starts_processes(ROOT / path) else seconds


class SlowestFirst(LoadFileScheduling):  # type: ignore[misc]
    """Give a worker that has almost finished its module the slowest remaining module."""

    def _assign_work_unit(self, node: WorkerController) -> None:
        module = max(self.workqueue, key=lambda module: estimate_seconds(module) * len(self.workqueue[module]))
        self.workqueue.move_to_end(module, last=False)
        with suppress(OSError):  # the worker has ended; `remove_node` follows and returns the module to the queue
            super()._assign_work_unit(node)
        if self.workqueue and self._pending_of(self.assigned_work[node]) < 2:
            self._assign_work_unit(node)  # a worker runs its last test only with another one queued

    def remove_node(self, node: WorkerController) -> str | None:
        """Return the test in which a worker died, and leave it out, because it would end one worker after another.

        Other workers get the rest of its module.
        """
        units = self.assigned_work[node]
        crashed = next((test for unit in units.values() for test, is_done in unit.items() if not is_done), None)
        if crashed is not None:
            units[self._split_scope(crashed)][crashed] = True
        self.assigned_work[node] = {scope: unit for scope, unit in units.items() if not all(unit.values())}
        super().remove_node(node)
        return crashed


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    """Replace xdist's default, which gives a worker hundreds of tests at a time, for example all browser tests."""
    return SlowestFirst(config, log) if config.getvalue("dist") == "load" else None
