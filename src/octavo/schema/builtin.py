"""The built-in content types: users, roles, files, locales, administrators, tokens. Their tables are Strapi v4's.

Each row is a definition in the format of a project's `schema.json`, and is parsed in the same way.
"""

from typing import Any

from octavo.schema.content_types import (
    ADMIN_PERMISSION,
    ADMIN_ROLE,
    ADMIN_USER,
    FILE,
    FOLDER,
    LOCALE,
    PERMISSION,
    RELEASE,
    RELEASE_ACTION,
    ROLE,
    USER,
)

Raw = dict[str, Any]

UNLISTED: dict[str, Any] = {"content-manager": {"visible": False}, "content-type-builder": {"visible": False}}
_FIXED: dict[str, Any] = {"configurable": False}
"""For attributes that cannot be changed or removed."""
_HIDDEN: dict[str, Any] = {"private": True, "searchable": False}


def _text(**options: Any) -> Raw:
    return {"type": "string", **options}


def _fixed(**options: Any) -> Raw:
    return {"type": "string", **_FIXED, **options}


def _secret() -> Raw:
    return _fixed(**_HIDDEN)


def _relation(relation: str, target: str, **options: Any) -> Raw:
    return {"type": "relation", "relation": relation, "target": target, **options}


def _type(collection_name: str, singular: str, plural: str, display: str, attributes: Raw, **rest: Any) -> Raw:
    info = {"singularName": singular, "pluralName": plural, "displayName": display}
    return {
        "collectionName": collection_name,
        "info": info,
        "pluginOptions": UNLISTED,
        "attributes": attributes,
        **rest,
    }


def _token_types(table: str, name: str, display: str, key: Raw, **extra: Raw) -> dict[str, Raw]:
    """Return the types of API tokens or transfer tokens: the token and its permissions. `key`: their `accessKey`."""
    token, permission = f"admin::{name}", f"admin::{name}-permission"
    attributes = {
        "name": _fixed(minLength=1, required=True, unique=True),
        "description": _fixed(minLength=1, required=False, default=""),
        **extra,
        "accessKey": key,
        "lastUsedAt": {"type": "datetime", **_FIXED, "required": False},
        "permissions": _relation("oneToMany", permission, mappedBy="token", **_FIXED, required=False),
        "expiresAt": {"type": "datetime", **_FIXED, "required": False},
        "lifespan": {"type": "biginteger", **_FIXED, "required": False},
    }
    granted = {
        "action": _fixed(minLength=1, required=True),
        "token": _relation("manyToOne", token, inversedBy="permissions", **_FIXED),
    }
    single = table.removesuffix("s")
    return {
        token: _type(table, name, f"{name}s", display, attributes),
        permission: _type(
            f"{single}_permissions",
            f"{name}-permission",
            f"{name}-permissions",
            f"{display.replace('Api', 'API')} Permission",
            granted,
        ),
    }


_ADMIN: dict[str, Raw] = {
    ADMIN_PERMISSION: _type(
        "admin_permissions",
        "permission",
        "permissions",
        "Permission",
        {
            "action": _fixed(minLength=1, required=True),
            "actionParameters": {"type": "json", **_FIXED, "required": False, "default": {}},
            "subject": _fixed(minLength=1, required=False),
            "properties": {"type": "json", **_FIXED, "required": False, "default": {}},
            "conditions": {"type": "json", **_FIXED, "required": False, "default": []},
            "role": _relation("manyToOne", ADMIN_ROLE, inversedBy="permissions", **_FIXED),
        },
    ),
    ADMIN_USER: _type(
        "admin_users",
        "user",
        "users",
        "User",
        {
            "firstname": _fixed(unique=False, minLength=1, required=False),
            "lastname": _fixed(unique=False, minLength=1, required=False),
            "username": _fixed(unique=False, required=False),
            "email": {"type": "email", "minLength": 6, **_FIXED, "required": True, "unique": True, "private": True},
            "password": {"type": "password", "minLength": 6, **_FIXED, "required": False, **_HIDDEN},
            "resetPasswordToken": _secret(),
            "registrationToken": _secret(),
            "isActive": {"type": "boolean", "default": False, **_FIXED, "private": True},
            "roles": _relation(
                "manyToMany",
                ADMIN_ROLE,
                inversedBy="users",
                collectionName="strapi_users_roles",
                private=True,
                **_FIXED,
            ),
            "blocked": {"type": "boolean", "default": False, **_FIXED, "private": True},
            "preferedLanguage": _fixed(required=False, searchable=False),
        },
    ),
    ADMIN_ROLE: _type(
        "admin_roles",
        "role",
        "roles",
        "Role",
        {
            "name": _fixed(minLength=1, required=True, unique=True),
            "code": _fixed(minLength=1, required=True, unique=True),
            "description": _fixed(),
            "users": _relation("manyToMany", ADMIN_USER, mappedBy="roles", **_FIXED),
            "permissions": _relation("oneToMany", ADMIN_PERMISSION, mappedBy="role", **_FIXED),
        },
    ),
    **_token_types(
        "strapi_api_tokens",
        "api-token",
        "Api Token",
        _fixed(minLength=1, required=True, searchable=False),
        type={
            "type": "enumeration",
            "enum": ["read-only", "full-access", "custom"],
            **_FIXED,
            "required": True,
            "default": "read-only",
        },
    ),
    **_token_types("strapi_transfer_tokens", "transfer-token", "Transfer Token", _fixed(minLength=1, required=True)),
}

