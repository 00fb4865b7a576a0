"""The attributes of users that a registration can set, besides user name, address and password."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from octavo.access.authorization.ability import CREATE
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.input_sanitizer import InputSanitizer
from octavo.content.input.body_check import WriteRules
from octavo.core.errors import ForbiddenError, Problem
from octavo.schema.automatic import CREATORS, TIMESTAMPS
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
    """The fields that bodies of registrations can have.

    `allowed` are the configured ones; None allows every attribute that is not private. With `listed_only`, None allows
    none, other fields are refused, and relations and files need the permissions that a create needs. Otherwise other
    fields are ignored and links are stored, as v4 does.
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
        """Yield what is wrong with the names of a body's fields."""
        if not self._listed_only or not isinstance(body, Mapping):
            return
        others = [name for name in body if name not in self._names and name not in _CREDENTIALS]
        for name in others[:_MOST_PROBLEMS]:
            short = str(name)[:_LONGEST_NAME]
            advice = "; register.allowedFields does not list it" if name in self._possible else ""
            yield Problem((short,), f"{short} cannot be set by a registration{advice}")

    def read(self, body: Mapping[str, Any], actor: Actor) -> dict[str, Any]:
        """Return the values that a registration sets. Raises ForbiddenError for files that are not to be linked."""
        given = {name: value for name, value in body.items() if name in self._names}
        if not self._listed_only:
            return given
        sanitizer = InputSanitizer(self._registry, actor.ability, CREATE, find_files=self._rules.find_files)
        allowed: dict[str, Any] = dict(sanitizer.sanitize(given, self._user_type))
        for name in given.keys() - allowed.keys():
            raise ForbiddenError(f"{name}: to link entries of another type you need the permission to find them")
        return allowed
