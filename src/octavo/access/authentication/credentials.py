"""Credentials: parse Authorization headers, sign and verify JWTs of users and administrators, hash API tokens.

Nothing here queries the database: these functions return what a token claims, not whether its user still exists.
Whatever the header contains, they raise only `UnauthorizedError`.
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
"""The token is unreadable, has a wrong signature, has expired, or its user has no role."""

MALFORMED: Final = "The Authorization header must be `Bearer <token>`"
"""The header is empty or has another scheme, and the project refuses that."""

INVALID: Final = "Invalid credentials"
"""The token is valid, but its user is unknown or blocked."""

EXPIRED: Final = "Token expired"
"""The API token is known but has expired."""

MAX_TOKEN_LENGTH: Final = 4096
_MOST_HEADER: Final = 2 * MAX_TOKEN_LENGTH


@dataclass(frozen=True, slots=True)
class Secrets:
    """Secrets for signing and hashing tokens, and older ones that are still accepted. Excluded from `repr`."""

    jwt_secret: str = field(repr=False)
    api_token_salt: str = field(repr=False)
    admin_jwt_secret: str = field(default="", repr=False)
    """If empty, no token is accepted as an administrator's."""
    accepted_jwt: tuple[AcceptedKey, ...] = field(default=(), repr=False)
    accepted_admin_jwt: tuple[AcceptedKey, ...] = field(default=(), repr=False)
    accepted_salts: tuple[AcceptedKey, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if not self.jwt_secret or not self.api_token_salt:
            raise ValueError("an empty secret would let anyone create tokens")


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of a correctly signed user token.

    `user_id` is None if no user can have the id. `key_until` is when the signing key expires.
    """

    user_id: int | None
    version: int = 0
    not_before: float = -inf
    expires_at: float | None = None
    key_until: float = inf

    @property
    def until(self) -> float:
        """When the token expires at the latest."""
        return self.key_until if self.expires_at is None else min(self.expires_at, self.key_until)

    def is_valid_at(self, now: float) -> bool:
        """Return whether the token is valid at `now`. A token without an expiry is always valid."""
        return self.not_before <= now and (now < self.until or self.until == inf)


def read_bearer(authorization: str | None, *, strict: bool = False) -> str | None:
    """Return the token of an Authorization header; None if there is no header.

    Raises UnauthorizedError for a Bearer header with several words, and with `strict` for a header without a token
    or with another scheme.
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
_PREVIEW_HEADERS: Final = {**_HEADERS, "kid": "preview"}
_PREVIEW_AUDIENCE: Final = "octavo:preview"


def sign_user_token(user_id: int, secret: str, expires_in: float, version: int = 0) -> str:
    """Return a signed user token, valid for `expires_in` seconds. Get `version` from `user_token_version`."""
    issued_at = int(wall_time())
    claims = {"id": user_id, "iat": issued_at, "exp": issued_at + int(expires_in)}
    if version:
        claims["version"] = version
    return _sign(claims, secret, _HEADERS)


def read_user_token(token: str, secret: str, accepted: Sequence[AcceptedKey] = ()) -> Claims:
    """Return the claims of a user token after verifying its signature. `Claims.is_valid_at` checks the dates."""
    claims, until = _read_signed(token, secret, accepted)
    if "id" not in claims or claims.get("aud") in (_AUDIENCE, _PREVIEW_AUDIENCE):
        raise UnauthorizedError(MISSING)
    return Claims(
        user_id=_read_id(claims["id"]),
        version=_read_number(claims, "version", 0, int),
        not_before=_read_number(claims, "nbf", -inf, int, float),
        expires_at=_read_number(claims, "exp", None, int, float),
        key_until=until,
    )


def is_admin_token(token: str) -> bool:
    """Return whether a token looks like an administrator's. The signature is not verified."""
    return "." in token and token.startswith(_admin_head())


@lru_cache(maxsize=1)
def _admin_head() -> str:
    from octavo.access.authentication import jws

    return jws.head(_ADMIN_HEADERS)


def sign_admin_token(session: str, secret: str, now: float, expires_in: float) -> str:
    """Return a signed token for an administrator session, valid for `expires_in` seconds."""
    claims = {"session": session, "aud": _AUDIENCE, "iat": int(now), "exp": int(now + expires_in)}
    return _sign(claims, secret, _ADMIN_HEADERS)


def read_admin_token(token: str, secret: str, accepted: Sequence[AcceptedKey] = ()) -> tuple[str, float]:
    """Return the session name and expiry of an administrator's token after verifying its signature."""
    claims, until = _read_signed(token, secret, accepted) if secret and is_admin_token(token) else ({}, inf)
    session, end = claims.get("session"), claims.get("exp")
    if claims.get("aud") != _AUDIENCE or not isinstance(session, str) or type(end) is not int:
        raise UnauthorizedError(MISSING)
    return session, min(end, until)


@dataclass(frozen=True, slots=True)
class PreviewClaims:
    """The claims of a preview token: an administrator session, a content type, and when the token expires."""

    session: str
    uid: str
    until: float


def is_preview_token(token: str) -> bool:
    """Return whether a token looks like a preview token. The signature is not verified."""
    return "." in token and token.startswith(_preview_head())


@lru_cache(maxsize=1)
def _preview_head() -> str:
    from octavo.access.authentication import jws

    return jws.head(_PREVIEW_HEADERS)


def sign_preview_token(claims: PreviewClaims, secret: str) -> str:
    """Return a signed token to read drafts."""
    given = {"session": claims.session, "type": claims.uid, "aud": _PREVIEW_AUDIENCE, "exp": int(claims.until)}
    return _sign(given, secret, _PREVIEW_HEADERS)


def read_preview_token(token: str, secret: str, accepted: Sequence[AcceptedKey] = ()) -> PreviewClaims:
    """Return the claims of a preview token after verifying its signature. The caller checks `until`."""
    claims, until = _read_signed(token, secret, accepted) if secret and is_preview_token(token) else ({}, inf)
    session, uid, end = claims.get("session"), claims.get("type"), claims.get("exp")
    if claims.get("aud") != _PREVIEW_AUDIENCE or not isinstance(session, str) or not isinstance(uid, str):
        raise UnauthorizedError(MISSING)
    if type(end) is not int:
        raise UnauthorizedError(MISSING)
    return PreviewClaims(session, uid, min(end, until))


def read_v4_admin_token(token: str, secret: str, accepted: Sequence[AcceptedKey] = ()) -> Claims:
    """Return the claims of an administrator token signed by v4. `not_before` is when v4 issued it."""
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
    """Return a token's claims after verifying only its signature, and when the signing key expires."""
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
    """Return a numeric claim, or the default if absent. Raises UnauthorizedError for other values."""
    value = claims.get(name, default)
    if name in claims and type(value) not in types:
        raise UnauthorizedError(MISSING)
    return value


def _read_id(value: Any) -> int | None:
    """Return a user id given as a number or as digits, as v4 accepts both; None for other values."""
    if type(value) is str and value.isdecimal() and value.isascii() and len(value) <= len(str(LARGEST_ID)):
        value = int(value)
    return value if type(value) is int and 0 < value <= LARGEST_ID else None


def digest(text: str) -> str:
    """Return the stored form of a random secret or a hash. It cannot be guessed, so a fast hash is sufficient."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def hash_api_token(token: str, salt: str) -> str:
    """Return the stored form of an API token, as in v4: HMAC-SHA512 with the salt, in hex."""
    return hmac.digest(salt.encode(), token.encode(), "sha512").hex()
