"""Schemas for request bodies about administrators, validated in Strapi's order."""

from typing import Any, Final

from octavo.access.authentication.passwords import MAX_BYTES
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
