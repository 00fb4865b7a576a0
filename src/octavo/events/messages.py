"""Messages of the outbox: what they hold, what a topic does with them, and when they are tried again."""

import random
from collections.abc import Awaitable, Callable
from typing import Any, Final

from octavo.core.values import dataclass

MOST_BYTES: Final = 4 * 1024**2
"""Of a payload, as JSON."""
LEASE_SECONDS: Final = 60.0
"""How long a message that its worker says no more of stays with it, unless its topic says otherwise."""
LONGEST_NAME: Final = 255
"""Of an ordering key, in characters."""


class MessageTooLarge(ValueError):
    """A payload is larger than a message may be."""


class Undeliverable(Exception):
    """A message can never be delivered; raised by handlers, it goes to the dead letters at once."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message to be delivered. `attempt` counts from 1; `created_at` is milliseconds since 1970.

    The same message may come more than once, with the same `id`: what must not happen twice is to be known by it.
    """

    id: int
    topic: str
    ordering_key: str
    payload: Any
    attempt: int
    created_at: int


Handler = Callable[[Message], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Retries:
    """When a message that could not be delivered is tried again: after `first` seconds, then each time after `factor`
    times as long, at most `longest`; `attempts` in all."""

    attempts: int = 10
    first: float = 2.0
    factor: float = 4.0
    longest: float = 6 * 3600.0

    def pause(self, attempt: int) -> float:
        """Seconds after an attempt, counted from 1; up to a half is left to chance, so that not all come at once."""
        whole = min(self.longest, self.first * self.factor ** min(attempt - 1, 50))
        return whole * random.uniform(0.5, 1.0)  # noqa: S311 - no secret


@dataclass(frozen=True, slots=True)
class Topic:
    """What is done with messages of one kind.

    `seconds` is how long a delivery may take; `at_once` how many are delivered at the same time by one process.
    `is_active` tells whether messages may be there at all; none is looked for otherwise. `lease` is how long a message
    stays with a process that says no more of it, in seconds: short where coming twice does no harm, and late does.
    """

    name: str
    handler: Handler
    retries: Retries = Retries()
    seconds: float = 30.0
    at_once: int = 8
    is_active: Callable[[], bool] = lambda: True
    lease: float = LEASE_SECONDS

    @property
    def renewal(self) -> float:
        """Seconds between two signs of life of whoever delivers."""
        return self.lease / 3
