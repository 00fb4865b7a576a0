"""Authenticator: from an Authorization header to an Actor, without a statement as long as what is known is fresh.

Fresh means at most `max_age` old. The directory (roles, permissions, API tokens) is looked at again by a task of its
own once half that time has passed, so a busy service never waits for it; only the first request after a pause does.
Users are read again when their time is over. Our own writes call `invalidate` and are seen at once. Refuses with
`UnauthorizedError`.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass
from functools import lru_cache, partial
from math import inf
from typing import Any, Final

from octavo.access.actors import Actor, check
from octavo.access.admin_sessions import AdminSessions, AdminTokens
from octavo.access.credentials import (
    EXPIRED,
    INVALID,
    MISSING,
    SYSTEM_CLOCK,
    Clock,
    Secrets,
    hash_api_token,
    is_admin_token,
    read_bearer,
    read_user_token,
)
from octavo.access.directory import Directory, read_directory
from octavo.access.permissions import NOTHING, PermissionSet
from octavo.access.statements import directory_statement, say
from octavo.database.connection import Database
from octavo.errors import UnauthorizedError

_log = logging.getLogger(__name__)

USE_INTERVAL: Final = 3600.0
"""Seconds between two notes of an API token's use."""

MAX_USERS: Final = 50_000

_USER: Final = """
SELECT u.username, u.email, u.blocked, l.role_id, {version}
FROM up_users u LEFT JOIN up_users_role_links l ON l.user_id = u.id {join}
WHERE u.id = ?1 ORDER BY l.id LIMIT 1"""

_USER_PLAIN: Final = _USER.format(version="0", join="")
_USER_VERSIONED: Final = _USER.format(
    version="coalesce(v.version, 0)", join="LEFT JOIN octavo_token_versions v ON v.user_id = u.id"
)

_NOTE_USE: Final = """
UPDATE strapi_api_tokens SET last_used_at = at(?1) WHERE id = ?2 AND (last_used_at IS NULL OR last_used_at < at(?3))"""


@dataclass(frozen=True, slots=True)
class AccessOptions:
    """How strict and how eager: `require_expiry` refuses user tokens without end; `refuse_revoked` compares token
    versions (rule `tokensAfterPasswordChange`, needs `token_versions.TABLE`); `max_age` in seconds."""

    require_expiry: bool = True
    refuse_revoked: bool = False
    max_age: float = 1.0
    cached_tokens: int = 8192


@dataclass(frozen=True, slots=True)
class _User:
    """A user as read: the actor, or why there is none."""

    read_at: float
    actor: Actor | None = None
    refusal: str = INVALID
    version: int = 0


