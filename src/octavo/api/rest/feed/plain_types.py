"""Which content-types are found without code of a project: what `find` shows of them is known by rights alone."""

from collections.abc import Iterable, Iterator

from octavo.access.authorization.ability import FIND
from octavo.access.authorization.actions import action_on
from octavo.api.http.router import Router
from octavo.api.rest.endpoints import ContentEndpoints
from octavo.api.rest.operations import Guarded, Operation
from octavo.api.rest.plugins import FileEndpoints
from octavo.schema.registry import Registry
from octavo.schema.uids import FILE


def told_types(registry: Registry) -> tuple[str, ...]:
    """The content-types whose changes may be told: the project's, and files."""
    return tuple(uid for uid, one in registry.content_types.items() if one.is_api or uid == FILE)


def plainly_found(router: Router, uids: Iterable[str]) -> Iterator[str]:
    """Those of some content-types whose list is served as it is generated, and by nothing else."""
    plain: dict[str, bool] = {}
    for route in router.declared():
        if isinstance(route.operation, Operation) and route.method == "GET":
            handler = route.handler
            owner = getattr(handler.endpoint, "__self__", None) if isinstance(handler, Guarded) else None
            is_plain = type(owner) in (ContentEndpoints, FileEndpoints) and not _asks_more(route.operation)
            plain[route.operation.action] = is_plain and plain.get(route.operation.action, True)
    return (uid for uid in uids if plain.get(action_on(uid, FIND), False))


def _asks_more(operation: Operation) -> bool:
    """Whether a route needs other actions than its own, the only one that the feed checks."""
    return not operation.admits.public and set(operation.admits.scopes) != {operation.action}
