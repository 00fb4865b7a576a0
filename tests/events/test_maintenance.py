"""Deliveries in progress when maintenance mode begins, on each database."""

import asyncio

import pytest

from octavo.events.claims import Claims
from octavo.events.messages import Message
from tests.events.test_outbox import Post, post, until

__all__ = ["post"]

pytestmark = pytest.mark.anyio


async def test_a_delivery_in_progress_is_recorded_and_no_other_begins(post: Post) -> None:
    began, finish = asyncio.Event(), asyncio.Event()

    async def deliver(message: Message) -> None:
        began.set()
        await finish.wait()
        await post.take(message)

    post.work(deliver)
    await post.add("in progress")
    await began.wait()
    post.database.read_only_message = "Back at 6 pm"
    finish.set()
    await post.until_empty()
    assert post.payloads == ["in progress"]
    post.database.read_only_message = None
    await post.add("later")
    await until(lambda: post.payloads == ["in progress", "later"])


async def test_leases_are_renewed_and_released_but_not_taken(post: Post) -> None:
    holder, other = Claims(post.database, "holder"), Claims(post.database, "other")
    await post.add("a")
    await holder.take("letter", 1, lease=0)
    post.database.read_only_message = "Back at 6 pm"
    await holder.renew("letter", lease=3600)
    assert await other.due_topics() == set()
    await holder.release()
    assert await other.due_topics() == {"letter"}
