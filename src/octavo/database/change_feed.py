"""ChangeFeed: notifies subscribers of changed data after the change is committed."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import field
from enum import IntEnum, StrEnum
from functools import partial
from typing import Any

from octavo.core.values import dataclass

Listener = Callable[[Sequence["DataChange"]], Awaitable[object] | None]
Callback = Callable[[], Awaitable[object] | None]


class ChangeKind(StrEnum):
    """The kind of a change. Publishing and unpublishing are separate from other updates."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    PUBLISH = "publish"
    UNPUBLISH = "unpublish"


class Presence(IntEnum):
    """The visibility of an entry: none, with drafts only, or for every reader. Stored as its number."""

    ABSENT = 0
    DRAFT = 1
    LIVE = 2


@dataclass(frozen=True, slots=True)
class DataChange:
    """A change of one entry: the UID of its type, its id and the kind of change.

    `before` and `after` are the JSON representations of the entry. They are read only if a subscriber requests images
    of that type; a created entry has no `before`, a deleted one no `after`. `was` and `became` are the visibility
    before and after the change, `locale` is the locale of an entry of a localized type. `details` describe a change of
    permissions for the audit log.
    """

    uid: str
    id: int
    kind: ChangeKind
    before: bytes | None = None
    after: bytes | None = None
    locale: str | None = field(default=None, compare=False)
    was: Presence = field(default=Presence.LIVE, compare=False)
    became: Presence = field(default=Presence.LIVE, compare=False)
    details: Mapping[str, Any] | None = field(default=None, compare=False)


Keeper = Callable[[Any, Sequence[DataChange]], Awaitable[None]]
"""Stores changes through a connection, in the transaction that makes them."""


@dataclass(frozen=True, slots=True, eq=False)
class _Subscription:
    listener: Listener
    uids: frozenset[str] | None
    images: bool


class ChangeFeed:
    """The subscribers to data changes. `hooks` are those of the current project, for rows written outside a server."""

    def __init__(self) -> None:
        self.hooks: Any = None
        self._subscriptions: tuple[_Subscription, ...] = ()
        self.wants_any_images = False
        """Whether any subscriber requests images."""
        self.keepers: tuple[Keeper, ...] = ()
        """Functions that store changes in the same transaction."""
        self._stores: tuple[Callable[[], bool], ...] = ()

    def keep(self, keeper: Keeper, stores: Callable[[], bool] = lambda: True) -> None:
        """Add a function that stores every change in the same transaction, if `stores` returns true for the caller."""
        self.keepers = (*self.keepers, keeper)
        self._stores = (*self._stores, stores)

    def stores_changes(self) -> bool:
        """Return whether a keeper stores changes of the current caller."""
        return any(stores() for stores in self._stores)

    def subscribe(
        self, listener: Listener, uids: Iterable[str] | None = None, *, images: bool = False
    ) -> Callable[[], None]:
        """Call a listener after each transaction that changes these types, or any type. Returns the unsubscribe
        function.

        `images`: read the entries before and after the change, which costs a statement for each.
        """
        subscription = _Subscription(listener, None if uids is None else frozenset(uids), images)
        self._set((*self._subscriptions, subscription))
        return lambda: self._set(tuple(one for one in self._subscriptions if one is not subscription))

    def wants_images(self, uid: str) -> bool:
        """Return whether a subscriber requests images of a type's entries."""
        return self.wants_any_images and any(
            one.images and (one.uids is None or uid in one.uids) for one in self._subscriptions
        )

    def notifies(self, uid: str) -> bool:
        """Return whether a subscriber is called after changes of a type's entries."""
        return any(one.uids is None or uid in one.uids for one in self._subscriptions)

    def deliveries(self, changes: Sequence[DataChange]) -> list[Callback]:
        """Return the calls that notify the subscribers, in their order, each with the changes it subscribed to."""
        deliveries: list[Callback] = []
        for one in self._subscriptions:  # runs for every write: avoid needless calls
            concerning = changes if one.uids is None else [change for change in changes if change.uid in one.uids]
            if concerning:
                deliveries.append(partial(one.listener, tuple(concerning)))
        return deliveries

    def _set(self, subscriptions: tuple[_Subscription, ...]) -> None:
        self._subscriptions = subscriptions
        self.wants_any_images = any(one.images for one in subscriptions)
