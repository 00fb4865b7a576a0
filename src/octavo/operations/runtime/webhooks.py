"""Connect webhooks with the settings and with a site, and decide what they receive of a change."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from octavo.access.authorization.ability import Ability
from octavo.access.authorization.permissions import EVERYTHING as ALL_PERMISSIONS
from octavo.access.authorization.strictness import Strictness
from octavo.api.http.query_string import read_params
from octavo.api.http.request import Request
from octavo.content.controllers.reading import ContentReads
from octavo.content.reader import EntryReader, PreparedRead
from octavo.core.errors import OctavoError
from octavo.database.change_feed import ChangeKind, DataChange
from octavo.database.unit_of_work import UnitOfWork
from octavo.events.messages import Topic
from octavo.events.origin import WORK
from octavo.events.webhooks.change_listener import WebhookChangeListener
from octavo.events.webhooks.delivery import WebhookDelivery, retry_schedule
from octavo.events.webhooks.delivery_log import RetentionLimits
from octavo.operations.runtime import options
from octavo.operations.runtime.infrastructure import Infrastructure
from octavo.query.ast import EVERYTHING, Branch, Populate, Query
from octavo.query.params import read_query
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.attributes import LOCALIZATIONS, AnyAttribute, ComponentField, DynamicZone, Media, Relation
from octavo.schema.content_types import FILE, FOLDER, USER, ContentType, Definition
from octavo.schema.registry import Registry

_LOCALIZATION: Final = Query(populate=(Populate(name=LOCALIZATIONS, query=EVERYTHING),))
_PUBLICATIONS: Final = (ChangeKind.PUBLISH, ChangeKind.UNPUBLISH)
_OWN_VALUES: Final = frozenset({FILE, FOLDER})


class RequestBodies:
    """Chooses the query of a change's body.

    `shows_related`: changes in the admin panel include related entries instead of their number.
    """

    def __init__(self, registry: Registry, reads: ContentReads, *, shows_related: bool) -> None:
        self._registry = registry
        self._reads = reads
        self._shows_related = shows_related
        self._of_pages: dict[str, Query] = {}

    def query(self, unit: UnitOfWork, change: DataChange) -> Query | None:
        """Return the query for an entry as the current request shows it; None for the default."""
        content_type = self._registry.content_types[change.uid]
        work = WORK.get()
        if change.uid in _OWN_VALUES or unit.removes_many or not _is_own(unit, change):
            return None
        if work.source == "admin":
            return self._pages(content_type)
        if change.uid == USER:
            return None
        if unit.adds_localization and work.source in ("rest", "graphql"):
            return _LOCALIZATION
        return self._rest(content_type, work) if work.source == "rest" and isinstance(work, Request) else None

    def _pages(self, content_type: ContentType) -> Query:
        query = self._of_pages.get(content_type.uid)
        if query is None:
            query = self._of_pages[content_type.uid] = Query(populate=tuple(self._level(content_type, ())))
        return query

    def _rest(self, content_type: ContentType, request: Request) -> Query | None:
        if "populate" not in request.query and "fields" not in request.query:
            return None
        try:
            given = read_query(read_params(request), split_fields=request.options.split_fields)
            query = Query(fields=given.fields, populate=given.populate, populate_all=given.populate_all)
            ability: Ability | None = getattr(request.actor, "ability", None)
            return query if ability is None else self._reads.sanitize(query, content_type, ability)
        except OctavoError:
            return None  # an invalid query does not affect the message

    def _level(self, definition: Definition, around: tuple[str, ...]) -> Iterator[Populate]:
        for attribute in definition.attributes.values():
            if getattr(attribute, "private", False):
                continue
            populate = self._populate(attribute, around)
            if populate is not None:
                yield populate

    def _populate(self, attribute: AnyAttribute, around: tuple[str, ...]) -> Populate | None:
        match attribute:
            case Media():
                return Populate(name=attribute.name, query=EVERYTHING)
            case ComponentField(component=uid):
                return Populate(name=attribute.name, query=self._component(uid, around))
            case DynamicZone(components=uids):
                branches = tuple(Branch(component=uid, query=self._component(uid, around)) for uid in uids)
                return Populate(name=attribute.name, query=EVERYTHING, branches=branches, unlisted=True)
            case Relation():
                counts = not self._shows_related and attribute.name != LOCALIZATIONS
                return Populate(name=attribute.name, query=EVERYTHING, count=counts)
        return None

    def _component(self, uid: str, around: tuple[str, ...]) -> Query:
        if uid in around or uid not in self._registry.components:
            return EVERYTHING
        component = self._registry.components[uid]
        return replace(EVERYTHING, populate=tuple(self._level(component, (*around, uid))))


def _is_own(unit: UnitOfWork, change: DataChange) -> bool:
    """Return whether a change is the one that was requested, not a consequence of it."""
    if change.kind in _PUBLICATIONS or change.kind is ChangeKind.DELETE:
        return True
    own = next((one for one in unit.changes if one.uid not in _OWN_VALUES), None)
    return own is None or (own.uid, own.id) == (change.uid, change.id)


_LARGEST_LOG: Final = 64 * 1024**2
"""Maximum bytes of messages in the delivery log."""
_SHOWN_UNASKED = {USER: "role"}
"""What v4 populates without `populate`."""


def webhook_change_listener(shared: Infrastructure, registry: Registry) -> WebhookChangeListener:
    """Return the observer of changes that queues webhook messages, for one registry."""
    reader = EntryReader(shared.database, registry, limits=options.read_limits(shared.settings))
    reads = ContentReads(registry, reader, Strictness())

    def prepare(content_type: ContentType, populate: object) -> PreparedRead:
        query = populate if isinstance(populate, Query) else _populate_query(content_type, populate)
        request = ReadRequest(content_type=content_type, query=query, by=By.ID, projection=Form.FLAT, drafts=Drafts.ANY)
        return reads.prepare(request, ALL_PERMISSIONS)

    choose = None
    if shared.settings.api.compat.webhook_bodies == "request":
        shows_related = shared.settings.server.webhooks.populate_relations
        choose = RequestBodies(registry, reads, shows_related=shows_related).query
    return WebhookChangeListener(registry, shared.webhooks, shared.outbox, reader, prepare, choose)


def _populate_query(content_type: ContentType, populate: object) -> Query:
    """Return the query of a webhook's `populate`."""
    asked = _SHOWN_UNASKED.get(content_type.uid) if populate is None else populate
    return read_query({} if asked is None else {"populate": asked})


def webhook_topic(shared: Infrastructure) -> Topic:
    """Return the topic that delivers webhook messages."""
    given = shared.settings.server.webhooks
    kept = RetentionLimits(given.keep * 1000, _LARGEST_LOG)
    delivery = WebhookDelivery(
        shared.database, shared.webhooks, retry_schedule(given.attempts), given.disable_after, kept
    )
    return delivery.topic(float(given.timeout))
