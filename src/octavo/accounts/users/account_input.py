"""Validate the bodies of account requests, with Strapi's messages and order. All errors are reported at once.

Raises ValidationError. Email addresses are converted to lower case.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from octavo.access.authentication.passwords import MAX_BYTES
from octavo.access.authorization.ability import CREATE
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.input_sanitizer import InputSanitizer
from octavo.content.input.body_check import WriteRules
from octavo.core.errors import ForbiddenError, Problem, ValidationError
from octavo.core.forms.printing import MISSING, type_message
from octavo.core.forms.texts import is_email, is_storable
from octavo.core.text_limits import MAX_EMAIL, MAX_IDENTIFIER, MAX_LABEL
from octavo.core.values import dataclass
from octavo.schema.attributes import CREATORS, TIMESTAMPS
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry

_CREDENTIALS: Final = frozenset({"username", "email", "password"})
_NEVER: Final = frozenset(
    (
        *_CREDENTIALS,
        *("id", "role", "provider", "confirmed", "blocked", "resetPasswordToken", "confirmationToken"),
        *(*TIMESTAMPS, *CREATORS),
    )
)
_MOST_PROBLEMS: Final = 20
_LONGEST_NAME: Final = 100


class RegistrationFields:
    """The fields that a registration can set.

    `allowed` are the configured ones; None means all attributes that are not private. With `listed_only`, None means
    no fields, other fields are refused, and relations and files need the permissions that a create needs. Otherwise
    other fields are ignored and links are stored, as in v4.
    """

    def __init__(
        self,
        user_type: ContentType,
        registry: Registry,
        allowed: tuple[str, ...] | None,
        rules: WriteRules,
        *,
        listed_only: bool,
    ) -> None:
        attributes = user_type.attributes.items()
        possible = {name for name, one in attributes if one.writable and not one.private and name not in _NEVER}
        if allowed is not None:
            possible &= set(allowed)
        self._possible = frozenset(possible)
        self._names = frozenset() if allowed is None and listed_only else self._possible
        self._user_type = user_type
        self._registry = registry
        self._rules = rules
        self._listed_only = listed_only

    def problems(self, body: Any) -> Iterator[Problem]:
        """Yield a problem for each field that is not allowed."""
        if not self._listed_only or not isinstance(body, Mapping):
            return
        others = [name for name in body if name not in self._names and name not in _CREDENTIALS]
        for name in others[:_MOST_PROBLEMS]:
            short = str(name)[:_LONGEST_NAME]
            advice = "; register.allowedFields does not list it" if name in self._possible else ""
            yield Problem((short,), f"{short} cannot be set by a registration{advice}")

    def read(self, body: Mapping[str, Any], actor: Actor) -> dict[str, Any]:
        """Return the values that a registration sets. Raises ForbiddenError for files the actor cannot link."""
        given = {name: value for name, value in body.items() if name in self._names}
        if not self._listed_only:
            return given
        sanitizer = InputSanitizer(self._registry, actor.ability, CREATE, find_files=self._rules.find_files)
        allowed: dict[str, Any] = dict(sanitizer.sanitize(given, self._user_type))
        for name in given.keys() - allowed.keys():
            raise ForbiddenError(f"{name}: linking entries of another type requires the permission to find them")
        return allowed


@dataclass(frozen=True, slots=True)
class TextField:
    """A text field of a body. An optional one must not be empty if present; `both` reports that with two messages."""

    name: str
    required: bool = True
    email: bool = False
    same_as: str | None = None
    both: bool = False

    @property
    def most(self) -> int:
        """The maximum number of characters, checked first."""
        return MAX_EMAIL if self.email else MAX_IDENTIFIER if self.name == "identifier" else MAX_LABEL

    def problems(self, body: Mapping[str, Any]) -> Iterator[str]:
        """Yield the error messages for this field."""
        value = body.get(self.name, MISSING)
        if value is MISSING:
            if self.required:
                yield f"{self.name} is a required field"
        elif not isinstance(value, str):
            yield type_message(self.name, "string", value)
        elif not value:
            if self.both or not self.required:
                yield f"{self.name} must be at least 1 characters"
            if self.required:
                yield f"{self.name} is a required field"
        else:
            yield from self._text_problems(value, body)

    def _text_problems(self, value: str, body: Mapping[str, Any]) -> Iterator[str]:
        if self.name in PASSWORDS and len(value) > MAX_BYTES:
            yield f"{self.name} must be at most {MAX_BYTES} bytes"
        elif self.email and len(value) > self.most:
            yield f"{self.name} must be a valid email"  # Strapi's message
        elif len(value) > self.most:
            yield f"{self.name} must be at most {self.most} characters"
        elif not is_storable(value):
            yield f"{self.name} must not contain NUL characters or halves of surrogate pairs"
        elif self.email and not is_email(value.lower()):
            yield f"{self.name} must be a valid email"
        elif self.name in PASSWORDS and len(value.encode()) > MAX_BYTES:
            yield f"{self.name} must be at most {MAX_BYTES} bytes"
        elif self.same_as is not None and value != body.get(self.same_as):
            yield "Passwords do not match"


PASSWORDS: Final = frozenset({"password", "passwordConfirmation", "currentPassword"})

_IDENTIFIER, _PASSWORD = TextField("identifier"), TextField("password")
_EMAIL, _USERNAME = TextField("email", email=True), TextField("username")

LOGIN: Final = (_IDENTIFIER, _PASSWORD)
REGISTER: Final = (_EMAIL, _USERNAME, _PASSWORD)
CHANGE_PASSWORD: Final = (
    TextField("passwordConfirmation", same_as="password"),
    _PASSWORD,
    TextField("currentPassword"),
)
FORGOT_PASSWORD: Final = (_EMAIL,)
RESET_PASSWORD: Final = (TextField("passwordConfirmation"), _PASSWORD, TextField("code"))
CONFIRM_EMAIL: Final = (TextField("confirmation"),)
SEND_CONFIRMATION: Final = (_EMAIL,)
CREATE_USER: Final = (_EMAIL, TextField("username", both=True), TextField("password", both=True))
UPDATE_USER: Final = (
    TextField("email", required=False, email=True),
    TextField("username", required=False),
    TextField("password", required=False),
)


def read_texts(body: Any, fields: tuple[TextField, ...], *more: Problem) -> dict[str, str]:
    """Return the texts of these fields. `more` are problems found elsewhere, reported last."""
    given = body if isinstance(body, Mapping) else {}
    problems = [
        *(Problem((field.name,), message) for field in fields for message in field.problems(given)),
        *more,
    ]
    if problems:
        raise ValidationError.from_problems(problems)
    return {
        field.name: given[field.name].lower() if field.email else given[field.name]
        for field in fields
        if field.name in given
    }
