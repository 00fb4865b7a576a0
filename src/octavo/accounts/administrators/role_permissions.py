"""Read and write `admin_permissions`, and check that an administrator has all permissions of some roles.

Writers must hold the administrators' lock (`rows.lock_administrators`) in a unit of work.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

import orjson

from octavo.access.authentication.admin_sessions import SUPER_ADMIN
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.admin.catalogue import Catalogue
from octavo.access.authorization.admin.escalation import all_within
from octavo.access.authorization.admin.grants import Grant, read_grant
from octavo.core.clock import this_moment
from octavo.core.errors import ForbiddenError
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeKind
from octavo.database.connection import Connection
from octavo.database.unit_of_work import UnitOfWork
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement
from octavo.schema.content_types import ADMIN_PERMISSION, ADMIN_ROLE

_AT_ONCE: Final = 50
"""Rows per INSERT statement."""

_COLUMNS: Final = "SELECT p.id, l.role_id, p.action, p.action_parameters, p.subject, p.properties, p.conditions"
_ALL: Final = f"""{_COLUMNS}
FROM admin_permissions p JOIN admin_permissions_role_links l ON l.permission_id = p.id ORDER BY l.role_id, p.id"""
_OF_ROLE: Final = RawStatement(f"""{_COLUMNS}
FROM admin_permissions p JOIN admin_permissions_role_links l ON l.permission_id = p.id
WHERE l.role_id = {{role}} ORDER BY p.action, l.permission_order, p.id""")
_OF_USER: Final = RawStatement(f"""{_COLUMNS}
FROM admin_permissions p JOIN admin_permissions_role_links l ON l.permission_id = p.id
JOIN admin_users_roles_links u ON u.role_id = l.role_id
WHERE u.user_id = {{user}} ORDER BY p.action, l.role_id, l.permission_order, p.id""")

_LAST_ID: Final = "SELECT max(id) FROM admin_permissions"
_ROW: Final = (
    "({{action{0}}}, {{parameters{0}}}, {{subject{0}}}, {{properties{0}}}, {{conditions{0}}},"
    " {{now:instant}}, {{now:instant}})"
)
_INSERT: Final = (
    "INSERT INTO admin_permissions (action, action_parameters, subject, properties, conditions, created_at, updated_at)"
    " VALUES "
)
_LINK: Final = RawStatement("""
INSERT INTO admin_permissions_role_links (permission_id, role_id, permission_order)
SELECT p.id, {role}, p.id - {after} + coalesce((
  SELECT max(permission_order) FROM admin_permissions_role_links WHERE role_id = {role}), 0)
