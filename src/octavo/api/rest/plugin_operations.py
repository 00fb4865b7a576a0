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
from octavo.api.rest.operations import EVERYBODY, EntryForm, Grammar, Parameter, RestOperation
from octavo.schema.content_types import FILE, ROLE, USER
from octavo.schema.parse import KINDS

_TEXT: Final = {"type": "string"}
_FLAT: Final = EntryForm.FLAT
_FLAT_LIST: Final = EntryForm.FLAT_LIST

_user = partial(RestOperation, tag="Users", uid=USER)
_role = partial(RestOperation, tag="Roles", uid=ROLE)
_file = partial(RestOperation, tag="Files", uid=FILE)
_account = partial(RestOperation, tag="Accounts", uid=USER)
_definition = partial(RestOperation, tag="Definitions")

READ_USERS: Final = (
    _user("GET", "/users", "find", "List users", action=f"{USER}.find", query=Grammar.PLAIN_LIST, answer=_FLAT_LIST),
    _user(
        "GET", "/users/count", "count", "Count users", action=f"{USER}.count", query=Grammar.PLAIN_COUNT, answer="Count"
    ),
    _user("GET", "/users/me", "me", "Get the current user", action=f"{USER}.me", query=Grammar.ENTRY, answer=_FLAT),
    _user(
        "GET",
        "/users/:id",
        "find_one",
        "Get a user",
        action=f"{USER}.findOne",
        query=Grammar.ENTRY,
        answer=_FLAT,
        may_be_empty=True,
    ),
)

WRITE_USERS: Final = (
    _user(
        "POST", "/users", "create", "Create a user", action=f"{USER}.create", body="UserInput", answer=_FLAT, status=201
    ),
    _user(
        "PUT",
        "/users/:id",
        "update",
        "Update a user",
        action=f"{USER}.update",
        body="UserUpdate",
        answer=_FLAT,
        refuses=(404,),
    ),
    _user("DELETE", "/users/:id", "delete", "Delete a user", action=f"{USER}.destroy", answer=_FLAT, may_be_empty=True),
)

READ_FILES: Final = (
    _file(
        "GET",
        "/upload/files",
        "find",
        "List files",
        action=f"{FILES}.find",
        query=Grammar.PLAIN_LIST,
        answer=_FLAT_LIST,
    ),
    _file(
        "GET",
        "/upload/files/:id",
        "find_one",
        "Get a file",
        action=f"{FILES}.findOne",
        query=Grammar.ENTRY,
        answer=_FLAT,
        refuses=(404,),
    ),
)

WRITE_FILES: Final = (
    _file(
        "POST",
        "/upload",
        "upload",
        "Upload files, or replace one",
        action=f"{FILES}.upload",
        parameters=(Parameter("id", "The file to replace or update", {"type": "integer"}),),
        body="Upload",
        answer="Uploaded",
        refuses=(404, 413),
    ),
    _file(
        "DELETE",
        "/upload/files/:id",
        "destroy",
        "Delete a file",
        action=f"{FILES}.destroy",
        answer=_FLAT,
        refuses=(404,),
    ),
)

READ_LOCALES: Final = (
    RestOperation("GET", "/i18n/locales", "find", "List locales", action=LIST_LOCALES, tag="Locales", answer="Locales"),
)

READ_ROLES: Final = (
    _role("GET", "/users-permissions/roles", "find", "List roles", action=f"{ROLE}.find", answer="Roles"),
    _role(
        "GET",
        "/users-permissions/roles/:id",
        "find_one",
        "Get a role with its permissions",
        action=f"{ROLE}.findOne",
        answer="Role",
        refuses=(404,),
    ),
    _role(
        "GET",
        "/users-permissions/permissions",
        "permissions",
        "List all actions that can be granted",
        action=LIST_ACTIONS,
        answer="Permissions",
    ),
)

WRITE_ROLES: Final = (
    _role(
        "POST",
        "/users-permissions/roles",
        "create",
        "Create a role",
        action=f"{ROLE}.createRole",
        body="RoleInput",
        answer="Done",
    ),
    _role(
        "PUT",
        "/users-permissions/roles/:id",
        "update",
        "Update a role",
        action=f"{ROLE}.updateRole",
        body="RoleInput",
        answer="Done",
        refuses=(404,),
    ),
    _role(
        "DELETE",
        "/users-permissions/roles/:id",
        "delete",
        "Delete a role",
        action=f"{ROLE}.deleteRole",
        answer="Done",
        refuses=(404,),
    ),
    _role(
        "GET", "/users-permissions/routes", "routes", "List all routes of the API", action=LIST_ACTIONS, answer="Routes"
    ),
)

