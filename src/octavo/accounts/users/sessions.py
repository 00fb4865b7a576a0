"""User sessions: refresh tokens, where a project wants them. Each can be exchanged once, for a new one.

A token names its session and carries a secret, of which a hash is stored. Whoever comes with a secret that has been
exchanged already may have stolen it, or have it stolen: the session ends for both. Only the last one before is forgiven
for a few seconds, for two tabs that renew at once; it gets an access token and nothing more.

A session is bound to the password and to the user's token version: whoever changes the password, by whatever way, ends
it, and so does a block, for good.
"""

import hmac
import secrets
from typing import Any, Final

from octavo.access.authentication.credentials import digest
from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database
from octavo.database.unit_of_work import unit_of_work
from octavo.query.sql.ddl.tables import OwnTable
from octavo.query.sql.system_table_statement import OwnStatement

TABLE: Final = OwnTable(
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
"""Seconds for which a token that was just exchanged is no theft."""

LONGEST: Final = 200

_FORGET: Final = OwnStatement("DELETE FROM octavo_user_sessions WHERE idle_until <= {now}")
_INSERT: Final = OwnStatement("""
INSERT INTO octavo_user_sessions (name, user_id, secret, stamp, renewed_at, idle_until, ends_at)
VALUES ({name}, {user_id}, {secret}, {stamp}, {now}, {idle_until}, {ends_at})""")
_FIND: Final = OwnStatement("""
SELECT s.user_id, s.secret, s.previous, s.stamp, s.renewed_at, s.idle_until, s.ends_at, u.id, u.blocked, u.password,
  coalesce(v.version, 0)
FROM octavo_user_sessions s LEFT JOIN up_users u ON u.id = s.user_id
LEFT JOIN octavo_token_versions v ON v.user_id = s.user_id WHERE s.name = {name}""")
_RENEW: Final = OwnStatement("""
UPDATE octavo_user_sessions SET previous = secret, secret = {secret}, renewed_at = {now}, idle_until = {idle_until}
WHERE name = {name}""")
_END: Final = OwnStatement("DELETE FROM octavo_user_sessions WHERE name = {name}")
END_OF_USER: Final = OwnStatement("DELETE FROM octavo_user_sessions WHERE user_id = {user}")
"""Ends all sessions of a user."""
END_OF_BLOCKED: Final = "DELETE FROM octavo_user_sessions WHERE user_id IN (SELECT id FROM up_users WHERE blocked)"
"""Ends all sessions of blocked users."""


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """How long a session lasts: unused, and in all; in seconds."""

    idle_seconds: int
    most_seconds: int


@dataclass(frozen=True, slots=True)
class Renewal:
    """Whose session goes on, with its next token; without one, who asks has got it already."""

    user_id: int
    token: str | None


def stamp_of(password_hash: str | None, version: int) -> str:
    """Return what a session is bound to: the password and the token version. A digest, so that the hash of a password
    is in one table alone."""
    return digest(f"{version} {password_hash or ''}")


class UserSessions:
    """The sessions in the database."""

    def __init__(self, database: Database, options: SessionOptions, clock: Clock = SYSTEM_CLOCK) -> None:
        self.options = options
        self._database = database
        self._dialect = database.dialect
        self._clock = clock

    async def begin(self, user_id: int, stamp: str) -> str:
        """A new session of a user who has proved who they are; its first token. Old ones are forgotten."""
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
        async with unit_of_work(self._database) as unit:
            await unit.connection.execute(*_FORGET.bind(self._dialect, now=now))
            await unit.connection.execute(*session)
        return f"{name}.{secret}"

    async def renew(self, token: str) -> Renewal | None:
        """The next token for this one; None if it is good for nothing, and its session then over."""
        name, _, secret = token.partition(".")
        if not secret or not await self._is_known(name, token):
            return None
        async with unit_of_work(self._database) as unit:
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
        *_, stamp, _, idle_until, _, found, blocked, password, version = row
        is_bound = hmac.compare_digest(stamp, stamp_of(password, version))
        return found is not None and not blocked and now < idle_until and is_bound

    async def end(self, token: str) -> None:
        """End the session of a token, if there is one; whoever has a token of it may."""
        name, _, secret = token.partition(".")
        if secret and await self._is_known(name, token):
            await self._database.execute(*_END.bind(self._dialect, name=name))

    async def _is_known(self, name: str, token: str) -> bool:
        """Whether there is such a session; so that tokens that somebody has made up cost no write."""
        if len(token) > LONGEST or not token.isascii() or "\0" in token:
            return False
        return await self._database.fetch_row(*_FIND.bind(self._dialect, name=name)) is not None
