"""Actions: everything that can be granted to a role, as a tree by API or plugin, controller and action."""

from collections.abc import Collection, Iterator
from typing import Final

from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry

ActionTree = dict[str, dict[str, dict[str, dict[str, dict[str, bool | str]]]]]

_COLLECTION: Final = ("find", "findOne", "create", "update", "delete")
_SINGLE: Final = ("find", "update", "delete")
_LOCALIZED: Final = ("createLocalization",)

_PLUGINS: Final = (
    ("plugin::content-type-builder", "components", ("getComponents", "getComponent")),
    ("plugin::content-type-builder", "content-types", ("getContentTypes", "getContentType")),
    ("plugin::email", "email", ("send",)),
    ("plugin::upload", "content-api", ("find", "findOne", "destroy", "upload")),
    (
        "plugin::users-permissions",
        "auth",
        (
            "callback",
            "changePassword",
            "resetPassword",
            "connect",
            "forgotPassword",
            "register",
            "emailConfirmation",
            "sendEmailConfirmation",
        ),
    ),
    ("plugin::users-permissions", "user", ("create", "update", "find", "findOne", "count", "destroy", "me")),
    ("plugin::users-permissions", "role", ("createRole", "findOne", "find", "updateRole", "deleteRole")),
    ("plugin::users-permissions", "permissions", ("getPermissions",)),
    ("plugin::i18n", "locales", ("listLocales",)),
)


def action_tree(registry: Registry, granted: Collection[str] = ()) -> ActionTree:
    """All actions, those in `granted` (`api::article.article.find`) enabled."""
    tree: ActionTree = {}
    for owner, controller, actions in _groups(registry):
        told = {action: _told(f"{owner}.{controller}.{action}" in granted) for action in actions}
        tree.setdefault(owner, {"controllers": {}})["controllers"][controller] = told
    return tree


def _told(enabled: bool) -> dict[str, bool | str]:
    return {"enabled": enabled, "policy": ""}


def _groups(registry: Registry) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for content_type in registry.api_types():
        owner, _, controller = content_type.uid.rpartition(".")
        yield owner, controller, _actions_of(content_type)
    yield from _PLUGINS


def _actions_of(content_type: ContentType) -> tuple[str, ...]:
    actions = _SINGLE if content_type.is_single else _COLLECTION
    return (*actions, *_LOCALIZED) if content_type.localized else actions
