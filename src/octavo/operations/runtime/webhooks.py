"""Connect webhooks with the settings and with a site."""

from typing import Final

from octavo.access.authorization.permissions import EVERYTHING
from octavo.access.authorization.strictness import Strictness
from octavo.content.controllers.reading import ContentReads
from octavo.content.reader import EntryReader, PreparedRead
from octavo.events.messages import Retries, Topic
from octavo.events.webhooks.change_listener import WebhookChangeListener
from octavo.events.webhooks.deliveries import RetentionLimits
from octavo.events.webhooks.delivery import WebhookDelivery
from octavo.operations.runtime import options
from octavo.operations.runtime.infrastructure import Infrastructure
from octavo.operations.runtime.webhook_bodies import RequestBodies
from octavo.query.ast import Query
from octavo.query.params import read_query
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.content_types import USER, ContentType
from octavo.schema.registry import Registry

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
        return reads.prepare(request, EVERYTHING)

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
    retries = Retries(attempts=given.attempts, first=10.0, factor=4.0, longest=6 * 3600.0)
    kept = RetentionLimits(given.keep * 1000, _LARGEST_LOG)
    delivery = WebhookDelivery(shared.database, shared.webhooks, retries, given.disable_after, kept)
    return delivery.topic(float(given.timeout))
