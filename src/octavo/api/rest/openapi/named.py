"""Schemas of the named bodies and responses in operations: those of plugins that are not entries."""

from collections.abc import Mapping
from typing import Final

from octavo.accounts.users import account_input
from octavo.accounts.users.account_input import TextField
from octavo.api.rest.openapi.answers import ID, AnswerSchemas
from octavo.api.rest.openapi.components import Components, Json, nullable, scalar_schema
from octavo.api.rest.openapi.inputs import InputSchemas
from octavo.schema.content_types import FILE, LOCALE, ROLE, USER, ContentType
from octavo.schema.json_values import attributes_in_responses
from octavo.schema.registry import Registry

_TEXT: Final[Json] = {"type": "string"}
_BINARY: Final[Json] = {"type": "string", "contentMediaType": "application/octet-stream"}


class NamedSchemas:
    """Refers to the schemas by their name in operations. Those of plugins that are not enabled are never requested."""

    def __init__(
        self, registry: Registry, components: Components, answers: AnswerSchemas, inputs: InputSchemas
    ) -> None:
        self._types = registry.content_types
        self._components = components
        self._answers = answers
        self._inputs = inputs

    def refer(self, name: str) -> Json:
        """Refer to the schema with that name. Raises KeyError for an unknown name."""
        texts = _TEXT_BODIES.get(name)
        if texts is not None:
            return self._components.refer(name, name, lambda: text_fields(texts))
        make = getattr(self, f"_{name.lower()}", None)
        fixed = _FIXED.get(name)
        if make is None and fixed is None:
            raise KeyError(name)
        return self._components.refer(name, name, make or (lambda: dict(_FIXED[name])))

    def _session(self) -> Json:
        tokens: Json = {"jwt": _TEXT, "refreshToken": _TEXT}
        return _object({"user": self._answers.flat(self._types[USER]), **tokens}, "user")

    def _userinput(self) -> Json:
        made = self._user(account_input.CREATE_USER)
        made["properties"]["role"] = {"anyOf": [ID, _object({"id": ID}, "id")]}
        return {**made, "required": [*made["required"], "role"]}

    def _userupdate(self) -> Json:
        return self._user(account_input.UPDATE_USER)

    def _user(self, texts: tuple[TextField, ...]) -> Json:
        """Return the schema of users. Texts that identify a user have the same form as in the other bodies."""
        made, data = text_fields(texts), self._inputs.properties(self._types[USER])
        for name, field in made["properties"].items():
            field |= {key: data[name][key] for key in ("minLength", "maxLength") if key in data.get(name, {})}
        return {**made, "properties": {**data, **made["properties"]}}

    def _locales(self) -> Json:
        more = _object({"isDefault": {"type": "boolean"}}, "isDefault")
        return {"type": "array", "items": {"allOf": [self._answers.flat(self._types[LOCALE]), more]}}

    def _roles(self) -> Json:
        role = _object({**_scalars(self._types[ROLE]), "nb_users": {"type": "integer"}}, "id", "nb_users")
        return _object({"roles": {"type": "array", "items": role}}, "roles")

    def _role(self) -> Json:
        role = _object({**_scalars(self._types[ROLE]), "permissions": self._actions()}, "id", "permissions")
        return _object({"role": role}, "role")

    def _permissions(self) -> Json:
        return _object({"permissions": self._actions()}, "permissions")

    def _roleinput(self) -> Json:
        texts: Json = {"name": _TEXT, "description": _TEXT}
        return _object({**texts, "permissions": self._actions()}, "name")

    def _uploaded(self) -> Json:
        file = self._answers.flat(self._types[FILE])
        return {"anyOf": [{"type": "array", "items": file}, file]}

    def _actions(self) -> Json:
        return self._components.refer("ActionTree", "ActionTree", _action_tree)


