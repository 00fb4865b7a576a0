"""Check that an administrator has all permissions of some roles. Raises ForbiddenError."""

from collections.abc import Sequence
from typing import Any, Final

from octavo.access.authentication.admin_sessions import SUPER_ADMIN
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.admin.escalation import all_within
from octavo.access.authorization.admin.grants import Grant, read_grant
from octavo.core.errors import ForbiddenError
from octavo.database.connection import Connection
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement

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
    found = (read_grant(*row[1:]) for row in rows if row[0] in roles)
    return [grant for grant in found if grant is not None]
