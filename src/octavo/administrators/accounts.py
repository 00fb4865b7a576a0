"""Administrators: they log in, renew their access and log out; they are made and get new passwords.

Bodies are taken as they were sent. Refuses with ApplicationError, ValidationError, UnauthorizedError and
RateLimitError, in the words of the reference.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from octavo.administrators.rows import (
    Administrator,
    AdminRole,
    find_administrator,
    has_administrators,
    insert_administrator,
    lock_administrators,
    read_administrator,
    roles_of,
    store_password,
)
from octavo.authentication.admin_sessions import SUPER_ADMIN, AdminSession, AdminSessions, SignedIn
from octavo.authentication.authenticator import Authenticator
from octavo.authentication.credentials import MISSING, is_admin_token, sign_admin_token
from octavo.authentication.passwords import MAX_BYTES, hash_password, verify_password
from octavo.authentication.rate_limits import RateLimits
from octavo.authorization.actor import Actor
from octavo.clock import SYSTEM_CLOCK, Clock
from octavo.database.change_feed import ChangeFeed
from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work
from octavo.errors import ApplicationError, UnauthorizedError
from octavo.forms.texts import is_email, is_storable
from octavo.users.account_input import MAX_EMAIL

_WRONG: Final = "Invalid credentials"
_SHORTEST: Final = 8
_NEEDED: Final = {"a lowercase letter": "[a-z]", "an uppercase letter": "[A-Z]", "a digit": r"\d"}


@dataclass(frozen=True, slots=True)
class AdminOptions:
    """How administrators get in: seconds that an access token and a session last."""

    secret: str = field(repr=False)
    access_seconds: int = 1800
    session_seconds: int = 14 * 86400


@dataclass(frozen=True, slots=True)
class AdminLogin:
    """What a login answers: who it is, an access token, and the refresh cookie, which is shown once."""

    administrator: Administrator
    token: str = field(repr=False)
    cookie: str = field(repr=False)


class Administrators:
    """What administrators do with their own sessions. One for each process."""

    def __init__(
        self,
        database: Database,
        authenticator: Authenticator,
        limits: RateLimits,
        options: AdminOptions,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self.options = options
        self.sessions = AdminSessions(database, clock)
        self._database = database
        self._authenticator = authenticator
        self._limits = limits
        self._clock = clock

    async def login(self, body: Any, client: str) -> AdminLogin:
        """A session for an address and a password."""
        email, password = _credentials(body)
        await self._limits.check("admin-login", client, email)
        found = await find_administrator(self._database, self._database.dialect, email) if _is_sound(email) else None
        if not await verify_password(password, found.password if found else None) or found is None:
            raise ApplicationError(_WRONG)
        if not found.active:
            raise ApplicationError("User not active")
        if found.blocked:
            raise ApplicationError("User blocked")
        async with unit_of_work(self._database) as unit:
            session = await self.sessions.begin(
                unit.connection, found.id, found.password or "", self.options.session_seconds
            )
        return AdminLogin(found, self._sign(session.name), session.cookie)

    async def renew(self, cookie: str, client: str) -> str:
        """Another access token for the session of a refresh cookie."""
        return self._sign((await self._session_of(cookie, client)).name)

    async def logout(self, cookie: str, authorization: str | None, client: str) -> None:
        """End the session of a cookie, or of an access token where there is no cookie."""
        if cookie:
            session = (await self._session_of(cookie, client)).name
        else:
            session = (await self.signed_in(authorization)).session
        async with unit_of_work(self._database) as unit:
            await self.sessions.end(unit.connection, session)
            unit.after_commit(self._authenticator.invalidate)

    async def me(self, actor: Actor) -> tuple[Administrator, tuple[AdminRole, ...]]:
        """The administrator who asks, and their roles. Raises UnauthorizedError when they are gone."""
        dialect = self._database.dialect
        found = await read_administrator(self._database, dialect, actor.id or 0)
        if found is None:
            raise UnauthorizedError(MISSING)
        return found, await roles_of(self._database, dialect, found.id)

    async def signed_in(self, authorization: str | None) -> SignedIn:
        """The administrator of an Authorization header. Raises UnauthorizedError for any other."""
        scheme, _, token = (authorization or "").strip().partition(" ")
        if scheme.lower() != "bearer" or not is_admin_token(token):
            raise UnauthorizedError(MISSING)
        return await self._authenticator.administrators.signed_in(token)

    async def _session_of(self, cookie: str, client: str) -> AdminSession:
        """Only what fails is counted: whoever holds a session may renew it as often as they like."""
        session = await self.sessions.find_by_cookie(cookie)
        if session is None:
            await self._limits.check("admin-session", client)
            raise UnauthorizedError(MISSING)
        return session

    def _sign(self, session: str) -> str:
        return sign_admin_token(session, self.options.secret, self._clock.wall(), self.options.access_seconds)


@dataclass(frozen=True, slots=True)
class NewAdministrator:
    """An administrator to make. `role`: the code of a role, with or without `strapi-`, or its name."""

    email: str
    password: str = field(repr=False)
    firstname: str = ""
    lastname: str = ""
    role: str = SUPER_ADMIN


async def create_administrator(database: Database, new: NewAdministrator, feed: ChangeFeed | None = None) -> int:
    """Make an administrator; the id. Raises ApplicationError, NotFoundError."""
    email = _check_email(new.email)
    for text in (new.firstname, new.lastname):
        _check_name(text)
    hashed = await _hashed(new.password)
    names = (new.firstname or email.partition("@")[0], new.lastname)
    async with unit_of_work(database, feed) as unit:
        return await insert_administrator(unit, database.dialect, names, email, hashed, new.role)


async def ensure_first_administrator(database: Database, email: str, password: str) -> bool:
    """Make an administrator who may do everything, where there is none at all; whether one was made."""
    if await has_administrators(database):
        return False
    email, hashed = _check_email(email), await _hashed(password)
    async with unit_of_work(database) as unit:
        await lock_administrators(unit.connection)
        if await has_administrators(unit.connection):
            return False
        names = (email.partition("@")[0], "")
        await insert_administrator(unit, database.dialect, names, email, hashed, SUPER_ADMIN)
    return True


async def reset_password(database: Database, email: str, password: str, feed: ChangeFeed | None = None) -> None:
    """Give an administrator another password; their sessions are over. Raises ApplicationError, NotFoundError."""
    email, hashed = _check_email(email), await _hashed(password)
    async with unit_of_work(database, feed) as unit:
        await store_password(unit, database.dialect, email, hashed)


def _credentials(body: Any) -> tuple[str, str]:
    """Address and password. What is no text is as wrong as a wrong password."""
    given = body if isinstance(body, Mapping) else {}
    email, password = given.get("email"), given.get("password")
    if not email or not password:
        raise ApplicationError("Missing credentials")
    if not isinstance(email, str) or not isinstance(password, str):
        raise ApplicationError(_WRONG)
    return email.lower(), password


def _is_sound(email: str) -> bool:
    return len(email) <= MAX_EMAIL and is_storable(email)


def _check_email(text: str) -> str:
    email = text.strip().lower()
    if not _is_sound(email) or not is_email(email):
        raise ApplicationError(f"{text!r} is not an e-mail address")
    return email


def _check_name(text: str) -> None:
    if len(text) > 255 or not is_storable(text):
        raise ApplicationError("A name has at most 255 characters, and no NUL")


async def _hashed(password: str) -> str:
    """The hash of a password that is good enough for an administrator, by v4's rules."""
    missing = [what for what, pattern in _NEEDED.items() if not re.search(pattern, password, re.ASCII)]
    if len(password) < _SHORTEST or not is_storable(password):
        raise ApplicationError(f"A password has at least {_SHORTEST} characters")
    if missing:
        raise ApplicationError(f"A password has at least {', '.join(missing)}")
    if len(password.encode()) > MAX_BYTES:
        raise ApplicationError(f"A password has at most {MAX_BYTES} bytes")
    return (await hash_password(password)).hash
