"""Sessions of administrators: begun by a login, kept in a table of our own, over when anybody says so.

A session has two secrets. The refresh secret lives in a cookie and makes access tokens; of it only a hash is stored.
An access token is short-lived and names the session, which is read again for it: a logout, a block, and another
password, whoever sets it and with whatever software, end both at once.
"""

import hmac
import secrets
from dataclasses import dataclass
from math import inf
from typing import Final

from octavo.authentication.credentials import MISSING, digest, read_admin_token
from octavo.authorization.actor import Actor
from octavo.authorization.permissions import EVERYTHING, NOTHING
from octavo.clock import SYSTEM_CLOCK, Clock
from octavo.database.connection import Connection, Database
from octavo.errors import UnauthorizedError
from octavo.sql.ddl.tables import OwnTable
from octavo.sql.own_table_statement import OwnStatement

SUPER_ADMIN: Final = "strapi-super-admin"
"""The code of the role that may do everything."""

TABLE: Final = OwnTable(
    "octavo_admin_sessions",
    (
        "name varchar(64) PRIMARY KEY NOT NULL",
        "user_id integer NOT NULL",
        "secret_hash varchar(64) NOT NULL",
        "password_hash varchar(64) NOT NULL",
        "expires_at bigint NOT NULL",
    ),
)

_INSERT: Final = OwnStatement("""
INSERT INTO octavo_admin_sessions (name, user_id, secret_hash, password_hash, expires_at)
VALUES ({name}, {user_id}, {secret_hash}, {password_hash}, {expires_at})""")
_END: Final = OwnStatement("DELETE FROM octavo_admin_sessions WHERE name = {name}")
_FORGET: Final = OwnStatement("DELETE FROM octavo_admin_sessions WHERE expires_at <= {now}")

_FIND: Final = OwnStatement("""
SELECT u.id, u.email, u.password, u.is_active, u.blocked, s.secret_hash, s.password_hash, s.expires_at,
  EXISTS (SELECT 1 FROM admin_users_roles_links l JOIN admin_roles r ON r.id = l.role_id
    WHERE l.user_id = u.id AND r.code = {role})
FROM octavo_admin_sessions s JOIN admin_users u ON u.id = s.user_id WHERE s.name = {name}""")

_MOST_REMEMBERED: Final = 1000
_LONGEST: Final = 200


@dataclass(frozen=True, slots=True)
class AdminSession:
    """A session that holds: whose it is, and how its refresh secret is stored."""

    name: str
    actor: Actor
    secret_hash: str

    def is_refreshed_by(self, secret: str) -> bool:
        """Whether a text is the refresh secret."""
        return hmac.compare_digest(digest(secret), self.secret_hash)


@dataclass(frozen=True, slots=True)
class NewAdminSession:
    """A session that has just begun. `cookie` is shown once."""

    name: str
    cookie: str


class AdminSessions:
    """The sessions in the database."""

    def __init__(self, database: Database, clock: Clock = SYSTEM_CLOCK) -> None:
        self._database = database
        self._dialect = database.dialect
        self._clock = clock

    async def begin(self, connection: Connection, user_id: int, password: str, seconds: int) -> NewAdminSession:
        """A new session under the password whose hash this is; sessions that are over are forgotten."""
        name, secret, now = secrets.token_hex(16), secrets.token_urlsafe(32), self._now()
        await connection.execute(*_FORGET.bind(self._dialect, now=now))
        await connection.execute(
            *_INSERT.bind(
                self._dialect,
                name=name,
                user_id=user_id,
                secret_hash=digest(secret),
                password_hash=digest(password),
                expires_at=now + seconds * 1000,
            )
        )
        return NewAdminSession(name, f"{name}.{secret}")

    async def find(self, name: str) -> AdminSession | None:
        """The session of a name, if it holds."""
        row = await self._database.fetch_row(*_FIND.bind(self._dialect, name=name, role=SUPER_ADMIN))
        if row is None:
            return None
        user_id, email, password, active, blocked, secret_hash, password_hash, expires_at, is_super = row
        holds = hmac.compare_digest(digest(password or ""), password_hash) and self._now() < expires_at
        if not active or blocked or not holds:
            return None
        permissions = EVERYTHING if is_super else NOTHING
        return AdminSession(name, Actor("administrator", permissions, user_id, email=email), secret_hash)

    async def find_by_cookie(self, cookie: str) -> AdminSession | None:
        """The session that a refresh cookie belongs to, if it holds."""
        name, _, secret = cookie.partition(".")
        if len(cookie) > _LONGEST or not cookie.isascii():
            return None
        session = await self.find(name)
        return session if session is not None and session.is_refreshed_by(secret) else None

    async def end(self, connection: Connection, name: str) -> None:
        """End a session, at once."""
        await connection.execute(*_END.bind(self._dialect, name=name))

    def _now(self) -> int:
        return int(self._clock.wall() * 1000)


class AdminTokens:
    """From an access token to its administrator, without a statement as long as the session was read a moment ago."""

    def __init__(self, sessions: AdminSessions, secret: str, max_age: float, clock: Clock = SYSTEM_CLOCK) -> None:
        self._sessions = sessions
        self._secret = secret
        self._max_age = max_age
        self._clock = clock
        self._generation = 0
        self._remembered: dict[str, tuple[float, AdminSession | None]] = {}

    def forget(self) -> None:
        """Read every session again: after an end."""
        self._generation += 1
        self._remembered.clear()

    async def session(self, token: str) -> AdminSession:
        """The session of an access token. Raises UnauthorizedError."""
        name, end = read_admin_token(token, self._secret)
        if self._clock.wall() >= end:
            raise UnauthorizedError(MISSING)
        read_at, session = self._remembered.get(name, (-inf, None))
        if self._clock.steady() - read_at >= self._max_age:
            session = await self._read(name)
        if session is None:
            raise UnauthorizedError(MISSING)
        return session

    async def _read(self, name: str) -> AdminSession | None:
        generation, asked_at = self._generation, self._clock.steady()
        session = await self._sessions.find(name)
        if generation == self._generation:
            if len(self._remembered) >= _MOST_REMEMBERED:
                self._remembered.clear()
            self._remembered[name] = (asked_at, session)
        return session
