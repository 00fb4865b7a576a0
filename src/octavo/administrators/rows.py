"""Administrator rows: administrators as v4 keeps them (`admin_users`, `admin_roles`), read and written.

Each write takes part in a unit of work of the caller's. Refuses with `ApplicationError` (an address taken) and
`NotFoundError`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from octavo.authentication.admin_sessions import SUPER_ADMIN
from octavo.clock import read_moment, this_moment
from octavo.database.change_feed import ChangeKind
from octavo.database.connection import Connection, Transaction
from octavo.database.unit_of_work import UnitOfWork
from octavo.errors import ApplicationError, NotFoundError
from octavo.events.telling import create_row, update_row
from octavo.schema.uids import ADMIN_ROLE, ADMIN_USER
from octavo.sql.dialects.base import Dialect
from octavo.sql.own_table_statement import OwnStatement

ROLES: Final[Mapping[str, tuple[str, str]]] = {
    SUPER_ADMIN: ("Super Admin", "Super Admins can access and manage all features and settings."),
    "strapi-editor": ("Editor", "Editors can manage and publish contents including those of other users."),
    "strapi-author": ("Author", "Authors can manage the content they have created."),
}
"""The roles of a database that has none, by code: name and description, as v4 makes them."""

_LOCK: Final = "octavo: administrators"
"""What writers of administrators wait for, so that an address is used once."""

_LIST: Final = """
SELECT id, firstname, lastname, username, email, is_active, blocked, prefered_language,
  {{created_at:milliseconds}}, {{updated_at:milliseconds}},
  password
