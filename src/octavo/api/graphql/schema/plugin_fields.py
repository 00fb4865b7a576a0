"""Root fields of plugins that are not generated from content types: accounts, users and roles, uploads."""

from typing import Final

from graphql import (
    GraphQLArgument,
    GraphQLBoolean,
    GraphQLField,
    GraphQLID,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLString,
)

from octavo.api.graphql.schema.arguments import Arguments, argument, required
from octavo.api.graphql.schema.field_metadata import PluginField, TypeMetadata, TypeRole, with_metadata
from octavo.api.graphql.schema.input_types import data_input
from octavo.api.graphql.schema.object_types import file_response, response
from octavo.api.graphql.schema.scalars import UPLOAD
from octavo.api.graphql.schema.type_registry import TypeRegistry
from octavo.schema.content_types import ROLE, USER

FieldsByName = dict[str, GraphQLField]

_PAYLOAD: Final = with_metadata(TypeMetadata(TypeRole.PAYLOAD))


def _given(*listed: str) -> dict[str, GraphQLInputField]:
    return {name: GraphQLInputField(GraphQLNonNull(GraphQLString)) for name in listed}


def _text(*listed: str) -> Arguments:
    return {name: required(GraphQLString) for name in listed}


def _done(name: str) -> GraphQLObjectType:
    return GraphQLObjectType(name, {"ok": GraphQLField(GraphQLNonNull(GraphQLBoolean))}, extensions=_PAYLOAD)


ME_ROLE: Final = GraphQLObjectType(
    "UsersPermissionsMeRole",
    {
        "id": GraphQLField(GraphQLNonNull(GraphQLID)),
        "name": GraphQLField(GraphQLNonNull(GraphQLString)),
        "description": GraphQLField(GraphQLString),
        "type": GraphQLField(GraphQLString),
    },
    extensions=_PAYLOAD,
)
ME: Final = GraphQLObjectType(
    "UsersPermissionsMe",
    {
        "id": GraphQLField(GraphQLNonNull(GraphQLID)),
        "username": GraphQLField(GraphQLNonNull(GraphQLString)),
        "email": GraphQLField(GraphQLString),
        "confirmed": GraphQLField(GraphQLBoolean),
        "blocked": GraphQLField(GraphQLBoolean),
        "role": GraphQLField(ME_ROLE),
    },
    extensions=_PAYLOAD,
)
LOGIN: Final = GraphQLObjectType(
    "UsersPermissionsLoginPayload",
    {"jwt": GraphQLField(GraphQLString), "user": GraphQLField(GraphQLNonNull(ME))},
    extensions=_PAYLOAD,
)
LOGIN_INPUT: Final = GraphQLInputObjectType(
    "UsersPermissionsLoginInput",
    {
        **_given("identifier", "password"),
        "provider": GraphQLInputField(GraphQLNonNull(GraphQLString), default_value="local"),
    },
)
REGISTER_INPUT: Final = GraphQLInputObjectType("UsersPermissionsRegisterInput", _given("username", "email", "password"))
PASSWORD: Final = _done("UsersPermissionsPasswordPayload")
ROLE_PAYLOADS: Final = {
    action: _done(f"UsersPermissions{action.capitalize()}RolePayload") for action in ("create", "update", "delete")
}
FILE_INFO: Final = GraphQLInputObjectType(
    "FileInfoInput",
    {name: GraphQLInputField(GraphQLString) for name in ("name", "alternativeText", "caption")},
)

_VERBS: Final = {"create": "Create a new", "update": "Update an existing", "delete": "Delete an existing"}


def _field(
    name: str, answer: GraphQLOutputType, arguments: Arguments, description: str | None = None
) -> tuple[str, GraphQLField]:
    field = GraphQLField(answer, args=arguments, description=description, extensions=with_metadata(PluginField(name)))
    return name, field


def plugin_queries(types: TypeRegistry) -> FieldsByName:
    """Return the plugins' fields of Query."""
    return dict([_field("me", ME, {})])


def plugin_mutations(types: TypeRegistry) -> FieldsByName:
    """Return the plugins' fields of Mutation."""
    return {**_uploads(types), **_user_mutations(types), **_accounts()}


def _uploads(types: TypeRegistry) -> FieldsByName:
    file = file_response(types)
    one = GraphQLNonNull(file)
    target = {
        name: argument(value)
        for name, value in (("refId", GraphQLID), ("ref", GraphQLString), ("field", GraphQLString))
    }
    info = {"info": argument(FILE_INFO)}
    which = {"id": required(GraphQLID)}
    files = {"files": GraphQLArgument(GraphQLNonNull(GraphQLList(UPLOAD)))}
    return dict(
        [
            _field("upload", one, {**target, **info, "file": required(UPLOAD)}),
            _field("multipleUpload", GraphQLNonNull(GraphQLList(file)), target | files),
            _field("updateFileInfo", one, which | info),
            _field("removeFile", file, which),
        ]
    )


def _user_mutations(types: TypeRegistry) -> FieldsByName:
    """Return the mutations of users and roles, which follow the plugin's own rules."""
    fields: FieldsByName = {}
    for uid, noun in ((ROLE, "role"), (USER, "user")):
        content_type = types.registry.content_types[uid]
        if not types.shows(content_type):
            continue
        for action, verb in _VERBS.items():
            answer = ROLE_PAYLOADS[action] if uid == ROLE else GraphQLNonNull(response(types, content_type))
            arguments: Arguments = {} if action == "create" else {"id": required(GraphQLID)}
            if action != "delete":
                arguments["data"] = required(data_input(types, content_type))
            fields.update([_field(f"{action}UsersPermissions{noun.capitalize()}", answer, arguments, f"{verb} {noun}")])
    return fields


def _accounts() -> FieldsByName:
    logged_in = GraphQLNonNull(LOGIN)
    return dict(
        [
            _field("login", logged_in, {"input": required(LOGIN_INPUT)}),
            _field("register", logged_in, {"input": required(REGISTER_INPUT)}, "Register a user"),
            _field("forgotPassword", PASSWORD, _text("email"), "Request a reset password token"),
            _field(
                "resetPassword",
                LOGIN,
                _text("password", "passwordConfirmation", "code"),
                "Reset user password. Confirm with a code (resetToken from forgotPassword)",
            ),
            _field(
                "changePassword",
                LOGIN,
                _text("currentPassword", "password", "passwordConfirmation"),
                "Change user password. Confirm with the current password.",
            ),
            _field("emailConfirmation", LOGIN, _text("confirmation"), "Confirm an email users email address"),
        ]
    )
