"""Credentials: what an Authorization header carries; tokens of users and administrators (JWT) signed and read; API
tokens hashed.

No database here: these functions say what a token claims, not whether the user or the API token still exists.
Refuses with `UnauthorizedError`, and with nothing else, whatever the header holds.
"""

import hashlib
import hmac
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field
from functools import lru_cache
from math import inf
from typing import Any, Final

import orjson

from octavo.core.clock import wall_time
from octavo.core.errors import UnauthorizedError
from octavo.core.values import dataclass
from octavo.schema.scalar_types import LARGEST_ID
from octavo.settings.accepted_keys import AcceptedKey

MISSING: Final = "Missing or invalid credentials"
"""The token cannot be read, is not ours, is over, or belongs to nobody with a role."""

MALFORMED: Final = "The Authorization header must be `Bearer <token>`"
"""The header is empty, or of another scheme, where that is refused."""

INVALID: Final = "Invalid credentials"
"""The token is ours, its user is unknown or blocked."""

EXPIRED: Final = "Token expired"
"""The API token is known and over."""

MAX_TOKEN_LENGTH: Final = 4096
_MOST_HEADER: Final = 2 * MAX_TOKEN_LENGTH


@dataclass(frozen=True, slots=True)
class Secrets:
    """What tokens are made with, and what they may have been made with. Never shown."""

    jwt_secret: str = field(repr=False)
    api_token_salt: str = field(repr=False)
    admin_jwt_secret: str = field(default="", repr=False)
    """Without one no token is an administrator's."""
    accepted_jwt: tuple[AcceptedKey, ...] = field(default=(), repr=False)
    accepted_admin_jwt: tuple[AcceptedKey, ...] = field(default=(), repr=False)
    accepted_salts: tuple[AcceptedKey, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if not self.jwt_secret or not self.api_token_salt:
            raise ValueError("an empty secret would let anyone create tokens")


@dataclass(frozen=True, slots=True)
class Claims:
    """What a correctly signed user token says. `user_id` is None where the id can belong to nobody. `key_until` is the
    end of the key that it is signed with."""

    user_id: int | None
    version: int = 0
    not_before: float = -inf
    expires_at: float | None = None
    key_until: float = inf

    @property
    def until(self) -> float:
        """When it is over, at the latest."""
        return self.key_until if self.expires_at is None else min(self.expires_at, self.key_until)

    def hold_at(self, now: float) -> bool:
        """Whether `now` lies in the time the token was made for. A token without end holds forever."""
        return self.not_before <= now and (now < self.until or self.until == inf)


def read_bearer(authorization: str | None, *, strict: bool = False) -> str | None:
    """Return the token of an Authorization header; None if there is no header.

    A Bearer header of several words is refused, never taken as anonymous. So is, if `strict`, a header without a
    token, or with another scheme.
    """
    if authorization is None:
        return None
    scheme, *words = authorization[:_MOST_HEADER].split() or ("",)
    if len(scheme) != len("bearer") or scheme.lower() != "bearer" or not words:
        if strict:
            raise UnauthorizedError(MALFORMED)
        return None
    if len(words) > 1 or len(words[0]) > MAX_TOKEN_LENGTH or not words[0].isascii():
        raise UnauthorizedError(MISSING)
    return words[0]


_HEADERS: Final = {"typ": "JWT"}
_ADMIN_HEADERS: Final = {**_HEADERS, "kid": "admin"}
_AUDIENCE: Final = "octavo:admin"


def sign_user_token(user_id: int, secret: str, expires_in: float, version: int = 0) -> str:
    """A token for a user, good for `expires_in` seconds. `version` comes from `token_versions.user_token_version`."""
    issued_at = int(wall_time())
    claims = {"id": user_id, "iat": issued_at, "exp": issued_at + int(expires_in)}
    if version:
        claims["version"] = version
    return _sign(claims, secret, _HEADERS)


def read_user_token(token: str, secret: str, accepted: Sequence[AcceptedKey] = ()) -> Claims:
    """The claims of a user token, its signature checked. Whether they hold at this time is asked of the claims."""
    claims, until = _read_signed(token, secret, accepted)
    if "id" not in claims or claims.get("aud") == _AUDIENCE:
        raise UnauthorizedError(MISSING)
    return Claims(
        user_id=_read_id(claims["id"]),
        version=_read_number(claims, "version", 0, int),
        not_before=_read_number(claims, "nbf", -inf, int, float),
        expires_at=_read_number(claims, "exp", None, int, float),
        key_until=until,
    )


def is_admin_token(token: str) -> bool:
    """Whether a token says that it is an administrator's; nothing is checked yet."""
    return "." in token and token.startswith(_admin_head())


@lru_cache(maxsize=1)
def _admin_head() -> str:
    from octavo.access.authentication import jws

    return jws.head(_ADMIN_HEADERS)


def sign_admin_token(session: str, secret: str, now: float, expires_in: float) -> str:
    """A token for a session of an administrator, good for `expires_in` seconds."""
    claims = {"session": session, "aud": _AUDIENCE, "iat": int(now), "exp": int(now + expires_in)}
    return _sign(claims, secret, _ADMIN_HEADERS)


def read_admin_token(token: str, secret: str, accepted: Sequence[AcceptedKey] = ()) -> tuple[str, float]:
    """The session of an administrator's token, its signature checked, and its end."""
    claims, until = _read_signed(token, secret, accepted) if secret and is_admin_token(token) else ({}, inf)
    session, end = claims.get("session"), claims.get("exp")
    if claims.get("aud") != _AUDIENCE or not isinstance(session, str) or type(end) is not int:
        raise UnauthorizedError(MISSING)
    return session, min(end, until)


def read_v4_admin_token(token: str, secret: str, accepted: Sequence[AcceptedKey] = ()) -> Claims:
    """The claims of a token that v4 has signed for an administrator; `not_before` is when it did."""
    claims, until = _read_signed(token, secret, accepted) if secret else ({}, inf)
    user_id = _read_id(claims.get("id"))
    if user_id is None or "aud" in claims:
        raise UnauthorizedError(MISSING)
    issued_at = _read_number(claims, "iat", -inf, int, float)
    expires_at = _read_number(claims, "exp", None, int, float)
    return Claims(user_id, not_before=issued_at, expires_at=expires_at, key_until=until)


def _sign(claims: dict[str, Any], secret: str, headers: dict[str, str]) -> str:
    from octavo.access.authentication import jws

    return jws.sign(orjson.dumps(claims), secret, headers)


def _read_signed(token: str, secret: str, accepted: Sequence[AcceptedKey]) -> tuple[dict[str, Any], float]:
    """The claims of a token, its signature checked and nothing else; and when the key it is signed with ends."""
    from octavo.access.authentication import jws

    if len(token) > MAX_TOKEN_LENGTH:
        raise UnauthorizedError(MISSING)
    for key, until in ((secret, inf), *((one.text, one.until) for one in accepted)):
        with suppress(ValueError):
            return _read_claims(jws.read(token, key)), until
    raise UnauthorizedError(MISSING)


def _read_claims(content: bytes) -> dict[str, Any]:
    try:
        claims = orjson.loads(content)
    except (ValueError, RecursionError):
        raise UnauthorizedError(MISSING) from None
    if not isinstance(claims, dict):
        raise UnauthorizedError(MISSING)
    return claims


def _read_number(claims: dict[str, Any], name: str, default: Any, *types: type) -> Any:
    """A claim that is absent or a number; anything else spoils the token."""
    value = claims.get(name, default)
    if name in claims and type(value) not in types:
        raise UnauthorizedError(MISSING)
    return value


def _read_id(value: Any) -> int | None:
    """A user id, as number or as digits; v4 takes both."""
    if type(value) is str and value.isdecimal() and value.isascii() and len(value) <= len(str(LARGEST_ID)):
        value = int(value)
    return value if type(value) is int and 0 < value <= LARGEST_ID else None


def digest(text: str) -> str:
    """The stored form of what nobody can guess, a secret or a hash of ours: so a fast hash will do."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def hash_api_token(token: str, salt: str) -> str:
    """The stored form of an API token: HMAC-SHA512 with the salt, in hex, as v4 keeps it."""
    return hmac.digest(salt.encode(), token.encode(), "sha512").hex()
