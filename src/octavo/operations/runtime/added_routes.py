"""Routes that are added last, because they depend on which types are guarded by project code."""

import logging
from collections.abc import Iterable
from typing import Final

from octavo.api.graphql.customization.extension import Extension, FieldAccess
from octavo.api.graphql.schema import names
from octavo.api.http.router import Router
from octavo.api.rest.feed.endpoint import FeedEndpoint
from octavo.api.rest.schedules import add_schedules
from octavo.content.controllers.content import ContentController
from octavo.content.controllers.reading import ContentReads
from octavo.events.hooks import Hooks
from octavo.operations.runtime import options
from octavo.operations.runtime.infrastructure import Infrastructure
from octavo.operations.runtime.prepare_database import StartFailed
from octavo.schema.content_types import ContentType
from octavo.settings.files.api import FEED_PATH

logger = logging.getLogger(__name__)

_MOST_NAMED: Final = 5
OTHER_FEED_PATH: Final = "/_events"
"""The fallback path of the change feed. Names of content types have no underscores, so none can use it."""


def add_plans(router: Router, prefix: str, controller: ContentController, extension: Extension | None) -> None:
    """Add the routes of scheduled publishing, except for types whose code could reject an update.

    For those types, the GraphQL fields are closed too. `extension` is None without GraphQL.
    """
    if controller.schedules is not None:
        left_out = list(add_schedules(router, prefix, controller.schedules))
        if extension is not None:
            _close_fields(extension, [controller.registry.content_types[uid] for uid in left_out])
        if left_out:
            message = "Scheduling over REST is off for types that project code guards: %s%s"
            more = f" and {len(left_out) - _MOST_NAMED} more" if len(left_out) > _MOST_NAMED else ""
            logger.warning(message, ", ".join(left_out[:_MOST_NAMED]), more)


def _close_fields(extension: Extension, content_types: Iterable[ContentType]) -> None:
    for one in content_types:
        for key in (("Query", names.schedule_field(one)), ("Mutation", names.schedule_mutation(one))):
            extension.access.setdefault(key, FieldAccess(closed=True, unless_named=True))


def add_feed(router: Router, shared: Infrastructure, reads: ContentReads, hooks: Hooks) -> FeedEndpoint | None:
    """Add the change feed, if it is enabled. Raises StartFailed if its path is taken."""
    if shared.journal is None:
        return None
    settings = shared.settings.api
    path = free_path(router, settings.rest.prefix, settings.events.path)
    limits = options.feed_options(shared.settings)
    feed = FeedEndpoint(reads, router, hooks, shared.journal, shared.authenticator, limits)
    feed.add(router, settings.rest.prefix, path)
    return feed


def free_path(router: Router, prefix: str, wanted: str) -> str:
    """Return the path of the change feed: `wanted`, if it is free.

    If the default path is taken by a content type, the feed moves to another path and a warning is logged. Raises
    StartFailed if the path is taken otherwise.
    """
    if not _is_taken(router, prefix + wanted):
        return wanted
    if wanted == FEED_PATH and not _is_taken(router, prefix + OTHER_FEED_PATH):
        message = "GET %s is in use: the event stream is at %s. To change its path, set `events.path` in api.toml"
        logger.warning(message, prefix + wanted, prefix + OTHER_FEED_PATH)
        return OTHER_FEED_PATH
    message = f"GET {prefix + wanted} is in use. Set another path for the event stream: `events.path` in api.toml"
    raise StartFailed(message)


def _is_taken(router: Router, path: str) -> bool:
    there = router.find("GET", path)
    return there is not None and ":" not in there[0].template