FROM admin_users {where} ORDER BY id"""

_ALL: Final = OwnStatement(_LIST.format(where=""))
_BY_EMAIL: Final = OwnStatement(_LIST.format(where="WHERE email = {email}"))
_BY_ID: Final = OwnStatement(_LIST.format(where="WHERE id = {user}"))

_ROLES_OF: Final = OwnStatement("""
SELECT r.id, r.name, r.description, r.code FROM admin_users_roles_links l JOIN admin_roles r ON r.id = l.role_id
WHERE l.user_id = {user} ORDER BY l.role_order, l.id""")

_ROLE: Final = OwnStatement(
    "SELECT id FROM admin_roles WHERE code IN ({role}, {code}) OR name = {role} ORDER BY id LIMIT 1"
)

_INSERT_ROLE: Final = OwnStatement("""
INSERT INTO admin_roles (name, code, description, created_at, updated_at)
VALUES ({name}, {code}, {description}, {now:instant}, {now:instant}) {id:returning}""")

_INSERT: Final = OwnStatement("""
INSERT INTO admin_users (firstname, lastname, email, password, is_active, blocked, created_at, updated_at)
VALUES ({firstname}, {lastname}, {email}, {password}, {active}, {blocked}, {now:instant}, {now:instant})
{id:returning}""")

_INSERT_LINK: Final = OwnStatement("""
INSERT INTO admin_users_roles_links (user_id, role_id, role_order, user_order)
SELECT {user}, {role}, 1, coalesce(max(user_order), 0) + 1 FROM admin_users_roles_links WHERE role_id = {role}""")

_SET_PASSWORD: Final = OwnStatement("""
UPDATE admin_users SET password = {password}, reset_password_token = NULL, updated_at = {now:instant}
WHERE email = {email} {id:returning}""")


@dataclass(frozen=True, slots=True)
class AdminRole:
    """A role of administrators."""

    id: int
    name: str
    description: str | None
    code: str


@dataclass(frozen=True, slots=True)
class Administrator:
    """An administrator. Only one who is active and not blocked gets in."""

    id: int
    firstname: str | None
    lastname: str | None
    username: str | None
    email: str
    active: bool
    blocked: bool
    language: str | None
    created_at: datetime | None
    updated_at: datetime | None
    password: str | None = field(repr=False)
    """The hash."""


def _read(row: Sequence[Any]) -> Administrator:
    user_id, firstname, lastname, username, email, active, blocked, language, created, updated, password = row
    return Administrator(
        user_id,
        firstname,
        lastname,
        username,
        email or "",
        bool(active),
        bool(blocked),
        language,
        read_moment(created),
        read_moment(updated),
        password,
    )


async def find_administrator(connection: Connection, dialect: Dialect, email: str) -> Administrator | None:
    """The administrator with an address, in lower case."""
    row = await connection.fetch_row(*_BY_EMAIL.bind(dialect, email=email))
    return None if row is None else _read(row)


async def read_administrator(connection: Connection, dialect: Dialect, user_id: int) -> Administrator | None:
    """The administrator with an id."""
    row = await connection.fetch_row(*_BY_ID.bind(dialect, user=user_id))
    return None if row is None else _read(row)


async def list_administrators(connection: Connection, dialect: Dialect) -> tuple[Administrator, ...]:
    """All administrators."""
    return tuple(_read(row) for row in await connection.fetch_all(*_ALL.bind(dialect), long=True))


async def roles_of(connection: Connection, dialect: Dialect, user_id: int) -> tuple[AdminRole, ...]:
    """The roles of an administrator."""
    return tuple(AdminRole(*row) for row in await connection.fetch_all(*_ROLES_OF.bind(dialect, user=user_id)))


async def has_administrators(connection: Connection) -> bool:
    """Whether there is any."""
    return bool(await connection.fetch_value("SELECT 1 FROM admin_users LIMIT 1"))


async def lock_administrators(connection: Transaction) -> None:
    """Have other writers wait until the end of the transaction."""
    await connection.lock(_LOCK)


async def insert_administrator(
    unit: UnitOfWork, dialect: Dialect, names: tuple[str, str], email: str, hashed: str, role: str
) -> int:
    """A new administrator with a role, given by code (with or without `strapi-`) or name; the id."""
    connection = unit.connection
    await lock_administrators(connection)
    if await find_administrator(connection, dialect, email) is not None:
        raise ApplicationError(f"There is an administrator with the address {email} already")
    await _ensure_roles(unit, dialect)
    role_id = await connection.fetch_value(*_ROLE.bind(dialect, role=role, code=f"strapi-{role}"))
    if role_id is None:
        raise NotFoundError(f"There is no role of administrators {role!r}")

    async def write(given: Mapping[str, Any]) -> int:
        texts = {name: given[name] for name in ("firstname", "lastname", "email")}
        made = _INSERT.bind(dialect, password=hashed, active=True, blocked=False, now=this_moment(), **texts)
        user_id = int(await connection.fetch_value(*made))
        await connection.execute(*_INSERT_LINK.bind(dialect, user=user_id, role=role_id))
        unit.record(ADMIN_USER, user_id, ChangeKind.CREATE)
        return user_id

    firstname, lastname = names
    return await create_row(unit, ADMIN_USER, {"firstname": firstname, "lastname": lastname, "email": email}, write)


async def store_password(unit: UnitOfWork, dialect: Dialect, email: str, hashed: str) -> None:
    """Another password; every session under the old one is over. Raises NotFoundError."""
    found = await find_administrator(unit.connection, dialect, email)
    if found is None:
        raise NotFoundError(f"There is no administrator with the address {email}")

    async def write(_: object) -> None:
        change = _SET_PASSWORD.bind(dialect, password=hashed, now=this_moment(), email=email)
        await unit.connection.fetch_all(*change)
        unit.record(ADMIN_USER, found.id, ChangeKind.UPDATE)

    await update_row(unit, ADMIN_USER, found.id, {}, write)


async def _ensure_roles(unit: UnitOfWork, dialect: Dialect) -> None:
    """The roles that v4 makes at its first start, where there are none."""
    if await unit.connection.fetch_value("SELECT 1 FROM admin_roles LIMIT 1"):
        return
    for code, (name, description) in ROLES.items():
        made = _INSERT_ROLE.bind(dialect, name=name, code=code, description=description, now=this_moment())
        role_id = await unit.connection.fetch_value(*made)
        unit.record(ADMIN_ROLE, role_id, ChangeKind.CREATE)
