"""Routes that are added beside all others, once it is known which of those are served without code of a project."""

import logging
from typing import Final

from octavo.controllers.content import ContentController
from octavo.controllers.reading import ContentReads
from octavo.events.hooks import Hooks
from octavo.http.router import Router
from octavo.rest.feed.endpoint import FeedEndpoint
from octavo.rest.schedules import add_schedules
from octavo.runtime import options
from octavo.runtime.infrastructure import Infrastructure
from octavo.runtime.prepare_database import StartFailed

logger = logging.getLogger(__name__)

_MOST_NAMED: Final = 5


def add_plans(router: Router, prefix: str, controller: ContentController) -> None:
    """The routes of scheduled publishing."""
    if controller.schedules is not None:
        left_out = list(add_schedules(router, prefix, controller.schedules))
        if left_out:
            message = "Not scheduled over REST, since a project's code takes part in changing them: entries of %s%s"
            more = f" and {len(left_out) - _MOST_NAMED} more" if len(left_out) > _MOST_NAMED else ""
            logger.warning(message, ", ".join(left_out[:_MOST_NAMED]), more)


def add_feed(router: Router, shared: Infrastructure, reads: ContentReads, hooks: Hooks) -> FeedEndpoint | None:
    """The feed of changes, where it is on. Raises StartFailed where something else is at its address."""
    if shared.journal is None:
        return None
    settings = shared.settings.api
    path = settings.rest.prefix + settings.events.path
    there = router.find("GET", path)
    if there is not None and ":" not in there[0].template:
        raise StartFailed(f"GET {path} is taken: give the feed of changes another path, `events.path` in api.toml")
    limits = options.feed_options(shared.settings)
    feed = FeedEndpoint(reads, router, hooks, shared.journal, shared.authenticator, limits)
    feed.add(router, settings.rest.prefix, settings.events.path)
    return feed
