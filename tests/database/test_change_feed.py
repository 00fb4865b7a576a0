"""ChangeFeed: the changes that each subscriber receives."""

from collections.abc import Sequence

import pytest

from octavo.database.change_feed import ChangeFeed, ChangeKind, DataChange

BOOK = DataChange("api::book.book", 1, ChangeKind.CREATE)
AUTHOR = DataChange("api::author.author", 2, ChangeKind.DELETE)


def deliver(feed: ChangeFeed, *changes: DataChange) -> None:
    for delivery in feed.deliveries(changes):
        delivery()


@pytest.mark.parametrize(
    "uids, expected",
    [
        (None, [(BOOK, AUTHOR)]),
        ({BOOK.uid}, [(BOOK,)]),
        ({AUTHOR.uid, BOOK.uid}, [(BOOK, AUTHOR)]),
        ({"api::shelf.shelf"}, []),
        ((), []),
    ],
)
def test_a_subscriber_receives_each_change_once(uids: set[str] | None, expected: list[tuple[DataChange, ...]]) -> None:
    feed, heard = ChangeFeed(), list[Sequence[DataChange]]()
    feed.subscribe(heard.append, uids)
    deliver(feed, BOOK, AUTHOR)
    assert heard == expected


def test_subscribers_are_called_in_order_until_they_unsubscribe() -> None:
    feed, heard = ChangeFeed(), list[str]()
    end = feed.subscribe(lambda changes: heard.append("first"))
    feed.subscribe(lambda changes: heard.append("second"))
    deliver(feed, BOOK)
    end()
    deliver(feed, BOOK)
    assert heard == ["first", "second", "second"]


def test_images_are_read_only_for_subscribed_types() -> None:
    feed = ChangeFeed()
    feed.subscribe(lambda changes: None)
    end = feed.subscribe(lambda changes: None, {BOOK.uid}, images=True)
    assert (feed.wants_images(BOOK.uid), feed.wants_images(AUTHOR.uid)) == (True, False)
    end()
    assert not feed.wants_images(BOOK.uid)
