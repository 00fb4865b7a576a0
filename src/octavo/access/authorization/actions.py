"""The catalog of actions that can be granted, by API or plugin, controller and action.

Other modules use these names, so every permission that Octavo checks can be granted.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Final

from octavo.core.errors import ApplicationError
from octavo.core.text_limits import close_match
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
"""The controller for sign-in, registration and passwords."""

FILES: Final = f"{UPLOAD}.content-api"
"""The controller of uploaded files."""

READ_PRIVATE: Final = f"{FILES}.readPrivate"
"""The action of reading private files, where `upload.config.privateUrls` is `permitted`."""

DEFINED_COMPONENTS: Final = f"{CONTENT_TYPE_BUILDER}.components"
DEFINED_TYPES: Final = f"{CONTENT_TYPE_BUILDER}.content-types"
"""The controller that shows definitions of content types."""

LIST_LOCALES: Final = f"{I18N}.locales.listLocales"
LIST_ACTIONS: Final = f"{USERS_PERMISSIONS}.permissions.getPermissions"

_COLLECTION: Final = ("find", "findOne", "create", "update", "delete")
_SINGLE: Final = ("find", "update", "delete")
_LOCALIZED: Final = ("createLocalization",)
CONTENT_OPERATIONS: Final = frozenset((*_COLLECTION, *_SINGLE, *_LOCALIZED))
"""The operations that a content type can have."""

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
"""Actions that plugins name differently from content types."""


def action_on(uid: str, operation: str) -> str:
    """Return the action that an operation on a content type requires: `api::article.article.find`."""
    return _RENAMED.get((uid, operation), f"{uid}.{operation}")


def list_content_actions(registry: Registry) -> tuple[str, ...]:
    """Return all actions on the project's content types."""
    return tuple(f"{item.uid}.{operation}" for item in registry.api_types() for operation in _operations(item))


def list_actions(registry: Registry, own: Iterable[str] = ()) -> tuple[str, ...]:
    """Return all actions that can be granted. `own` are the actions added by the project's code."""
    known = (f"{controller}.{action}" for controller, actions in _controllers(registry) for action in actions)
    return tuple(dict.fromkeys((*known, *own)))


def action_tree(registry: Registry, granted: Collection[str] = (), own: Iterable[str] = ()) -> ActionTree:
    """Return all actions by owner and controller; those in `granted` (`api::article.article.find`) are enabled."""
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


_WILD = frozenset("*?[")


def actions_of(patterns: Iterable[str], registry: Registry, own: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the actions that match the patterns. `own` are the actions added by the project's code.

    An action of a plugin without a wildcard is returned unchanged.
    Raises ApplicationError for a pattern without matches.
    """
    known = tuple(dict.fromkeys((*list_content_actions(registry), *own)))
    return tuple(dict.fromkeys(action for pattern in patterns for action in _actions_of(pattern, known)))


def _actions_of(pattern: str, known: tuple[str, ...]) -> list[str]:
    if _WILD.isdisjoint(pattern) and not pattern.startswith("api::"):
        return [pattern]
    matching = [action for action in known if fnmatchcase(action, pattern)]
    if not matching:
        near = close_match(pattern, known)
        hint = "" if near is None else f"; did you mean {near}?"
        raise ApplicationError(f"{pattern!r} matches no action of this project{hint}")
    return matching
