"""Guards of REST actions, and their effect on the GraphQL root fields of the same actions.

Under `compat.graphqlGuards = "shared"` policies and scopes of a route also apply to the fields, and fields of actions
that other code guards are closed until the project declares them. Under `own` neither applies, as in v4, and the log
names the fields that are open because of that.

An entry can also be created as a localization of another one. Under `compat.localizationGuards = "shared"` that route,
and its GraphQL field, are closed if code guards `create` (single types: `update`), until the project declares guards of
`createLocalization`. Under `own` they stay open, as in v4, and the log names them.
"""

import logging
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from octavo.access.authorization.ability import CREATE, UPDATE
from octavo.access.authorization.actions import action_on
from octavo.api.graphql.customization.extension import Extension, FieldAccess
from octavo.api.graphql.schema import names
from octavo.api.graphql.schema.exclusions import FieldKey
from octavo.api.graphql.transport.endpoint import GraphqlEndpoint
from octavo.api.http.router import Handler, Route, Router
from octavo.api.rest.content_operations import content_operations
from octavo.api.rest.operations import Declared, RestOperation, refuse
from octavo.api.rest.plugin_operations import PLUGIN_OPERATIONS
from octavo.core.values import dataclass
from octavo.operations.runtime.action_endpoints import ACTION_ENDPOINTS, ACTIONS, content_fields, endpoints_of
from octavo.project.named_handlers import Used
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry
from octavo.sdk.app import App
from octavo.sdk.field_guards import RestGuard
from octavo.sdk.request_pipeline import CodeHandler

logger = logging.getLogger(__name__)
_MOST_LINES: Final = 20
_NAME: Final = re.compile(r":[A-Za-z_]\w*")
_DECLARE: Final = "set `auth` or `policies` of the field in resolvers_config, or give it a resolver"
_OPEN: Final = f'{_DECLARE}; or set compat.graphqlGuards = "shared" in config/api.toml'

_LOCALIZE: Final = "createLocalization"
_DECLARE_ROUTE: Final = "set `auth` or `policies` of create_localization in the CoreRouter"
_OPEN_ROUTE: Final = f'{_DECLARE_ROUTE}, or compat.localizationGuards = "shared" in config/api.toml'


@dataclass(frozen=True, slots=True)
class UnguardedLocalization:
    """A route that creates localizations without the guards that `create` has. `guards` describe these."""

    content_type: ContentType
    route: Route
    operation: RestOperation
    guards: str

    def remark(self, *, shared: bool) -> str:
        """Describe the route, and what to do."""
        action = action_on(self.content_type.uid, _creating(self.content_type))
        state, remedy = ("Closed", _DECLARE_ROUTE) if shared else ("Open", _OPEN_ROUTE)
        return f"{state} over REST: {self.operation.name}: {action} is guarded by {self.guards}; {remedy}"


def find_unguarded_localizations(
    router: Router, registry: Registry, guards: Iterable[tuple[str, str]]
) -> tuple[UnguardedLocalization, ...]:
    """Return the routes that create localizations of types whose `create` is guarded, and that declare no guards.

    `guards` are the guarded actions with descriptions of their guards.
    """
    described = dict(guards)
    unguarded = []
    for route in router.declared():
        operation = route.operation
        if not isinstance(operation, RestOperation) or not operation.action.endswith(f".{_LOCALIZE}"):
            continue
        content_type = registry.content_types.get(operation.controller)
        if content_type is None or _is_declared(route, operation):
            continue
        guarded = described.get(action_on(content_type.uid, _creating(content_type)))
        if guarded is not None:
            unguarded.append(UnguardedLocalization(content_type, route, operation, guarded))
    return tuple(unguarded)


def close_localizations(router: Router, extension: Extension, found: Iterable[UnguardedLocalization]) -> None:
    """Close the routes, and their GraphQL fields unless the project declares them."""
    for one in found:
        router.replace(one.route.method, one.route.template, refuse)
        key = ("Mutation", names.localization_field(one.content_type))
        extension.access.setdefault(key, FieldAccess(closed=True, until_declared=True))


def _creating(content_type: ContentType) -> str:
    """Return the action that otherwise creates entries of a content type."""
    return UPDATE if content_type.is_single else CREATE


def _is_declared(route: Route, operation: RestOperation) -> bool:
    """Return whether the project or v4's code declares guards for a route. Middlewares do not count."""
    handler = route.handler
    if operation.access is not None or handler is refuse:
        return True
    return isinstance(handler, CodeHandler) and bool(handler.policies or handler.overridden_at)


