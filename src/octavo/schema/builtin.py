"""The built-in content-types: users, roles, files, locales, administrators, tokens. Their tables are Strapi v4's own.

Each row is a definition in the same form as a project's `schema.json`, read by the same parser.
"""

from typing import Any

from octavo.schema.uids import (
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


def _text(**options: Any) -> Raw:
    return {"type": "string", **options}


def _secret() -> Raw:
    return {"type": "string", "private": True}


def _relation(relation: str, target: str, **options: Any) -> Raw:
    return {"type": "relation", "relation": relation, "target": target, **options}


def _type(collection_name: str, singular: str, plural: str, display: str, attributes: Raw, **rest: Any) -> Raw:
    info = {"singularName": singular, "pluralName": plural, "displayName": display}
    return {"collectionName": collection_name, "info": info, "attributes": attributes, **rest}


def _token_types(table: str, name: str, display: str, **extra: Raw) -> dict[str, Raw]:
    """API tokens and transfer tokens: a token type and the type of its permissions."""
    token, permission = f"admin::{name}", f"admin::{name}-permission"
    attributes = {
        "name": _text(required=True, unique=True),
        "description": _text(),
        **extra,
        "accessKey": _secret(),
        "lastUsedAt": {"type": "datetime"},
        "permissions": _relation("oneToMany", permission, mappedBy="token"),
        "expiresAt": {"type": "datetime"},
        "lifespan": {"type": "biginteger"},
    }
    granted = {
        "action": _text(required=True),
        "token": _relation("manyToOne", token, inversedBy="permissions"),
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
            "action": _text(required=True),
            "actionParameters": {"type": "json", "default": {}},
            "subject": _text(),
            "properties": {"type": "json", "default": {}},
            "conditions": {"type": "json", "default": []},
            "role": _relation("manyToOne", ADMIN_ROLE, inversedBy="permissions"),
        },
    ),
    ADMIN_USER: _type(
        "admin_users",
        "user",
        "users",
        "User",
        {
            "firstname": _text(),
            "lastname": _text(),
            "username": _text(),
            "email": {"type": "email", "private": True, "unique": True},
            "password": {"type": "password", "private": True},
            "resetPasswordToken": _secret(),
            "registrationToken": _secret(),
            "isActive": {"type": "boolean", "default": False, "private": True},
            "roles": _relation("manyToMany", ADMIN_ROLE, inversedBy="users", private=True),
            "blocked": {"type": "boolean", "default": False, "private": True},
            "preferedLanguage": _text(),
        },
    ),
    ADMIN_ROLE: _type(
        "admin_roles",
        "role",
        "roles",
        "Role",
        {
            "name": _text(required=True, unique=True),
            "code": _text(required=True, unique=True),
            "description": _text(),
            "users": _relation("manyToMany", ADMIN_USER, mappedBy="roles"),
            "permissions": _relation("oneToMany", ADMIN_PERMISSION, mappedBy="role"),
        },
    ),
    **_token_types(
        "strapi_api_tokens",
        "api-token",
        "Api Token",
        type={"type": "enumeration", "enum": ["read-only", "full-access", "custom"], "default": "read-only"},
    ),
    **_token_types("strapi_transfer_tokens", "transfer-token", "Transfer Token"),
}

_UPLOAD: dict[str, Raw] = {
    FILE: _type(
        "files",
        "file",
        "files",
        "File",
        {
            "name": _text(required=True),
            "alternativeText": _text(),
            "caption": _text(),
            "width": {"type": "integer"},
            "height": {"type": "integer"},
            "formats": {"type": "json"},
            "hash": _text(required=True),
            "ext": _text(),
            "mime": _text(required=True),
            "size": {"type": "decimal", "required": True},
            "url": _text(required=True),
            "previewUrl": _text(),
            "provider": _text(required=True),
            "provider_metadata": {"type": "json"},
            "related": {"type": "relation", "relation": "morphToMany"},
            "folder": _relation("manyToOne", FOLDER, inversedBy="files", private=True),
            "folderPath": {**_secret(), "required": True},
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
            "name": _text(required=True),
            "pathId": {"type": "integer", "unique": True, "required": True},
            "parent": _relation("manyToOne", FOLDER, inversedBy="children"),
            "children": _relation("oneToMany", FOLDER, mappedBy="parent"),
            "files": _relation("oneToMany", FILE, mappedBy="folder"),
            "path": _text(required=True),
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
            "status": {"type": "enumeration", "enum": ["ready", "blocked", "failed", "done", "empty"]},
            "actions": _relation("oneToMany", RELEASE_ACTION, mappedBy="release"),
        },
    ),
    RELEASE_ACTION: _type(
        "strapi_release_actions",
        "release-action",
        "release-actions",
        "Release Action",
        {
            "type": {"type": "enumeration", "enum": ["publish", "unpublish"]},
            "entry": {"type": "relation", "relation": "morphToOne"},
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
            "action": _text(required=True),
            "role": _relation("manyToOne", ROLE, inversedBy="permissions"),
        },
    ),
    ROLE: _type(
        "up_roles",
        "role",
        "roles",
        "Role",
        {
            "name": _text(required=True, minLength=3),
            "description": _text(),
            "type": _text(unique=True),
            "permissions": _relation("oneToMany", PERMISSION, mappedBy="role"),
            "users": _relation("oneToMany", USER, mappedBy="role"),
        },
    ),
    USER: _type(
        "up_users",
        "user",
        "users",
        "User",
        {
            "username": _text(required=True, unique=True, minLength=3),
            "email": {"type": "email", "required": True, "minLength": 6},
            "provider": _text(),
            "password": {"type": "password", "private": True, "minLength": 6},
            "resetPasswordToken": _secret(),
            "confirmationToken": _secret(),
            "confirmed": {"type": "boolean", "default": False},
            "blocked": {"type": "boolean", "default": False},
            "role": _relation("manyToOne", ROLE, inversedBy="users"),
        },
        options={"draftAndPublish": False},
    ),
}

BUILTIN_TYPES: dict[str, Raw] = {
    **_ADMIN,
    **_UPLOAD,
    **_RELEASES,
    **_USERS,
    LOCALE: _type("i18n_locale", "locale", "locales", "Locale", {"name": _text(), "code": _text(unique=True)}),
}
