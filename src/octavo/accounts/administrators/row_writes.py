"""Write administrators and their roles. Each write joins the caller's unit of work and runs hooks.

Raises `ApplicationError` (the email is taken, or no active super admin would remain) and `NotFoundError`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from octavo.access.authentication.admin_sessions import SUPER_ADMIN, end_admin_sessions, note_password
from octavo.accounts.administrators.rows import (
    Administrator,
    TokenKind,
    find_administrator,
    has_super_admin,
    read_administrator,
)
from octavo.core.clock import this_moment
from octavo.core.errors import ApplicationError, ValidationError
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeKind
from octavo.database.connection import Transaction
from octavo.database.unit_of_work import UnitOfWork
from octavo.events.hook_calls import create_row, delete_row, update_row
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement
from octavo.schema.content_types import ADMIN_ROLE, ADMIN_USER

EDITOR: Final = "strapi-editor"
AUTHOR: Final = "strapi-author"

ROLES: Final[Mapping[str, tuple[str, str]]] = {
    SUPER_ADMIN: ("Super Admin", "Super Admins can access and manage all features and settings."),
    EDITOR: ("Editor", "Editors can manage and publish contents including those of other users."),
    AUTHOR: ("Author", "Authors can manage the content they have created."),
}
"""The default roles of a new database by code, with v4's names and descriptions."""

TAKEN: Final = "Email already taken"
_LOCK: Final = "octavo: administrators"
"""The lock for writes of administrators. It keeps email addresses unique and an active super admin."""

_INSERT_ROLE: Final = RawStatement("""
INSERT INTO admin_roles (name, code, description, created_at, updated_at)
VALUES ({name}, {code}, {description}, {now:instant}, {now:instant}) {id:returning}""")
_INSERT: Final = RawStatement("""
INSERT INTO admin_users (firstname, lastname, email, prefered_language, password, is_active, blocked, created_at,
  updated_at)
VALUES ({firstname}, {lastname}, {email}, {language}, {password}, {active}, {blocked}, {now:instant}, {now:instant})
{id:returning}""")
_INSERT_LINK: Final = RawStatement("""
INSERT INTO admin_users_roles_links (user_id, role_id, role_order, user_order)
SELECT {user}, {role}, {place}, coalesce(max(user_order), 0) + 1 FROM admin_users_roles_links WHERE role_id = {role}""")
_DELETE_LINKS: Final = RawStatement("DELETE FROM admin_users_roles_links WHERE user_id = {user}")
_DELETE: Final = RawStatement("DELETE FROM admin_users WHERE id = {user}")
_UPDATE: Final = RawStatement("""
UPDATE admin_users SET firstname = {firstname}, lastname = {lastname}, username = {username}, email = {email},
  prefered_language = {language}, is_active = {active}, updated_at = {now:instant}
WHERE id = {user}""")
_SET_PASSWORD: Final = RawStatement("UPDATE admin_users SET password = {password} WHERE id = {user}")
_END_CODES: Final = RawStatement(
    "UPDATE admin_users SET reset_password_token = NULL, registration_token = NULL WHERE id = {user}"
)
_SET_CODE: Final[Mapping[TokenKind, RawStatement]] = {
    "reset": RawStatement("UPDATE admin_users SET reset_password_token = {code} WHERE id = {user}"),
    "registration": RawStatement("UPDATE admin_users SET registration_token = {code} WHERE id = {user}"),
}


@dataclass(frozen=True, slots=True)
class NewRow:
    """An administrator to create: active with a password hash, or invited."""

    email: str
    firstname: str
    lastname: str | None = None
    language: str | None = None
    roles: tuple[int, ...] = ()
    password: str | None = field(default=None, repr=False)


async def lock_administrators(connection: Transaction) -> None:
    """Lock administrators until the transaction ends."""
    await connection.lock(_LOCK)


async def insert_administrator(unit: UnitOfWork, dialect: Dialect, new: NewRow) -> int:
    """Create an administrator and return the id. The caller must hold the lock."""
    connection = unit.connection
    if await find_administrator(connection, dialect, new.email) is not None:
        raise ApplicationError(TAKEN)

    async def write(given: Mapping[str, Any]) -> int:
        made = _INSERT.bind(
            dialect,
            firstname=given["firstname"],
            lastname=given["lastname"],
            email=given["email"],
            language=new.language,
            password=new.password,
            active=new.password is not None,
            blocked=False,
            now=this_moment(),
        )
        user_id = int(await connection.fetch_value(*made))
        await _link(unit, dialect, user_id, new.roles)
        unit.record(ADMIN_USER, user_id, ChangeKind.CREATE)
        return user_id

    fields = {"firstname": new.firstname, "lastname": new.lastname, "email": new.email}
    return await create_row(unit, ADMIN_USER, fields, write)


