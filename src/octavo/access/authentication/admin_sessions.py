"""Administrator sessions, stored in Octavo's own table. A sign-in starts one, and it can be ended at any time.

A session has two secrets. The refresh secret is sent in a cookie and issues access tokens; only its hash is stored. An
access token is short-lived and carries the session's name. Octavo reads the session again for each token, so a
sign-out, a block or a new password ends both immediately, even if other software made the change. A block deletes
the sessions, so that unblocking does not restore them.

Tokens signed by v4 carry only the administrator's id. A block or a password change made in Octavo ends them.
"""

import hmac
import secrets
from collections.abc import Sequence
from math import inf
from typing import Final, Protocol, TypeVar

from octavo.access.authentication.credentials import (
    MISSING,
    digest,
    is_admin_token,
    read_admin_token,
    read_v4_admin_token,
)
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.admin.conditions import Holder
from octavo.access.authorization.admin.engine import Abilities, NoSite
from octavo.access.authorization.admin.grants import Grant, grants_statement, read_grants
from octavo.core.clock import SYSTEM_CLOCK, Clock, this_moment
from octavo.core.errors import UnauthorizedError
from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database
from octavo.database.unit_of_work import unit_of_work
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement
from octavo.settings.accepted_keys import AcceptedKey

SUPER_ADMIN: Final = "strapi-super-admin"
"""The code of the role that has every permission."""

TABLE: Final = SystemTable(
    "octavo_admin_sessions",
    (
        "name varchar(64) PRIMARY KEY NOT NULL",
        "user_id integer NOT NULL",
        "secret_hash varchar(64) NOT NULL",
        "password_hash varchar(64) NOT NULL",
        "expires_at bigint NOT NULL",
    ),
)

PASSWORDS: Final = SystemTable(
    "octavo_admin_passwords", ("user_id integer PRIMARY KEY NOT NULL", "changed_at bigint NOT NULL"), kept=True
)
"""When each administrator's password last changed or the account was blocked. v4 tokens signed earlier are invalid."""

_INSERT: Final = RawStatement("""
INSERT INTO octavo_admin_sessions (name, user_id, secret_hash, password_hash, expires_at)
VALUES ({name}, {user_id}, {secret_hash}, {password_hash}, {expires_at})""")
_END: Final = RawStatement("DELETE FROM octavo_admin_sessions WHERE name = {name}")
_END_OF_USER: Final = RawStatement("DELETE FROM octavo_admin_sessions WHERE user_id = {user_id}")
_BLOCKED: Final = "(blocked OR NOT coalesce(is_active, FALSE))"
_END_OF_BLOCKED: Final = (
    f"DELETE FROM octavo_admin_sessions WHERE user_id IN (SELECT id FROM admin_users WHERE {_BLOCKED})",  # noqa: S608
    f"UPDATE admin_users SET reset_password_token = NULL WHERE {_BLOCKED} AND reset_password_token IS NOT NULL",  # noqa: S608
    "UPDATE admin_users SET registration_token = NULL WHERE blocked AND registration_token IS NOT NULL",
)
"""An invitation belongs to an administrator who is not active yet, so only a block ends it here."""
_FORGET: Final = RawStatement("DELETE FROM octavo_admin_sessions WHERE expires_at <= {now}")
_KEEP: Final = RawStatement("UPDATE octavo_admin_sessions SET password_hash = {password_hash} WHERE name = {name}")
_EXTEND: Final = RawStatement("UPDATE octavo_admin_sessions SET expires_at = {expires_at} WHERE name = {name}")
_NOTE: Final = RawStatement("""
INSERT INTO octavo_admin_passwords (user_id, changed_at) VALUES ({user_id}, {now})
{user_id:on_conflict} changed_at = {changed_at:proposed}""")

_FIND: Final = RawStatement("""
SELECT u.id, u.email, u.password, u.is_active, u.blocked, s.secret_hash, s.password_hash, s.expires_at, r.id, r.code
FROM octavo_admin_sessions s JOIN admin_users u ON u.id = s.user_id
LEFT JOIN admin_users_roles_links l ON l.user_id = u.id LEFT JOIN admin_roles r ON r.id = l.role_id
WHERE s.name = {name} ORDER BY r.id""")

_FIND_USER: Final = RawStatement("""
SELECT u.id, u.email, u.is_active, u.blocked, p.changed_at, r.id, r.code
FROM admin_users u LEFT JOIN octavo_admin_passwords p ON p.user_id = u.id
LEFT JOIN admin_users_roles_links l ON l.user_id = u.id LEFT JOIN admin_roles r ON r.id = l.role_id
WHERE u.id = {user_id} ORDER BY r.id""")

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")

_MOST_REMEMBERED: Final = 1000
_LONGEST: Final = 200


class AbilityProvider(Protocol):
    """Turns grants into abilities. Implemented by the running site."""

    def of_super_admins(self) -> Abilities:
        """Return the abilities of a super admin."""

    async def of(self, holder: Holder, grants: tuple[Grant, ...]) -> Abilities:
        """Return the abilities that these grants give an administrator."""


