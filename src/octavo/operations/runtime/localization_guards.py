"""Guards of the action that creates entries, and their effect on `POST /:id/localizations`.

An entry can also be created as a localization of another one. Under `compat.localizationGuards = "shared"` that route,
and its GraphQL field, are closed if code guards `create` (single types: `update`), until the project declares guards of
`createLocalization`. Under `own` they stay open, as in v4, and the log names them.
"""

from collections.abc import Iterable
from typing import Final

from octavo.access.authorization.ability import CREATE, UPDATE
from octavo.access.authorization.actions import action_on
from octavo.api.graphql.customization.extension import Extension, FieldAccess
from octavo.api.graphql.schema import names
from octavo.api.http.router import Route, Router
from octavo.api.rest.operations import Operation, refuse
from octavo.core.values import dataclass
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry
from octavo.sdk.request_pipeline import CodeHandler

_LOCALIZE: Final = "createLocalization"
_DECLARE: Final = "set `auth` or `policies` of create_localization in the CoreRouter"
_OPEN: Final = f'{_DECLARE}, or compat.localizationGuards = "shared" in config/api.toml'


@dataclass(frozen=True, slots=True)
class UnguardedLocalization:
    """A route that creates localizations without the guards that `create` has. `guards` describe these."""

    content_type: ContentType
    route: Route
    operation: Operation
    guards: str

    def remark(self, *, shared: bool) -> str:
        """Describe the route, and what to do."""
        action = action_on(self.content_type.uid, _creating(self.content_type))
        state, remedy = ("Closed", _DECLARE) if shared else ("Open", _OPEN)
        return f"{state} over REST: {self.operation.name}: {action} is guarded by {self.guards}; {remedy}"


def find_unguarded_localizations(
    router: Router, registry: Registry, guards: Iterable[tuple[str, str]]
) -> tuple[UnguardedLocalization, ...]:
    """Return the routes that create localizations of types whose `create` is guarded, and that declare no guards.

    `guards` are the guarded actions with descriptions of their guards.
    """
    described = dict(guards)
    found = []
    for route in router.declared():
        operation = route.operation
        if not isinstance(operation, Operation) or not operation.action.endswith(f".{_LOCALIZE}"):
            continue
        content_type = registry.content_types.get(operation.controller)
        if content_type is None or _is_declared(route, operation):
            continue
        guarded = described.get(action_on(content_type.uid, _creating(content_type)))
        if guarded is not None:
            found.append(UnguardedLocalization(content_type, route, operation, guarded))
    return tuple(found)


def close_localizations(router: Router, extension: Extension, found: Iterable[UnguardedLocalization]) -> None:
    """Close the routes, and their GraphQL fields unless the project declares them."""
    for one in found:
        router.replace(one.route.method, one.route.template, refuse)
        key = ("Mutation", names.localization_field(one.content_type))
        extension.access.setdefault(key, FieldAccess(closed=True, until_declared=True))


def _creating(content_type: ContentType) -> str:
    """Return the action that otherwise creates entries of a content type."""
    return UPDATE if content_type.is_single else CREATE


def _is_declared(route: Route, operation: Operation) -> bool:
    """Return whether the project or v4's code declares guards for a route. Middlewares do not count."""
    handler = route.handler
    if operation.access is not None or handler is refuse:
        return True
    return isinstance(handler, CodeHandler) and bool(handler.policies or handler.overridden_at)