def text_fields(fields: tuple[TextField, ...]) -> Json:
    """Return the schema of a body with text fields."""
    properties = {field.name: _text_field(field) for field in fields}
    return _object(properties, *(field.name for field in fields if field.required))


def _text_field(field: TextField) -> Json:
    schema: Json = {"type": "string", "minLength": 1}
    if field.email:
        schema["format"] = "email"
    if field.name in account_input.PASSWORDS:
        schema["writeOnly"] = True
    else:
        schema["maxLength"] = field.most
    return schema


def _scalars(content_type: ContentType) -> Json:
    return {"id": ID, **{item.name: scalar_schema(item) for item in attributes_in_responses(content_type)}}


def _object(properties: Json, *required: str) -> Json:
    return {"type": "object", **({"required": list(required)} if required else {}), "properties": properties}


def _map(values: Json) -> Json:
    return {"type": "object", "additionalProperties": values}


def _action_tree() -> Json:
    """Return the schema of `{"api::article": {"controllers": {"article": {"find": {"enabled": true, "policy":

    ""}}}}}`.
    """
    state = _object({"enabled": {"type": "boolean"}, "policy": _TEXT})
    return _map(_object({"controllers": _map(_map(state))}, "controllers"))


_TEXT_BODIES: Final[Mapping[str, tuple[TextField, ...]]] = {
    "Login": account_input.LOGIN,
    "Registration": account_input.REGISTER,
    "PasswordChange": account_input.CHANGE_PASSWORD,
    "PasswordReset": account_input.RESET_PASSWORD,
    "EmailAddress": account_input.FORGOT_PASSWORD,
}
_DEFINITION: Final = _object({"uid": _TEXT, "schema": {"type": "object"}}, "uid", "schema")
_ROUTE: Final = _object({"method": _TEXT, "path": _TEXT, "handler": _TEXT}, "method", "path", "handler")
_MOMENT: Final = {"type": "string", "format": "date-time"}
_FILE_INFO: Final = _object({name: nullable(_TEXT) for name in ("name", "alternativeText", "caption")})

_TIMES: Final = {name: nullable(_MOMENT) for name in ("publishAt", "unpublishAt")}
_FIXED: Final[Mapping[str, Json]] = {
    "Done": _object({"ok": {"const": True}}, "ok"),
    "Count": {"type": "integer"},
    "MailSent": _object({"email": _TEXT, "sent": {"type": "boolean"}}, "email", "sent"),
    "RefreshToken": _object({"refreshToken": _TEXT}),
    "Renewal": _object({"jwt": _TEXT, "refreshToken": _TEXT}, "jwt"),
    "Routes": _object({"routes": _map({"type": "array", "items": _ROUTE})}, "routes"),
    "Definition": _object({"data": _DEFINITION}, "data"),
    "Definitions": _object({"data": {"type": "array", "items": _DEFINITION}}, "data"),
    "Schedule": _object({"data": _object(_TIMES)}, "data"),
    "ScheduleState": _object(
        {
            "data": _object(
                {
                    **_TIMES,
                    "failure": _object(
                        {
                            "plan": {"enum": ["publish", "unpublish", "appear"]},
                            "dueAt": _MOMENT,
                            "failedAt": _MOMENT,
                            "error": _TEXT,
                        },
                        *("plan", "dueAt", "failedAt", "error"),
                    ),
                    "problems": {"type": "array", "items": _TEXT},
                }
            )
        },
        "data",
    ),
    "Upload": _object(
        {
            "files": {"anyOf": [_BINARY, {"type": "array", "items": _BINARY}]},
            "fileInfo": {"anyOf": [_FILE_INFO, {"type": "array", "items": _FILE_INFO}]},
            "ref": {"type": "string", "description": "The UID of the content type of the entry to attach the files to"},
            "refId": {"type": "integer", "description": "The ID of that entry"},
            "field": {"type": "string", "description": "Its attribute"},
            "path": {"type": "string", "description": "The folder in the storage"},
        }
    ),
}
