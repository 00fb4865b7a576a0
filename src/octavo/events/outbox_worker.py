"""Delivery: a worker in each process takes messages from the outbox and passes them to the handlers of their topics.

It checks the outbox after a message is added in this process, after a delivery, and once a second for messages of other
processes. While the database is unavailable it keeps trying, and records the results of deliveries later.
"""

import asyncio
import logging
import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import Context
from typing import Final

from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.counters import DELIVERIES
from octavo.core.errors import ServiceUnavailable
from octavo.core.outage_log import reason_of
from octavo.database.connection import Database
from octavo.events.claims import MOST_TAKEN, Claims, End, Outcome
from octavo.events.dead_letters import forget_old
from octavo.events.messages import Message, Topic, Undeliverable
from octavo.events.outbox import Outbox

logger = logging.getLogger(__name__)

POLL_SECONDS: Final = 1.0
_SWEEP_SECONDS: Final = 600.0
_OUTCOMES: Final = {End.DELIVERED: "delivered", End.AGAIN: "failed", End.GIVEN_UP: "given_up"}
"""The label values of the metric."""
_MOST_ERROR: Final = 2_000
"""Maximum characters of an error that are stored."""


class OutboxWorker:
    """Delivers messages of these topics between `start` and `stop`."""

    def __init__(
        self, database: Database, outbox: Outbox, topics: Mapping[str, Topic], clock: Clock = SYSTEM_CLOCK
    ) -> None:
        self._database = database
        self._outbox = outbox
        self._topics = topics
        self._clock = clock
        self._claims = Claims(database, secrets.token_hex(16))
        self._awake = asyncio.Event()
        self._under_way: dict[asyncio.Task[None], Message] = {}
        self._ended: list[Outcome] = []
        self._looking: asyncio.Task[None] | None = None
        self._end_waking: Callable[[], None] = _nothing
        self._out_of_reach = False
        self._stopping = False
        self._renew_at: dict[str, float] = {}
        self._sweep_at = clock.steady() + _SWEEP_SECONDS
        for topic in topics:
            for outcome in _OUTCOMES.values():
                DELIVERIES.expect(topic, outcome)

    def start(self) -> None:
        """Start checking for messages, in a context independent of the caller's."""
        self._end_waking = self._outbox.on_wake(self._awake.set)
        self._looking = asyncio.get_running_loop().create_task(self._check_repeatedly(), context=Context())

    async def stop(self, seconds: float) -> None:
        """Stop taking messages. Deliveries in progress have `seconds` to finish; then others can take them."""
        self._end_waking()
        if self._looking is None:
            return
        self._looking.cancel()
        await asyncio.wait((self._looking,))
        self._looking = None
        if self._under_way:
            await asyncio.wait(tuple(self._under_way), timeout=seconds)
        self._stopping = True
        for task in tuple(self._under_way):
            task.cancel()
        if self._under_way:
            await asyncio.wait(tuple(self._under_way), timeout=seconds)
        try:
            await self._record_outcomes()
            await self._claims.release()
        except ServiceUnavailable as error:
            logger.warning("Could not record the last delivery, which may be repeated: %s", reason_of(error))

    async def drain(self) -> list[Outcome]:
        """Deliver all due messages, including those that become due by that, and return the results. Does not need
        `start`."""
        outcomes: list[Outcome] = []
        await self._take_due()
        while self._under_way:
            await asyncio.wait(tuple(self._under_way))
            outcomes += self._ended
            await self._take_due()
        return outcomes

    async def _check_repeatedly(self) -> None:
        while True:
            self._awake.clear()
            try:
                await self._take_due()
                if self._out_of_reach:
                    logger.info("The outbox is readable again")
                self._out_of_reach = False
            except Exception as error:  # the next check may succeed
                self._log_error(error)
                await asyncio.sleep(POLL_SECONDS)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._pause()):  # wait_for in Python 3.11 may swallow a cancellation
                    await self._awake.wait()

    def _pause(self) -> float:
        """Return the seconds until the next check without a wake-up: leases have to be renewed in time."""
        return min((POLL_SECONDS, *(self._topics[name].renewal for name in self._topics_under_way())))

    def _topics_under_way(self) -> set[str]:
        return {message.topic for message in self._under_way.values()}

    def _log_error(self, error: Exception) -> None:
        if not self._out_of_reach:
            unexpected = None if isinstance(error, ServiceUnavailable) else error
            logger.warning("Cannot process the outbox: %s", reason_of(error), exc_info=unexpected)
        self._out_of_reach = True

    async def _take_due(self) -> None:
        """Record results, and take due messages, up to the limits."""
        await self._record_outcomes()
        await self._keep()
        if not any(topic.is_active() for topic in self._topics.values()):
            return
        for name in sorted(await self._claims.due_topics() & self._topics.keys()):
            topic = self._topics[name]
            room = topic.at_once - Counter(message.topic for message in self._under_way.values())[name]
            while room > 0:
                taken = await self._claims.take(name, room, topic.lease)
                for message in taken:
                    self._begin(topic, message)
                room = room - len(taken) if len(taken) == MOST_TAKEN else 0

    async def _keep(self) -> None:
        """Renew leases before they expire, and delete old dead letters."""
        now, under_way = self._clock.steady(), self._topics_under_way()
        self._renew_at = {name: at for name, at in self._renew_at.items() if name in under_way}
        for name, at in self._renew_at.items():
            if now >= at:
                await self._claims.renew(name, self._topics[name].lease)
                self._renew_at[name] = now + self._topics[name].renewal
        if now >= self._sweep_at:
            await forget_old(self._database)
            self._sweep_at = now + _SWEEP_SECONDS

    async def _record_outcomes(self) -> None:
        ended = self._ended[:]
        if ended:
            await self._claims.record(ended)
            del self._ended[: len(ended)]
            for outcome in ended:
                DELIVERIES.add(outcome.message.topic, _OUTCOMES[outcome.end])

    def _begin(self, topic: Topic, message: Message) -> None:
        task = asyncio.get_running_loop().create_task(self._deliver(topic, message))
        self._under_way[task] = message
        self._renew_at.setdefault(topic.name, self._clock.steady() + topic.renewal)
        task.add_done_callback(self._note_end)

    def _note_end(self, task: asyncio.Task[None]) -> None:
        del self._under_way[task]
        self._awake.set()

    async def _deliver(self, topic: Topic, message: Message) -> None:
        if message.attempt > topic.retries.attempts:
            error = f"the service stopped during each of the last deliveries, of {topic.retries.attempts}"
            self._ended.append(self._given_up(message, error))
            return
        try:
            async with asyncio.timeout(topic.seconds):
                await topic.handler(message)
        except Undeliverable as error:
            self._ended.append(self._given_up(message, str(error)))
        except TimeoutError as error:
            self._ended.append(self._failed(topic, message, str(error) or f"not completed within {topic.seconds:g} s"))
        except (Exception, SystemExit, KeyboardInterrupt, asyncio.CancelledError) as error:  # any error of a handler
            if self._stopping:
                raise
            text = f"{type(error).__name__}: {error}".strip(": ")
            self._ended.append(self._failed(topic, message, text))
        else:
            self._ended.append(Outcome(message, End.DELIVERED))

    def _failed(self, topic: Topic, message: Message, error: str) -> Outcome:
        if message.attempt >= topic.retries.attempts:
            return self._given_up(message, error)
        pause = topic.retries.pause(message.attempt)
        retry_message = "%s %d could not be delivered in attempt %d; retrying in %.0f s: %s"
        logger.warning(retry_message, message.topic, message.id, message.attempt, pause, error)
        return Outcome(message, End.AGAIN, error[:_MOST_ERROR], pause)

    def _given_up(self, message: Message, error: str) -> Outcome:
        logger.error("Gave up %s %d after attempt %d: %s", message.topic, message.id, message.attempt, error)
        return Outcome(message, End.GIVEN_UP, error[:_MOST_ERROR])


def _nothing() -> None:
    """Do nothing: the worker is not started."""
