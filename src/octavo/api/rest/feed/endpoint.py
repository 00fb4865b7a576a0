"""`GET /api/events`: changes of entries that `find` would return, as server-sent events."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from octavo.access.authentication.authenticator import Authenticator
from octavo.access.authorization.ability import FIND
from octavo.access.authorization.actions import action_on
from octavo.api.http.query_string import read_params
from octavo.api.http.request import Request
from octavo.api.http.response import LiveResponse
from octavo.api.http.router import Router
from octavo.api.rest.endpoints import ContentEndpoints
from octavo.api.rest.feed.hub import FeedFilter, FeedOptions, Hub, Listener, check_feed_filter
from octavo.api.rest.operations import EVERYBODY, Guarded, Parameter, RestOperation
from octavo.api.rest.plugins import FileEndpoints
from octavo.content.controllers.change_notifications import VisibleChanges
from octavo.content.controllers.reading import ContentReads
from octavo.core.errors import ValidationError
from octavo.events.hooks import Hooks
from octavo.events.journal import Journal, Position, read_position
from octavo.query.ast import ALL_LOCALES, PublicationState
from octavo.query.numbers import read_entry_id
from octavo.schema.content_types import FILE
from octavo.schema.registry import Registry


def types_with_events(registry: Registry) -> tuple[str, ...]:
    """Return the content types with change events: the project's, and files."""
    return tuple(uid for uid, one in registry.content_types.items() if one.is_api or uid == FILE)


def plainly_found(router: Router, uids: Iterable[str]) -> Iterator[str]:
    """Yield the content types whose list has only generated routes without project code."""
    plain: dict[str, bool] = {}
    for route in router.declared():
        if isinstance(route.operation, RestOperation) and route.method == "GET":
            handler = route.handler
            owner = getattr(handler.endpoint, "__self__", None) if isinstance(handler, Guarded) else None
            is_plain = type(owner) in (ContentEndpoints, FileEndpoints) and not _needs_more_actions(route.operation)
            plain[route.operation.action] = is_plain and plain.get(route.operation.action, True)
    return (uid for uid in uids if plain.get(action_on(uid, FIND), False))


def _needs_more_actions(operation: RestOperation) -> bool:
    """Return whether a route needs other actions than its own, the only one that the feed checks."""
    return not operation.admits.public and set(operation.admits.scopes) != {operation.action}


_TEXT: Final = {"type": "string"}
_MOST_NAMED: Final = 100
"""Maximum number of types, locales or ids in a parameter."""
_HEADERS: Final = ((b"cache-control", b"no-store"), (b"x-accel-buffering", b"no"))

OPERATION: Final = RestOperation(
    "GET",
    "/events",
    "listen",
    "Stream changes of entries that the caller can find, as server-sent events",
    action="events.listen",
    tag="Events",
    parameters=(
        Parameter("types", "Comma-separated UIDs of content types; defaults to all that the caller can find", _TEXT),
        Parameter("locale", "Comma-separated locales; defaults to all", _TEXT),
        Parameter("id", "Comma-separated IDs; defaults to all", _TEXT),
        Parameter("publicationState", "`preview` includes drafts, as for lists", {"enum": ["live", "preview"]}),
        Parameter("entry", "`true` includes the entry as a list returns it", {"enum": ["true", "false"]}),
    ),
    access=EVERYBODY,
)
"""The route is public. Permissions are checked for each change."""


