"""Grants of user roles: list, add and remove the actions of a role, and read those of all roles and API tokens.

A grant is a row of `up_permissions` linked to its role and numbered within it, as v4 writes them. Each function that
writes is one idempotent unit of work and notifies `feed`. Raises `ApplicationError` (not an action) and
`NotFoundError` (no role).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import partial
from typing import Any, Final

import orjson

from octavo.access.authorization.actions import ACCOUNTS
from octavo.access.authorization.actor import ANONYMOUS, Actor
from octavo.access.authorization.permissions import (
    EVERYTHING,
    NOTHING,
    READS,
    PermissionSet,
    permission_set,
)
from octavo.core.clock import this_moment
from octavo.core.errors import ApplicationError, NotFoundError
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeFeed, ChangeKind
from octavo.database.connection import Connection, Database
from octavo.database.unit_of_work import UnitOfWork, unit_of_work
from octavo.events.hook_calls import create_row, delete_row
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement
from octavo.schema.content_types import PERMISSION, ROLE, USER

LOCK: Final = "octavo: grants"
"""The lock for writes of roles and grants, which prevents duplicate grants."""

_ACTION: Final = re.compile(r"(?:api|plugin)::[\w-]+\.[\w-]+\.\w+", re.ASCII)

_ROLES: Final = "SELECT id, name, type FROM up_roles ORDER BY id"

_GRANTED: Final = RawStatement("""
SELECT p.action FROM up_permissions_role_links l JOIN up_permissions p ON p.id = l.permission_id
WHERE l.role_id = {role} ORDER BY l.permission_order, l.id""")

_LAST_ORDER: Final = RawStatement("SELECT max(permission_order) FROM up_permissions_role_links WHERE role_id = {role}")

_INSERT_ROLE: Final = RawStatement("""
INSERT INTO up_roles (name, description, type, created_at, updated_at)
VALUES ({name}, {description}, {type}, {now:instant}, {now:instant}) {id:returning}""")

_INSERT_PERMISSION: Final = RawStatement("""
INSERT INTO up_permissions (action, created_at, updated_at)
VALUES ({action}, {now:instant}, {now:instant}) {id:returning}""")

_INSERT_LINK: Final = RawStatement("""
INSERT INTO up_permissions_role_links (permission_id, role_id, permission_order)
VALUES ({permission}, {role}, {order})""")

_FIND_PERMISSIONS: Final = RawStatement("""
SELECT p.id FROM up_permissions p JOIN up_permissions_role_links l ON l.permission_id = p.id
WHERE l.role_id = {role} AND p.action = {action}""")

_DELETE_LINK: Final = RawStatement(
    "DELETE FROM up_permissions_role_links WHERE permission_id = {permission} AND role_id = {role}"
)

_DELETE_PERMISSION: Final = RawStatement("""
DELETE FROM up_permissions WHERE id = {permission}
AND NOT EXISTS (SELECT 1 FROM up_permissions_role_links WHERE permission_id = {permission})""")


_UNLINK: Final = RawStatement("DELETE FROM up_permissions_role_links WHERE permission_id = {permission}")
_DELETE_ROW: Final = RawStatement("DELETE FROM up_permissions WHERE id = {permission}")


@dataclass(frozen=True, slots=True)
class Role:
    """A user role and its actions, in the order they were granted."""

    id: int
    name: str
    type: str
    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _NewRole:
    name: str
    description: str
    actions: tuple[str, ...]


DEFAULT_ROLES: Mapping[str, _NewRole] = {
    "authenticated": _NewRole(
        "Authenticated",
        "Default role given to authenticated user.",
        (f"{USER}.me", f"{ACCOUNTS}.changePassword"),
    ),
    "public": _NewRole(
        "Public",
        "Default role given to unauthenticated user.",
        (
            f"{ACCOUNTS}.callback",
            f"{ACCOUNTS}.connect",
            f"{ACCOUNTS}.forgotPassword",
            f"{ACCOUNTS}.resetPassword",
            f"{ACCOUNTS}.register",
            f"{ACCOUNTS}.emailConfirmation",
            f"{ACCOUNTS}.sendEmailConfirmation",
        ),
    ),
}
"""The roles of a new database, by type, with their actions."""


async def list_grants(database: Database) -> tuple[Role, ...]:
    """Return all roles with their actions."""
    roles = []
    for role_id, name, role_type in await database.fetch_all(_ROLES):
        granted = await database.fetch_all(*_GRANTED.bind(database.dialect, role=role_id))
        roles.append(Role(role_id, name, role_type, tuple(row[0] for row in granted)))
    return tuple(roles)


async def role_types(database: Database) -> frozenset[str]:
    """Return the types of all roles."""
    return frozenset(row[2] for row in await database.fetch_all(_ROLES))


async def grant(
    database: Database, role: str, actions: Iterable[str], feed: ChangeFeed | None = None
) -> tuple[str, ...]:
    """Grant actions to a role, given by type or name; return the actions it did not have yet."""
    async with unit_of_work(database, feed) as unit:
        return await grant_within(unit, database.dialect, role, actions)


async def grant_within(unit: UnitOfWork, dialect: Dialect, role: str, actions: Iterable[str]) -> tuple[str, ...]:
    """Grant actions as `grant` does, within the caller's unit of work."""
    wanted = tuple(dict.fromkeys(actions))
    check_actions(wanted)
    connection = unit.connection
    await connection.lock(LOCK)
    role_id = await find_role(connection, role)
    granted = {row[0] for row in await connection.fetch_all(*_GRANTED.bind(dialect, role=role_id))}
    new = tuple(action for action in wanted if action not in granted)
    await _insert_grants(unit, dialect, role_id, new)
    return new


