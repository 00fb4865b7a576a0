"""A webhook: its URL, events and options; and the validation of these."""

import base64
import binascii
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from fnmatch import fnmatchcase
from typing import Any, Final
from urllib.parse import urlsplit

from octavo.core.errors import Problem, ValidationError
from octavo.core.values import dataclass
from octavo.settings.accepted_keys import AcceptedKey

CREATE: Final = "entry.create"
UPDATE: Final = "entry.update"
DELETE: Final = "entry.delete"
PUBLISH: Final = "entry.publish"
UNPUBLISH: Final = "entry.unpublish"
MEDIA_CREATE: Final = "media.create"
MEDIA_UPDATE: Final = "media.update"
MEDIA_DELETE: Final = "media.delete"
TEST: Final = "trigger-test"
"""The event of v4's test request."""
SCHEDULE_FAILED: Final = "entry.schedule_failed"
"""A scheduled publication or unpublication has failed. v4 does not have this event."""
V4_EVENTS: Final = (CREATE, UPDATE, DELETE, PUBLISH, UNPUBLISH, MEDIA_CREATE, MEDIA_UPDATE, MEDIA_DELETE)
EVENTS: Final = (*V4_EVENTS, SCHEDULE_FAILED)

SECRET_PREFIX: Final = "whsec_"
_MOST_URL: Final = 2_048
_MOST_NAME: Final = 255
_MOST_HEADERS: Final = 50
_MOST_VALUE: Final = 8_192
_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}")
OUR_HEADERS: Final = frozenset(
    {"connection", "content-length", "content-type", "host", "transfer-encoding", "x-strapi-event"}
    | {"webhook-id", "webhook-timestamp", "webhook-signature"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """A webhook as stored. v4 does not have `secret` and the fields after it.

    `types` are UIDs, which may contain `*`; empty means all; likewise `locales`. `populate` is as in REST. `failures`
    is the number of consecutive failed messages; `disabled_because` is the reason if the service has disabled it.
    `former` is the previous secret, with which messages are signed as well until it expires.
    """

    id: int
    name: str
    url: str
    headers: Mapping[str, str]
    events: tuple[str, ...]
    enabled: bool
    secret: str | None = None
    types: tuple[str, ...] = ()
    locales: tuple[str, ...] = ()
    populate: Any = None
    failures: int = 0
    disabled_because: str | None = None
    former: AcceptedKey | None = field(default=None, repr=False)

    def signing_secrets(self, now: float) -> tuple[str, ...]:
        """Return the secrets to sign a message with at a time in seconds since 1970; empty if it is not signed."""
        if self.secret is None:
            return ()
        former = self.former
        return (self.secret, former.text) if former is not None and now < former.until else (self.secret,)

    def wants_type(self, uid: str) -> bool:
        """Return whether it subscribes to entries of a type."""
        return not self.types or any(fnmatchcase(uid, pattern) for pattern in self.types)

    def wants_locale(self, locale: str | None) -> bool:
        """Return whether it subscribes to entries of a locale. Entries without a locale match always."""
        return locale is None or not self.locales or locale in self.locales


def new_secret() -> str:
    """Return a new signing secret."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def secret_key(secret: str) -> bytes:
    """Return the bytes of a secret. Raises ValueError."""
    if not secret.startswith(SECRET_PREFIX):
        raise ValueError
    try:
        key = base64.b64decode(secret[len(SECRET_PREFIX) :], validate=True)
    except binascii.Error as error:
        raise ValueError from error
    if not 24 <= len(key) <= 64:
        raise ValueError
    return key


def checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return validated fields of a webhook, ready to store. Raises ValidationError."""
    problems: list[Problem] = []
    values: dict[str, Any] = {}
    for name, value in given.items():
        check = _CHECKS.get(name)
        if check is None:
            problems.append(Problem((name,), f"unknown key {name}; expected {', '.join(_CHECKS)}"))
            continue
        try:
            values[name] = check(value)
        except _Wrong as wrong:
            problems.append(Problem((name, *wrong.path), wrong.message))
    if problems:
        raise ValidationError.from_problems(problems)
    return values


class _Wrong(Exception):
    def __init__(self, message: str, *path: str) -> None:
        super().__init__(message)
        self.message = message
        self.path = path


def _name(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > _MOST_NAME:
        raise _Wrong(f"name must be a string of 1 to {_MOST_NAME} characters")
    return value


def _url(value: Any) -> str:
    if not isinstance(value, str) or len(value) > _MOST_URL or not value.isprintable() or " " in value:
        raise _Wrong(f"url must be a URL of at most {_MOST_URL} characters")
    try:
        parts = urlsplit(value)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise _Wrong("url must be a URL that begins with http:// or https://")
    return value


def is_address(text: str) -> bool:
    """Return whether v4's admin panel accepts a text as the URL of a webhook; it requires ports of two or more
    digits."""
    try:
        parts = urlsplit(_url(text))
        return text.startswith(("http://", "https://")) and (parts.port is None or parts.port > 9)
    except (_Wrong, ValueError):
        return False


def _headers(value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping) or len(value) > _MOST_HEADERS:
        raise _Wrong(f"headers must be an object of at most {_MOST_HEADERS} strings")
    for name, text in value.items():
        if not isinstance(name, str) or not _HEADER_NAME.fullmatch(name):
            raise _Wrong("this is not a valid header name", str(name))
        if name.lower() in OUR_HEADERS:
            raise _Wrong("this header is set by the service", name)
        if not isinstance(text, str) or len(text) > _MOST_VALUE or not text.isascii() or not text.isprintable():
            raise _Wrong("the value must be a string of printable ASCII characters", name)
    return dict(value)


def _events(value: Any) -> tuple[str, ...]:
    names = _texts("events", value)
    for event in names:
        if event not in EVENTS:
            raise _Wrong(f"unknown event {event!r}; expected {', '.join(EVENTS)}")
    return names


def _texts(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str) or not all(isinstance(one, str) for one in value):
        raise _Wrong(f"{name} must be a list of strings")
    return tuple(dict.fromkeys(value))


def _enabled(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _Wrong("enabled must be true or false")
    return value


def _secret(value: Any) -> str | None:
    if value is None:
        return None
    try:
        secret_key(value if isinstance(value, str) else "")
    except ValueError:
        raise _Wrong(f"secret must be {SECRET_PREFIX} and the base64 of 24 to 64 bytes") from None
    return str(value)


def _populate(value: Any) -> Any:
    if value is None or isinstance(value, str | Mapping):
        return value
    return list(_texts("populate", value))


_CHECKS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "name": _name,
    "url": _url,
    "headers": _headers,
    "events": _events,
    "enabled": _enabled,
    "secret": _secret,
    "types": lambda value: _texts("types", value),
    "locales": lambda value: _texts("locales", value),
    "populate": _populate,
}