@dataclass(frozen=True, slots=True)
class ActionGuards:
    """The guards of one REST action, and the root fields of that action.

    `policies` and `scopes` (further actions that the caller needs) can apply to the fields too. `others` describe
    controllers, services, middlewares and routes, which fields do not call.
    """

    operation: RestOperation
    fields: tuple[FieldKey, ...]
    policies: tuple[Used, ...] = ()
    scopes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def weight(self) -> int:
        """0 without guards, 1 if all of them can apply to fields, 2 if some cannot."""
        return 2 if self.others else int(bool(self.policies or self.scopes))

    @property
    def words(self) -> str:
        """A description of all guards, for messages."""
        policies = (f"policy {one.function.place}" for one in self.policies)
        return ", ".join((*policies, *(f"scope {scope}" for scope in self.scopes), *self.others))


def read_guards(router: Router, registry: Registry, prefix: str) -> tuple[ActionGuards, ...]:
    """Return the guards of all actions that have root fields and any guard."""
    fields, routes = _fields_by_action(registry), defaultdict[str, list[Declared]](list)
    for route in router.declared():
        if isinstance(route.operation, RestOperation):
            routes[route.operation.action].append((route.operation, route.handler))
    found: list[ActionGuards] = []
    for action, row in _rows(registry).items():
        if action in fields:
            usual = _at_usual_address(row, routes[action])
            guards = [_guards_of_route(row, *route, fields[action]) for route in usual or routes[action]]
            guards += () if usual else _replaced(router, prefix, row, fields[action])
            found += (max(guards, key=lambda one: one.weight),) if guards else ()
    return tuple(one for one in found if one.weight)


def _at_usual_address(row: RestOperation, routes: Sequence[Declared]) -> Sequence[Declared]:
    """Return the routes of an action at its default path, with the prefix of a router if it has one."""
    path = _address(row)
    same = [one for one in routes if one[0].method == row.method and _address(one[0]).endswith(path)]
    return [one for one in same if _address(one[0]) == path] or same


def _address(operation: RestOperation) -> str:
    return _NAME.sub(":", operation.path.lower())


def _guards_of_route(
    row: RestOperation, declared: RestOperation, handler: Handler, fields: tuple[FieldKey, ...]
) -> ActionGuards:
    operation, access = replace(row, method=declared.method, path=declared.path), declared.admits
    scopes = () if access.public else tuple(one for one in access.scopes if one != row.action)
    if handler is refuse:
        return ActionGuards(operation, fields, others=("code of v4 that is not ported",))
    if not isinstance(handler, CodeHandler):
        return ActionGuards(operation, fields, scopes=scopes)
    overriding = (f"{handler.overridden_at} (overrides it)",) if handler.overridden_at else ()
    around = (f"middleware {one.function.place}" for one in handler.middlewares)
    return ActionGuards(operation, fields, handler.policies, scopes, (*around, *overriding))


def _replaced(router: Router, prefix: str, row: RestOperation, fields: tuple[FieldKey, ...]) -> Iterator[ActionGuards]:
    """Yield the guard of an action whose default path the project routes to another handler."""
    match = router.find(row.method, prefix + _NAME.sub("1", row.path))
    if match is not None:
        route, operation = match[0], match[0].operation
        if isinstance(operation, RestOperation) and (isinstance(route.handler, CodeHandler) or operation.is_own):
            yield ActionGuards(row, fields, others=(f"the project's route {route.method} {route.template}",))


def _rows(registry: Registry) -> dict[str, RestOperation]:
    """Return the first operation of each action."""
    rows: dict[str, RestOperation] = {}
    own = (row for content_type in registry.api_types() for row in content_operations(content_type))
    for row in (*own, *PLUGIN_OPERATIONS):
        rows.setdefault(row.action, row)
    return rows


def _fields_by_action(registry: Registry) -> dict[str, tuple[FieldKey, ...]]:
    fields = defaultdict[str, dict[FieldKey, None]](dict)
    for uid in registry.content_types:
        for action in ACTIONS:
            fields[action_on(uid, action)] |= dict.fromkeys(content_fields(registry, uid, (action,)))
    for action, door in ACTION_ENDPOINTS.items():
        fields[action] |= dict.fromkeys(door.fields)
    return {action: tuple(keys) for action, keys in fields.items() if keys}


def _is_refused(router: Router, path: str) -> bool:
    match = router.find("POST", path)
    return match is not None and match[0].handler is refuse


