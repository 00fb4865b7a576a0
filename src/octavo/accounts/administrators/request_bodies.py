"""Schemas for request bodies about administrators, their roles and permissions, validated in Strapi's order."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from octavo.access.authentication.passwords import MAX_BYTES
from octavo.access.authorization.admin.catalogue import Catalogue
from octavo.accounts.administrators.role_permissions import Permission
from octavo.core.errors import Problem, ValidationError
from octavo.core.forms import (
    EMAIL,
    LOWERCASE,
    REQUIRED,
    TRIMMED,
    Flag,
    Id,
    Items,
    Record,
    Text,
    at_least,
    at_most,
    check,
    matches,
    rule,
)

_MOST: Final = 255
_PASSWORD: Final = (
    at_least(8),
    matches("[a-z]", "{path} must contain at least one lowercase character"),
    matches("[A-Z]", "{path} must contain at least one uppercase character"),
    matches(r"\d", "{path} must contain at least one number"),
    rule(
        f"{{path}} must be at most {MAX_BYTES} bytes",
        lambda text: len(text.encode()) <= MAX_BYTES,
    ),
)
_NAME: Final = (TRIMMED, at_least(1), at_most(_MOST))
_GIVEN_EMAIL: Final = Text(EMAIL, at_least(1, "{path} must be a valid email"))
_LASTNAME: Final = Text(at_most(_MOST), nullable=True)
_USERNAME: Final = Text(at_least(1), at_most(_MOST), nullable=True)
_LANGUAGE: Final = Text(at_most(_MOST), nullable=True)
_LOWER_EMAIL: Final = Text(EMAIL, LOWERCASE, REQUIRED)
_NEW_NAMES: Final = {"firstname": Text(*_NAME, REQUIRED), "lastname": _LASTNAME}

INVITATION: Final = Record(
    {
        "email": Text(EMAIL, REQUIRED),
        "firstname": Text(*_NAME, REQUIRED),
        "lastname": Text(at_most(_MOST)),
        "roles": Items(Id(), at_least(1)),
        "preferedLanguage": _LANGUAGE,
    },
    closed=True,
)
_CHANGED: Final = {
    "email": _GIVEN_EMAIL,
    "firstname": Text(*_NAME),
    "lastname": _LASTNAME,
    "username": _USERNAME,
    "password": Text(*_PASSWORD),
}
CHANGE: Final = Record(
    {**_CHANGED, "isActive": Flag(), "roles": Items(Id(), at_least(1))},
    closed=True,
)
PROFILE: Final = Record({**_CHANGED, "currentPassword": Text(), "preferedLanguage": _LANGUAGE}, closed=True)
PROFILE_WITH_PASSWORD: Final = Record({**PROFILE.members, "currentPassword": Text(REQUIRED)}, closed=True)
DELETION: Final = Record({"ids": Items(Id(), at_least(1), REQUIRED)}, closed=True)

FIRST: Final = Record({"email": _LOWER_EMAIL, **_NEW_NAMES, "password": Text(*_PASSWORD, REQUIRED)}, closed=True)
REGISTRATION: Final = Record(
    {
        "registrationToken": Text(REQUIRED),
        "userInfo": Record({**_NEW_NAMES, "password": Text(*_PASSWORD, REQUIRED)}, REQUIRED, closed=True),
    },
    closed=True,
)
REGISTRATION_TOKEN: Final = Record({"registrationToken": Text(REQUIRED)}, closed=True)
FORGOTTEN: Final = Record({"email": _LOWER_EMAIL}, closed=True)
RESET: Final = Record({"resetPasswordToken": Text(REQUIRED), "password": Text(*_PASSWORD, REQUIRED)}, closed=True)
RENEWAL: Final = Record({"token": Text(REQUIRED)}, closed=True)


def checked(form: Record, body: Any) -> dict[str, Any]:
    """Return a validated copy of the body. Raises ValidationError."""
    check(form, body)
    return dict(body)


def lowered(body: Any) -> Any:
    """Return the body with its email address in lower case."""
    if isinstance(body, dict) and isinstance(body.get("email"), str):
        return {**body, "email": body["email"].lower()}
    return body


_DESCRIPTION: Final = Text(at_most(255), nullable=True)
NEW_ROLE: Final = Record({"name": Text(at_least(1), at_most(255), REQUIRED), "description": _DESCRIPTION}, closed=True)
CHANGED_ROLE: Final = Record({"name": Text(at_least(1), at_most(255)), "description": _DESCRIPTION}, closed=True)
SEVERAL: Final = Record({"ids": Items(Id(), at_least(1), REQUIRED)}, closed=True)

_NAMES: Final = Items(Text())
_PERMISSIONS: Final = Record(
    {
        "permissions": Items(
            Record(
                {
                    "action": Text(REQUIRED),
                    "actionParameters": Record({}, nullable=True),
                    "subject": Text(nullable=True),
                    "properties": Record({}),
                    "conditions": _NAMES,
                },
                closed=True,
            ),
            REQUIRED,
        )
    },
    closed=True,
)
_ASKED: Final = Record(
    {
        "permissions": Items(
            Record({"action": Text(REQUIRED), "subject": Text(nullable=True), "field": Text()}, closed=True), REQUIRED
        )
    },
    closed=True,
)


def read_permissions(body: Any, catalogue: Catalogue) -> list[Permission]:
    """Return the permissions in a body for a role. Raises ValidationError."""
    check(_PERMISSIONS, body)
    given = [_permission(one) for one in body["permissions"]]
    problems = [problem for index, one in enumerate(given) for problem in _problems(index, one, catalogue)]
    if not problems and len({(one.action, one.subject) for one in given}) < len(given):
        problems = [Problem(("permissions",), "Some permissions are duplicated (same action and subject)")]
    if problems:
        raise ValidationError.from_problems(problems)
    return given


def read_permission_check(body: Any) -> list[tuple[str, str | None, str | None]]:
    """Return the actions, subjects and fields that a permission check asks for. Raises ValidationError."""
    check(_ASKED, body)
    return [(one["action"], one.get("subject"), one.get("field")) for one in body["permissions"]]


def _permission(given: Mapping[str, Any]) -> Permission:
    return Permission(
        given["action"],
        given.get("subject"),
        given.get("properties", {}),
        list(dict.fromkeys(given.get("conditions", ()))),
        given.get("actionParameters") or {},
    )


def _problems(index: int, given: Permission, catalogue: Catalogue) -> Iterator[Problem]:
    place = ("permissions", str(index))
    if not catalogue.knows(given.action):
        yield Problem((*place, "action"), "action is not an existing permission action")
    elif not catalogue.fits(given.action, given.subject):
        yield Problem((*place, "subject"), "Invalid subject submitted")
    elif not given.properties.keys() <= {*catalogue.properties_of(given.action)}:
        yield Problem((*place, "properties"), f"Invalid property set at permissions[{index}].properties")
    for name, value in given.properties.items():
        if not _is_names(value):
            message = f"permissions[{index}].properties.{name} must be a list of distinct names"
            yield Problem((*place, "properties", name), message)


def _is_names(value: Any) -> bool:
    if value is None:
        return True
    is_texts = isinstance(value, list) and all(isinstance(one, str) for one in value)
    return is_texts and len(set(value)) == len(value)