class FeedEndpoint:
    """The endpoint of the change feed."""

    def __init__(
        self,
        reads: ContentReads,
        router: Router,
        hooks: Hooks,
        journal: Journal,
        authenticator: Authenticator,
        options: FeedOptions,
    ) -> None:
        self._reads = reads
        self._router = router
        self._hooks = hooks
        self._journal = journal
        self._authenticator = authenticator
        self._options = options
        self._joined: tuple[VisibleChanges, Hub] | None = None

    def add(self, router: Router, prefix: str, path: str) -> None:
        """Add the route, at a path below the API's prefix."""
        router.add(OPERATION.method, prefix + path, self.listen, replace(OPERATION, path=path))

    def close(self) -> Iterator[str]:
        """Finish the configuration after project code is known. Yield warnings about types without change events."""
        changes, _ = self._join()
        for uid in self._known:
            if uid not in changes.types:
                yield f"Changes of {uid} are not available: the project's code customizes its lists, or it has none"

    @property
    def _known(self) -> tuple[str, ...]:
        return types_with_events(self._reads.registry)

    def _join(self) -> tuple[VisibleChanges, Hub]:
        """Create the hub when all code is known, at the latest for the first listener."""
        if self._joined is None:
            plain = (uid for uid in plainly_found(self._router, self._known) if not self._has_hooks(uid))
            uids = (*plain, *(uid for uid in self._options.types if uid in self._known))
            changes = VisibleChanges(self._reads, dict.fromkeys(uids))
            self._joined = changes, Hub(changes, self._journal, self._authenticator, self._options)
        return self._joined

    def _has_hooks(self, uid: str) -> bool:
        hooks = self._hooks.of(uid)
        return hooks is not None and bool(hooks.reads)

    async def listen(self, request: Request) -> LiveResponse:
        """GET /api/events"""
        changes, hub = self._join()
        authorization = request.header("authorization")
        actor = await self._authenticator.authenticate(authorization)
        feed_filter = read_feed_filter(read_params(request), self._known)
        check_feed_filter(feed_filter, actor, changes)
        listener = Listener(
            feed_filter,
            actor,
            authorization,
            request.client_key or "",
            _position(request),
            self._options.queue,
            request.give_up,
        )
        hub.admit(listener)
        request.when_done(partial(hub.leave, listener))
        await hub.begin()
        pieces = hub.pieces(listener)
        return LiveResponse(pieces, "text/event-stream; charset=utf-8", listener.end, _HEADERS)


def _position(request: Request) -> Position | None:
    """Return the listener's last position, or None. Raises ValidationError if it is invalid."""
    given = request.header("last-event-id")
    if not given:
        return None
    position = read_position(given)
    if position is None:
        raise ValidationError("Invalid Last-Event-ID")
    return position


def read_feed_filter(given: Mapping[str, Any], known: Container[str]) -> FeedFilter:
    """Parse the parameters of a listener. Raises ValidationError naming the parameter."""
    unknown = next((name for name in given if name not in ("types", "locale", "id", "publicationState", "entry")), None)
    if unknown is not None:
        raise ValidationError(f"Invalid parameter {unknown}")
    types = _names(given, "types")
    for uid in types or ():
        if uid not in known:
            raise ValidationError(f"Invalid parameter types: unknown content type {uid}")
    locales = _names(given, "locale")
    ids = _names(given, "id")
    return FeedFilter(
        types=types,
        locales=None if locales is None or ALL_LOCALES in locales else locales,
        ids=None if ids is None else frozenset(_id(one) for one in ids),
        state=PublicationState(_choice(given, "publicationState", "live", "preview")),
        with_entries=_choice(given, "entry", "false", "true") == "true",
    )


def _names(given: Mapping[str, Any], name: str) -> frozenset[str] | None:
    """Return the items of a list, or of a comma-separated text."""
    value = given.get(name)
    if value is None:
        return None
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not 0 < len(parts) <= _MOST_NAMED:
        raise ValidationError(f"Invalid parameter {name}: expected at most {_MOST_NAMED} comma-separated names")
    if not all(isinstance(part, str) and part for part in parts):
        raise ValidationError(f"Invalid parameter {name}: expected comma-separated names")
    return frozenset(parts)


def _id(text: str) -> int:
    entry_id = read_entry_id(text, digits_only=True)
    if entry_id is None:
        raise ValidationError("Invalid parameter id: expected comma-separated numbers")
    return entry_id


def _choice(given: Mapping[str, Any], name: str, *choices: str) -> str:
    """Return the given choice, or the first."""
    value = given.get(name, choices[0])
    if value not in choices:
        raise ValidationError(f"Invalid parameter {name}: expected one of {', '.join(choices)}")
    return str(value)
