"""The REST routes and GraphQL fields of plugin actions, needed to close them."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from octavo.access.authorization.actions import ACCOUNTS, FILES, LIST_LOCALES
from octavo.api.graphql.schema import names
from octavo.api.graphql.schema.exclusions import FieldKey
from octavo.api.rest.plugin_operations import PLUGIN_OPERATIONS
from octavo.core.values import dataclass
from octavo.schema.content_types import FILE, ROLE, USER, ContentType
from octavo.schema.registry import Registry

_NOT_OF_SINGLE: Final = ("create", "findOne")
ACTIONS: Final = ("find", "findOne", "create", "update", "delete", "createLocalization")
_QUERY: Final = "Query"
_MUTATION: Final = "Mutation"


@dataclass(frozen=True, slots=True)
class ActionEndpoint:
    """The routes (`POST /auth/local`, below the API's prefix) and root fields of an action."""

    routes: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    mutations: tuple[str, ...] = ()

    @property
    def fields(self) -> Iterator[FieldKey]:
        """The root fields, as (type, name)."""
        yield from ((_QUERY, name) for name in self.queries)
        yield from ((_MUTATION, name) for name in self.mutations)


_FIELDS: Final = {
    f"{ACCOUNTS}.callback": ActionEndpoint(mutations=("login",)),
    f"{ACCOUNTS}.register": ActionEndpoint(mutations=("register",)),
    f"{ACCOUNTS}.forgotPassword": ActionEndpoint(mutations=("forgotPassword",)),
    f"{ACCOUNTS}.resetPassword": ActionEndpoint(mutations=("resetPassword",)),
    f"{ACCOUNTS}.changePassword": ActionEndpoint(mutations=("changePassword",)),
    f"{ACCOUNTS}.emailConfirmation": ActionEndpoint(mutations=("emailConfirmation",)),
    f"{USER}.me": ActionEndpoint(queries=("me",)),
    f"{USER}.find": ActionEndpoint(queries=("usersPermissionsUsers",)),
    f"{USER}.findOne": ActionEndpoint(queries=("usersPermissionsUser",)),
    f"{USER}.create": ActionEndpoint(mutations=("createUsersPermissionsUser",)),
    f"{USER}.update": ActionEndpoint(mutations=("updateUsersPermissionsUser",)),
    f"{USER}.destroy": ActionEndpoint(mutations=("deleteUsersPermissionsUser",)),
    f"{ROLE}.find": ActionEndpoint(queries=("usersPermissionsRoles",)),
    f"{ROLE}.findOne": ActionEndpoint(queries=("usersPermissionsRole",)),
    f"{ROLE}.createRole": ActionEndpoint(mutations=("createUsersPermissionsRole",)),
    f"{ROLE}.updateRole": ActionEndpoint(mutations=("updateUsersPermissionsRole",)),
    f"{ROLE}.deleteRole": ActionEndpoint(mutations=("deleteUsersPermissionsRole",)),
    f"{FILES}.find": ActionEndpoint(queries=("uploadFiles",)),
    f"{FILES}.findOne": ActionEndpoint(queries=("uploadFile",)),
    f"{FILES}.upload": ActionEndpoint(
        mutations=("upload", "multipleUpload", "updateFileInfo", "createUploadFile", "updateUploadFile")
    ),
    f"{FILES}.destroy": ActionEndpoint(mutations=("removeFile", "deleteUploadFile")),
    LIST_LOCALES: ActionEndpoint(queries=("i18NLocales", "i18NLocale")),
}
"""The root fields of plugin actions."""


def _action_endpoints() -> dict[str, ActionEndpoint]:
    routes: dict[str, tuple[str, ...]] = {}
    for row in PLUGIN_OPERATIONS:
        routes[row.action] = (*routes.get(row.action, ()), row.name)
    return {action: replace(_FIELDS.get(action, ActionEndpoint()), routes=names) for action, names in routes.items()}


ACTION_ENDPOINTS: Final = _action_endpoints()
"""Endpoints by action."""

_HOOKED: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    USER: {
        "find": ("find", "count", "me"),
        "findOne": ("findOne", "me"),
        "create": ("create",),
        "update": ("update",),
        "delete": ("destroy",),
    },
    FILE: {
        "find": ("find",),
        "findOne": ("findOne",),
        "create": ("upload",),
        "update": ("upload",),
        "delete": ("destroy",),
    },
    ROLE: {
        "find": ("find",),
        "findOne": ("findOne",),
        "create": ("createRole",),
        "update": ("updateRole",),
        "delete": ("deleteRole",),
    },
}
_ACCOUNTS_HOOKED: Final[Mapping[str, tuple[str, ...]]] = {
    "find": ("callback", "forgotPassword"),
    "findOne": ("callback", "forgotPassword"),
    "create": ("register", "callback"),
    "update": ("resetPassword", "changePassword", "forgotPassword", "emailConfirmation"),
}
"""Further actions on users by the accounts controllers."""

_CONTROLLERS: Final = {FILE: FILES}


def endpoints_of(name: str, but: Container[str] = ()) -> Iterator[ActionEndpoint]:
    """Yield the endpoints of an action, a controller (`plugin::upload.content-api`) or a plugin.

    Actions in `but` are left out.
    """
    actions = (action for action in ACTION_ENDPOINTS if action == name or action.startswith(f"{name}."))
    yield from (ACTION_ENDPOINTS[action] for action in actions if action not in but)


def hooked_endpoints(uid: str, actions: Iterable[str]) -> Iterator[ActionEndpoint]:
    """Yield the endpoints that run the given actions on a plugin's content type."""
    for action in actions:
        for name in _HOOKED.get(uid, {}).get(action, ()):
            yield ACTION_ENDPOINTS[f"{_CONTROLLERS.get(uid, uid)}.{name}"]
        for name in _ACCOUNTS_HOOKED.get(action, ()) if uid == USER else ():
            yield ACTION_ENDPOINTS[f"{ACCOUNTS}.{name}"]


def content_fields(registry: Registry, uid: str, actions: Iterable[str]) -> Iterator[FieldKey]:
    """Yield the GraphQL root fields for actions on a content type, or on all types if `uid` is empty."""
    wanted = frozenset(actions)
    for content_type in registry.content_types.values() if not uid else filter(None, [registry.content_types.get(uid)]):
        yield from _fields(content_type, wanted)


def generated_fields(registry: Registry) -> frozenset[FieldKey]:
    """Return all root fields that can exist without custom ones."""
    own = (key for door in ACTION_ENDPOINTS.values() for key in door.fields)
    return frozenset([*content_fields(registry, "", ACTIONS), *own])


def _fields(content_type: ContentType, actions: frozenset[str]) -> Iterator[FieldKey]:
    single = names.single_field(content_type)
    missing = _NOT_OF_SINGLE if content_type.is_single else ()
    for action in sorted(actions.difference(missing)):
        match action:
            case "createLocalization" if not content_type.localized:
                continue
            case "find":
                yield _QUERY, single if content_type.is_single else names.plural_field(content_type)
            case "findOne":
                yield _QUERY, single
            case "createLocalization":
                yield _MUTATION, names.localization_field(content_type)
            case _:
                yield _MUTATION, names.mutation_field(action, content_type)
