"""The change feed: subscribers, the order of events, and reconnection."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from octavo.access.authentication.api_tokens import create_token, revoke_token
from octavo.api.rest.feed.hub import FeedOptions
from octavo.database.synchronize import continue_ids
from tests.api.rest.feed_client import ON, PATIENCE, subscribed, write
from tests.models.bookshop import SECRETS, SOME_TOKEN
from tests.models.fixtures import open_copy
from tests.models.site import Site
from tests.models.templates import Copy

pytestmark = pytest.mark.anyio

FEW = {
    "OCTAVO_API__EVENTS__LISTENERS": "4",
    "OCTAVO_API__EVENTS__LISTENERS_BY_ADDRESS": "3",
}
GENRE, AUTHOR, BOOK, NOTE = "api::genre.genre", "api::author.author", "api::book.book", "api::note.note"
QUEUE = FeedOptions().queue


@pytest.fixture
async def shop(anyio_backend: str, tmp_path: Path, bookshop_copy: Copy) -> AsyncIterator[Site]:
    site = await open_copy(tmp_path, bookshop_copy, {**ON, **FEW})
    await site.octavo.asgi.start()
    await continue_ids(site.database, site.octavo.site.registry)
    yield site
    await site.octavo.asgi.stop()


async def test_events_match_what_find_returns(shop: Site) -> None:
    async with subscribed(shop) as public, subscribed(shop, "?publicationState=preview&types=" + GENRE) as preview:
        assert (public.status, public.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
        assert "content-length" not in public.headers
        one = (await write(shop, "POST", "genres", {"name": "new", "publishedAt": None}))["id"]
        reported = [("entry.create", one)]
        await preview.expect(*reported)
        for data, name in (
            ({"rank": 1}, "entry.update"),
            ({"publishedAt": "2020-01-01T00:00:00.000Z"}, "entry.publish"),
            ({"rank": 2}, "entry.update"),
            ({"publishedAt": None}, "entry.unpublish"),
        ):
            await write(shop, "PUT", f"genres/{one}", data)
            reported.append((name, one))
            await preview.expect(*reported)
        await write(shop, "DELETE", f"genres/{one}")
        await preview.expect(*reported, ("entry.delete", -one))
        other = (await write(shop, "POST", "authors", {"name": "Ann"}))["id"]
        await public.expect(
            ("entry.publish", one), ("entry.update", one), ("entry.unpublish", -one), ("entry.create", other)
        )


async def test_events_identify_the_entry(shop: Site) -> None:
    async with subscribed(shop, f"?types={BOOK},{AUTHOR}") as subscriber:
        author = (await write(shop, "POST", "authors", {"name": "Ann"}))["id"]
        await subscriber.expect(("entry.create", author))
        (event,), (block,) = subscriber.events, [block for block in subscriber.blocks if "data" in block]
        assert event.pop("createdAt").endswith("Z")
        assert event == {"event": "entry.create", "model": "author", "uid": AUTHOR, "id": author}
        assert (block["event"], block["id"]) == ("entry.create", subscriber.last_id)
        await write(shop, "PUT", "books/1", {"title": "other"})
        await subscriber.until(lambda: len(subscriber.events) == 2)
        assert subscriber.events[1]["locale"] == "en"
        assert "gone" not in subscriber.events[1]
        await write(shop, "DELETE", f"authors/{author}")
        await subscriber.until(lambda: len(subscriber.events) == 3)
        assert subscriber.events[2]["gone"] is True


async def test_an_entry_as_a_list_shows_it(shop: Site) -> None:
    async with subscribed(shop, f"?types={AUTHOR}&entry=true") as subscriber:
        author = (await write(shop, "POST", "authors", {"name": "Ann\nBee"}))["id"]
        await subscriber.until(lambda: subscriber.events)
        found = (await shop.get(f"/api/authors?filters[id]={author}")).json["data"]
        assert [subscriber.events[0]["entry"]] == found
        await write(shop, "DELETE", f"authors/{author}")
        await subscriber.until(lambda: len(subscriber.events) == 2)
        assert "entry" not in subscriber.events[1]


async def test_subscribers_filter_events(shop: Site) -> None:
    async with (
        subscribed(shop, f"?types={AUTHOR}") as authors,
        subscribed(shop, "?locale=fr") as french,
        subscribed(shop, "?id=2,3") as some,
        subscribed(shop, "?locale=all&types=api::book.book", client="192.0.2.2") as books,
    ):
        for path in ("authors/1", "authors/2", "books/1", "authors/3"):
            await write(shop, "PUT", path, {"title": "x"} if path.startswith("books") else {"name": "x"})
        await authors.expect(("entry.update", 1), ("entry.update", 2), ("entry.update", 3))
        await some.expect(("entry.update", 2), ("entry.update", 3))
        await books.expect(("entry.update", 1))
        assert french.changes == []


@pytest.mark.parametrize(
    "query, token, status",
    [
        ("?types=api::none.none", None, 400),
        ("?types=", None, 400),
        ("?types[a]=b", None, 400),
        ("?id=x", None, 400),
        ("?entry=maybe", None, 400),
        ("?publicationState=all", None, 400),
        ("?other=1", None, 400),
        (f"?types={AUTHOR}", SOME_TOKEN, 403),
        ("?types=api::vault.vault", None, 403),
        ("", "wrong-token", 401),
    ],
)
async def test_refused_subscribers(shop: Site, query: str, token: str | None, status: int) -> None:
    async with subscribed(shop, query, token) as subscriber:
        assert (subscriber.status, subscriber.is_over) == (status, True)


async def test_reconnected_subscribers_get_missed_events(shop: Site) -> None:
    async with subscribed(shop, f"?types={AUTHOR}") as subscriber:
        await write(shop, "PUT", "authors/1", {"name": "1"})
        await subscriber.expect(("entry.update", 1))
    await write(shop, "PUT", "authors/2", {"name": "2"})
    gone = (await write(shop, "POST", "authors", {"name": "Ann"}))["id"]
    await write(shop, "DELETE", f"authors/{gone}")
    async with subscribed(shop, f"?types={AUTHOR}", last_id=subscriber.last_id) as again:
        await write(shop, "PUT", "authors/3", {"name": "3"})
        await again.expect(("entry.update", 2), ("entry.delete", -gone), ("entry.update", 3))
    async with subscribed(shop, f"?types={AUTHOR}", last_id=again.last_id) as last:
        assert last.changes == []
    async with subscribed(shop, last_id="7-999999") as lost:
        assert [block.get("event") for block in lost.blocks if "data" in block] == ["reset"]
        await write(shop, "PUT", "authors/3", {"name": "4"})
        await lost.expect(("entry.update", 3))
    async with subscribed(shop, last_id="nonsense") as refused:
        assert refused.status == 400


async def test_a_revoked_token_ends_the_stream(shop: Site) -> None:
    feed, database = shop.octavo.infrastructure.feed, shop.database
    token = await create_token(database, SECRETS["API_TOKEN_SALT"], "ears", "read-only", feed=feed)
    async with subscribed(shop, token=token) as subscriber, subscribed(shop) as other:
        await write(shop, "PUT", "authors/1", {"name": "1"})
        await subscriber.expect(("entry.update", 1))
        await revoke_token(database, "ears", feed)
        await write(shop, "PUT", "authors/2", {"name": "2"})
        await subscriber.until(lambda: subscriber.is_over)
        assert subscriber.events[-1] == {"reason": "unauthorized"}
        assert subscriber.changes == [("entry.update", 1)]
        await other.expect(("entry.update", 1), ("entry.update", 2))


async def test_slow_subscribers_are_disconnected(shop: Site) -> None:
    text = "n" * (QUEUE // 20)
    async with subscribed(shop, f"?types={NOTE}&entry=true") as slow, subscribed(shop) as quick:
        slow.takes.clear()
        for number in range(40):
            await write(shop, "PUT", "notes/1", {"text": f"{number}{text}"})
            await quick.until(lambda: len(quick.changes) == number + 1)  # noqa: B023 - or it falls behind on a busy machine
        async with asyncio.timeout(PATIENCE):
            await slow.done.wait()
        assert len(slow.changes) < 40
    async with subscribed(shop, f"?types={NOTE}&entry=true", last_id=slow.last_id) as again:
        assert len({event["createdAt"] for event in slow.events + again.events}) > 1
        await again.expect(*[("entry.update", 1)] * (40 - len(slow.changes)))


async def test_reconnected_and_live_subscribers_have_the_same_memory_limit(shop: Site) -> None:
    text = "n" * (QUEUE // 10)
    async with subscribed(shop) as quick:
        async with subscribed(shop, f"?types={NOTE}&entry=true") as subscriber:
            last_id = subscriber.last_id
        for number in range(40):
            await write(shop, "PUT", "notes/1", {"text": f"{number}{text}"})
            await quick.until(lambda: len(quick.changes) == number + 1)  # noqa: B023 - all are in the journal then
        async with subscribed(shop, f"?types={NOTE}&entry=true", last_id=last_id) as again:
            await again.expect(*[("entry.update", 1)] * 40)
    assert sum(text in str(event["entry"]) for event in again.events) == 40
    assert len(again.text) > 4 * QUEUE
    assert again.longest <= 3 * QUEUE, "for each chunk: two queues and the envelope"


async def test_limits_of_listeners(shop: Site) -> None:
    async with AsyncExitStack() as stack:
        for _ in range(3):
            assert (await stack.enter_async_context(subscribed(shop))).status == 200
        assert (await stack.enter_async_context(subscribed(shop))).status == 429
        assert (await stack.enter_async_context(subscribed(shop, client="192.0.2.2"))).status == 200
        assert (await stack.enter_async_context(subscribed(shop, client="192.0.2.3"))).status == 503
    async with subscribed(shop) as subscriber:
        assert subscriber.status == 200


async def test_a_reload_and_a_stop_end_streams(shop: Site) -> None:
    async with subscribed(shop, f"?types={AUTHOR}") as subscriber:
        await write(shop, "PUT", "authors/1", {"name": "1"})
        await subscriber.expect(("entry.update", 1))
        await shop.octavo.reload()
        await subscriber.until(lambda: subscriber.is_over)
    await write(shop, "PUT", "authors/2", {"name": "2"})
    async with subscribed(shop, f"?types={AUTHOR}", last_id=subscriber.last_id) as again:
        await again.expect(("entry.update", 2))
        shop.octavo.asgi.end_live()  # the first step of a stop
        await again.until(lambda: again.is_over)
    async with subscribed(shop) as late:
        assert late.is_over


async def test_a_disabled_feed_writes_nothing(own_bookshop: Site) -> None:
    before = own_bookshop.database.statements
    await write(own_bookshop, "PUT", "authors/1", {"name": "1"})
    count = own_bookshop.database.statements - before
    assert (await own_bookshop.get("/api/events")).status == 404
    assert own_bookshop.octavo.infrastructure.journal is None
    assert count < 10