SIGN_IN: Final = (
    _account("POST", "/auth/local", "login", "Log in", action=f"{ACCOUNTS}.callback", body="Login", answer="Session"),
    _account(
        "POST",
        "/auth/local/register",
        "register",
        "Register",
        action=f"{ACCOUNTS}.register",
        body="Registration",
        answer="Session",
    ),
    _account(
        "POST",
        "/auth/change-password",
        "change_password",
        "Change the current user's password",
        action=f"{ACCOUNTS}.changePassword",
        body="PasswordChange",
        answer="Session",
    ),
    _account(
        "POST",
        "/auth/forgot-password",
        "forgot_password",
        "Send a password reset email",
        action=f"{ACCOUNTS}.forgotPassword",
        body="EmailAddress",
        answer="Done",
    ),
    _account(
        "POST",
        "/auth/reset-password",
        "reset_password",
        "Reset a password with an emailed code",
        action=f"{ACCOUNTS}.resetPassword",
        body="PasswordReset",
        answer="Session",
    ),
    _account(
        "POST",
        "/auth/send-email-confirmation",
        "send_email_confirmation",
        "Send a confirmation email",
        action=f"{ACCOUNTS}.sendEmailConfirmation",
        body="EmailAddress",
        answer="MailSent",
    ),
    _account(
        "GET",
        "/auth/email-confirmation",
        "confirm_email",
        "Confirm an email address and redirect",
        action=f"{ACCOUNTS}.emailConfirmation",
        parameters=(Parameter("confirmation", "The code from the email", _TEXT, required=True),),
        status=302,
        safe=False,
    ),
)

SESSIONS: Final = (
    _account(
        "POST",
        "/auth/refresh",
        "refresh",
        "Exchange a refresh token for an access token",
        action=f"{ACCOUNTS}.refresh",
        body="RefreshToken",
        answer="Renewal",
        refuses=(401, 403),
        access=EVERYBODY,
    ),
    _account(
        "POST",
        "/auth/logout",
        "logout",
        "End a session",
        action=f"{ACCOUNTS}.logout",
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
        "connect",
        "Redirect to a provider's sign-in page",
        action=f"{ACCOUNTS}.connect",
        parameters=(Parameter("callback", "The URL to redirect to afterwards, if the project allows it", _TEXT),),
        status=302,
        safe=False,
    ),
    _account(
        "GET",
        "/connect/:provider/callback",
        "come_back",
        "Complete the sign-in with a provider",
        action=f"{ACCOUNTS}.connect",
        status=302,
        safe=False,
    ),
    _account(
        "GET",
        "/auth/:provider/callback",
        "callback",
        "Sign in with a provider's token",
        action=f"{ACCOUNTS}.callback",
        parameters=(Parameter("access_token", "The token from the provider", _TEXT),),
        answer="Session",
        safe=False,
    ),
)

READ_DEFINITIONS: Final = (
    _definition(
        "GET",
        "/content-type-builder/content-types",
        "content_types",
        "List content types",
        action=f"{DEFINED_TYPES}.getContentTypes",
        parameters=(Parameter("kind", "Only content types of this kind", {"enum": list(KINDS)}),),
        answer="Definitions",
    ),
    _definition(
        "GET",
        "/content-type-builder/content-types/:uid",
        "content_type",
        "Get a content type",
        action=f"{DEFINED_TYPES}.getContentType",
        answer="Definition",
        refuses=(404,),
    ),
    _definition(
        "GET",
        "/content-type-builder/components",
        "components",
        "List components",
        action=f"{DEFINED_COMPONENTS}.getComponents",
        answer="Definitions",
    ),
    _definition(
        "GET",
        "/content-type-builder/components/:uid",
        "component",
        "Get a component",
        action=f"{DEFINED_COMPONENTS}.getComponent",
        answer="Definition",
        refuses=(404,),
    ),
)

PLUGIN_OPERATIONS: Final = (
    *(*READ_USERS, *WRITE_USERS, *READ_FILES, *WRITE_FILES, *READ_LOCALES, *READ_ROLES, *WRITE_ROLES),
    *(*SIGN_IN, *SESSIONS, *PROVIDERS, *READ_DEFINITIONS),
)
"""All of them, including those of disabled plugins."""
