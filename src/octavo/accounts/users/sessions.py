"""User sessions with refresh tokens, if a project enables them. Each token can be exchanged once, for a new one.

A token contains the session's name and a secret, stored as a hash. If a token is used again after its exchange, it may
have been stolen, so the session ends. The previous token is still accepted for a few seconds, because two browser tabs
may renew at the same time; it then returns only an access token.

A session is bound to the password and to the user's token version, so a password change, by any software, or a block
ends it permanently.
"""

import hmac
import secrets
from typing import Any, Final

from octavo.access.authentication.credentials import digest
from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database
from octavo.database.unit_of_work import unit_of_work
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.raw_statement import RawStatement

TABLE: Final = SystemTable(
    "octavo_user_sessions",
    (
        "name varchar(64) PRIMARY KEY NOT NULL",
        "user_id integer NOT NULL",
        "secret varchar(64) NOT NULL",
        "previous varchar(64)",
        "stamp varchar(64) NOT NULL",
        "renewed_at bigint NOT NULL",
        "idle_until bigint NOT NULL",
        "ends_at bigint NOT NULL",
    ),
)

GRACE: Final = 10
"""Seconds in which using an exchanged token again does not end the session."""

LONGEST: Final = 200

_FORGET: Final = RawStatement("DELETE FROM octavo_user_sessions WHERE idle_until <= {now}")
_INSERT: Final = RawStatement("""
INSERT INTO octavo_user_sessions (name, user_id, secret, stamp, renewed_at, idle_until, ends_at)
VALUES ({name}, {user_id}, {secret}, {stamp}, {now}, {idle_until}, {ends_at})""")
_FIND: Final = RawStatement("""
SELECT s.user_id, s.secret, s.previous, s.stamp, s.renewed_at, s.idle_until, s.ends_at, u.id, u.blocked, u.password,
  coalesce(v.version, 0)
FROM octavo_user_sessions s LEFT JOIN up_users u ON u.id = s.user_id
LEFT JOIN octavo_token_versions v ON v.user_id = s.user_id WHERE s.name = {name}""")
_RENEW: Final = RawStatement("""
UPDATE octavo_user_sessions SET previous = secret, secret = {secret}, renewed_at = {now}, idle_until = {idle_until}
WHERE name = {name}""")
_END: Final = RawStatement("DELETE FROM octavo_user_sessions WHERE name = {name}")
END_OF_USER: Final = RawStatement("DELETE FROM octavo_user_sessions WHERE user_id = {user}")
"""Ends all sessions of a user."""
END_OF_BLOCKED: Final = "DELETE FROM octavo_user_sessions WHERE user_id IN (SELECT id FROM up_users WHERE blocked)"
"""Ends all sessions of blocked users."""


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """How long a session lasts: without use, and in total; in seconds."""

    idle_seconds: int
    most_seconds: int


@dataclass(frozen=True, slots=True)
class Renewal:
    """A renewed session: its user and the next token, or None if another request already got it."""

    user_id: int
    token: str | None


def stamp_of(password_hash: str | None, version: int) -> str:
    """Return a digest of the password hash and token version that a session is bound to.

    It is a digest so that the password hash is only stored in the users table.
    """
    return digest(f"{version} {password_hash or ''}")


class UserSessions:
    """Reads and writes sessions in the database."""

    def __init__(self, database: Database, options: SessionOptions, clock: Clock = SYSTEM_CLOCK) -> None:
        self.options = options
        self._database = database
        self._dialect = database.dialect
        self._clock = clock

    async def begin(self, user_id: int, stamp: str) -> str:
        """Start a session and return its first refresh token. Also deletes expired sessions."""
        name, secret, now = secrets.token_hex(16), secrets.token_urlsafe(32), int(self._clock.wall())
        ends_at = now + self.options.most_seconds
        session = _INSERT.bind(
            self._dialect,
            name=name,
            user_id=user_id,
            secret=digest(secret),
            stamp=stamp,
            now=now,
            idle_until=min(now + self.options.idle_seconds, ends_at),
            ends_at=ends_at,
        )
        async with unit_of_work(self._database, in_maintenance=True) as unit:
            await unit.connection.execute(*_FORGET.bind(self._dialect, now=now))
            await unit.connection.execute(*session)
        return f"{name}.{secret}"

    async def renew(self, token: str) -> Renewal | None:
        """Exchange a refresh token for the next one. If it is not valid, end its session and return None."""
        name, _, secret = token.partition(".")
        if not secret or not await self._is_known(name, token):
            return None
        async with unit_of_work(self._database, in_maintenance=True) as unit:
            await unit.connection.lock(f"octavo: session {name}")
            return await self._renew(unit.connection, name, digest(secret))

    async def _renew(self, connection: Connection, name: str, secret: str) -> Renewal | None:
        row = await connection.fetch_row(*_FIND.bind(self._dialect, name=name))
        if row is None:
            return None
        user_id, current, previous, _, renewed_at, _, ends_at, *_ = row
        now = int(self._clock.wall())
        if self._holds(row, now):
            if hmac.compare_digest(secret, current):
                following = secrets.token_urlsafe(32)
                idle_until = min(now + self.options.idle_seconds, ends_at)
                renewed = _RENEW.bind(
                    self._dialect, name=name, secret=digest(following), now=now, idle_until=idle_until
                )
                await connection.execute(*renewed)
                return Renewal(user_id, f"{name}.{following}")
            if hmac.compare_digest(secret, previous or "") and now < renewed_at + GRACE:
                return Renewal(user_id, None)
        await connection.execute(*_END.bind(self._dialect, name=name))
        return None

    def _holds(self, row: Any, now: int) -> bool:
        *_, stamp, _, idle_until, _, has_user, blocked, password, version = row
        is_bound = hmac.compare_digest(stamp, stamp_of(password, version))
        return has_user is not None and not blocked and now < idle_until and is_bound

    async def end(self, token: str) -> None:
        """End the session of a token, if it exists. Any token of the session is accepted."""
        name, _, secret = token.partition(".")
        if secret and await self._is_known(name, token):
            await self._database.execute(*_END.bind(self._dialect, name=name))

    async def _is_known(self, name: str, token: str) -> bool:
        """Return whether the session exists. Checked first, so that forged tokens do not cause a write."""
        if len(token) > LONGEST or not token.isascii() or "\0" in token:
            return False
        return await self._database.fetch_row(*_FIND.bind(self._dialect, name=name)) is not None
