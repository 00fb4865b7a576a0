"""Administrator rows: administrators as v4 keeps them (`admin_users`, `admin_roles`), read and written.

Each write takes part in a transaction of the caller's. Refuses with `ApplicationError` (an address taken) and
`NotFoundError`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from octavo.access.statements import read_moment, say
from octavo.content.instants import this_moment
from octavo.database.connection import Connection, Transaction
from octavo.errors import ApplicationError, NotFoundError

SUPER_ADMIN: Final = "strapi-super-admin"
"""The code of the role that may do everything."""

ROLES: Final[Mapping[str, tuple[str, str]]] = {
    SUPER_ADMIN: ("Super Admin", "Super Admins can access and manage all features and settings."),
    "strapi-editor": ("Editor", "Editors can manage and publish contents including those of other users."),
    "strapi-author": ("Author", "Authors can manage the content they have created."),
}
"""The roles of a database that has none, by code: name and description, as v4 makes them."""

_LOCK: Final = "octavo: administrators"
"""What writers of administrators wait for, so that an address is used once."""

_LIST: Final = """
SELECT id, firstname, lastname, username, email, is_active, blocked, prefered_language, ms(created_at), ms(updated_at),
  password
FROM admin_users {where} ORDER BY id"""

_ALL: Final = _LIST.format(where="")
_BY_EMAIL: Final = _LIST.format(where="WHERE email = ?1")
_BY_ID: Final = _LIST.format(where="WHERE id = ?1")

_ROLES_OF: Final = """
SELECT r.id, r.name, r.description, r.code FROM admin_users_roles_links l JOIN admin_roles r ON r.id = l.role_id
WHERE l.user_id = ?1 ORDER BY l.role_order, l.id"""

_ROLE: Final = "SELECT id FROM admin_roles WHERE code IN (?1, ?2) OR name = ?1 ORDER BY id LIMIT 1"

_INSERT_ROLE: Final = """
INSERT INTO admin_roles (name, code, description, created_at, updated_at) VALUES (?1, ?2, ?3, at(?4), at(?4))"""

_INSERT: Final = """
INSERT INTO admin_users (firstname, lastname, email, password, is_active, blocked, created_at, updated_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, at(?7), at(?7)) RETURNING id"""

_INSERT_LINK: Final = """
INSERT INTO admin_users_roles_links (user_id, role_id, role_order, user_order)
SELECT ?1, ?2, 1, coalesce(max(user_order), 0) + 1 FROM admin_users_roles_links WHERE role_id = ?2"""

_SET_PASSWORD: Final = """
UPDATE admin_users SET password = ?1, reset_password_token = NULL, updated_at = at(?2) WHERE email = ?3"""


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


async def find_administrator(connection: Connection, dialect: str, email: str) -> Administrator | None:
    """The administrator with an address, in lower case."""
    row = await connection.fetch_row(say(dialect, _BY_EMAIL), (email,))
    return None if row is None else _read(row)


async def read_administrator(connection: Connection, dialect: str, user_id: int) -> Administrator | None:
    """The administrator with an id."""
    row = await connection.fetch_row(say(dialect, _BY_ID), (user_id,))
    return None if row is None else _read(row)


async def list_administrators(connection: Connection, dialect: str) -> tuple[Administrator, ...]:
    """All administrators."""
    return tuple(_read(row) for row in await connection.fetch_all(say(dialect, _ALL), long=True))


async def roles_of(connection: Connection, dialect: str, user_id: int) -> tuple[AdminRole, ...]:
    """The roles of an administrator."""
    return tuple(AdminRole(*row) for row in await connection.fetch_all(say(dialect, _ROLES_OF), (user_id,)))


async def has_administrators(connection: Connection) -> bool:
    """Whether there is any."""
    return bool(await connection.fetch_value("SELECT 1 FROM admin_users LIMIT 1"))


async def lock_administrators(connection: Transaction) -> None:
    """Have other writers wait until the end of the transaction."""
    await connection.lock(_LOCK)


async def insert_administrator(
    connection: Transaction, dialect: str, names: tuple[str, str], email: str, hashed: str, role: str
) -> int:
    """A new administrator with a role, given by code (with or without `strapi-`) or name; the id."""
    await lock_administrators(connection)
    if await find_administrator(connection, dialect, email) is not None:
        raise ApplicationError(f"There is an administrator with the address {email} already")
    await _ensure_roles(connection, dialect)
    role_id = await connection.fetch_value(say(dialect, _ROLE), (role, f"strapi-{role}"))
    if role_id is None:
        raise NotFoundError(f"There is no role of administrators {role!r}")
    values = (*names, email, hashed, True, False, this_moment())
    user_id = int(await connection.fetch_value(say(dialect, _INSERT), values))
    await connection.execute(say(dialect, _INSERT_LINK), (user_id, role_id))
    return user_id


async def store_password(connection: Connection, dialect: str, email: str, hashed: str) -> None:
    """Another password; every session under the old one is over. Raises NotFoundError."""
    if not await connection.execute(say(dialect, _SET_PASSWORD), (hashed, this_moment(), email)):
        raise NotFoundError(f"There is no administrator with the address {email}")


async def _ensure_roles(connection: Transaction, dialect: str) -> None:
    """The roles that v4 makes at its first start, where there are none."""
    if await connection.fetch_value("SELECT 1 FROM admin_roles LIMIT 1"):
        return
    for code, (name, description) in ROLES.items():
        await connection.execute(say(dialect, _INSERT_ROLE), (name, code, description, this_moment()))
