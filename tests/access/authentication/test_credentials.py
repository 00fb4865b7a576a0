"""Authorization headers, user tokens and API token hashes: valid ones are parsed, and everything else is a 401."""

import base64
import json
import warnings
from math import inf
from typing import Any

import pytest

from octavo.access.authentication.credentials import (
    MAX_TOKEN_LENGTH,
    Claims,
    Secrets,
    hash_api_token,
    read_bearer,
    read_user_token,
    sign_user_token,
)
from octavo.core.errors import UnauthorizedError
from tests.models.people import HEADER, SECRETS, encode_part, mint

SECRET = SECRETS.jwt_secret


@pytest.mark.parametrize(
    "authorization, token",
    [
        (None, None),
        ("", None),
        ("  ", None),
        ("Bearer", None),
        ("Bearer ", None),
        ("Token abc", None),
        ("Basic YWxhZGRpbjpvcGVuc2VzYW1l", None),
        ("abc", None),
        ("Bearerabc", None),
        ("Bearer abc", "abc"),
        ("bearer abc", "abc"),
        ("BEARER  abc ", "abc"),
        ("Bearer null", "null"),
        ("Bearer " + "a" * MAX_TOKEN_LENGTH, "a" * MAX_TOKEN_LENGTH),
    ],
)
def test_bearer(authorization: str | None, token: str | None) -> None:
    assert read_bearer(authorization) == token
    if token is None and authorization is not None:
        with pytest.raises(UnauthorizedError, match="must be `Bearer <token>`"):
            read_bearer(authorization, strict=True)
    else:
        assert read_bearer(authorization, strict=True) == token


@pytest.mark.parametrize(
    "authorization",
    ["Bearer a b", "Bearer a b c", "bearer é", "Bearer \ud800", "Bearer " + "a" * (MAX_TOKEN_LENGTH + 1)],
)
def test_malformed_bearer_is_never_anonymous(authorization: str) -> None:
    with pytest.raises(UnauthorizedError, match=r"^Missing or invalid credentials$"):
        read_bearer(authorization)


@pytest.mark.parametrize(
    "claims, read",
    [
        ({"id": 1, "iat": 5, "exp": 10}, Claims(1, expires_at=10)),
        ({"id": 1, "exp": 10.5}, Claims(1, expires_at=10.5)),
        ({"id": "1", "exp": 10}, Claims(1, expires_at=10)),
        ({"id": "01"}, Claims(1)),
        ({"id": 7, "version": 2, "nbf": 3}, Claims(7, version=2, not_before=3)),
        ({"id": 1, "iat": 9999999999, "aud": "x", "sub": 5, "iss": []}, Claims(1)),
        ({"id": 2**31 - 1}, Claims(2**31 - 1)),
        ({"id": 2**31}, Claims(None)),
        ({"id": "99999999999999999999"}, Claims(None)),
        ({"id": 0}, Claims(None)),
        ({"id": -1}, Claims(None)),
        ({"id": 1.0}, Claims(None)),
        ({"id": True}, Claims(None)),
        ({"id": None}, Claims(None)),
        ({"id": ""}, Claims(None)),
        ({"id": "1 OR 1=1"}, Claims(None)),
        ({"id": "\u0661"}, Claims(None)),
        ({"id": [1]}, Claims(None)),
        ({"id": {"$ne": 1}}, Claims(None)),
    ],
)
def test_claims(claims: dict[str, Any], read: Claims) -> None:
    assert read_user_token(mint(claims), SECRET) == read


DEEP = b"[" * 1500
GOOD = {"id": 1, "exp": 9999999999}