@dataclass(frozen=True, slots=True)
class AdminSession:
    """A valid session: its administrator and the stored hash of its refresh secret.

    For a token signed by v4, name and hash are empty. Such tokens are invalid if they were issued before `since`
    (seconds since 1970).
    """

    name: str
    holder: Holder
    is_super: bool
    secret_hash: str = ""
    since: float = -inf

    def is_refreshed_by(self, secret: str) -> bool:
        """Return whether `secret` is the session's refresh secret."""
        return bool(self.secret_hash) and hmac.compare_digest(digest(secret), self.secret_hash)


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A signed-in administrator: the actor for the admin API and the actor for the content API.

    `since` is the session's.
    """

    session: str
    actor: Actor
    content_actor: Actor
    since: float = -inf


@dataclass(frozen=True, slots=True)
class NewAdminSession:
    """A new session. `cookie` holds the refresh secret and cannot be read again."""

    name: str
    cookie: str


class AdminSessions:
    """Reads and writes sessions in the database."""

    def __init__(self, database: Database, clock: Clock = SYSTEM_CLOCK) -> None:
        self._database = database
        self._dialect = database.dialect
        self._clock = clock

    async def begin(self, connection: Connection, user_id: int, password: str, seconds: int) -> NewAdminSession:
        """Start a session bound to the password hash `password`; delete expired sessions."""
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
        """Return the session with this name; None if it is unknown or no longer valid."""
        rows = await self._database.fetch_all(*_FIND.bind(self._dialect, name=name))
        if not rows:
            return None
        user_id, email, password, active, blocked, secret_hash, password_hash, expires_at = rows[0][:8]
        holds = hmac.compare_digest(digest(password or ""), password_hash) and self._now() < expires_at
        if not active or blocked:
            await self._end_all(user_id)
            return None
        if not holds:
            return None
        roles = {row[8]: row[9] for row in rows if row[8] is not None}
        return AdminSession(name, Holder(user_id, email, tuple(roles)), SUPER_ADMIN in roles.values(), secret_hash)

    async def find_user(self, user_id: int) -> AdminSession | None:
        """Return the session data for a v4 token; None if the administrator cannot sign in."""
        rows = await self._database.fetch_all(*_FIND_USER.bind(self._dialect, user_id=user_id))
        if not rows:
            return None
        if not rows[0][2] or rows[0][3]:
            await self._end_all(user_id)
            return None
        roles = {row[5]: row[6] for row in rows if row[5] is not None}
        holder, changed_at = Holder(user_id, rows[0][1], tuple(roles)), rows[0][4]
        since = -inf if changed_at is None else changed_at / 1000
        return AdminSession("", holder, SUPER_ADMIN in roles.values(), since=since)

    async def keep(self, connection: Connection, name: str, password: str) -> None:
        """Keep a session valid after a password change. `password` is the new hash."""
        await connection.execute(*_KEEP.bind(self._dialect, password_hash=digest(password), name=name))

    async def extend(self, connection: Connection, name: str, seconds: int) -> None:
        """Extend a session to `seconds` from now."""
        await connection.execute(*_EXTEND.bind(self._dialect, expires_at=self._now() + seconds * 1000, name=name))

    async def find_by_cookie(self, cookie: str) -> AdminSession | None:
        """Return the session of a refresh cookie; None if the cookie is not valid."""
        name, _, secret = cookie.partition(".")
        if len(cookie) > _LONGEST or not cookie.isascii():
            return None
        session = await self.find(name)
        return session if session is not None and session.is_refreshed_by(secret) else None

    async def read_grants(self, role_ids: tuple[int, ...]) -> bytes | None:
        """Return what `rights.grants.read_grants` parses: the grants of these roles."""
        if not role_ids:
            return None
        return await self._database.fetch_json(grants_statement(self._dialect, len(role_ids)), role_ids)

    async def end(self, connection: Connection, name: str) -> None:
        """End a session immediately."""
        await connection.execute(*_END.bind(self._dialect, name=name))

    async def _end_all(self, user_id: int) -> None:
        """End the sessions of an administrator blocked by other software, so that unblocking does not restore them."""
        async with unit_of_work(self._database, in_maintenance=True) as unit:
            await end_admin_sessions(unit.connection, self._dialect, user_id)

    def _now(self) -> int:
        return int(self._clock.wall() * 1000)


async def end_admin_sessions(connection: Connection, dialect: Dialect, user_id: int) -> None:
    """End all sessions of an administrator, and tokens signed by v4."""
    await connection.execute(*_END_OF_USER.bind(dialect, user_id=user_id))
    await note_password(connection, dialect, user_id)


async def end_admin_sessions_of_blocked(connection: Connection) -> None:
    """End all sessions and mailed codes of administrators that other software has blocked or deactivated."""
    for statement in _END_OF_BLOCKED:
        await connection.execute(statement)


async def note_password(connection: Connection, dialect: Dialect, user_id: int) -> None:
    """Record that an administrator's password changes now, which invalidates tokens signed by v4."""
    await connection.execute(*_NOTE.bind(dialect, user_id=user_id, now=this_moment()))