def guard_fields(router: Router, app: App, extension: Extension) -> "FieldGuards | None":
    """Return the guards of REST actions, applied to their root fields if they are shared.

    None without GraphQL, or if it is closed as a whole.
    """
    settings = app.settings
    found = read_guards(router, app.registry, settings.api.rest.prefix)
    described = ((one.operation.action, one.words) for one in found)
    localizations = find_unguarded_localizations(router, app.registry, described)
    closes = settings.api.compat.localization_guards == "shared"
    if closes:
        close_localizations(router, extension, localizations)
    shared = settings.api.compat.graphql_guards == "shared"
    guards = FieldGuards(found, extension, shared, tuple(one.remark(shared=closes) for one in localizations))
    if guards.shared:
        app.controller.guarded_updates = frozenset(guards.updated())
    graphql = settings.plugins.graphql
    if not graphql.enabled or _is_refused(router, graphql.config.endpoint):
        return replace(guards, guards=()) if localizations else None
    if guards.shared:
        guards.apply_to_fields(app)
    return guards


@dataclass(frozen=True, slots=True)
class FieldGuards:
    """The guards of all REST actions of a site; `shared` if they also apply to root fields.

    `localizations` are remarks on routes that create localizations without the guards of `create`.
    """

    guards: tuple[ActionGuards, ...]
    extension: Extension
    shared: bool
    localizations: tuple[str, ...] = ()

    def updated(self) -> Iterator[str]:
        """Yield the content types whose `update` is guarded."""
        for one in self.guards:
            uid, _, name = one.operation.action.rpartition(".")
            if name == UPDATE:
                yield uid

    def apply_to_fields(self, app: App) -> None:
        """Apply the guards to the fields, or close the fields; schedule fields follow the update of an entry."""
        access, prefix = self.extension.access, app.settings.api.rest.prefix
        for one in self.guards:
            for key in one.fields:
                said = access.get(key, FieldAccess())
                if said.closed:
                    continue
                if one.policies or one.scopes:
                    said = replace(said, guard=RestGuard(one.operation, one.policies, one.scopes, app, prefix))
                access[key] = replace(said, closed=True, until_declared=True) if one.others else said
            for key in _schedule_fields(app.registry, one.operation.action):
                access.setdefault(key, FieldAccess(closed=True, unless_named=True))

    def remarks(self, graphql: GraphqlEndpoint | None) -> Iterator[str]:
        """Describe each route and each action whose fields are open, or closed, because of guards.

        Call it after `register`: fields that the project has declared or switched off are left out.
        """
        yield from self.localizations
        declared: Collection[FieldKey] = graphql.declared if graphql else ()
        left_out = self.extension.exclusions()
        state, remedy = ("Closed", _DECLARE) if self.shared else ("Open", _OPEN)
        for one in self.guards:
            uid, _, name = one.operation.action.rpartition(".")
            if (self.shared and not one.others) or uid in left_out.types or (uid, name) in {*left_out.actions}:
                continue
            fields = [".".join(key) for key in one.fields if key not in declared and not self._is_closed(key)]
            if fields:
                route = f"{one.operation.action} is guarded over REST ({one.operation.name}) by {one.words}"
                yield f"{state} in GraphQL: {', '.join(fields)}: {route}; {remedy}"

    def _is_closed(self, key: FieldKey) -> bool:
        """Whether a field is closed for another reason."""
        said = self.extension.access.get(key)
        return said is not None and said.closed and not said.until_declared

    def log_warnings(self, graphql: GraphqlEndpoint | None) -> None:
        """Log the first of the remarks."""
        lines = list(self.remarks(graphql))
        for line in lines[:_MOST_LINES]:
            logger.warning("%s", line)
        if len(lines) > _MOST_LINES:
            logger.warning("%d more actions; run octavo config check", len(lines) - _MOST_LINES)


def _schedule_fields(registry: Registry, action: str) -> Iterator[FieldKey]:
    content_type: ContentType | None = registry.content_types.get(action.rpartition(".")[0])
    if content_type is not None and action == action_on(content_type.uid, UPDATE):
        yield "Query", names.schedule_field(content_type)
        yield "Mutation", names.schedule_mutation(content_type)


def close_plugin_fields(extension: Extension, actions: Mapping[str, str]) -> None:
    """Close the GraphQL fields of plugin actions that a project's controllers replace in REST.

    The fields would bypass checks in these controllers. `actions` maps each action to its controller's location.
    """
    for action, place in actions.items():
        names = [key for door in endpoints_of(action) for key in door.fields]
        for key in names:
            extension.access.setdefault(key, FieldAccess(closed=True, unless_named=True))
        if names:
            fields = ", ".join(".".join(key) for key in names)
            message = "Closed: %s: GraphQL does not run %s for %s. Set the field's guards in resolvers_config"
            logger.warning(message, fields, place, action)
