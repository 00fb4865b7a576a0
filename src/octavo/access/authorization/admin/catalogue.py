"""The catalog of administrator permissions: actions by section, and the content types they apply to.

Names, sections and their order are v4's.
"""

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Any, Final

from octavo.access.authorization.admin.conditions import Condition
from octavo.access.authorization.admin.fields import Field, fields_of
from octavo.access.authorization.admin.names import CREATE, DELETE, PUBLISH, READ, UPDATE
from octavo.core.values import dataclass
from octavo.schema.content_types import ContentType
from octavo.schema.managed import managed_types
from octavo.schema.registry import Registry

FIELDS: Final = "fields"
LOCALES: Final = "locales"


@dataclass(frozen=True, slots=True)
class EntryAction:
    """An action on entries, with the properties that its grants can have."""

    id: str
    name: str
    properties: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AdminAction:
    """An action without a subject, listed under a `plugin` or under a `category` of the settings."""

    id: str
    name: str
    sub_category: str
    plugin: str = ""
    category: str = ""

    @property
    def owner(self) -> str:
        """The plugin that the action belongs to; empty for Octavo's own."""
        scope, _, rest = self.id.partition("::")
        return rest.partition(".")[0] if scope == "plugin" else ""


ENTRY_ACTIONS: Final = (
    EntryAction(CREATE, "Create", (FIELDS, LOCALES)),
    EntryAction(READ, "Read", (FIELDS, LOCALES)),
    EntryAction(UPDATE, "Update", (FIELDS, LOCALES)),
    EntryAction(DELETE, "Delete", (LOCALES,)),
    EntryAction(PUBLISH, "Publish", (LOCALES,)),
)


def _plugin(plugin: str, sub_category: str, **names: str) -> tuple[AdminAction, ...]:
    return tuple(
        AdminAction(f"plugin::{plugin}.{key.replace('__', '.').replace('_', '-')}", name, sub_category, plugin=plugin)
        for key, name in names.items()
    )


def _settings(prefix: str, category: str, sub_category: str, **names: str) -> tuple[AdminAction, ...]:
    return tuple(AdminAction(f"{prefix}.{key}", name, sub_category, category=category) for key, name in names.items())


_CHANGES: Final = {"create": "Create", "read": "Read", "update": "Update", "delete": "Delete"}
_READ_AND_EDIT: Final = {"read": "Read", "update": "Edit"}
_OF_TOKENS: Final = {
    "create": "Create (generate)",
    "read": "Read",
    "update": "Update",
    "regenerate": "Regenerate",
    "delete": "Delete (revoke)",
}
_USERS: Final = "users-permissions"
_USERS_AND_ROLES: Final = "users and roles"

ACTIONS: Final = (
    *_plugin("content-manager", "single types", single_types__configure_view="Configure view"),
    *_plugin("content-manager", "collection types", collection_types__configure_view="Configure view"),
    *_plugin("content-manager", "components", components__configure_layout="Configure Layout"),
    *_plugin("content-type-builder", "general", read="Read"),
    *_settings("plugin::email.settings", "email", "general", read="Access the Email Settings page"),
    *_plugin("upload", "general", read="Access the Media Library"),
    *_plugin(
        "upload",
        "assets",
        assets__create="Create (upload)",
        assets__update="Update (crop, details, replace) + delete",
        assets__download="Download",
        assets__copy_link="Copy link",
    ),
    *_plugin("upload", "general", configure_view="Configure view"),
    *_settings("plugin::upload.settings", "media library", "general", read="Access the Media Library settings page"),
    *_plugin(_USERS, "roles", **{f"roles__{key}": name for key, name in _CHANGES.items()}),
    *_plugin(_USERS, "providers", **{f"providers__{key}": name for key, name in _READ_AND_EDIT.items()}),
    *_plugin(_USERS, "emailTemplates", **{f"email_templates__{key}": name for key, name in _READ_AND_EDIT.items()}),
    *_plugin(_USERS, "advancedSettings", **{f"advanced_settings__{key}": name for key, name in _READ_AND_EDIT.items()}),
    *_settings("plugin::i18n.locale", "Internationalization", "Locales", **_CHANGES),
    *_settings("admin::marketplace", "plugins and marketplace", "marketplace", read="Access the marketplace"),
    *_settings("admin::webhooks", "webhooks", "general", **_CHANGES),
    *_settings("admin::users", _USERS_AND_ROLES, "users", **_CHANGES | {"create": "Create (invite)"}),
    *_settings("admin::roles", _USERS_AND_ROLES, "roles", **_CHANGES),
    *_settings("admin::api-tokens", "api tokens", "api Tokens", access="Access the API tokens settings page"),
    *_settings("admin::api-tokens", "api tokens", "general", **_OF_TOKENS),
    *_settings(
        "admin::project-settings",
        "project",
        "general",
        update="Update the project level settings",
        read="Read the project level settings",
    ),
    *_settings(
        "admin::transfer.tokens",
        "transfer tokens",
        "transfer tokens",
        access="Access the transfer tokens settings page",
    ),
    *_settings("admin::transfer.tokens", "transfer tokens", "general", **_OF_TOKENS),
)
"""The actions without a subject, in v4's order."""

