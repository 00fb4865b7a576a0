"""Messages of the outbox, topics, and retries."""

import random
from collections.abc import Awaitable, Callable
from typing import Any, Final

from octavo.core.values import dataclass

MOST_BYTES: Final = 4 * 1024**2
"""Maximum bytes of a payload, as JSON."""
LEASE_SECONDS: Final = 60.0
"""Default lease: how long a message stays with a worker that sends no renewal."""
LONGEST_NAME: Final = 255
"""Maximum characters of an ordering key."""


class MessageTooLarge(ValueError):
    """A payload exceeds the maximum size."""


class Undeliverable(Exception):
    """The message can never be delivered. Raised by handlers; the message becomes a dead letter at once."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message to deliver. `attempt` counts from 1; `created_at` is milliseconds since 1970.

    The same message may be delivered more than once, with the same `id`. Use it to detect duplicates.
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
    """The retries of a failed delivery: after `first` seconds, then each time after `factor` times as long, up to
    `longest`; `attempts` in total."""

    attempts: int = 10
    first: float = 2.0
    factor: float = 4.0
    longest: float = 6 * 3600.0

    def pause(self, attempt: int) -> float:
        """Return the seconds after an attempt, counted from 1, with random jitter of up to a half."""
        whole = min(self.longest, self.first * self.factor ** min(attempt - 1, 50))
        return whole * random.uniform(0.5, 1.0)  # noqa: S311 - not a secret


@dataclass(frozen=True, slots=True)
class Topic:
    """How messages of one kind are handled.

    `seconds` is the timeout of a delivery; `at_once` the number of concurrent deliveries in one process. `is_active`
    returns whether there may be messages at all; otherwise the outbox is not searched. `lease` is how long, in seconds,
    a message stays with a process that sends no renewal: short if duplicates are harmless and delays are not.
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
        """The interval of lease renewals in seconds."""
        return self.lease / 3
