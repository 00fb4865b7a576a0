"""The time: one place to ask for it, so that tests can hold it still, or `move` it."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from octavo.core.values import dataclass

_moved = 0


def this_moment() -> int:
    """Return milliseconds since 1970, UTC, as times are written."""
    return (time.time_ns() + _moved) // 1_000_000


def wall_time() -> float:
    """Return seconds since 1970, UTC."""
    return time.time() + _moved / 1_000_000_000


def steady_time() -> float:
    """Return seconds since some moment: for the age of things."""
    return time.monotonic() + _moved / 1_000_000_000


def move(seconds: float) -> None:
    """Let it be so much later than it was; with 0 what it really is. For tests: the whole process sees it."""
    global _moved
    _moved = _moved + int(seconds * 1_000_000_000) if seconds else 0


def read_moment(milliseconds: object) -> datetime | None:
    """Return the time at so many milliseconds since 1970, UTC; None for what is no number."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if isinstance(milliseconds, int | float) else None


def shown_moment(milliseconds: int) -> str:
    """A moment as entries show it: `2024-05-01T12:00:00.000Z`."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return f"{moment.isoformat(timespec='milliseconds').removesuffix('+00:00')}Z"


@dataclass(frozen=True, slots=True)
class Clock:
    """The two times that access needs: of the day (seconds since 1970), for expiry; steady, for the age of caches."""

    wall: Callable[[], float] = wall_time
    steady: Callable[[], float] = steady_time


SYSTEM_CLOCK: Final = Clock()
