"""Read administrators and their roles from v4's tables (`admin_users`, `admin_roles`)."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any, Final, Literal

from octavo.access.authentication.admin_sessions import SUPER_ADMIN
from octavo.access.authentication.one_time_codes import CodeSubject, Purpose, is_plain_match
from octavo.core.clock import read_moment
from octavo.core.values import dataclass
from octavo.database.connection import Connection
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement

TokenKind = Literal["reset", "registration"]

_LIST: Final = """
SELECT id, firstname, lastname, username, email, is_active, blocked, prefered_language,
  {{created_at:milliseconds}}, {{updated_at:milliseconds}},
  password
FROM admin_users {where} ORDER BY id"""

_ALL: Final = RawStatement(_LIST.format(where=""))
_BY_EMAIL: Final = RawStatement(_LIST.format(where="WHERE email = {email}"))
_BY_ID: Final = RawStatement(_LIST.format(where="WHERE id = {user}"))

_ROLES_OF: Final = RawStatement("""
SELECT r.id, r.name, r.description, r.code FROM admin_users_roles_links l JOIN admin_roles r ON r.id = l.role_id
WHERE l.user_id = {user} ORDER BY l.role_order, l.id""")

_ROLES_BY_ID: Final = "SELECT id, name, description, code FROM admin_roles ORDER BY id"
_ROLE: Final = RawStatement(
    "SELECT id FROM admin_roles WHERE code IN ({role}, {code}) OR name = {role} ORDER BY id LIMIT 1"
)
_COLUMNS: Final[Mapping[TokenKind, str]] = {"reset": "reset_password_token", "registration": "registration_token"}
_BY_PLAIN: Final = {
    kind: RawStatement(_LIST.format(where=f"WHERE {column} = {{code}}")) for kind, column in _COLUMNS.items()
}
_STORED: Final = {
    kind: RawStatement(f"SELECT {column} FROM admin_users WHERE id = {{user}}")  # noqa: S608
    for kind, column in _COLUMNS.items()
}
_HAS_SUPER: Final = RawStatement("""
SELECT 1 FROM admin_users u JOIN admin_users_roles_links l ON l.user_id = u.id JOIN admin_roles r ON r.id = l.role_id
WHERE r.code = {role} AND u.is_active AND NOT coalesce(u.blocked, {no}) LIMIT 1""")


@dataclass(frozen=True, slots=True)
class AdminRole:
    """An administrator role."""

    id: int
    name: str
    description: str | None
    code: str


@dataclass(frozen=True, slots=True)
class Administrator:
    """An administrator. Only active ones that are not blocked can sign in."""

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
    """The password hash."""


NO_ADMINISTRATOR: Final = Administrator(
    0,
    None,
    None,
    None,
    "nobody@localhost",
    active=False,
    blocked=True,
    language=None,
    created_at=None,
    updated_at=None,
    password=None,
)
"""Used if no administrator is found, so that the response takes the same time."""


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
    """Return the administrator with this email address, in lower case."""
    row = await connection.fetch_row(*_BY_EMAIL.bind(dialect, email=email))
    return None if row is None else _read(row)


async def read_administrator(connection: Connection, dialect: Dialect, user_id: int) -> Administrator | None:
    """Return the administrator with this id."""
    row = await connection.fetch_row(*_BY_ID.bind(dialect, user=user_id))
    return None if row is None else _read(row)


async def list_administrators(connection: Connection, dialect: Dialect) -> tuple[Administrator, ...]:
    """Return all administrators."""
    return tuple(_read(row) for row in await connection.fetch_all(*_ALL.bind(dialect), long=True))


async def roles_of(connection: Connection, dialect: Dialect, user_id: int) -> tuple[AdminRole, ...]:
    """Return the roles of an administrator."""
    return tuple(AdminRole(*row) for row in await connection.fetch_all(*_ROLES_OF.bind(dialect, user=user_id)))


async def has_administrators(connection: Connection) -> bool:
    """Return whether any administrator exists."""
    return bool(await connection.fetch_value("SELECT 1 FROM admin_users LIMIT 1"))


def subject_of(administrator: Administrator, kind: TokenKind) -> CodeSubject:
    """Return the subject of an administrator's mailed code."""
    purpose: Purpose = "administrator reset" if kind == "reset" else "administrator invitation"
    return CodeSubject(purpose, administrator.id, administrator.email, administrator.password)


async def stored_code(connection: Connection, dialect: Dialect, kind: TokenKind, user_id: int) -> str | None:
    """Return the stored form of an administrator's mailed code."""
    code = await connection.fetch_value(*_STORED[kind].bind(dialect, user=user_id))
    return None if code is None else str(code)


async def find_by_plain_code(
    connection: Connection, dialect: Dialect, kind: TokenKind, code: str
) -> Administrator | None:
    """Return the administrator with a stored v4 code."""
    row = await connection.fetch_row(*_BY_PLAIN[kind].bind(dialect, code=code))
    if row is None or not is_plain_match(code, await stored_code(connection, dialect, kind, row[0])):
        return None  # the collation of the column can ignore case and accents
    return _read(row)


async def read_roles(connection: Connection) -> dict[int, AdminRole]:
    """Return all roles, by id."""
    return {row[0]: AdminRole(*row) for row in await connection.fetch_all(_ROLES_BY_ID)}


async def role_id_of(connection: Connection, dialect: Dialect, role: str) -> int | None:
    """Return the id of the role with this code, with or without `strapi-`, or with this name."""
    role_id = await connection.fetch_value(*_ROLE.bind(dialect, role=role, code=f"strapi-{role}"))
    return None if role_id is None else int(role_id)


async def has_super_admin(connection: Connection, dialect: Dialect) -> bool:
    """Return whether a super admin can sign in."""
    return bool(await connection.fetch_value(*_HAS_SUPER.bind(dialect, role=SUPER_ADMIN, no=False)))
