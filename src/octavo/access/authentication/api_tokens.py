"""Create, list and revoke API tokens, for the command line. Only a token's hash is stored.

Raises `ApplicationError` (the name is taken, the type or lifespan is invalid) and `NotFoundError`.
"""

import secrets
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from octavo.access.authentication.credentials import hash_api_token
from octavo.access.authorization.role_grants import check_actions
from octavo.core.clock import read_moment, this_moment
from octavo.core.errors import ApplicationError, NotFoundError
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeFeed, ChangeKind
from octavo.database.connection import Connection, Database
from octavo.database.unit_of_work import unit_of_work
from octavo.events.hook_calls import create_row, delete_row
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.system_table_statement import OwnStatement
from octavo.schema.content_types import API_TOKEN

TOKEN_TYPES: Final = ("read-only", "full-access", "custom")
TOKEN_BYTES: Final = 128
MAX_LIFESPAN: Final = 100 * 365 * 24 * 3600

_LOCK: Final = "octavo: API tokens"
"""The lock for writes of API tokens, which keeps names unique."""

_INSERT: Final = OwnStatement("""
INSERT INTO strapi_api_tokens
  (name, description, type, access_key, expires_at, lifespan, created_at, updated_at)
VALUES ({name}, {description}, {kind}, {key}, {expires_at:instant}, {lifespan}, {now:instant}, {now:instant})
{id:returning}""")

_INSERT_SCOPE: Final = OwnStatement("""
INSERT INTO strapi_api_token_permissions (action, created_at, updated_at)
VALUES ({action}, {now:instant}, {now:instant}) {id:returning}""")

_INSERT_LINK: Final = OwnStatement("""
INSERT INTO strapi_api_token_permissions_token_links
  (api_token_permission_id, api_token_id, api_token_permission_order)
VALUES ({scope}, {token}, {order})""")

_LIST: Final = OwnStatement("""
SELECT id, name, description, type, {last_used_at:milliseconds}, {expires_at:milliseconds}, {created_at:milliseconds}
FROM strapi_api_tokens ORDER BY id""")

_LIST_SCOPES: Final = """
SELECT l.api_token_id, p.action FROM strapi_api_token_permissions_token_links l
JOIN strapi_api_token_permissions p ON p.id = l.api_token_permission_id
ORDER BY l.api_token_id, l.api_token_permission_order, l.id"""

_REVOKE: Final = (
    OwnStatement("""DELETE FROM strapi_api_token_permissions WHERE id IN
  (SELECT api_token_permission_id FROM strapi_api_token_permissions_token_links WHERE api_token_id = {token})"""),
    OwnStatement("DELETE FROM strapi_api_token_permissions_token_links WHERE api_token_id = {token}"),
    OwnStatement("DELETE FROM strapi_api_tokens WHERE id = {token}"),
)

_FIND: Final = OwnStatement("SELECT id FROM strapi_api_tokens WHERE name = {name} ORDER BY id")


@dataclass(frozen=True, slots=True)
class ApiTokenInfo:
    """The public data of a stored API token."""

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
    feed: ChangeFeed | None = None,
) -> str:
    """Create an API token and return its plain text, which cannot be read again. `lifespan` is in seconds."""
    actions = tuple(dict.fromkeys(permissions))
    _check_new(name, kind, actions, lifespan)
    dialect = database.dialect
    token = secrets.token_hex(TOKEN_BYTES)
    key = hash_api_token(token, salt)
    async with unit_of_work(database, feed) as unit:
        await unit.connection.lock(_LOCK)
        if await _find(unit.connection, dialect, name) is not None:
            raise ApplicationError(f"There is an API token named {name!r} already")

        async def write(given: dict[str, Any]) -> int:
            texts = {"name": given["name"], "description": given["description"], "kind": given["type"]}
            allowed = tuple(given["permissions"])
            _check_new(texts["name"], texts["kind"], allowed, lifespan)
            token_id = await _insert_row(unit.connection, dialect, lifespan, key=key, **texts)
            await _insert_scopes(unit.connection, dialect, token_id, allowed)
            unit.record(API_TOKEN, token_id, ChangeKind.CREATE)
            return token_id

        fields = {"name": name, "description": description, "type": kind, "permissions": [*actions]}
        await create_row(unit, API_TOKEN, fields, write)
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


async def _insert_row(connection: Connection, dialect: Dialect, lifespan: int | None, **texts: str) -> int:
    now = this_moment()
    duration = None if lifespan is None else lifespan * 1000
    expires_at = None if duration is None else now + duration
    made = _INSERT.bind(dialect, expires_at=expires_at, lifespan=duration, now=now, **texts)
    return int(await connection.fetch_value(*made))


async def _insert_scopes(connection: Connection, dialect: Dialect, token_id: int, actions: tuple[str, ...]) -> None:
    now = this_moment()
    for order, action in enumerate(actions, 1):
        scope_id = await connection.fetch_value(*_INSERT_SCOPE.bind(dialect, action=action, now=now))
        await connection.execute(*_INSERT_LINK.bind(dialect, scope=scope_id, token=token_id, order=float(order)))


async def list_tokens(database: Database) -> tuple[ApiTokenInfo, ...]:
    """Return all API tokens in the order they were created."""
    scopes: defaultdict[int, list[str]] = defaultdict(list)
    for token_id, action in await database.fetch_all(_LIST_SCOPES):
        scopes[token_id].append(action)
    return tuple(
        ApiTokenInfo(id, name, description or "", type, tuple(scopes[id]), *map(read_moment, moments))
        for id, name, description, type, *moments in await database.fetch_all(*_LIST.bind(database.dialect))
    )


async def revoke_token(database: Database, name: str, feed: ChangeFeed | None = None) -> None:
    """Delete an API token and its permissions."""
    dialect = database.dialect
    async with unit_of_work(database, feed) as unit:
        token_id = await _find(unit.connection, dialect, name)
        if token_id is None:
            raise NotFoundError(f"There is no API token named {name!r}")
        found = token_id

        async def remove() -> None:
            for statement in _REVOKE:
                await unit.connection.execute(*statement.bind(dialect, token=found))
            unit.record(API_TOKEN, found, ChangeKind.DELETE)

        await delete_row(unit, API_TOKEN, found, {"name": name}, remove)


async def _find(connection: Connection, dialect: Dialect, name: str) -> int | None:
    found = await connection.fetch_value(*_FIND.bind(dialect, name=name))
    return None if found is None else int(found)