class AdminTokens:
    """Turns access tokens into administrators, without a query while the session was read recently.

    `rights` are those of the running site. With `takes_v4` (rule `adminTokens`) tokens signed by v4 are accepted, even
    those that never expire. `accepted` are older signing keys that are still valid.
    """

    def __init__(
        self,
        sessions: AdminSessions,
        secret: str,
        max_age: float,
        clock: Clock = SYSTEM_CLOCK,
        *,
        takes_v4: bool = False,
        accepted: Sequence[AcceptedKey] = (),
    ) -> None:
        self.rights: AbilityProvider = NoSite()
        self._sessions = sessions
        self._secret = secret
        self._accepted = accepted
        self._max_age = max_age
        self._clock = clock
        self._takes_v4 = takes_v4
        self._generation = 0
        self._remembered: dict[str | int, tuple[float, SignedIn | None]] = {}
        self._granted: dict[tuple[int, ...], _Granted] = {}

    def serve(self, rights: AbilityProvider) -> None:
        """Use the rights of a new site."""
        self.rights = rights
        self.forget()

    def forget(self) -> None:
        """Clear the cache, after a session has ended or roles have changed."""
        self._generation += 1
        self._remembered.clear()
        self._granted.clear()

    async def signed_in(self, token: str) -> SignedIn:
        """Return the administrator of an access token. Raises UnauthorizedError."""
        if self._takes_v4 and not is_admin_token(token):
            return await self._signed_in_by_v4(token)
        name, end = read_admin_token(token, self._secret, self._accepted)
        if self._clock.wall() >= end:
            raise UnauthorizedError(MISSING)
        return await self._fresh(name)

    async def of_session(self, name: str) -> SignedIn:
        """Return the administrator of the session with this name. Raises UnauthorizedError if it has ended."""
        return await self._fresh(name)

    async def _signed_in_by_v4(self, token: str) -> SignedIn:
        claims = read_v4_admin_token(token, self._secret, self._accepted)
        if self._clock.wall() >= claims.until:
            raise UnauthorizedError(MISSING)
        signed_in = await self._fresh(claims.user_id or 0)
        if claims.not_before < signed_in.since:
            raise UnauthorizedError(MISSING)
        return signed_in

    async def _fresh(self, name: str | int) -> SignedIn:
        """Return the administrator of the session with this name, or with this id for a v4 token."""
        read_at, signed_in = self._remembered.get(name, (-inf, None))
        if self._clock.steady() - read_at >= self._max_age:
            signed_in = await self._read(name)
        if signed_in is None:
            raise UnauthorizedError(MISSING)
        return signed_in

    async def _read(self, name: str | int) -> SignedIn | None:
        generation, asked_at = self._generation, self._clock.steady()
        finding = self._sessions.find_user(name) if isinstance(name, int) else self._sessions.find(name)
        session = await finding
        signed_in = None
        if session is not None:
            granted = None if session.is_super else await self._grants(session.holder)
            signed_in = await self._sign_in(session, granted)
            asked_at = asked_at if granted is None else min(asked_at, granted.read_at)  # as old as its oldest part
        if generation == self._generation:
            _keep(self._remembered, name, (asked_at, signed_in))
        return signed_in

    async def _sign_in(self, session: AdminSession, granted: "_Granted | None") -> SignedIn:
        holder = session.holder
        if granted is None:
            abilities = self.rights.of_super_admins()
        else:
            abilities = await self.rights.of(holder, granted.grants)
        pages, content = (
            Actor("administrator", ability, holder.id, email=holder.email)
            for ability in (abilities.pages, abilities.content)
        )
        return SignedIn(session.name, pages, content, session.since)

    async def _grants(self, holder: Holder) -> "_Granted":
        """Return the grants of an administrator's roles, cached per set of roles.

        If the text read from the database is unchanged, the parsed grants are reused.
        """
        generation, asked_at = self._generation, self._clock.steady()
        known = self._granted.get(holder.role_ids)
        if known is not None and asked_at - known.read_at < self._max_age:
            return known
        text = await self._sessions.read_grants(holder.role_ids)
        grants = known.grants if known is not None and known.text == text else read_grants(text)
        granted = _Granted(asked_at, text, grants)
        if generation == self._generation:
            _keep(self._granted, holder.role_ids, granted)
        return granted


@dataclass(frozen=True, slots=True)
class _Granted:
    """The grants of a set of roles, and when they were read."""

    read_at: float
    text: bytes | None
    grants: tuple[Grant, ...]


def _keep(remembered: dict[KeyT, ValueT], key: KeyT, value: ValueT) -> None:
    if len(remembered) >= _MOST_REMEMBERED:
        remembered.clear()
    remembered[key] = value
