"""Routes that are added beside all others, once it is known which of those are served without code of a project."""

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
"""No content-type can have it: their names have no underscores."""


def add_plans(router: Router, prefix: str, controller: ContentController, extension: Extension | None) -> None:
    """The routes of scheduled publishing. Where there are none, for code might refuse, the fields of GraphQL are closed
    too: `extension`, where there are such fields."""
    if controller.schedules is not None:
        left_out = list(add_schedules(router, prefix, controller.schedules))
        if extension is not None:
            _close_fields(extension, [controller.registry.content_types[uid] for uid in left_out])
        if left_out:
            message = "Not scheduled over REST, since a project's code takes part in changing them: entries of %s%s"
            more = f" and {len(left_out) - _MOST_NAMED} more" if len(left_out) > _MOST_NAMED else ""
            logger.warning(message, ", ".join(left_out[:_MOST_NAMED]), more)


def _close_fields(extension: Extension, content_types: Iterable[ContentType]) -> None:
    for one in content_types:
        for key in (("Query", names.schedule_field(one)), ("Mutation", names.schedule_mutation(one))):
            extension.access.setdefault(key, FieldAccess(closed=True, unless_named=True))


def add_feed(router: Router, shared: Infrastructure, reads: ContentReads, hooks: Hooks) -> FeedEndpoint | None:
    """The feed of changes, where it is on. Raises StartFailed where something else is at its address."""
    if shared.journal is None:
        return None
    settings = shared.settings.api
    path = free_path(router, settings.rest.prefix, settings.events.path)
    limits = options.feed_options(shared.settings)
    feed = FeedEndpoint(reads, router, hooks, shared.journal, shared.authenticator, limits)
    feed.add(router, settings.rest.prefix, path)
    return feed


def free_path(router: Router, prefix: str, wanted: str) -> str:
    """Where the feed of changes is: where it is wanted. Of what nobody has set it moves out of a content-type's way,
    which is told. Raises StartFailed where there is something else all the same."""
    if not _is_taken(router, prefix + wanted):
        return wanted
    if wanted == FEED_PATH and not _is_taken(router, prefix + OTHER_FEED_PATH):
        message = "GET %s is taken: the feed of changes is at %s; `events.path` in api.toml gives it another path"
        logger.warning(message, prefix + wanted, prefix + OTHER_FEED_PATH)
        return OTHER_FEED_PATH
    message = f"GET {prefix + wanted} is taken: give the feed of changes another path, `events.path` in api.toml"
    raise StartFailed(message)


def _is_taken(router: Router, path: str) -> bool:
    there = router.find("GET", path)
    return there is not None and ":" not in there[0].template
