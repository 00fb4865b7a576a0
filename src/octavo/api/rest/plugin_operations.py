"""The REST operations of the built-in plugins: a table for each group of handlers."""

from functools import partial
from typing import Final

from octavo.access.authorization.actions import (
    ACCOUNTS,
    DEFINED_COMPONENTS,
    DEFINED_TYPES,
    FILES,
    LIST_ACTIONS,
    LIST_LOCALES,
)
from octavo.api.rest.operations import EVERYBODY, EntryForm, Grammar, Operation, Parameter
from octavo.schema.content_types import FILE, ROLE, USER
from octavo.schema.parse import KINDS

_TEXT: Final = {"type": "string"}
_FLAT: Final = EntryForm.FLAT
_FLAT_LIST: Final = EntryForm.FLAT_LIST

_user = partial(Operation, tag="Users", uid=USER)
_role = partial(Operation, tag="Roles", uid=ROLE)
_file = partial(Operation, tag="Files", uid=FILE)
_account = partial(Operation, tag="Accounts", uid=USER)
_definition = partial(Operation, tag="Definitions")

READ_USERS: Final = (
    _user("GET", "/users", f"{USER}.find", "find", "List users", query=Grammar.PLAIN_LIST, answer=_FLAT_LIST),
    _user("GET", "/users/count", f"{USER}.count", "count", "Count users", query=Grammar.PLAIN_COUNT, answer="Count"),
    _user("GET", "/users/me", f"{USER}.me", "me", "Get the current user", query=Grammar.ENTRY, answer=_FLAT),
    _user(
        "GET",
        "/users/:id",
        f"{USER}.findOne",
        "find_one",
        "Get a user",
        query=Grammar.ENTRY,
        answer=_FLAT,
        may_be_empty=True,
    ),
)

WRITE_USERS: Final = (
    _user(
        "POST",
        "/users",
        f"{USER}.create",
        "create",
        "Create a user",
        body="UserInput",
        answer=_FLAT,
        status=201,
    ),
    _user(
        "PUT",
        "/users/:id",
        f"{USER}.update",
        "update",
        "Update a user",
        body="UserUpdate",
        answer=_FLAT,
        refuses=(404,),
    ),
    _user("DELETE", "/users/:id", f"{USER}.destroy", "delete", "Delete a user", answer=_FLAT, may_be_empty=True),
)

READ_FILES: Final = (
    _file(
        "GET",
        "/upload/files",
        f"{FILES}.find",
        "find",
        "List files",
        query=Grammar.PLAIN_LIST,
        answer=_FLAT_LIST,
    ),
    _file(
        "GET",
        "/upload/files/:id",
        f"{FILES}.findOne",
        "find_one",
        "Get a file",
        query=Grammar.ENTRY,
        answer=_FLAT,
        refuses=(404,),
    ),
)

WRITE_FILES: Final = (
    _file(
        "POST",
        "/upload",
        f"{FILES}.upload",
        "upload",
        "Upload files, or replace one",
        parameters=(Parameter("id", "The file to replace or update", {"type": "integer"}),),
        body="Upload",
        answer="Uploaded",
        refuses=(404, 413),
    ),
    _file(
        "DELETE",
        "/upload/files/:id",
        f"{FILES}.destroy",
        "destroy",
        "Delete a file",
        answer=_FLAT,
        refuses=(404,),
    ),
)

READ_LOCALES: Final = (
    Operation("GET", "/i18n/locales", LIST_LOCALES, "find", "List locales", "Locales", answer="Locales"),
)

READ_ROLES: Final = (
    _role("GET", "/users-permissions/roles", f"{ROLE}.find", "find", "List roles", answer="Roles"),
    _role(
        "GET",
        "/users-permissions/roles/:id",
        f"{ROLE}.findOne",
        "find_one",
        "Get a role with its permissions",
        answer="Role",
        refuses=(404,),
    ),
    _role(
        "GET",
        "/users-permissions/permissions",
        LIST_ACTIONS,
        "permissions",
        "List all actions that can be granted",
        answer="Permissions",
    ),
)

WRITE_ROLES: Final = (
    _role(
        "POST",
        "/users-permissions/roles",
        f"{ROLE}.createRole",
        "create",
        "Create a role",
        body="RoleInput",
        answer="Done",
    ),
    _role(
        "PUT",
        "/users-permissions/roles/:id",
        f"{ROLE}.updateRole",
        "update",
        "Update a role",
        body="RoleInput",
        answer="Done",
        refuses=(404,),
    ),
    _role(
        "DELETE",
        "/users-permissions/roles/:id",
        f"{ROLE}.deleteRole",
        "delete",
        "Delete a role",
        answer="Done",
        refuses=(404,),
    ),
    _role("GET", "/users-permissions/routes", LIST_ACTIONS, "routes", "List all routes of the API", answer="Routes"),
)