class _Flights:
    """Work under way, by key: whoever asks for the same work waits for the same task."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[Any]] = {}

    def start(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, Any]]) -> asyncio.Task[Any]:
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = asyncio.create_task(work())
            task.add_done_callback(partial(self._end, key))
        return task

    def _end(self, key: Hashable, task: asyncio.Task[Any]) -> None:
        del self._tasks[key]
        if not task.cancelled() and task.exception() is not None:
            _log.info("%s could not be done: %r", key, task.exception())

    async def join(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """The result. A caller that is cancelled leaves the work to the others."""
        return await asyncio.shield(self.start(key, work))

    async def settle(self) -> None:
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)


class Authenticator:
    """Says who is asking. One for each process; belongs to the event loop that first uses it."""

    def __init__(
        self,
        database: Database,
        secrets: Secrets,
        options: AccessOptions = AccessOptions(),
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._database = database
        self._secrets = secrets
        self._options = options
        self._clock = clock
        self._read_token = lru_cache(options.cached_tokens)(partial(read_user_token, secret=secrets.jwt_secret))
        self._directory_statement = directory_statement(database.dialect)
        self._user_statement = say(database.dialect, _USER_VERSIONED if options.refuse_revoked else _USER_PLAIN)
        self._note_statement = say(database.dialect, _NOTE_USE)
        self.administrators = AdminTokens(
            AdminSessions(database, clock), secrets.admin_jwt_secret, options.max_age, clock
        )
        self._flights = _Flights()
        self._generation = 0
        self._directory = Directory()
        self._directory_text: bytes | None = None
        self._directory_at = -inf
        self._users: dict[int, _User] = {}
        self._noted: dict[int, float] = {}

    async def authenticate(self, authorization: str | None) -> Actor:
        """The actor that the header stands for: anonymous without credentials, refused with wrong ones."""
        directory = await self._fresh_directory()
        token = read_bearer(authorization)
        if token is None:
            return directory.anonymous
        if is_admin_token(token):
            return (await self.administrators.session(token)).actor
        # API tokens are hexadecimal; a dot makes it a user token, good or bad.
        return await self._user_actor(token) if "." in token else self._api_token_actor(token, directory)

    async def admit(self, authorization: str | None, action: str) -> Actor:
        """The actor, who may take the action. Raises ForbiddenError."""
        actor = await self.authenticate(authorization)
        check(actor, action)
        return actor

    def invalidate(self) -> None:
        """Forget users, roles, permissions, API tokens and sessions: after a write to any of them."""
        self._generation += 1
        self._directory_at = -inf
        self._users.clear()
        self.administrators.forget()

    async def settle(self) -> None:
        """Wait until nothing is under way in the background; before the database is closed."""
        await self._flights.settle()

    async def _fresh_directory(self) -> Directory:
        age = self._clock.steady() - self._directory_at
        if age >= self._options.max_age:
            await self._wait_for_directory()
        elif age >= self._options.max_age / 2:
            self._flights.start((self._generation, "directory"), self._look_again)
        return self._directory

    async def _wait_for_directory(self) -> None:
        """Look again; and once more if somebody invalidated meanwhile, for then the answer may be older than that."""
        generation = None
        while generation != self._generation:
            generation = self._generation
            await self._flights.join((generation, "directory"), self._look_again)

    async def _look_again(self) -> None:
        generation, asked_at = self._generation, self._clock.steady()
        text = await self._database.fetch_json(self._directory_statement)
        if generation != self._generation:
            return
        if text is not None and text != self._directory_text:
            self._directory, self._directory_text = read_directory(text), text
            self._users.clear()
        self._directory_at = asked_at

    async def _user_actor(self, token: str) -> Actor:
        claims = self._read_token(token)
        if not claims.hold_at(self._clock.wall()):
            raise UnauthorizedError(MISSING)
        if claims.user_id is None:
            raise UnauthorizedError(INVALID)
        if claims.expires_at is None and self._options.require_expiry:
            raise UnauthorizedError(MISSING)
        user = await self._fresh_user(claims.user_id)
        if user.actor is None:
            raise UnauthorizedError(user.refusal)
        if claims.version < user.version:
            raise UnauthorizedError(MISSING)
        return user.actor

    async def _fresh_user(self, user_id: int) -> _User:
        user = self._users.get(user_id)
        if user is None or self._clock.steady() - user.read_at >= self._options.max_age:
            user = await self._flights.join((self._generation, "user", user_id), partial(self._read_user, user_id))
        return user

    async def _read_user(self, user_id: int) -> _User:
        generation, asked_at = self._generation, self._clock.steady()
        row = await self._database.fetch_row(self._user_statement, (user_id,))
        role_id = None if row is None else row[3]
        if role_id is not None and role_id not in self._directory.roles:
            await self._look_again()  # a role younger than the directory
        user = self._judge_user(user_id, row, asked_at)
        if generation == self._generation:
            if len(self._users) >= MAX_USERS:
                self._users.clear()
            self._users[user_id] = user
        return user

    def _judge_user(self, user_id: int, row: Any, asked_at: float) -> _User:
        if row is None:
            return _User(asked_at)
        username, email, blocked, role_id, version = row
        if blocked:
            return _User(asked_at)
        if role_id is None:
            return _User(asked_at, refusal=MISSING)
        actor = Actor("user", self._permissions(role_id), user_id, role_id, username, email)
        return _User(asked_at, actor, version=version)

    def _permissions(self, role_id: int) -> PermissionSet:
        return self._directory.roles.get(role_id, NOTHING)

    def _api_token_actor(self, token: str, directory: Directory) -> Actor:
        # The look-up is by keyed hash: its time tells nothing about stored tokens to somebody without the salt.
        found = directory.tokens.get(hash_api_token(token, self._secrets.api_token_salt))
        if found is None:
            raise UnauthorizedError(MISSING)
        if not found.holds_at(self._clock.wall()):
            raise UnauthorizedError(EXPIRED)
        if found.actor.id is not None:
            self._note_use(found.actor.id)
        return found.actor

    def _note_use(self, token_id: int) -> None:
        now = self._clock.steady()
        if now - self._noted.get(token_id, -inf) >= USE_INTERVAL:
            self._noted[token_id] = now
            self._flights.start(("use of API token", token_id), partial(self._write_use, token_id))

    async def _write_use(self, token_id: int) -> None:
        now = int(self._clock.wall() * 1000)
        await self._database.execute(self._note_statement, (now, token_id, now - int(USE_INTERVAL * 1000)))