async def revoke(
    database: Database, role: str, actions: Iterable[str], feed: ChangeFeed | None = None
) -> tuple[str, ...]:
    """Revoke actions from a role, given by type or name; return the actions it had."""
    async with unit_of_work(database, feed) as unit:
        await unit.connection.lock(LOCK)
        role_id = await find_role(unit.connection, role)
        return tuple(
            [action for action in dict.fromkeys(actions) if await _delete(unit, database.dialect, role_id, action)]
        )


async def granted_within(unit: UnitOfWork, dialect: Dialect, role_id: int) -> frozenset[str]:
    """Return the actions of a role."""
    rows = await unit.connection.fetch_all(*_GRANTED.bind(dialect, role=role_id))
    return frozenset(row[0] for row in rows)


async def set_grants_within(unit: UnitOfWork, dialect: Dialect, role_id: int, actions: Iterable[str]) -> None:
    """Set a role's actions to exactly these. The unit of work must hold `LOCK`."""
    wanted = dict.fromkeys(actions)
    granted = await granted_within(unit, dialect, role_id)
    for action in sorted(granted - wanted.keys()):
        await _delete(unit, dialect, role_id, action)
    await _insert_grants(unit, dialect, role_id, (action for action in wanted if action not in granted))


async def delete_permission_rows(unit: UnitOfWork, dialect: Dialect, ids: Iterable[int]) -> None:
    """Delete permissions by id, for any role. The unit of work must hold `LOCK`."""
    for permission_id in ids:
        for statement in (_UNLINK, _DELETE_ROW):
            await unit.connection.execute(*statement.bind(dialect, permission=permission_id))
        unit.record(PERMISSION, permission_id, ChangeKind.DELETE)


async def ensure_default_roles(database: Database) -> tuple[str, ...]:
    """Create the default roles that are missing and return their types. Existing roles are not changed."""
    dialect = database.dialect
    async with unit_of_work(database) as unit:
        connection = unit.connection
        await connection.lock(LOCK)
        present = {row[2] for row in await connection.fetch_all(_ROLES)}
        missing = tuple(role_type for role_type in DEFAULT_ROLES if role_type not in present)
        for role_type in missing:
            role = DEFAULT_ROLES[role_type]
            made = _INSERT_ROLE.bind(
                dialect, name=role.name, description=role.description, type=role_type, now=this_moment()
            )
            role_id = int(await connection.fetch_value(*made))
            unit.record(ROLE, role_id, ChangeKind.CREATE)
            await _insert_grants(unit, dialect, role_id, role.actions)
    return missing


def check_actions(actions: Iterable[str]) -> None:
    """Raise `ApplicationError` for a text that cannot be an action."""
    for action in actions:
        if not _ACTION.fullmatch(action):
            raise ApplicationError(f"{action!r} is not an action; expected one like api::article.article.find")


async def find_role(connection: Connection, role: str) -> int:
    """Return the id of the role with this type or name. Raises NotFoundError."""
    rows = await connection.fetch_all(_ROLES)
    by_type = {role_type: role_id for role_id, _, role_type in reversed(rows)}
    by_name = {name: role_id for role_id, name, _ in reversed(rows)}
    found = by_type.get(role, by_name.get(role))
    if found is None:
        raise NotFoundError(f"Unknown role {role!r}; the roles are {', '.join(sorted(map(str, by_type)))}")
    return int(found)


