"""Grants: which actions the roles of users may take, as the command line and seeds handle them.

A grant is a row of `up_permissions` with a link to its role, numbered within the role, as v4 writes them. Each function
that writes is one transaction and may be repeated. Refuses with `ApplicationError` (no action) and `NotFoundError` (no
role).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from octavo.access.statements import say
from octavo.content.instants import this_moment
from octavo.database.connection import Connection, Database, Transaction
from octavo.errors import ApplicationError, NotFoundError

LOCK: Final = "octavo: grants"
"""What writers of roles and grants wait for, so that nothing is granted twice."""

_ACTION: Final = re.compile(r"(?:api|plugin)::[\w-]+\.[\w-]+\.\w+", re.ASCII)

_ROLES: Final = "SELECT id, name, type FROM up_roles ORDER BY id"

_GRANTED: Final = """
SELECT p.action FROM up_permissions_role_links l JOIN up_permissions p ON p.id = l.permission_id
WHERE l.role_id = ?1 ORDER BY l.permission_order, l.id"""

_LAST_ORDER: Final = "SELECT max(permission_order) FROM up_permissions_role_links WHERE role_id = ?1"

_INSERT_ROLE: Final = """
INSERT INTO up_roles (name, description, type, created_at, updated_at)
VALUES (?1, ?2, ?3, at(?4), at(?4)) RETURNING id"""

_INSERT_PERMISSION: Final = """
INSERT INTO up_permissions (action, created_at, updated_at) VALUES (?1, at(?2), at(?2)) RETURNING id"""

_INSERT_LINK: Final = """
INSERT INTO up_permissions_role_links (permission_id, role_id, permission_order) VALUES (?1, ?2, ?3)"""

_FIND_PERMISSIONS: Final = """
SELECT p.id FROM up_permissions p JOIN up_permissions_role_links l ON l.permission_id = p.id
WHERE l.role_id = ?1 AND p.action = ?2"""

_DELETE_LINK: Final = "DELETE FROM up_permissions_role_links WHERE permission_id = ?1 AND role_id = ?2"

_DELETE_PERMISSION: Final = """
DELETE FROM up_permissions WHERE id = ?1
AND NOT EXISTS (SELECT 1 FROM up_permissions_role_links WHERE permission_id = ?1)"""


@dataclass(frozen=True, slots=True)
class Role:
    """A role of users and what it may do, in the order it was granted."""

    id: int
    name: str
    type: str
    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _NewRole:
    name: str
    description: str
    actions: tuple[str, ...]


_AUTH: Final = "plugin::users-permissions.auth"

DEFAULT_ROLES: Mapping[str, _NewRole] = {
    "authenticated": _NewRole(
        "Authenticated",
        "Default role given to authenticated user.",
        ("plugin::users-permissions.user.me", f"{_AUTH}.changePassword"),
    ),
    "public": _NewRole(
        "Public",
        "Default role given to unauthenticated user.",
        (
            f"{_AUTH}.callback",
            f"{_AUTH}.connect",
            f"{_AUTH}.forgotPassword",
            f"{_AUTH}.resetPassword",
            f"{_AUTH}.register",
            f"{_AUTH}.emailConfirmation",
            f"{_AUTH}.sendEmailConfirmation",
        ),
    ),
}
"""The roles of a new database, by type, with what they may do from the start."""


async def list_grants(database: Database) -> tuple[Role, ...]:
    """All roles with their actions."""
    text = say(database.dialect, _GRANTED)
    return tuple(
        [
            Role(role_id, name, role_type, tuple(row[0] for row in await database.fetch_all(text, (role_id,))))
            for role_id, name, role_type in await database.fetch_all(_ROLES)
        ]
    )


async def grant(database: Database, role: str, actions: Iterable[str]) -> tuple[str, ...]:
    """Let a role, given by type or name, take these actions; those that are new to it."""
    async with database.transaction() as connection:
        return await grant_within(connection, database.dialect, role, actions)


async def grant_within(connection: Transaction, dialect: str, role: str, actions: Iterable[str]) -> tuple[str, ...]:
    """The same within a transaction of the caller's."""
    wanted = tuple(dict.fromkeys(actions))
    check_actions(wanted)
    await connection.lock(LOCK)
    role_id = await find_role(connection, role)
    granted = {row[0] for row in await connection.fetch_all(say(dialect, _GRANTED), (role_id,))}
    new = tuple(action for action in wanted if action not in granted)
    await _insert_grants(connection, dialect, role_id, new)
    return new


