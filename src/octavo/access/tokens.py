"""API tokens, as the command line handles them: create, list, revoke. A token is shown once; only its hash is stored.

Refuses with `ApplicationError` (a name taken, a wrong type or lifespan) and `NotFoundError`.
"""

import secrets
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from octavo.access.credentials import hash_api_token
from octavo.access.grants import check_actions
from octavo.access.statements import read_moment, say
from octavo.content.instants import this_moment
from octavo.database.connection import Connection, Database
from octavo.errors import ApplicationError, NotFoundError

TOKEN_TYPES: Final = ("read-only", "full-access", "custom")
TOKEN_BYTES: Final = 128
MAX_LIFESPAN: Final = 100 * 365 * 24 * 3600

_LOCK: Final = "octavo: API tokens"
"""What writers of API tokens wait for, so that a name is used once."""

_INSERT: Final = """
INSERT INTO strapi_api_tokens
  (name, description, type, access_key, expires_at, lifespan, created_at, updated_at)
VALUES (?1, ?2, ?3, ?4, at(?5), ?6, at(?7), at(?7)) RETURNING id"""

_INSERT_SCOPE: Final = """
INSERT INTO strapi_api_token_permissions (action, created_at, updated_at) VALUES (?1, at(?2), at(?2)) RETURNING id"""

_INSERT_LINK: Final = """
INSERT INTO strapi_api_token_permissions_token_links
  (api_token_permission_id, api_token_id, api_token_permission_order)
VALUES (?1, ?2, ?3)"""

_LIST: Final = """
SELECT id, name, description, type, ms(last_used_at), ms(expires_at), ms(created_at)
FROM strapi_api_tokens ORDER BY id"""

_LIST_SCOPES: Final = """
SELECT l.api_token_id, p.action FROM strapi_api_token_permissions_token_links l
JOIN strapi_api_token_permissions p ON p.id = l.api_token_permission_id
ORDER BY l.api_token_id, l.api_token_permission_order, l.id"""

_REVOKE: Final = (
    """DELETE FROM strapi_api_token_permissions WHERE id IN
  (SELECT api_token_permission_id FROM strapi_api_token_permissions_token_links WHERE api_token_id = ?1)""",
    "DELETE FROM strapi_api_token_permissions_token_links WHERE api_token_id = ?1",
    "DELETE FROM strapi_api_tokens WHERE id = ?1",
)


@dataclass(frozen=True, slots=True)
class ApiTokenInfo:
    """What may be shown of a stored API token."""

    id: int
    name: str
    description: str
    type: str
    permissions: tuple[str, ...]
    last_used_at: datetime | None
    expires_at: datetime | None
    created_at: datetime | None


async def create_token(
    database: Database,
    salt: str,
    name: str,
    kind: str,
    permissions: Iterable[str] = (),
    lifespan: int | None = None,
    description: str = "",
) -> str:
    """Store a new API token and give its plain text, which nobody can read again. `lifespan` is in seconds."""
    actions = tuple(dict.fromkeys(permissions))
    _check_new(name, kind, actions, lifespan)
    dialect = database.dialect
    token = secrets.token_hex(TOKEN_BYTES)
    async with database.transaction() as connection:
        await connection.lock(_LOCK)
        if await _find(connection, dialect, name) is not None:
            raise ApplicationError(f"There is an API token named {name!r} already")
        key = hash_api_token(token, salt)
        token_id = await _insert_row(connection, dialect, (name, description, kind, key), lifespan)
        await _insert_scopes(connection, dialect, token_id, actions)
    return token


def _check_new(name: str, kind: str, actions: tuple[str, ...], lifespan: int | None) -> None:
    if not name.strip() or len(name) > 255:
        raise ApplicationError("The name of an API token has 1 to 255 characters")
    if kind not in TOKEN_TYPES:
        raise ApplicationError(f"{kind!r} is not a type of API token; expected one of {', '.join(TOKEN_TYPES)}")
    if (kind == "custom") != bool(actions):
        raise ApplicationError("Permissions are given for an API token of type custom, and only for that")
    if lifespan is not None and not 0 < lifespan <= MAX_LIFESPAN:
        raise ApplicationError(f"The lifespan of an API token is 1 to {MAX_LIFESPAN} seconds, or none")
    check_actions(actions)


async def _insert_row(connection: Connection, dialect: str, texts: tuple[str, ...], lifespan: int | None) -> int:
    now = this_moment()
    duration = None if lifespan is None else lifespan * 1000
    values = (*texts, None if duration is None else now + duration, duration, now)
    return int(await connection.fetch_value(say(dialect, _INSERT), values))


async def _insert_scopes(connection: Connection, dialect: str, token_id: int, actions: tuple[str, ...]) -> None:
    now = this_moment()
    for order, action in enumerate(actions, 1):
        scope_id = await connection.fetch_value(say(dialect, _INSERT_SCOPE), (action, now))
        await connection.execute(say(dialect, _INSERT_LINK), (scope_id, token_id, float(order)))


async def list_tokens(database: Database) -> tuple[ApiTokenInfo, ...]:
    """All API tokens, in the order they were made."""
    scopes: defaultdict[int, list[str]] = defaultdict(list)
    for token_id, action in await database.fetch_all(_LIST_SCOPES):
        scopes[token_id].append(action)
    return tuple(
        ApiTokenInfo(id, name, description or "", type, tuple(scopes[id]), *map(read_moment, moments))
        for id, name, description, type, *moments in await database.fetch_all(say(database.dialect, _LIST))
    )


async def revoke_token(database: Database, name: str) -> None:
    """Remove an API token and its permissions."""
    dialect = database.dialect
    async with database.transaction() as connection:
        token_id = await _find(connection, dialect, name)
        if token_id is None:
            raise NotFoundError(f"There is no API token named {name!r}")
        for text in _REVOKE:
            await connection.execute(say(dialect, text), (token_id,))


async def _find(connection: Connection, dialect: str, name: str) -> int | None:
    text = say(dialect, "SELECT id FROM strapi_api_tokens WHERE name = ?1 ORDER BY id")
    found = await connection.fetch_value(text, (name,))
    return None if found is None else int(found)