async def _insert_grants(unit: UnitOfWork, dialect: Dialect, role_id: int, actions: Iterable[str]) -> None:
    connection = unit.connection
    last = await connection.fetch_value(*_LAST_ORDER.bind(dialect, role=role_id))
    now = this_moment()

    async def write(order: int, given: Mapping[str, Any]) -> int:
        inserting = _INSERT_PERMISSION.bind(dialect, action=given["action"], now=now)
        permission_id = int(await connection.fetch_value(*inserting))
        link = _INSERT_LINK.bind(dialect, permission=permission_id, role=given["role"], order=float(order))
        await connection.execute(*link)
        unit.record(PERMISSION, permission_id, ChangeKind.CREATE, details=dict(given))
        return permission_id

    for order, action in enumerate(actions, int(last or 0) + 1):
        await create_row(unit, PERMISSION, {"action": action, "role": role_id}, partial(write, order))


async def _delete(unit: UnitOfWork, dialect: Dialect, role_id: int, action: str) -> bool:
    connection = unit.connection
    rows = await connection.fetch_all(*_FIND_PERMISSIONS.bind(dialect, role=role_id, action=action))

    async def remove(permission_id: int) -> None:
        await connection.execute(*_DELETE_LINK.bind(dialect, permission=permission_id, role=role_id))
        await connection.execute(*_DELETE_PERMISSION.bind(dialect, permission=permission_id))
        unit.record(PERMISSION, permission_id, ChangeKind.DELETE, details=was)

    was = {"action": action, "role": role_id}
    for (permission_id,) in rows:
        await delete_row(unit, PERMISSION, permission_id, was, partial(remove, permission_id))
    return bool(rows)


RULED_TYPES: Mapping[str, PermissionSet] = {"full-access": EVERYTHING, "read-only": READS}
"""The API token types with a fixed rule instead of a list of permissions."""


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A stored API token: its actor and its expiry (milliseconds since 1970)."""

    actor: Actor
    expires_at: float | None

    def is_valid_at(self, now: float) -> bool:
        """Return whether the token is valid at `now`, in seconds since 1970."""
        return self.expires_at is None or now * 1000 < self.expires_at


@dataclass(frozen=True, slots=True)
class GrantsSnapshot:
    """The public actor, permissions and types by role id, and API tokens by access key (a keyed hash)."""

    anonymous: Actor = ANONYMOUS
    roles: Mapping[int, PermissionSet] = field(default_factory=dict)
    role_types: Mapping[int, str | None] = field(default_factory=dict)
    tokens: Mapping[str, ApiToken] = field(default_factory=dict)


def grants_statement(dialect: Dialect) -> str:
    """Return the SQL that reads roles with grants and API tokens with scopes as one JSON text."""
    expires_at = dialect.milliseconds("expires_at")
    members = {
        "roles": dialect.json_rows(("id", "type"), "FROM up_roles"),
        "grants": dialect.json_rows(
            ("l.role_id", "p.action"),
            "FROM up_permissions_role_links l JOIN up_permissions p ON p.id = l.permission_id",
        ),
        "tokens": dialect.json_rows(("id", "type", "access_key", expires_at), "FROM strapi_api_tokens"),
        "scopes": dialect.json_rows(
            ("l.api_token_id", "p.action"),
            "FROM strapi_api_token_permissions_token_links l"
            " JOIN strapi_api_token_permissions p ON p.id = l.api_token_permission_id",
        ),
    }
    return f"SELECT {dialect.json_object(members)}"


def read_grants(text: bytes) -> GrantsSnapshot:
    """Parse the JSON that `grants_statement` returns."""
    values = orjson.loads(text)
    grants = _group(values["grants"])
    scopes = _group(values["scopes"])
    role_rows = sorted(values["roles"] or ())
    roles = {role_id: permission_set(grants[role_id]) for role_id, _ in role_rows}
    public = next((role_id for role_id, role_type in role_rows if role_type == "public"), None)
    return GrantsSnapshot(
        anonymous=Actor("anonymous", NOTHING if public is None else roles[public], role_id=public),
        roles=roles,
        role_types=dict(role_rows),
        tokens={row[2]: _read_token(row, scopes) for row in values["tokens"] or () if row[2]},
    )


def _group(rows: Iterable[tuple[int, str | None]] | None) -> defaultdict[int, set[str]]:
    """Group actions by the id they are granted to."""
    grouped: defaultdict[int, set[str]] = defaultdict(set)
    for owner_id, action in rows or ():
        if action is not None:
            grouped[owner_id].add(action)
    return grouped


def _read_token(row: tuple[int, str, str, Any], scopes: Mapping[int, set[str]]) -> ApiToken:
    token_id, token_type, _, expires_at = row
    permissions = RULED_TYPES.get(token_type) or permission_set(scopes.get(token_id, ()))
    # An expiry that is not a number was edited by hand: treat the token as expired.
    known = expires_at is None or isinstance(expires_at, int | float)
    return ApiToken(Actor("api-token", permissions, id=token_id), expires_at if known else 0)
