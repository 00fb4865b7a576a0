"""The catalogue of actions: everything that can be granted, by API or plugin, controller and action.

Who names an action elsewhere takes it from here, so that nothing is asked for that nobody can grant.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from octavo.schema.content_types import (
    CONTENT_TYPE_BUILDER,
    EMAIL,
    FILE,
    I18N,
    LOCALE,
    ROLE,
    UPLOAD,
    USER,
    USERS_PERMISSIONS,
    ContentType,
)
from octavo.schema.registry import Registry

ActionTree = dict[str, dict[str, dict[str, dict[str, dict[str, bool | str]]]]]

ACCOUNTS: Final = f"{USERS_PERMISSIONS}.auth"
"""The controller of logging in, registering and passwords."""

FILES: Final = f"{UPLOAD}.content-api"
"""The controller of uploaded files."""

DEFINED_COMPONENTS: Final = f"{CONTENT_TYPE_BUILDER}.components"
DEFINED_TYPES: Final = f"{CONTENT_TYPE_BUILDER}.content-types"
"""The controllers that show definitions."""

LIST_LOCALES: Final = f"{I18N}.locales.listLocales"
LIST_ACTIONS: Final = f"{USERS_PERMISSIONS}.permissions.getPermissions"

_COLLECTION: Final = ("find", "findOne", "create", "update", "delete")
_SINGLE: Final = ("find", "update", "delete")
_LOCALIZED: Final = ("createLocalization",)
CONTENT_OPERATIONS: Final = frozenset((*_COLLECTION, *_SINGLE, *_LOCALIZED))
"""What any content-type can have."""

_PLUGINS: Final[Mapping[str, tuple[str, ...]]] = {
    DEFINED_COMPONENTS: ("getComponents", "getComponent"),
    DEFINED_TYPES: ("getContentTypes", "getContentType"),
    f"{EMAIL}.email": ("send",),
    FILES: ("find", "findOne", "destroy", "upload"),
    ACCOUNTS: (
        "callback",
        "changePassword",
        "resetPassword",
        "connect",
        "forgotPassword",
        "register",
        "emailConfirmation",
        "sendEmailConfirmation",
    ),
    USER: ("create", "update", "find", "findOne", "count", "destroy", "me"),
    ROLE: ("createRole", "findOne", "find", "updateRole", "deleteRole"),
    f"{USERS_PERMISSIONS}.permissions": ("getPermissions",),
    f"{I18N}.locales": ("listLocales",),
}
"""The actions of plugins, by controller, in the order in which they are listed."""

_RENAMED: Final = {
    (FILE, "find"): f"{FILES}.find",
    (FILE, "findOne"): f"{FILES}.findOne",
    (FILE, "create"): f"{FILES}.upload",
    (FILE, "update"): f"{FILES}.upload",
    (FILE, "delete"): f"{FILES}.destroy",
    (LOCALE, "find"): LIST_LOCALES,
    (LOCALE, "findOne"): LIST_LOCALES,
}
"""What plugins call otherwise than content-types do."""


def action_on(uid: str, operation: str) -> str:
    """The action that an operation on a content-type asks for: `api::article.article.find`."""
    return _RENAMED.get((uid, operation), f"{uid}.{operation}")


def list_content_actions(registry: Registry) -> tuple[str, ...]:
    """All actions on the content-types of the project."""
    return tuple(f"{item.uid}.{operation}" for item in registry.api_types() for operation in _operations(item))


def list_actions(registry: Registry, own: Iterable[str] = ()) -> tuple[str, ...]:
    """All actions that can be granted; `own` are those that the code of the project adds."""
    known = (f"{controller}.{action}" for controller, actions in _controllers(registry) for action in actions)
    return tuple(dict.fromkeys((*known, *own)))


def action_tree(registry: Registry, granted: Collection[str] = (), own: Iterable[str] = ()) -> ActionTree:
    """All actions by owner and controller, those in `granted` (`api::article.article.find`) enabled."""
    tree: ActionTree = {}
    for full in list_actions(registry, own):
        controller, _, action = full.rpartition(".")
        owner, _, name = controller.rpartition(".")
        controllers = tree.setdefault(owner, {"controllers": {}})["controllers"]
        controllers.setdefault(name, {})[action] = _state(full in granted)
    return tree


def _state(enabled: bool) -> dict[str, bool | str]:
    return {"enabled": enabled, "policy": ""}


def _controllers(registry: Registry) -> Iterator[tuple[str, tuple[str, ...]]]:
    for content_type in registry.api_types():
        yield content_type.uid, _operations(content_type)
    yield from _PLUGINS.items()


def _operations(content_type: ContentType) -> tuple[str, ...]:
    operations = _SINGLE if content_type.is_single else _COLLECTION
    return (*operations, *_LOCALIZED) if content_type.localized else operations