ALL_PLUGINS: Final = frozenset({"upload", _USERS, "i18n"})
"""The plugins that can be disabled, together with their actions."""


def plugin_of(name: str) -> str | None:
    """Return the plugin that an action or a content type belongs to; None if it belongs to none."""
    return name.removeprefix("plugin::").partition(".")[0] if name.startswith("plugin::") else None


class Catalogue:
    """The permissions that can be granted in one site with these enabled `plugins`."""

    def __init__(self, registry: Registry, plugins: Collection[str]) -> None:
        self.registry = registry
        self.subjects: Mapping[str, ContentType] = {item.uid: item for item in managed_types(registry)}
        left_out = ALL_PLUGINS - frozenset(plugins)
        self.actions: Mapping[str, AdminAction] = {one.id: one for one in ACTIONS if one.owner not in left_out}
        self.entry_actions: Mapping[str, EntryAction] = {one.id: one for one in ENTRY_ACTIONS}
        self._has_locales = "i18n" in plugins

    @cached_property
    def fields(self) -> Mapping[str, tuple[Field, ...]]:
        """The fields of each subject."""
        return {uid: fields_of(item, self.registry) for uid, item in self.subjects.items()}

    def subjects_of(self, action: EntryAction) -> tuple[str, ...]:
        """Return the content types that an action can be granted on."""
        return tuple(uid for uid, item in self.subjects.items() if action.id != PUBLISH or item.draft_and_publish)

    def knows(self, action: str) -> bool:
        """Return whether the action exists."""
        return action in self.actions or action in self.entry_actions

    def is_of_unknown_plugin(self, action: str, subject: str | None) -> bool:
        """Return whether a permission belongs to a plugin without any action or content type in this site."""
        owners = (plugin_of(name) for name in (action, subject or ""))
        return any(owner is not None and owner not in self._plugins for owner in owners)

    @cached_property
    def _plugins(self) -> frozenset[str | None]:
        """All known plugins, including disabled ones."""
        names = (*(one.id for one in ACTIONS), *self.entry_actions, *self.registry.content_types)
        return ALL_PLUGINS | {plugin_of(name) for name in names}

    def fits(self, action: str, subject: str | None) -> bool:
        """Return whether an action can be granted on a subject (None: without a subject)."""
        entry_action = self.entry_actions.get(action)
        return subject is None if entry_action is None else subject in self.subjects_of(entry_action)

    def properties_of(self, action: str) -> tuple[str, ...]:
        """Return the properties that grants of an action can have."""
        entry_action = self.entry_actions.get(action)
        if entry_action is None:
            return ()
        return tuple(name for name in entry_action.properties if name != LOCALES or self._has_locales)

    def applies(self, name: str, subject: str) -> bool:
        """Return whether a property applies to a content type."""
        return name != LOCALES or self.subjects[subject].localized

    def serialize(self, conditions: Iterable[Condition], locales: Iterable[tuple[str, str]]) -> dict[str, Any]:
        """Return the catalog as JSON for the admin panel. `locales` are pairs of code and name."""
        options = [{"label": name, "value": code} for code, name in locales]
        kinds = {
            is_single: {
                "actions": [self._shown_entry_action(one) for one in ENTRY_ACTIONS],
                "subjects": [
                    self._shown_subject(item, options) for item in self.subjects.values() if item.is_single is is_single
                ],
            }
            for is_single in (True, False)
        }
        return {
            "conditions": [
                {"id": one.id, "displayName": one.display_name, "category": one.category} for one in conditions
            ],
            "sections": {
                "plugins": [_shown(one, "plugin", one.plugin) for one in self.actions.values() if one.plugin],
                "settings": [_shown(one, "category", one.category) for one in self.actions.values() if one.category],
                "singleTypes": kinds[True],
                "collectionTypes": kinds[False],
            },
        }

    def _shown_entry_action(self, action: EntryAction) -> dict[str, Any]:
        return {
            "label": action.name,
            "actionId": action.id,
            "subjects": list(self.subjects_of(action)),
            "applyToProperties": list(self.properties_of(action.id)),
        }

    def _shown_subject(self, item: ContentType, locales: list[dict[str, str]]) -> dict[str, Any]:
        properties = [
            {"label": "Fields", "value": FIELDS, "children": [_shown_field(one) for one in self.fields[item.uid]]}
        ]
        if item.localized and self._has_locales:
            properties.append({"label": "Locales", "value": LOCALES, "children": locales})
        return {"uid": item.uid, "label": item.singular_name, "properties": properties}


def _shown(action: AdminAction, kind: str, owner: str) -> dict[str, str]:
    return {"displayName": action.name, kind: owner, "subCategory": action.sub_category, "action": action.id}


def _shown_field(field: Field) -> dict[str, Any]:
    shown: dict[str, Any] = {"label": field.name, "value": field.name}
    if field.required:
        shown["required"] = True
    if field.inside:
        shown["children"] = [_shown_field(one) for one in field.inside]
    return shown
