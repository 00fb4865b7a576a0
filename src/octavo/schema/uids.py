"""The UIDs of the content-types that every project has, and of the plugins that they belong to."""

from typing import Final

UPLOAD: Final = "plugin::upload"
USERS_PERMISSIONS: Final = "plugin::users-permissions"
I18N: Final = "plugin::i18n"
EMAIL: Final = "plugin::email"
CONTENT_TYPE_BUILDER: Final = "plugin::content-type-builder"
CONTENT_RELEASES: Final = "plugin::content-releases"

FILE: Final = f"{UPLOAD}.file"
FOLDER: Final = f"{UPLOAD}.folder"
USER: Final = f"{USERS_PERMISSIONS}.user"
ROLE: Final = f"{USERS_PERMISSIONS}.role"
PERMISSION: Final = f"{USERS_PERMISSIONS}.permission"
LOCALE: Final = f"{I18N}.locale"
RELEASE: Final = f"{CONTENT_RELEASES}.release"
RELEASE_ACTION: Final = f"{CONTENT_RELEASES}.release-action"

ADMIN_USER: Final = "admin::user"
ADMIN_ROLE: Final = "admin::role"
ADMIN_PERMISSION: Final = "admin::permission"
API_TOKEN: Final = "admin::api-token"
ACCOUNTS: Final = frozenset({USER, ADMIN_USER})
"""The content-types whose entries sign in."""

TRANSFER_TOKEN: Final = "admin::transfer-token"