SIGN_IN: Final = (
    _account("POST", "/auth/local", f"{ACCOUNTS}.callback", "login", "Log in", body="Login", answer="Session"),
    _account(
        "POST",
        "/auth/local/register",
        f"{ACCOUNTS}.register",
        "register",
        "Register",
        body="Registration",
        answer="Session",
    ),
    _account(
        "POST",
        "/auth/change-password",
        f"{ACCOUNTS}.changePassword",
        "change_password",
        "Change the current user's password",
        body="PasswordChange",
        answer="Session",
    ),
    _account(
        "POST",
        "/auth/forgot-password",
        f"{ACCOUNTS}.forgotPassword",
        "forgot_password",
        "Send a password reset email",
        body="EmailAddress",
        answer="Done",
    ),
    _account(
        "POST",
        "/auth/reset-password",
        f"{ACCOUNTS}.resetPassword",
        "reset_password",
        "Reset a password with an emailed code",
        body="PasswordReset",
        answer="Session",
    ),
    _account(
        "POST",
        "/auth/send-email-confirmation",
        f"{ACCOUNTS}.sendEmailConfirmation",
        "send_email_confirmation",
        "Send a confirmation email",
        body="EmailAddress",
        answer="MailSent",
    ),
    _account(
        "GET",
        "/auth/email-confirmation",
        f"{ACCOUNTS}.emailConfirmation",
        "confirm_email",
        "Confirm an email address and redirect",
        parameters=(Parameter("confirmation", "The code from the email", _TEXT, required=True),),
        status=302,
        writes=True,
    ),
)

SESSIONS: Final = (
    _account(
        "POST",
        "/auth/refresh",
        f"{ACCOUNTS}.refresh",
        "refresh",
        "Exchange a refresh token for an access token",
        body="RefreshToken",
        answer="Renewal",
        refuses=(401, 403),
        access=EVERYBODY,
    ),
    _account(
        "POST",
        "/auth/logout",
        f"{ACCOUNTS}.logout",
        "logout",
        "End a session",
        body="RefreshToken",
        answer="Done",
        refuses=(403,),
        access=EVERYBODY,
    ),
)

PROVIDERS: Final = (
    _account(
        "GET",
        "/connect/:provider",
        f"{ACCOUNTS}.connect",
        "connect",
        "Redirect to a provider's sign-in page",
        parameters=(Parameter("callback", "The URL to redirect to afterwards, if the project allows it", _TEXT),),
        status=302,
        writes=True,
    ),
    _account(
        "GET",
        "/connect/:provider/callback",
        f"{ACCOUNTS}.connect",
        "come_back",
        "Complete the sign-in with a provider",
        status=302,
        writes=True,
    ),
    _account(
        "GET",
        "/auth/:provider/callback",
        f"{ACCOUNTS}.callback",
        "callback",
        "Sign in with a provider's token",
        parameters=(Parameter("access_token", "The token from the provider", _TEXT),),
        answer="Session",
        writes=True,
    ),
)

READ_DEFINITIONS: Final = (
    _definition(
        "GET",
        "/content-type-builder/content-types",
        f"{DEFINED_TYPES}.getContentTypes",
        "content_types",
        "List content types",
        parameters=(Parameter("kind", "Only content types of this kind", {"enum": list(KINDS)}),),
        answer="Definitions",
    ),
    _definition(
        "GET",
        "/content-type-builder/content-types/:uid",
        f"{DEFINED_TYPES}.getContentType",
        "content_type",
        "Get a content type",
        answer="Definition",
        refuses=(404,),
    ),
    _definition(
        "GET",
        "/content-type-builder/components",
        f"{DEFINED_COMPONENTS}.getComponents",
        "components",
        "List components",
        answer="Definitions",
    ),
    _definition(
        "GET",
        "/content-type-builder/components/:uid",
        f"{DEFINED_COMPONENTS}.getComponent",
        "component",
        "Get a component",
        answer="Definition",
        refuses=(404,),
    ),
)

PLUGIN_OPERATIONS: Final = (
    *(*READ_USERS, *WRITE_USERS, *READ_FILES, *WRITE_FILES, *READ_LOCALES, *READ_ROLES, *WRITE_ROLES),
    *(*SIGN_IN, *SESSIONS, *PROVIDERS, *READ_DEFINITIONS),
)
"""All of them, including those of disabled plugins."""