_UPLOAD: dict[str, Raw] = {
    FILE: _type(
        "files",
        "file",
        "files",
        "File",
        {
            "name": _fixed(required=True),
            "alternativeText": _fixed(),
            "caption": _fixed(),
            "width": {"type": "integer", **_FIXED},
            "height": {"type": "integer", **_FIXED},
            "formats": {"type": "json", **_FIXED},
            "hash": _fixed(required=True),
            "ext": _fixed(),
            "mime": _fixed(required=True),
            "size": {"type": "decimal", **_FIXED, "required": True},
            "url": _fixed(required=True),
            "previewUrl": _fixed(),
            "provider": _fixed(required=True),
            "provider_metadata": {"type": "json", **_FIXED},
            "related": {"type": "relation", "relation": "morphToMany", **_FIXED},
            "folder": _relation("manyToOne", FOLDER, inversedBy="files", private=True),
            "folderPath": _text(min=1, required=True, **_HIDDEN),
        },
        indexes=[
            {"name": f"upload_files_{column}_index", "columns": [column]}
            for column in ("folder_path", "created_at", "updated_at", "name", "size", "ext")
        ],
    ),
    FOLDER: _type(
        "upload_folders",
        "folder",
        "folders",
        "Folder",
        {
            "name": _text(min=1, required=True),
            "pathId": {"type": "integer", "unique": True, "required": True},
            "parent": _relation("manyToOne", FOLDER, inversedBy="children"),
            "children": _relation("oneToMany", FOLDER, mappedBy="parent"),
            "files": _relation("oneToMany", FILE, mappedBy="folder"),
            "path": _text(min=1, required=True),
        },
        indexes=[
            {"name": f"upload_folders_{column}_index", "columns": [column], "type": "unique"}
            for column in ("path_id", "path")
        ],
    ),
}

_RELEASES: dict[str, Raw] = {
    RELEASE: _type(
        "strapi_releases",
        "release",
        "releases",
        "Release",
        {
            "name": _text(required=True),
            "releasedAt": {"type": "datetime"},
            "scheduledAt": {"type": "datetime"},
            "timezone": _text(),
            "status": {
                "type": "enumeration",
                "enum": ["ready", "blocked", "failed", "done", "empty"],
                "required": True,
            },
            "actions": _relation("oneToMany", RELEASE_ACTION, mappedBy="release"),
        },
    ),
    RELEASE_ACTION: _type(
        "strapi_release_actions",
        "release-action",
        "release-actions",
        "Release Action",
        {
            "type": {"type": "enumeration", "enum": ["publish", "unpublish"], "required": True},
            "entry": {"type": "relation", "relation": "morphToOne", **_FIXED},
            "contentType": _text(required=True),
            "locale": _text(),
            "release": _relation("manyToOne", RELEASE, inversedBy="actions"),
            "isEntryValid": {"type": "boolean"},
        },
    ),
}

_USERS: dict[str, Raw] = {
    PERMISSION: _type(
        "up_permissions",
        "permission",
        "permissions",
        "Permission",
        {
            "action": _fixed(required=True),
            "role": _relation("manyToOne", ROLE, inversedBy="permissions", **_FIXED),
        },
    ),
    ROLE: _type(
        "up_roles",
        "role",
        "roles",
        "Role",
        {
            "name": _fixed(minLength=3, required=True),
            "description": _fixed(),
            "type": _fixed(unique=True),
            "permissions": _relation("oneToMany", PERMISSION, mappedBy="role", **_FIXED),
            "users": _relation("oneToMany", USER, mappedBy="role", **_FIXED),
        },
    ),
    USER: {
        "kind": "collectionType",
        "collectionName": "up_users",
        "info": {
            "name": "user",
            "description": "",
            "singularName": "user",
            "pluralName": "users",
            "displayName": "User",
        },
        "options": {"draftAndPublish": False, "timestamps": True},
        "attributes": {
            "username": {"type": "string", "minLength": 3, "unique": True, **_FIXED, "required": True},
            "email": {"type": "email", "minLength": 6, **_FIXED, "required": True},
            "provider": _fixed(),
            "password": {"type": "password", "minLength": 6, **_FIXED, **_HIDDEN},
            "resetPasswordToken": _secret(),
            "confirmationToken": _secret(),
            "confirmed": {"type": "boolean", "default": False, **_FIXED},
            "blocked": {"type": "boolean", "default": False, **_FIXED},
            "role": _relation("manyToOne", ROLE, inversedBy="users", **_FIXED),
        },
    },
}

_LOCALE_ATTRIBUTES: Raw = {"name": _fixed(min=1, max=50), "code": _fixed(unique=True)}

BUILTIN_TYPES: dict[str, Raw] = {
    **_ADMIN,
    **_UPLOAD,
    **_RELEASES,
    **_USERS,
    LOCALE: _type("i18n_locale", "locale", "locales", "Locale", _LOCALE_ATTRIBUTES),
}
