"""Check that administrators only give users permissions that they have themselves.

Choosing a user's role, the page that reset codes are mailed with, or a provider that vouches for users grants the
permissions of these roles. So the administrator needs them, too. Roles are read under a lock (`role_grants.LOCK`), so
they cannot change or be deleted before the commit. Raises ForbiddenError and ValidationError.
"""

from collections.abc import Iterable
from typing import Final

from octavo.access.authorization.actor import Actor
from octavo.access.authorization.admin.escalation import check_users_get_within
from octavo.access.authorization.role_grants import LOCK, granted_within
from octavo.core.errors import Problem, ValidationError
from octavo.database.unit_of_work import UnitOfWork
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement

_BY_TYPE: Final = RawStatement("SELECT id FROM up_roles WHERE type = {type} ORDER BY id LIMIT 1")
_TYPES: Final = "SELECT DISTINCT type FROM up_roles WHERE type IS NOT NULL ORDER BY type"
_OF_ALL: Final = "SELECT DISTINCT action FROM up_permissions"
_ROLE_OF: Final = RawStatement("SELECT role_id FROM up_users_role_links WHERE user_id = {user}")


async def check_default_role(unit: UnitOfWork, dialect: Dialect, role_type: object) -> int:
    """Return the id of the role with this type. Raises ValidationError, which lists the existing roles."""
    await unit.connection.lock(LOCK)
    role_id = await role_of_type(unit, dialect, role_type) if isinstance(role_type, str) else None
    if role_id is None:
        known = ", ".join(str(row[0]) for row in await unit.connection.fetch_all(_TYPES))
        message = f"default_role must be the type of an existing role: {known}"
        raise ValidationError.from_problems([Problem(("default_role",), message)])
    return role_id


async def role_of_type(unit: UnitOfWork, dialect: Dialect, role_type: str) -> int | None:
    """Return the id of the role with this type; None if there is none."""
    found = await unit.connection.fetch_value(*_BY_TYPE.bind(dialect, type=role_type))
    return None if found is None else int(found)


async def check_roles_given(unit: UnitOfWork, dialect: Dialect, actor: Actor, roles: Iterable[int]) -> None:
    """Raise ForbiddenError if any of these roles has permissions that an administrator lacks."""
    if actor.kind != "administrator" or actor.ability.everything:
        return
    await unit.connection.lock(LOCK)
    for role_id in roles:
        check_users_get_within(actor, await granted_within(unit, dialect, role_id))


async def check_all_users(unit: UnitOfWork, actor: Actor) -> None:
    """Raise ForbiddenError if any role of users has permissions that an administrator lacks.

    Required for settings that let an administrator act as any user.
    """
    if actor.kind != "administrator" or actor.ability.everything:
        return
    await unit.connection.lock(LOCK)
    check_users_get_within(actor, [row[0] for row in await unit.connection.fetch_all(_OF_ALL, long=True) if row[0]])


async def role_of_user(unit: UnitOfWork, dialect: Dialect, user_id: int) -> int | None:
    """Return the id of a user's role."""
    found = await unit.connection.fetch_value(*_ROLE_OF.bind(dialect, user=user_id))
    return None if found is None else int(found)
