"""Details of v4's built-in content types that only the admin panel shows (see `schema.builtin`)."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.schema.content_types import (
    ADMIN_PERMISSION,
    ADMIN_ROLE,
    ADMIN_USER,
    API_TOKEN,
    FILE,
    FOLDER,
    LOCALE,
    PERMISSION,
    RELEASE,
    RELEASE_ACTION,
    ROLE,
    USER,
)

Raw = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Details:
    """Additional `info` and `options` of a definition. If `options` is None, the type has none."""

    info: Raw = field(default_factory=dict)
    options: Raw | None = None


TRANSFER_TOKEN: Final = "admin::transfer-token"
_DRAFTLESS: Final = {"draftAndPublish": False}


def _named(name: str, options: Raw | None = None) -> Details:
    return Details({"name": name, "description": ""}, options)


BUILTIN_INFO: Mapping[str, Details] = {
    ADMIN_PERMISSION: _named("Permission", {}),
    ADMIN_USER: _named("User"),
    ADMIN_ROLE: _named("Role", {}),
    API_TOKEN: _named("Api Token", {}),
    f"{API_TOKEN}-permission": _named("API Token Permission", {}),
    TRANSFER_TOKEN: _named("Transfer Token", {}),
    f"{TRANSFER_TOKEN}-permission": _named("Transfer Token Permission", {}),
    FILE: Details({"description": ""}, {}),
    FOLDER: Details({}, {}),
    RELEASE: Details({}, _DRAFTLESS),
    RELEASE_ACTION: Details({}, _DRAFTLESS),
    PERMISSION: _named("permission"),
    ROLE: _named("role"),
    USER: _named("user", {"draftAndPublish": False, "timestamps": True}),
    LOCALE: Details({"collectionName": "locales", "description": ""}, _DRAFTLESS),
}

FIXED: Final = frozenset(BUILTIN_INFO) - {FOLDER, RELEASE, RELEASE_ACTION}
"""The content types whose attributes cannot be changed."""

_SHORT: Final = {"minLength": 1}
_OPTIONAL: Final = {"required": False}
_UNSEARCHED: Final = {"searchable": False}
_PERSON: Final = {"unique": False, **_OPTIONAL}
_SECRET_KEY: Final = {**_SHORT, "required": True, "private": None}


def _token_attributes(uid: str, key: Raw) -> dict[tuple[str, str], Raw]:
    optional = dict.fromkeys(("lastUsedAt", "permissions", "expiresAt", "lifespan"), _OPTIONAL)
    described = {**_SHORT, **_OPTIONAL, "default": ""}
    attributes: dict[str, Raw] = {"name": _SHORT, "description": described, "accessKey": key, **optional}
    return {**{(uid, name): raw for name, raw in attributes.items()}, (f"{uid}-permission", "action"): _SHORT}


BUILTIN_ATTRIBUTES: Mapping[tuple[str, str], Raw] = {
    (ADMIN_PERMISSION, "action"): _SHORT,
    (ADMIN_PERMISSION, "actionParameters"): _OPTIONAL,
    (ADMIN_PERMISSION, "subject"): {**_SHORT, **_OPTIONAL},
    (ADMIN_PERMISSION, "properties"): _OPTIONAL,
    (ADMIN_PERMISSION, "conditions"): _OPTIONAL,
    (ADMIN_USER, "firstname"): {**_SHORT, **_PERSON},
    (ADMIN_USER, "lastname"): {**_SHORT, **_PERSON},
    (ADMIN_USER, "username"): _PERSON,
    (ADMIN_USER, "email"): {"minLength": 6, "required": True},
    (ADMIN_USER, "password"): {"minLength": 6, **_OPTIONAL, **_UNSEARCHED},
    (ADMIN_USER, "resetPasswordToken"): _UNSEARCHED,
    (ADMIN_USER, "registrationToken"): _UNSEARCHED,
    (ADMIN_USER, "roles"): {"collectionName": "strapi_users_roles"},
    (ADMIN_USER, "preferedLanguage"): {**_OPTIONAL, **_UNSEARCHED},
    (ADMIN_ROLE, "name"): _SHORT,
    (ADMIN_ROLE, "code"): _SHORT,
    (API_TOKEN, "type"): {"required": True},
    **_token_attributes(API_TOKEN, {**_SECRET_KEY, **_UNSEARCHED}),
    **_token_attributes(TRANSFER_TOKEN, _SECRET_KEY),
    (FILE, "folder"): {"configurable": None},
    (FILE, "folderPath"): {"configurable": None, "min": 1, **_UNSEARCHED},
    (FOLDER, "name"): {"min": 1},
    (FOLDER, "path"): {"min": 1},
    (RELEASE, "status"): {"required": True},
    (RELEASE_ACTION, "type"): {"required": True},
    (USER, "password"): _UNSEARCHED,
    (USER, "resetPasswordToken"): _UNSEARCHED,
    (USER, "confirmationToken"): _UNSEARCHED,
    (LOCALE, "name"): {"min": 1, "max": 50},
}
"""Additional properties of attributes; None removes a property."""
