"""The outbox on each database: committed messages are delivered in order and at least once, rolled back ones never."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest

from octavo.core.clock import this_moment
from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work
from octavo.events import dead_letters, outbox
from octavo.events.dead_letters import DeadLetters, forget_old
from octavo.events.messages import MOST_BYTES, Message, MessageTooLarge, Retries, Topic, Undeliverable
from octavo.events.outbox import Outbox
from octavo.events.outbox_worker import OutboxWorker

pytestmark = pytest.mark.anyio

PATIENCE = 120
AT_ONCE = Retries(attempts=3, first=0.0)
LATER = Retries(attempts=3, first=3600.0)


async def until(true: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not true():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.005)


@dataclass
class Post:
    """An outbox, its workers, and the messages that they have delivered."""

    database: Database
    stack: AsyncExitStack
    outbox: Outbox = field(init=False)
    came: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.outbox = Outbox(self.database)

    @property
    def payloads(self) -> list[Any]:
        return [message.payload for message in self.came]

    async def take(self, message: Message) -> None:
        self.came.append(message)

    def work(self, handler: Callable[[Message], Awaitable[object]] | None = None, **options: Any) -> OutboxWorker:
        """Start a worker for the topic `letter`."""
        topic = Topic("letter", handler or self.take, **{"retries": AT_ONCE, **options})
        worker = OutboxWorker(self.database, self.outbox, {topic.name: topic})
        worker.start()
        self.stack.push_async_callback(worker.stop, 0)
        return worker

    async def add(self, *payloads: Any, key: str | None = None, not_before: int | None = None) -> list[int]:
        async with unit_of_work(self.database) as unit:
            return [await self.outbox.add(unit, "letter", payload, key, not_before) for payload in payloads]

    async def count(self, table: str = "octavo_outbox") -> int:
        return int(await self.database.fetch_value(f"SELECT count(*) FROM {table}"))

    async def until_empty(self) -> None:
        async with asyncio.timeout(PATIENCE):
            while await self.count():  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.005)


@pytest.fixture
async def post(database: Database) -> AsyncIterator[Post]:
    for table in (outbox.TABLE, dead_letters.TABLE):
        await database.execute_script(table.script(database.dialect))
    async with AsyncExitStack() as stack:
        yield Post(database, stack)


async def test_committed_messages_are_delivered_once(post: Post) -> None:
    ids = await post.add({"before": "the worker"})
    post.work()
    ids += await post.add({"ü": [1, None]}, "\0 text")
    await post.until_empty()
    assert post.payloads == [{"before": "the worker"}, {"ü": [1, None]}, "\0 text"]
    assert [(one.id, one.attempt, one.topic) for one in post.came] == [(number, 1, "letter") for number in ids]


async def test_rolled_back_messages_are_not_delivered(post: Post) -> None:
    async def fail() -> None:
        async with unit_of_work(post.database) as unit:
            await post.outbox.add(unit, "letter", "never")
            raise ZeroDivisionError

    post.work()
    with pytest.raises(ZeroDivisionError):
        await fail()
    await post.add("ever")
    await post.until_empty()
    assert post.payloads == ["ever"]


async def test_messages_of_a_key_are_ordered_and_wait_for_a_failed_one(post: Post) -> None:
    async def fail_first(message: Message) -> None:
        if message.payload == "a1" and message.attempt < 3:
            raise ValueError("not yet")
        await post.take(message)

    post.work(fail_first)
    await post.add("a1", "a2", "a3", key="a")
    await post.add("b1", key="b")
    await post.until_empty()
    assert [one for one in post.payloads if one != "b1"] == ["a1", "a2", "a3"]
    assert "b1" in post.payloads
    assert next(one for one in post.came if one.payload == "a1").attempt == 3


async def test_a_running_delivery_blocks_only_its_key(post: Post) -> None:
    let_go = asyncio.Event()

    async def wait(message: Message) -> None:
        await post.take(message)
        if message.payload == "a1":
            await let_go.wait()

    post.work(wait)
    post.work(wait)
    await post.add("a1", "a2", key="a")
    await post.add("b1", "b2", key="b")
    await until(lambda: {"a1", "b1", "b2"} <= set(post.payloads))
    assert "a2" not in post.payloads
    let_go.set()
    await post.until_empty()
    assert post.payloads[-1] == "a2"


async def test_messages_that_are_not_due_block_no_other(post: Post) -> None:
    post.work()
    (later,) = await post.add("later", key="a", not_before=this_moment() + 3_600_000)
    await post.add("now", key="a")
    await until(lambda: post.payloads == ["now"])
    async with unit_of_work(post.database) as unit:
        assert await post.outbox.remove(unit, later)
        assert not await post.outbox.remove(unit, later)
    assert post.payloads == ["now"]


async def test_two_workers_deliver_each_message_once(post: Post) -> None:
    post.work(at_once=3)
    post.work()
    await asyncio.gather(*(post.add(f"{key}{number}", key=key) for number in range(10) for key in "abcd"))
    await post.until_empty()
    assert sorted(post.payloads) == sorted(f"{key}{number}" for number in range(10) for key in "abcd")


async def test_repeatedly_failing_messages_stop_and_can_be_sent_again(
    post: Post, caplog: pytest.LogCaptureFixture
) -> None:
    mended = False

    async def fail(message: Message) -> None:
        await post.take(message)
        if message.payload == "bad" and not mended:
            raise ValueError("broken")
        if message.payload == "worse" and not mended:
            raise Undeliverable("for ever")

    post.work(fail)
    letters = DeadLetters(post.database, post.outbox)
    await post.add("bad", "good", key="a")
    await post.add("worse")
    await post.until_empty()
    found = {one.payload: one for one in await letters.list()}
    assert {name: (one.attempts, one.error) for name, one in found.items()} == {
        "bad": (3, "ValueError: broken"),
        "worse": (1, "for ever"),
    }
    assert post.payloads.count("bad") == 3
    assert post.payloads[-1] == "good" or "good" in post.payloads
    assert sum(record.levelno == logging.ERROR for record in caplog.records) == 2
    mended = True
    assert await letters.send_again(found["bad"].id)
    assert await letters.send_again(found["bad"].id) is None
    await post.until_empty()
    assert [one.payload for one in await letters.list("letter")] == ["worse"]
    assert await letters.list("other") == []
    await post.database.execute("UPDATE octavo_dead_letters SET died_at = 0")
    await forget_old(post.database)
    assert await letters.list() == []


async def test_deliveries_that_take_too_long_fail(post: Post) -> None:
    async def hang(message: Message) -> None:
        await post.take(message)
        await asyncio.Event().wait()

    post.work(hang, seconds=0.01)
    await post.add("slow")
    await post.until_empty()
    (letter,) = await DeadLetters(post.database, post.outbox).list()
    assert (letter.attempts, letter.error) == (3, "not completed within 0.01 s")


async def test_a_stopped_worker_leaves_its_deliveries_to_others(post: Post) -> None:
    async def hang(message: Message) -> None:
        await post.take(message)
        await asyncio.Event().wait()

    first = post.work(hang)
    await post.add("x")
    await until(lambda: post.payloads == ["x"])
    await first.stop(0)
    post.work()
    await post.until_empty()
    assert [one.attempt for one in post.came] == [1, 1]


async def test_leases_last_as_long_as_the_topic_allows(post: Post) -> None:
    begun, done = asyncio.Event(), asyncio.Event()

    async def wait(message: Message) -> None:
        begun.set()
        await done.wait()
        await post.take(message)

    async def due_at() -> int:
        return int(await post.database.fetch_value("SELECT due_at FROM octavo_outbox"))

    [number] = await post.add("slow")
    post.work(wait, lease=0.9)
    await begun.wait()
    first = await due_at()
    assert first <= this_moment() + 900
    async with asyncio.timeout(PATIENCE):
        while await due_at() == first:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.005)
    done.set()
    await post.until_empty()
    assert [one.id for one in post.came] == [number]


async def test_messages_of_a_killed_worker_are_delivered_after_the_lease(post: Post) -> None:
    await post.add("x", "y", key="a")
    await post.database.execute("UPDATE octavo_outbox SET attempts = 1, holder = 'gone' WHERE id = 1")
    await post.database.execute(f"UPDATE octavo_outbox SET due_at = {this_moment() + 3_600_000} WHERE id = 1")
    post.work()
    await post.add("z")
    await until(lambda: post.payloads == ["z"])
    await post.database.execute("UPDATE octavo_outbox SET due_at = 0 WHERE id = 1")
    await post.until_empty()
    assert [(one.payload, one.attempt) for one in post.came[1:]] == [("x", 2), ("y", 1)]


async def test_messages_whose_workers_keep_dying_are_given_up(post: Post) -> None:
    await post.add("x")
    await post.database.execute("UPDATE octavo_outbox SET attempts = 3, holder = 'gone'")
    post.work()
    await post.until_empty()
    (letter,) = await DeadLetters(post.database, post.outbox).list()
    assert "the service stopped" in letter.error
    assert post.came == []


async def test_a_pause_between_attempts_grows_and_is_left_to_chance(post: Post) -> None:
    pauses = [Retries(first=2.0, factor=4.0, longest=100.0).pause(attempt) for attempt in (1, 2, 3, 4, 1000)]
    for pause, whole in zip(pauses, (2, 8, 32, 100, 100), strict=True):
        assert whole / 2 <= pause <= whole

    async def fail(message: Message) -> None:
        await post.take(message)
        raise ValueError("broken")

    worker = post.work(fail, retries=LATER)
    await post.add("x", "y", key="a")
    await until(lambda: post.payloads == ["x"])
    await worker.stop(10)
    rows = await post.database.fetch_all("SELECT attempts, holder, error, due_at FROM octavo_outbox ORDER BY id")
    assert [tuple(row)[:3] for row in rows] == [(1, None, "ValueError: broken"), (0, None, None)]
    assert rows[0][3] > this_moment() + 600_000


async def test_too_large_messages_are_refused(post: Post) -> None:
    with pytest.raises(MessageTooLarge):
        await post.add("x" * MOST_BYTES)
    with pytest.raises(ValueError, match="at most 255"):
        await post.add("x", key="k" * 256)
    assert await post.count() == 0


async def test_inactive_topics_take_no_statement(post: Post) -> None:
    active = False
    post.work(is_active=lambda: active)
    before = post.database.statements
    await post.add("x")
    await asyncio.sleep(0.05)
    assert post.database.statements == before + 1
    active = True
    await post.add("y")
    await post.until_empty()
    assert sorted(post.payloads) == ["x", "y"]