FROM admin_permissions p WHERE p.id > {after}""")
_NEW_IDS: Final = RawStatement("SELECT id FROM admin_permissions WHERE id > {after} ORDER BY id")
_CHANGE: Final = RawStatement(
    "UPDATE admin_permissions SET properties = {properties}, updated_at = {now:instant} WHERE id = {permission}"
)
_UNLINK: Final = RawStatement("DELETE FROM admin_permissions_role_links WHERE permission_id = {permission}")
_DELETE: Final = RawStatement("DELETE FROM admin_permissions WHERE id = {permission}")


@dataclass(frozen=True, slots=True)
class Permission:
    """The content of a row."""

    action: str
    subject: str | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)
    conditions: Sequence[str] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredPermission:
    """A stored row, with its role."""

    id: int
    role_id: int
    said: Permission


async def read_permissions(connection: Connection) -> tuple[StoredPermission, ...]:
    """Return the permissions of all roles."""
    return tuple(_stored(row) for row in await connection.fetch_all(_ALL, long=True))


def without_unknown_plugins(stored: Iterable[StoredPermission], catalogue: Catalogue) -> tuple[StoredPermission, ...]:
    """Leave out permissions of plugins that only v4 has."""
    is_unknown = catalogue.is_of_unknown_plugin
    return tuple(one for one in stored if not is_unknown(one.said.action, one.said.subject))


async def permissions_of_role(connection: Connection, dialect: Dialect, role_id: int) -> tuple[StoredPermission, ...]:
    """Return the permissions of a role."""
    rows = await connection.fetch_all(*_OF_ROLE.bind(dialect, role=role_id))
    return tuple(_stored(row) for row in rows)


async def permissions_of_user(connection: Connection, dialect: Dialect, user_id: int) -> tuple[StoredPermission, ...]:
    """Return the permissions of all roles of an administrator."""
    rows = await connection.fetch_all(*_OF_USER.bind(dialect, user=user_id))
    return tuple(_stored(row) for row in rows)


async def insert_permissions(
    unit: UnitOfWork, dialect: Dialect, role_id: int, permissions: Sequence[Permission]
) -> None:
    """Add permissions to a role, after the existing ones."""
    if not permissions:
        return
    connection, now = unit.connection, this_moment()
    after = await connection.fetch_value(_LAST_ID) or 0
    for start in range(0, len(permissions), _AT_ONCE):
        part = permissions[start : start + _AT_ONCE]
        values = {f"{key}{index}": value for index, one in enumerate(part) for key, value in _values(one).items()}
        statement = RawStatement(_INSERT + ", ".join(_ROW.format(index) for index in range(len(part))))
        await connection.execute(*statement.bind(dialect, now=now, **values))
    await connection.execute(*_LINK.bind(dialect, role=role_id, after=after))
    for (permission_id,) in await connection.fetch_all(*_NEW_IDS.bind(dialect, after=after)):
        unit.record(ADMIN_PERMISSION, permission_id, ChangeKind.CREATE)
    unit.record(ADMIN_ROLE, role_id, ChangeKind.UPDATE)


async def change_properties(
    unit: UnitOfWork, dialect: Dialect, permission_id: int, properties: Mapping[str, Any]
) -> None:
    """Replace the fields and locales of a permission."""
    text, now = orjson.dumps(properties).decode(), this_moment()
    await unit.connection.execute(*_CHANGE.bind(dialect, permission=permission_id, properties=text, now=now))
    unit.record(ADMIN_PERMISSION, permission_id, ChangeKind.UPDATE)


async def delete_permissions(unit: UnitOfWork, dialect: Dialect, ids: Iterable[int]) -> None:
    """Delete permissions by id."""
    for permission_id in ids:
        await unit.connection.execute(*_UNLINK.bind(dialect, permission=permission_id))
        await unit.connection.execute(*_DELETE.bind(dialect, permission=permission_id))
        unit.record(ADMIN_PERMISSION, permission_id, ChangeKind.DELETE)


def _values(said: Permission) -> dict[str, Any]:
    texts = {"parameters": said.parameters, "properties": said.properties, "conditions": list(said.conditions)}
    return {
        "action": said.action,
        "subject": said.subject,
        **{key: orjson.dumps(value).decode() for key, value in texts.items()},
    }


def _stored(row: Sequence[Any]) -> StoredPermission:
    permission_id, role_id, action, parameters, subject, properties, conditions = row
    known, named, given = (_parsed(text) for text in (properties, conditions, parameters))
    said = Permission(
        action or "",
        subject,
        known if isinstance(known, dict) else {},
        named if isinstance(named, list) else [],
        given if isinstance(given, dict) else {},
    )
    return StoredPermission(permission_id, role_id, said)


def _parsed(text: Any) -> Any:
    try:
        return orjson.loads(text) if isinstance(text, str | bytes) else text
    except orjson.JSONDecodeError:
        return None


_RIGHTS: Final = RawStatement("""
SELECT l.role_id, p.action, p.subject, p.properties, p.conditions
FROM admin_permissions p JOIN admin_permissions_role_links l ON l.permission_id = p.id""")
_OWN_ROLES: Final = RawStatement("SELECT role_id FROM admin_users_roles_links WHERE user_id = {user}")
_SUPER: Final = RawStatement("SELECT id FROM admin_roles WHERE code = {role}")


async def check_covers(connection: Connection, dialect: Dialect, actor: Actor, roles: Sequence[int]) -> None:
    """Raise ForbiddenError if any of these roles has permissions that the actor lacks."""
    if actor.ability.everything or not roles:
        return
    rows = await connection.fetch_all(*_OWN_ROLES.bind(dialect, user=actor.id))
    own_ids = {row[0] for row in rows}
    if set(roles) <= own_ids:
        return
    supers = {row[0] for row in await connection.fetch_all(*_SUPER.bind(dialect, role=SUPER_ADMIN))}
    rights = await connection.fetch_all(*_RIGHTS.bind(dialect), long=True)
    own = _grants(rights, own_ids)
    wanted = _grants(rights, set(roles) - own_ids)
    if supers & set(roles) or not all_within(wanted, own):
        raise ForbiddenError


def _grants(rows: Sequence[Any], roles: set[int]) -> list[Grant]:
    grants = (read_grant(*row[1:]) for row in rows if row[0] in roles)
    return [grant for grant in grants if grant is not None]
