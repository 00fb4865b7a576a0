"""Decide which SQLite reads run in the event loop: all except those that recently took too long there, and those marked
as long until they have proven to be fast. Of the latter, slower ones run one at a time, with turns of the event loop in
between.

Statements are identified by their hash, because a text may be long and used only once. With a hash collision, a read
merely runs in the wrong place.
"""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from enum import Enum
from typing import Final, NamedTuple

LOOP_SECONDS: Final = 0.02
"""How long a read may occupy the event loop before it is moved to a thread."""
QUICK_SECONDS: Final = 0.005
"""Processor time up to which a read marked as long runs in the loop from then on: threads add a third."""
SHORT_SECONDS: Final = 0.001
"""Processor time up to which it runs there like a read that is not marked."""
MEMORY_SECONDS: Final = 10.0
"""How long a slow read does not run in the loop."""
MOST: Final = 4096
"""Number of statements that are remembered, of each kind."""


class Place(Enum):
    """Where a read runs: in the loop, at once or in turn, or in a thread."""

    HERE = 1
    IN_TURN = 2
    THREAD = 3


class ReadDuration(NamedTuple):
    """The duration of a read in seconds: processor time, and elapsed time."""

    processor: float
    wall: float


class ReadPlacement:
    """Remembers the durations of reads. `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._late: OrderedDict[int, float] = OrderedDict()  # the oldest first
        self._quick: dict[int, Place] = {}

    def __len__(self) -> int:
        return len(self._late) + len(self._quick)

    def place(self, text: str, long: bool) -> Place:
        """Return where to run a read. `long`: its caller has marked it as long."""
        if self._late and self._is_late(hash(text)):
            return Place.THREAD
        return self._quick.get(hash(text), Place.THREAD) if long else Place.HERE

    def note_late(self, text: str) -> None:
        """Keep a read out of the loop for a while."""
        now = self._clock()
        while self._late and (len(self._late) >= MOST or next(iter(self._late.values())) <= now):
            self._late.popitem(last=False)
        key = hash(text)
        self._quick.pop(key, None)
        self._late.pop(key, None)  # moves the statement to the end
        self._late[key] = now + MEMORY_SECONDS

    def note_time(self, text: str, took: ReadDuration, is_late: bool = False) -> None:
        """Record the duration of a read in a thread. If it `is_late`, the same read has just been too slow in the loop:
        it may return there if the machine was busy, and the read itself used little time."""
        if took.processor < QUICK_SECONDS:
            if is_late and took.wall < LOOP_SECONDS:
                self._late.pop(hash(text), None)
            if len(self._quick) >= MOST:
                self._quick.clear()
            self._quick[hash(text)] = Place.HERE if took.processor < SHORT_SECONDS else Place.IN_TURN

    def _is_late(self, key: int) -> bool:
        until = self._late.get(key)
        if until is None:
            return False
        if self._clock() < until:
            return True
        del self._late[key]
        return False


class FairLock:
    """Lets one caller run at a time, and the event loop's other work between two of them."""

    def __init__(self) -> None:
        self._taken = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def turn(self) -> None:
        """Wait for a turn. It lasts until the caller awaits something."""
        loop = asyncio.get_running_loop()
        if self._taken:
            mine = loop.create_future()
            self._waiting.append(mine)
            try:
                await mine
            except asyncio.CancelledError:
                if not mine.cancelled():
                    self._pass_on()  # the turn had already been assigned
                raise
        self._taken = True
        loop.call_soon(self._pass_on)

    def _pass_on(self) -> None:
        while self._waiting:
            following = self._waiting.popleft()
            if not following.done():
                following.set_result(None)
                return
        self._taken = False
