"""Which reads of SQLite run in the event loop: all but those that were late there a moment ago, and those announced as
long until they have shown that they are not. Of these the longer ones run one at a time, with everybody else's turn in
between.

Statements are known by their hash: a text may be long, and its caller may be the only one who ever asks for it. Two
texts with one hash cost a read in the wrong place.
"""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from enum import Enum
from typing import Final, NamedTuple

LOOP_SECONDS: Final = 0.02
"""How long a read may occupy the event loop before it is sent to a thread."""
QUICK_SECONDS: Final = 0.005
"""Processor time within which a read announced as long runs in the loop from then on: threads take a third more."""
SHORT_SECONDS: Final = 0.001
"""Processor time within which it runs there like one that nobody has announced."""
MEMORY_SECONDS: Final = 10.0
"""How long a read that was late stays away from the loop."""
MOST: Final = 4096
"""Statements that are remembered, of each kind."""


class Place(Enum):
    """Where a read runs: in the loop, at once or when it has the turn, or in a thread."""

    HERE = 1
    IN_TURN = 2
    THREAD = 3


class Took(NamedTuple):
    """What a read took, in seconds: of the processor, and until it was done."""

    processor: float
    wall: float


class LoopReads:
    """Remembers what became of reads. `clock` tells seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._late: OrderedDict[int, float] = OrderedDict()  # the oldest first
        self._quick: dict[int, Place] = {}

    def __len__(self) -> int:
        return len(self._late) + len(self._quick)

    def place(self, text: str, long: bool) -> Place:
        """Tell where a read is to run; `long` as its caller announced it."""
        if self._late and self._is_late(hash(text)):
            return Place.THREAD
        return self._quick.get(hash(text), Place.THREAD) if long else Place.HERE

    def note_late(self, text: str) -> None:
        """Keep a read away from the loop for a while."""
        now = self._clock()
        while self._late and (len(self._late) >= MOST or next(iter(self._late.values())) <= now):
            self._late.popitem(last=False)
        key = hash(text)
        self._quick.pop(key, None)
        self._late.pop(key, None)  # what is noted again is the youngest
        self._late[key] = now + MEMORY_SECONDS

    def note_time(self, text: str, took: Took, is_late: bool = False) -> None:
        """Note what a read took in a thread. If it `is_late`, the very same has been late in the loop a moment ago: it
        may go back where the machine was busy, and it had nothing to compute or to wait for."""
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


class Turns:
    """Lets one at a time go on, and between two of them all that the event loop has to do for others."""

    def __init__(self) -> None:
        self._taken = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def turn(self) -> None:
        """Wait for a turn, which lasts until the caller awaits something."""
        loop = asyncio.get_running_loop()
        if self._taken:
            mine = loop.create_future()
            self._waiting.append(mine)
            try:
                await mine
            except asyncio.CancelledError:
                if not mine.cancelled():
                    self._pass_on()  # it was mine already
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
