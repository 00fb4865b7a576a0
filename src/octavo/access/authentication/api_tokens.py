"""Create, list and revoke API tokens, for the command line. Only a token's hash is stored.

Raises `ApplicationError` (the name is taken, the type or lifespan is invalid) and `NotFoundError`.
"""

import secrets
from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from octavo.access.authentication.api_token_rows import API, Token, TokenRows
from octavo.access.authentication.credentials import hash_api_token
from octavo.access.authorization.role_grants import check_actions
from octavo.core.errors import ApplicationError, NotFoundError
from octavo.database.change_feed import ChangeFeed
from octavo.database.connection import Database
from octavo.database.unit_of_work import UnitOfWork, unit_of_work
from octavo.events.hook_calls import create_row, delete_row
from octavo.schema.content_types import API_TOKEN

TOKEN_TYPES: Final = ("read-only", "full-access", "custom")
TOKEN_BYTES: Final = 128
MAX_LIFESPAN: Final = 100 * 365 * 24 * 3600


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
    secret = secrets.token_hex(TOKEN_BYTES)
    rows = TokenRows(API, database.dialect)
    async with unit_of_work(database, feed) as unit:
        await rows.lock(unit)
        if await _find(rows, unit, name) is not None:
            raise ApplicationError(f"An API token named {name!r} already exists")

        async def write(given: dict[str, Any]) -> int:
            allowed = tuple(given["permissions"])
            _check_new(given["name"], given["type"], allowed, lifespan)
            values = {name: given[name] for name in ("name", "description", "type")}
            milliseconds = None if lifespan is None else lifespan * 1000
            return await rows.insert(unit, values, hash_api_token(secret, salt), milliseconds, allowed)

        fields = {"name": name, "description": description, "type": kind, "permissions": [*actions]}
        await create_row(unit, API_TOKEN, fields, write)
    return secret


def _check_new(name: str, kind: str, actions: tuple[str, ...], lifespan: int | None) -> None:
    if not name.strip() or len(name) > 255:
        raise ApplicationError("The name of an API token must have 1 to 255 characters")
    if kind not in TOKEN_TYPES:
        raise ApplicationError(f"Unknown API token type {kind!r}; expected one of {', '.join(TOKEN_TYPES)}")
    if (kind == "custom") != bool(actions):
        raise ApplicationError("An API token of type custom needs permissions; other types take none")
    if lifespan is not None and not 0 < lifespan <= MAX_LIFESPAN:
        raise ApplicationError(f"The lifespan of an API token must be 1 to {MAX_LIFESPAN} seconds, or unlimited")
    check_actions(actions)


async def list_tokens(database: Database) -> list[Token]:
    """Return all API tokens in the order they were created."""
    return sorted(await TokenRows(API, database.dialect).read_all(database), key=lambda token: token.id)


async def revoke_token(database: Database, name: str, feed: ChangeFeed | None = None) -> None:
    """Delete an API token and its permissions."""
    rows = TokenRows(API, database.dialect)
    async with unit_of_work(database, feed) as unit:
        await rows.lock(unit)
        token = await _find(rows, unit, name)
        if token is None:
            raise NotFoundError(f"No API token is named {name!r}")
        await delete_row(unit, API_TOKEN, token.id, {"name": name}, partial(rows.delete, unit, token.id))


async def _find(rows: TokenRows, unit: UnitOfWork, name: str) -> Token | None:
    return next((token for token in await rows.read_all(unit.connection) if token.name == name), None)