@pytest.mark.parametrize(
    "token",
    [
        pytest.param(mint(GOOD, secret="another"), id="another secret"),
        pytest.param(mint(GOOD, {"alg": "none"}), id="alg none, signed"),
        pytest.param(f"{encode_part({'alg': 'none'})}.{encode_part(GOOD)}.", id="alg none, unsigned"),
        pytest.param(mint(GOOD, {"alg": "HS384"}), id="HS384"),
        pytest.param(mint(GOOD, {"alg": "HS512"}), id="HS512"),
        pytest.param(mint(GOOD, {"alg": ["HS256"]}), id="alg is a list"),
        pytest.param(mint(GOOD, {"alg": "HS256", "crit": ["x"], "x": 1}), id="critical extension"),
        pytest.param(mint(GOOD, {"alg": "HS256", "b64": False, "crit": ["b64"]}), id="detached payload"),
        pytest.param(mint(GOOD, []), id="header is a list"),
        pytest.param(mint(GOOD, DEEP), id="deep header"),
        pytest.param(mint(DEEP), id="deep payload"),
        pytest.param(mint(b"\xff\xfe"), id="payload is not UTF-8"),
        pytest.param(mint(b'{"id": 1, "exp": NaN}'), id="NaN"),
        pytest.param(mint(b'{"id": 1, "exp": 1e999}'), id="infinite"),
        pytest.param(mint(b'{"id": "\\ud800", "exp": 9}'), id="lone surrogate"),
        pytest.param(mint([1]), id="payload is a list"),
        pytest.param(mint({"exp": 9999999999}), id="no id"),
        pytest.param(mint({"id": 1, "exp": "9999999999"}), id="exp is text"),
        pytest.param(mint({"id": 1, "exp": None}), id="exp is null"),
        pytest.param(mint({"id": 1, "exp": True}), id="exp is true"),
        pytest.param(mint({"id": 1, "nbf": "0"}), id="nbf is text"),
        pytest.param(mint({"id": 1, "version": 1.5}), id="version is no integer"),
        "",
        ".",
        "..",
        "a.b.c",
        "a.b.c.d",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.xxxx",
        mint(GOOD)[:-1],
        mint(GOOD) + ".",
    ],
)
def test_invalid_tokens_are_refused(token: str) -> None:
    with pytest.raises(UnauthorizedError, match=r"^Missing or invalid credentials$"):
        read_user_token(token, SECRET)


@pytest.mark.parametrize(
    "claims, now, hold",
    [
        (Claims(1, expires_at=10), 9.9, True),
        (Claims(1, expires_at=10), 10, False),
        (Claims(1), inf, True),
        (Claims(1, not_before=5), 4, False),
        (Claims(1, not_before=5), 5, True),
    ],
)
def test_validity_of_claims(claims: Claims, now: float, hold: bool) -> None:
    assert claims.is_valid_at(now) is hold


@pytest.mark.parametrize("version", [0, 3])
def test_signed_tokens_can_be_read(version: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        token = sign_user_token(42, "short", 3600, version)
        claims = read_user_token(token, "short")
    parts = [json.loads(base64.urlsafe_b64decode(part + "==")) for part in token.split(".")[:2]]
    issued_at = parts[1]["iat"]
    body = {"id": 42, "iat": issued_at, "exp": issued_at + 3600} | ({"version": version} if version else {})
    assert parts == [HEADER, body]
    assert claims == Claims(42, version, expires_at=issued_at + 3600)


def test_api_token_hash() -> None:
    assert hash_api_token("token", "salt") == (
        "979a0a65ea49e326693337176834b4d7f0664217a650b9658fe265e36aea3001"
        "e4539816a34a4846f5366429e41328b8023959c714fc23737069350f6743f6b6"
    )


@pytest.mark.parametrize("jwt_secret, salt", [("", "salt"), ("secret", "")])
def test_empty_secrets_are_refused(jwt_secret: str, salt: str) -> None:
    with pytest.raises(ValueError, match="empty secret"):
        Secrets(jwt_secret, salt)


def test_secrets_are_not_shown() -> None:
    assert repr(Secrets("secret", "salt")) == "Secrets()"