async def revoke(database: Database, role: str, actions: Iterable[str]) -> tuple[str, ...]:
    """Take these actions from a role, given by type or name; those that it had."""
    async with database.transaction() as connection:
        await connection.lock(LOCK)
        role_id = await find_role(connection, role)
        return tuple(
            [
                action
                for action in dict.fromkeys(actions)
                if await _delete(connection, database.dialect, role_id, action)
            ]
        )


async def set_grants_within(connection: Transaction, dialect: str, role_id: int, actions: Iterable[str]) -> None:
    """Let a role take exactly these actions, within a transaction that holds `LOCK`."""
    wanted = dict.fromkeys(actions)
    granted = {row[0] for row in await connection.fetch_all(say(dialect, _GRANTED), (role_id,))}
    for action in sorted(granted - wanted.keys()):
        await _delete(connection, dialect, role_id, action)
    await _insert_grants(connection, dialect, role_id, (action for action in wanted if action not in granted))


async def ensure_default_roles(database: Database) -> tuple[str, ...]:
    """Make the roles that every database has; the types of those that were missing. Roles that are there stay as is."""
    dialect = database.dialect
    async with database.transaction() as connection:
        await connection.lock(LOCK)
        present = {row[2] for row in await connection.fetch_all(_ROLES)}
        missing = tuple(role_type for role_type in DEFAULT_ROLES if role_type not in present)
        for role_type in missing:
            role = DEFAULT_ROLES[role_type]
            values = (role.name, role.description, role_type, this_moment())
            role_id = int(await connection.fetch_value(say(dialect, _INSERT_ROLE), values))
            await _insert_grants(connection, dialect, role_id, role.actions)
    return missing


def check_actions(actions: Iterable[str]) -> None:
    """Raise `ApplicationError` for what cannot be an action."""
    for action in actions:
        if not _ACTION.fullmatch(action):
            raise ApplicationError(f"{action!r} is not an action; expected one like api::article.article.find")


async def find_role(connection: Connection, role: str) -> int:
    """The id of the role of a type or name. Raises NotFoundError."""
    rows = await connection.fetch_all(_ROLES)
    by_type = {role_type: role_id for role_id, _, role_type in reversed(rows)}
    by_name = {name: role_id for role_id, name, _ in reversed(rows)}
    found = by_type.get(role, by_name.get(role))
    if found is None:
        raise NotFoundError(f"There is no role {role!r}; there are {', '.join(sorted(map(str, by_type)))}")
    return int(found)


async def _insert_grants(connection: Connection, dialect: str, role_id: int, actions: Iterable[str]) -> None:
    last = await connection.fetch_value(say(dialect, _LAST_ORDER), (role_id,))
    now = this_moment()
    for order, action in enumerate(actions, int(last or 0) + 1):
        permission_id = await connection.fetch_value(say(dialect, _INSERT_PERMISSION), (action, now))
        await connection.execute(say(dialect, _INSERT_LINK), (permission_id, role_id, float(order)))


async def _delete(connection: Connection, dialect: str, role_id: int, action: str) -> bool:
    rows = await connection.fetch_all(say(dialect, _FIND_PERMISSIONS), (role_id, action))
    for (permission_id,) in rows:
        await connection.execute(say(dialect, _DELETE_LINK), (permission_id, role_id))
        await connection.execute(say(dialect, _DELETE_PERMISSION), (permission_id,))
    return bool(rows)