async def update_administrator(
    unit: UnitOfWork,
    dialect: Dialect,
    changed: Administrator,
    roles: Sequence[int] | None = None,
    password: str | None = None,
    *,
    deactivates: bool = False,
) -> None:
    """Update an administrator, with `roles` and a `password` hash if they change. The caller must hold the lock.

    A new email address or password invalidates mailed codes. `deactivates` also ends sessions and withdraws an
    invitation.
    """
    connection, user = unit.connection, changed.id
    fields = {"firstname": changed.firstname, "lastname": changed.lastname, "email": changed.email}
    had_super = await has_super_admin(connection, dialect)
    before = await read_administrator(connection, dialect, user)

    async def write(given: Mapping[str, Any]) -> None:
        texts = {name: given[name] for name in fields}
        more = {"username": changed.username, "language": changed.language, "active": changed.active}
        await connection.execute(*_UPDATE.bind(dialect, user=user, now=this_moment(), **texts, **more))
        if roles is not None:
            await connection.execute(*_DELETE_LINKS.bind(dialect, user=user))
            await _link(unit, dialect, user, roles)
        if password is not None:
            await connection.execute(*_SET_PASSWORD.bind(dialect, password=password, user=user))
            await note_password(connection, dialect, user)
        if deactivates:
            await end_admin_sessions(connection, dialect, user)
        if deactivates or password is not None or before is None or before.email != texts["email"]:
            await connection.execute(*_END_CODES.bind(dialect, user=user))
        unit.record(ADMIN_USER, user, ChangeKind.UPDATE)

    await update_row(unit, ADMIN_USER, user, fields, write)
    await _check_super_admin(unit, dialect, had_super)


async def delete_administrator(unit: UnitOfWork, dialect: Dialect, found: Administrator) -> None:
    """Delete an administrator and their sessions. The caller must hold the lock."""
    had_super = await has_super_admin(unit.connection, dialect)

    async def remove() -> None:
        await end_admin_sessions(unit.connection, dialect, found.id)
        for statement in (_DELETE_LINKS, _DELETE):
            await unit.connection.execute(*statement.bind(dialect, user=found.id))
        unit.record(ADMIN_USER, found.id, ChangeKind.DELETE)

    was = {"firstname": found.firstname, "lastname": found.lastname, "email": found.email}
    await delete_row(unit, ADMIN_USER, found.id, was, remove)
    await _check_super_admin(unit, dialect, had_super)


async def store_code(unit: UnitOfWork, dialect: Dialect, kind: TokenKind, user: int, stored: str) -> None:
    """Store the sealed form of a mailed code, which invalidates the previous one."""
    if await unit.connection.execute(*_SET_CODE[kind].bind(dialect, code=stored, user=user)):
        unit.record(ADMIN_USER, user, ChangeKind.UPDATE)


async def ensure_roles(unit: UnitOfWork, dialect: Dialect) -> None:
    """Create v4's default roles if there are no roles."""
    if await unit.connection.fetch_value("SELECT 1 FROM admin_roles LIMIT 1"):
        return
    for code, (name, description) in ROLES.items():
        made = _INSERT_ROLE.bind(dialect, name=name, code=code, description=description, now=this_moment())
        role_id = await unit.connection.fetch_value(*made)
        unit.record(ADMIN_ROLE, role_id, ChangeKind.CREATE)


async def _link(unit: UnitOfWork, dialect: Dialect, user: int, roles: Sequence[int]) -> None:
    for place, role in enumerate(dict.fromkeys(roles), 1):
        await unit.connection.execute(*_INSERT_LINK.bind(dialect, user=user, role=role, place=float(place)))


async def _check_super_admin(unit: UnitOfWork, dialect: Dialect, had_one: bool) -> None:
    if had_one and not await has_super_admin(unit.connection, dialect):
        raise ValidationError("You must have at least one user with super admin role.")
