"""ChangeFeed: who wants to know which data has changed, and is told once the change is durable."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import field
from enum import IntEnum, StrEnum
from functools import partial
from typing import Any

from octavo.core.values import dataclass

Listener = Callable[[Sequence["DataChange"]], Awaitable[object] | None]
Callback = Callable[[], Awaitable[object] | None]


class ChangeKind(StrEnum):
    """What became of an entry. An update that publishes it, or takes that back, is known as such."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    PUBLISH = "publish"
    UNPUBLISH = "unpublish"


class Presence(IntEnum):
    """How an entry is there: for nobody, for those who see drafts, for every reader. Kept as its number."""

    ABSENT = 0
    DRAFT = 1
    LIVE = 2


@dataclass(frozen=True, slots=True)
class DataChange:
    """One entry changed: the UID of its type, its id and how.

    `before` and `after` are what a reader of the entry alone is shown, as JSON. They are read only where a subscriber
    asks for images of that type; an entry that is made has no `before`, one that is gone no `after`. `was` and `became`
    tell for whom it was there and is there now, `locale` the locale of an entry of a localized type.
    """

    uid: str
    id: int
    kind: ChangeKind
    before: bytes | None = None
    after: bytes | None = None
    locale: str | None = field(default=None, compare=False)
    was: Presence = field(default=Presence.LIVE, compare=False)
    became: Presence = field(default=Presence.LIVE, compare=False)


Keeper = Callable[[Any, Sequence[DataChange]], Awaitable[None]]
"""Writes changes down through a connection, as a part of what they belong to."""


@dataclass(frozen=True, slots=True, eq=False)
class _Subscription:
    listener: Listener
    uids: frozenset[str] | None
    images: bool


class ChangeFeed:
    """The subscribers to changes of data. `hooks` are those of the project in force, for rows that no site writes."""

    def __init__(self) -> None:
        self.hooks: Any = None
        self._subscriptions: tuple[_Subscription, ...] = ()
        self.wants_any_images = False
        """Whether a subscriber asks for images at all."""
        self.keepers: tuple[Keeper, ...] = ()
        """Who writes changes down inside their transaction."""

    def keep(self, keeper: Keeper) -> None:
        """Have somebody write every change down inside its transaction."""
        self.keepers = (*self.keepers, keeper)

    def subscribe(
        self, listener: Listener, uids: Iterable[str] | None = None, *, images: bool = False
    ) -> Callable[[], None]:
        """Tell a listener of the changes of these types, or all, once for each transaction; how to end that.

        `images`: read what the entries were and have become, which costs a statement for each.
        """
        subscription = _Subscription(listener, None if uids is None else frozenset(uids), images)
        self._set((*self._subscriptions, subscription))
        return lambda: self._set(tuple(one for one in self._subscriptions if one is not subscription))

    def wants_images(self, uid: str) -> bool:
        """Whether a subscriber asks what entries of a type were and have become."""
        return self.wants_any_images and any(
            one.images and (one.uids is None or uid in one.uids) for one in self._subscriptions
        )

    def deliveries(self, changes: Sequence[DataChange]) -> list[Callback]:
        """The calls that tell the subscribers, in their order, each of what concerns it."""
        deliveries: list[Callback] = []
        for one in self._subscriptions:  # for every write: no more calls than needed
            concerning = changes if one.uids is None else [change for change in changes if change.uid in one.uids]
            if concerning:
                deliveries.append(partial(one.listener, tuple(concerning)))
        return deliveries

    def _set(self, subscriptions: tuple[_Subscription, ...]) -> None:
        self._subscriptions = subscriptions
        self.wants_any_images = any(one.images for one in subscriptions)
