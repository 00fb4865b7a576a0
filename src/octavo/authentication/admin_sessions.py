"""Sessions of administrators: begun by a login, kept in a table of our own, over when anybody says so.

A session has two secrets. The refresh secret lives in a cookie and makes access tokens; of it only a hash is stored.
An access token is short-lived and names the session, which is read again for it: a logout, a block, and another
password, whoever sets it and with whatever software, end both at once.
"""

import hmac
import secrets
from dataclasses import dataclass
from math import inf
from typing import Final, Protocol, TypeVar

from octavo.authentication.credentials import MISSING, digest, read_admin_token
from octavo.authorization.actor import Actor
from octavo.authorization.rights.conditions import Holder
from octavo.authorization.rights.engine import Abilities, NoSite
from octavo.authorization.rights.grants import Grant, grants_statement, read_grants
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
SELECT u.id, u.email, u.password, u.is_active, u.blocked, s.secret_hash, s.password_hash, s.expires_at, r.id, r.code
FROM octavo_admin_sessions s JOIN admin_users u ON u.id = s.user_id
LEFT JOIN admin_users_roles_links l ON l.user_id = u.id LEFT JOIN admin_roles r ON r.id = l.role_id
WHERE s.name = {name} ORDER BY r.id""")

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")

_MOST_REMEMBERED: Final = 1000
_LONGEST: Final = 200


class RightsEngine(Protocol):
    """What makes abilities of grants: the site's."""

    def of_super_admins(self) -> Abilities:
        """Those of whoever may do everything."""

    async def of(self, holder: Holder, grants: tuple[Grant, ...]) -> Abilities:
        """Those that an administrator has by these grants."""


@dataclass(frozen=True, slots=True)
class AdminSession:
    """A session that holds: whose it is, and how its refresh secret is stored."""

    name: str
    holder: Holder
    is_super: bool
    secret_hash: str

    def is_refreshed_by(self, secret: str) -> bool:
        """Whether a text is the refresh secret."""
        return hmac.compare_digest(digest(secret), self.secret_hash)


@dataclass(frozen=True, slots=True)
class SignedIn:
    """An administrator with a session: as who they act on the pages of administrators, and through the content API."""

    session: str
    actor: Actor
    content_actor: Actor


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
        self._grants = grants_statement(database.dialect)

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
        rows = await self._database.fetch_all(*_FIND.bind(self._dialect, name=name))
        if not rows:
            return None
        user_id, email, password, active, blocked, secret_hash, password_hash, expires_at = rows[0][:8]
        holds = hmac.compare_digest(digest(password or ""), password_hash) and self._now() < expires_at
        if not active or blocked or not holds:
            return None
        roles = {row[8]: row[9] for row in rows if row[8] is not None}
        return AdminSession(name, Holder(user_id, email, tuple(roles)), SUPER_ADMIN in roles.values(), secret_hash)

    async def find_by_cookie(self, cookie: str) -> AdminSession | None:
        """The session that a refresh cookie belongs to, if it holds."""
        name, _, secret = cookie.partition(".")
        if len(cookie) > _LONGEST or not cookie.isascii():
            return None
        session = await self.find(name)
        return session if session is not None and session.is_refreshed_by(secret) else None

    async def read_grants(self, user_id: int) -> bytes | None:
        """What the roles of an administrator grant, for `rights.grants.read_grants`."""
        return await self._database.fetch_json(self._grants, (user_id,))

    async def end(self, connection: Connection, name: str) -> None:
        """End a session, at once."""
        await connection.execute(*_END.bind(self._dialect, name=name))

    def _now(self) -> int:
        return int(self._clock.wall() * 1000)


class AdminTokens:
    """From an access token to its administrator, without a statement as long as the session was read a moment ago.

    `rights` are those of the site in force.
    """

    def __init__(self, sessions: AdminSessions, secret: str, max_age: float, clock: Clock = SYSTEM_CLOCK) -> None:
        self.rights: RightsEngine = NoSite()
        self._sessions = sessions
        self._secret = secret
        self._max_age = max_age
        self._clock = clock
        self._generation = 0
        self._remembered: dict[str, tuple[float, SignedIn | None]] = {}
        self._granted: dict[tuple[int, ...], _Granted] = {}

    def serve(self, rights: RightsEngine) -> None:
        """Judge by the rights of another site."""
        self.rights = rights
        self.forget()

    def forget(self) -> None:
        """Read every session and all grants again: after an end, or a change of roles."""
        self._generation += 1
        self._remembered.clear()
        self._granted.clear()

    async def signed_in(self, token: str) -> SignedIn:
        """The administrator of an access token. Raises UnauthorizedError."""
        name, end = read_admin_token(token, self._secret)
        if self._clock.wall() >= end:
            raise UnauthorizedError(MISSING)
        read_at, found = self._remembered.get(name, (-inf, None))
        if self._clock.steady() - read_at >= self._max_age:
            found = await self._read(name)
        if found is None:
            raise UnauthorizedError(MISSING)
        return found

    async def _read(self, name: str) -> SignedIn | None:
        generation, asked_at = self._generation, self._clock.steady()
        session = await self._sessions.find(name)
        found = None if session is None else await self._sign_in(session)
        if generation == self._generation:
            _keep(self._remembered, name, (asked_at, found))
        return found

    async def _sign_in(self, session: AdminSession) -> SignedIn:
        holder = session.holder
        if session.is_super:
            abilities = self.rights.of_super_admins()
        else:
            abilities = await self.rights.of(holder, await self._grants(holder))
        pages, content = (
            Actor("administrator", ability, holder.id, email=holder.email)
            for ability in (abilities.pages, abilities.content)
        )
        return SignedIn(session.name, pages, content)

    async def _grants(self, holder: Holder) -> tuple[Grant, ...]:
        """What the roles of an administrator grant. All who have these roles share one look; what reads as before is
        what it was."""
        generation, asked_at = self._generation, self._clock.steady()
        known = self._granted.get(holder.role_ids)
        if known is not None and asked_at - known.read_at < self._max_age:
            return known.grants
        text = await self._sessions.read_grants(holder.id)
        grants = known.grants if known is not None and known.text == text else read_grants(text)
        if generation == self._generation:
            _keep(self._granted, holder.role_ids, _Granted(asked_at, text, grants))
        return grants


@dataclass(frozen=True, slots=True)
class _Granted:
    """What some roles grant, as it was read."""

    read_at: float
    text: bytes | None
    grants: tuple[Grant, ...]


def _keep(remembered: dict[KeyT, ValueT], key: KeyT, value: ValueT) -> None:
    if len(remembered) >= _MOST_REMEMBERED:
        remembered.clear()
    remembered[key] = value
