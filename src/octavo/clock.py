"""The time: one place to ask for it, so that tests can hold it still."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final


def this_moment() -> int:
    """Return milliseconds since 1970, UTC, as times are written."""
    return time.time_ns() // 1_000_000


def read_moment(milliseconds: object) -> datetime | None:
    """Return the time at so many milliseconds since 1970, UTC; None for what is no number."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if isinstance(milliseconds, int | float) else None


@dataclass(frozen=True, slots=True)
class Clock:
    """The two times that access needs: of the day (seconds since 1970), for expiry; steady, for the age of caches."""

    wall: Callable[[], float] = time.time
    steady: Callable[[], float] = time.monotonic


SYSTEM_CLOCK: Final = Clock()
