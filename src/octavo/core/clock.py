"""The clock. All code gets the time here, so that tests can stop or `move` it."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from octavo.core.values import dataclass

_moved = 0


def this_moment() -> int:
    """Return milliseconds since 1970, UTC, as stored in the database."""
    return (time.time_ns() + _moved) // 1_000_000


def wall_time() -> float:
    """Return seconds since 1970, UTC."""
    return time.time() + _moved / 1_000_000_000


def steady_time() -> float:
    """Return monotonic seconds, for measuring durations."""
    return time.monotonic() + _moved / 1_000_000_000


def move(seconds: float) -> None:
    """Move the time forward by so many seconds; 0 restores the real time. For tests: it affects the whole process."""
    global _moved
    _moved = _moved + int(seconds * 1_000_000_000) if seconds else 0


def read_moment(milliseconds: object) -> datetime | None:
    """Return the time for milliseconds since 1970, UTC, or None if the value is not a number."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if isinstance(milliseconds, int | float) else None


def format_timestamp(milliseconds: int) -> str:
    """Format a time as in entries: `2024-05-01T12:00:00.000Z`."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return f"{moment.isoformat(timespec='milliseconds').removesuffix('+00:00')}Z"


@dataclass(frozen=True, slots=True)
class Clock:
    """The two clocks of authentication: wall time (seconds since 1970) for expiry, monotonic time for caches."""

    wall: Callable[[], float] = wall_time
    steady: Callable[[], float] = steady_time


SYSTEM_CLOCK: Final = Clock()
