"""Names of admin actions, and the admin action that each content API action requires."""

from collections.abc import Mapping
from typing import Final

from octavo.access.authorization.actions import DEFINED_COMPONENTS, DEFINED_TYPES, FILES, LIST_ACTIONS, LIST_LOCALES
from octavo.schema.content_types import CONTENT_TYPE_BUILDER, FILE, FOLDER, I18N, ROLE, UPLOAD, USERS_PERMISSIONS

_EXPLORER: Final = "plugin::content-manager.explorer"
READ: Final = f"{_EXPLORER}.read"
CREATE: Final = f"{_EXPLORER}.create"
UPDATE: Final = f"{_EXPLORER}.update"
DELETE: Final = f"{_EXPLORER}.delete"
PUBLISH: Final = f"{_EXPLORER}.publish"

READ_FILES: Final = f"{UPLOAD}.read"
ADD_FILES: Final = f"{UPLOAD}.assets.create"
CHANGE_FILES: Final = f"{UPLOAD}.assets.update"
"""Permission to update files, which includes moving and deleting."""

ON_ENTRIES: Final[Mapping[str, str]] = {
    "find": READ,
    "findOne": READ,
    "count": READ,
    "create": CREATE,
    "createLocalization": CREATE,
    "update": UPDATE,
    "delete": DELETE,
    "publish": PUBLISH,
}
"""The admin action for each operation on entries."""

ON_FILES: Final[Mapping[str, str]] = {
    "find": READ_FILES,
    "findOne": READ_FILES,
    "create": ADD_FILES,
    "update": CHANGE_FILES,
    "delete": CHANGE_FILES,
}

LIBRARY: Final = frozenset({FILE, FOLDER})
"""The content types of the media library. Grants on them include all fields; conditions only apply to files."""

_BUILDER: Final = f"{CONTENT_TYPE_BUILDER}.read"
_ROLES: Final = f"{USERS_PERMISSIONS}.roles"

OF_CONTENT_API: Final[Mapping[str, str]] = {
    f"{FILES}.find": READ_FILES,
    f"{FILES}.findOne": READ_FILES,
    f"{FILES}.upload": ADD_FILES,
    f"{FILES}.destroy": CHANGE_FILES,
    f"{DEFINED_COMPONENTS}.getComponents": _BUILDER,
    f"{DEFINED_COMPONENTS}.getComponent": _BUILDER,
    f"{DEFINED_TYPES}.getContentTypes": _BUILDER,
    f"{DEFINED_TYPES}.getContentType": _BUILDER,
    f"{ROLE}.find": f"{_ROLES}.read",
    f"{ROLE}.findOne": f"{_ROLES}.read",
    f"{ROLE}.createRole": f"{_ROLES}.create",
    f"{ROLE}.updateRole": f"{_ROLES}.update",
    f"{ROLE}.deleteRole": f"{_ROLES}.delete",
    LIST_ACTIONS: f"{_ROLES}.read",
    LIST_LOCALES: f"{I18N}.locale.read",
}
"""The admin action for each content API action that does not belong to a content type. Only super admins are allowed
actions that are missing here."""


def of_entries(uid: str, verb: str) -> tuple[str, str | None] | None:
    """Return the action and subject that an operation on entries requires; None if it cannot be granted."""
    if uid in LIBRARY:
        action = ON_FILES.get(verb)
        return None if action is None else (action, None)
    action = ON_ENTRIES.get(verb)
    return None if action is None or uid.startswith("admin::") else (action, uid)
