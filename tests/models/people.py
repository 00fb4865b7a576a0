"""Users and tokens for the access tests, written row by row; tokens signed by the tests; clocks that tests set."""

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass
from typing import Any

from octavo.access.authentication import user_token_versions
from octavo.access.authentication.credentials import Secrets, hash_api_token
from octavo.core.clock import Clock
from octavo.database.connection import Database
from octavo.query.sql.raw_statement import RawStatement

SECRETS = Secrets("test-jwt-secret", "test-api-token-salt")
NOW = 1_700_000_000

ROLES = (("Authenticated", "authenticated"), ("Public", "public"), ("Editor", "editor"))
GRANTS = (
    ("authenticated", "api::tag.tag.find"),
    ("authenticated", "api::tag.tag.findOne"),
    ("public", "api::tag.tag.find"),
    ("editor", "api::tag.tag.find"),
    ("editor", "api::tag.tag.create"),
)
USERS = (
    ("ann", True, False, ("authenticated",)),
    ("ben", True, False, ("editor",)),
    ("carol", False, False, ("authenticated",)),
    ("mallory", True, True, ("authenticated",)),
    ("norole", True, False, ()),
    ("two", None, None, ("editor", "authenticated")),
)
TOKENS = (
    ("reads", "read-only", None, ()),
    ("all", "full-access", NOW + 60, ()),
    ("some", "custom", None, ("api::tag.tag.find", "api::tag.tag.update")),
    ("over", "full-access", NOW, ()),
    ("odd", "surprising", None, ()),
)


@dataclass
class Hands:
    """Clocks that a test sets."""

    day: float = NOW
    steady: float = 0.0

    @property
    def clock(self) -> Clock:
        return Clock(wall=lambda: self.day, steady=lambda: self.steady)


async def write_people(database: Database) -> None:
    for table in (user_token_versions.TABLE, user_token_versions.BLOCKS):
        await database.execute_script(table.script(database.dialect))
    for name, role_type in ROLES:
        await write(database, "INSERT INTO up_roles (name, type) VALUES ({v1}, {v2})", name, role_type)
    for order, (role_type, action) in enumerate(GRANTS, 1):
        await write(database, "INSERT INTO up_permissions (action) VALUES ({v1})", action)
        text = """INSERT INTO up_permissions_role_links (permission_id, role_id, permission_order)
            SELECT {v1}, id, {v2} FROM up_roles WHERE type = {v3}"""
        await write(database, text, order, float(order), role_type)
    for user_id, (name, confirmed, blocked, roles) in enumerate(USERS, 1):
        text = "INSERT INTO up_users (username, email, confirmed, blocked) VALUES ({v1}, {v2}, {v3}, {v4})"
        await write(database, text, name, f"{name}@example.org", confirmed, blocked)
        for role_type in roles:
            text = """INSERT INTO up_users_role_links (user_id, role_id)
                SELECT {v1}, id FROM up_roles WHERE type = {v2}"""
            await write(database, text, user_id, role_type)
    await _write_tokens(database)


async def _write_tokens(database: Database) -> None:
    scope_id = 0
    for token_id, (name, token_type, expires_at, scopes) in enumerate(TOKENS, 1):
        text = (
            "INSERT INTO strapi_api_tokens (name, type, access_key, expires_at) VALUES ({v1}, {v2}, {v3}, {v4:instant})"
        )
        key = hash_api_token(name, SECRETS.api_token_salt)
        await write(database, text, name, token_type, key, expires_at and expires_at * 1000)
        for action in scopes:
            scope_id += 1
            await write(database, "INSERT INTO strapi_api_token_permissions (action) VALUES ({v1})", action)
            text = """INSERT INTO strapi_api_token_permissions_token_links
                (api_token_permission_id, api_token_id) VALUES ({v1}, {v2})"""
            await write(database, text, scope_id, token_id)


async def write(database: Database, text: str, *values: object) -> int:
    """Write as another process would, without clearing Octavo's caches. The values are `v1`, `v2` ..."""
    if not values:
        return await database.execute(text)
    named = {f"v{number}": value for number, value in enumerate(values, 1)}
    return await database.execute(*RawStatement(text).bind(database.dialect, **named))


HEADER = {"alg": "HS256", "typ": "JWT"}
HASHES = {"HS256": hashlib.sha256, "HS384": hashlib.sha384, "HS512": hashlib.sha512}


def encode_part(value: Any) -> str:
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


def mint(claims: Any, header: Any = HEADER, secret: str = SECRETS.jwt_secret) -> str:
    """Sign a token in the test, so that it can be wrong in any way."""
    signed = f"{encode_part(header)}.{encode_part(claims)}"
    algorithm = header.get("alg") if isinstance(header, dict) else None
    digest = hmac.digest(secret.encode(), signed.encode(), HASHES.get(str(algorithm), hashlib.sha256))
    return f"{signed}.{encode_part(digest)}"
