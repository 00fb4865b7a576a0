"""Create administrators and set passwords without the admin panel: by commands, and by settings at startup."""

import re
from dataclasses import field, replace
from typing import Final

from octavo.access.authentication.admin_sessions import SUPER_ADMIN
from octavo.access.authentication.passwords import MAX_BYTES, hash_password
from octavo.accounts.administrators.row_writes import (
    NewRow,
    ensure_roles,
    insert_administrator,
    lock_administrators,
    update_administrator,
)
from octavo.accounts.administrators.rows import find_administrator, has_administrators, role_id_of
from octavo.core.errors import ApplicationError, NotFoundError
from octavo.core.forms.texts import is_email, is_storable
from octavo.core.text_limits import MAX_EMAIL
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeFeed
from octavo.database.connection import Database
from octavo.database.unit_of_work import UnitOfWork, unit_of_work

_SHORTEST: Final = 8
_NEEDED: Final = {"a lowercase letter": "[a-z]", "an uppercase letter": "[A-Z]", "a digit": r"\d"}


@dataclass(frozen=True, slots=True)
class NewAdministrator:
    """An administrator to create. `role`: a role's code, with or without `strapi-`, or its name."""

    email: str
    password: str = field(repr=False)
    firstname: str = ""
    lastname: str = ""
    role: str = SUPER_ADMIN


async def create_administrator(database: Database, new: NewAdministrator, feed: ChangeFeed | None = None) -> int:
    """Create an administrator and return the id. Raises ApplicationError and NotFoundError."""
    email = _check_email(new.email)
    for text in (new.firstname, new.lastname):
        _check_name(text)
    hashed = await _hashed(new.password)
    names = (new.firstname or email.partition("@")[0], new.lastname)
    async with unit_of_work(database, feed) as unit:
        return await _make(unit, database, NewRow(email, *names, password=hashed), new.role)


async def ensure_first_administrator(database: Database, email: str, password: str) -> bool:
    """Create a super admin if there is no administrator; return whether one was created."""
    if await has_administrators(database):
        return False
    email, hashed = _check_email(email), await _hashed(password)
    async with unit_of_work(database) as unit:
        await lock_administrators(unit.connection)
        if await has_administrators(unit.connection):
            return False
        await _make(unit, database, NewRow(email, email.partition("@")[0], "", password=hashed), SUPER_ADMIN)
    return True


async def _make(unit: UnitOfWork, database: Database, new: NewRow, role: str) -> int:
    dialect = database.dialect
    await lock_administrators(unit.connection)
    await ensure_roles(unit, dialect)
    role_id = await role_id_of(unit.connection, dialect, role)
    if role_id is None:
        raise NotFoundError(f"No administrator role is named {role!r}")
    if await find_administrator(unit.connection, dialect, new.email) is not None:
        raise ApplicationError(f"An administrator with the email address {new.email} already exists")
    return await insert_administrator(unit, dialect, replace(new, roles=(role_id,)))


async def reset_password(database: Database, email: str, password: str, feed: ChangeFeed | None = None) -> None:
    """Set an administrator's password and end their sessions. Raises ApplicationError and NotFoundError."""
    email, hashed = _check_email(email), await _hashed(password)
    async with unit_of_work(database, feed) as unit:
        await lock_administrators(unit.connection)
        administrator = await find_administrator(unit.connection, database.dialect, email)
        if administrator is None:
            raise NotFoundError(f"No administrator has the email address {email}")
        await update_administrator(unit, database.dialect, administrator, password=hashed)


def _check_email(text: str) -> str:
    email = text.strip().lower()
    if not (len(email) <= MAX_EMAIL and is_storable(email)) or not is_email(email):
        raise ApplicationError(f"{text!r} is not an email address")
    return email


def _check_name(text: str) -> None:
    if len(text) > 255 or not is_storable(text):
        raise ApplicationError("A name must have at most 255 characters and no NUL")


async def _hashed(password: str) -> str:
    """Return the hash of a password. Raises ApplicationError if it does not comply with v4's rules."""
    missing = [what for what, pattern in _NEEDED.items() if not re.search(pattern, password, re.ASCII)]
    if len(password) < _SHORTEST or not is_storable(password):
        raise ApplicationError(f"A password must have at least {_SHORTEST} characters")
    if missing:
        raise ApplicationError(f"A password must contain {', '.join(missing)}")
    if len(password.encode()) > MAX_BYTES:
        raise ApplicationError(f"A password must have at most {MAX_BYTES} bytes")
    return (await hash_password(password)).hash
