"""Turn an Authorization header into an Actor, without a query while cached data is fresh.

Data is fresh for `max_age` seconds. A background task reads the snapshot of grants (roles, permissions, API tokens)
again after half that time, so requests to a busy service never wait for it. Only the first request after a pause does.
Users are read again when their entry expires. `invalidate` is called after Octavo writes any of `REMEMBERED_TYPES`,
so such changes take effect immediately. Raises `UnauthorizedError`.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Hashable
from functools import partial
from math import inf
from typing import Any, Final, NamedTuple

from octavo.access.authentication.admin_sessions import AdminSessions, AdminTokens
from octavo.access.authentication.credentials import (
    EXPIRED,
    INVALID,
    MISSING,
    Claims,
    Secrets,
    hash_api_token,
    is_admin_token,
    is_preview_token,
    read_bearer,
    read_user_token,
)
from octavo.access.authentication.preview_tokens import PreviewTokens
from octavo.access.authentication.sign_in_log import report_expired_token, report_failed_sign_in
from octavo.access.authentication.user_token_versions import revoke_tokens_of_blocked
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.permissions import NOTHING, PermissionSet
from octavo.access.authorization.role_grants import ApiToken, GrantsSnapshot, grants_statement, read_grants
from octavo.core.cache import Cache, CacheBudget
from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.errors import UnauthorizedError
from octavo.core.outage_log import reason_of
from octavo.core.values import dataclass
from octavo.database.ambient import outside
from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work
from octavo.events import origin
from octavo.query.sql.raw_statement import RawStatement
from octavo.schema.content_types import ADMIN_PERMISSION, ADMIN_ROLE, ADMIN_USER, API_TOKEN, PERMISSION, ROLE, USER

_log = logging.getLogger(__name__)

USE_INTERVAL: Final = 3600.0
"""Seconds between two updates of an API token's last use."""

_TOKEN_AGE: Final = 0.05
"""Seconds after a read of the grants during which an unknown API token does not cause another read, so guessing tokens
causes few queries."""

_ALONE: Final = 8 * 1024**2
"""Bytes for cached tokens and users if no memory budget is given, as in commands."""

REMEMBERED_TYPES: Final = frozenset(
    {
        USER,
        ROLE,
        PERMISSION,
        API_TOKEN,
        ADMIN_USER,
        ADMIN_ROLE,
        ADMIN_PERMISSION,
    }
)
"""The content types whose entries are cached here."""

_USER: Final = RawStatement("""
SELECT u.username, u.email, u.blocked, l.role_id, coalesce(v.version, 0), b.user_id
FROM up_users u LEFT JOIN up_users_role_links l ON l.user_id = u.id
LEFT JOIN octavo_token_versions v ON v.user_id = u.id LEFT JOIN octavo_user_blocks b ON b.user_id = u.id
WHERE u.id = {user} ORDER BY l.id LIMIT 1""")

_NOTE_USE: Final = RawStatement("""
UPDATE strapi_api_tokens SET last_used_at = {now:instant}
WHERE id = {token} AND (last_used_at IS NULL OR last_used_at < {before:instant})""")

_RENEW_KEY: Final = RawStatement("""
UPDATE strapi_api_tokens SET access_key = {key} WHERE id = {token} AND access_key = {older}""")


@dataclass(frozen=True, slots=True)
class AccessOptions:
    """Options for authentication.

    `require_expiry` refuses user tokens without an expiry. `takes_v4_admins` accepts administrator tokens signed by v4,
    in the admin API only (rule `adminTokens`). `refuse_malformed` refuses an Authorization header that is empty or has
    another scheme (rule `malformedAuthorization`). `max_age` is in seconds.
    """

    require_expiry: bool = True
    takes_v4_admins: bool = False
    refuse_malformed: bool = False
    max_age: float = 1.0


@dataclass(frozen=True, slots=True)
class _User:
    """A cached user: the actor, or the reason why the user cannot sign in."""

    read_at: float
    actor: Actor | None = None
    refusal: str = INVALID
    version: int = 0


class _Accepted(NamedTuple):
    """The claims of a valid user token."""

    user_id: int
    version: int


def _admit(claims: _Accepted, user: _User) -> Actor:
    if user.actor is None:
        raise UnauthorizedError(user.refusal)
    if claims.version < user.version:
        raise UnauthorizedError(MISSING)
    return user.actor


_READ_GRANTS: Final = "Reading the permissions of roles and API tokens"
_READ_USER: Final = "Reading a user"
_END_BLOCKED: Final = "Revoking the tokens of blocked users"
_NOTE_TOKEN: Final = "Recording the use of an API token"


class _Flights:
    """Tasks in progress, by key. Concurrent callers with the same key share one task."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[Any]] = {}

    def start(self, key: Hashable, what: str, work: Callable[[], Coroutine[Any, Any, Any]]) -> asyncio.Task[Any]:
        """Return the running task for this key, or start one. `what` describes the task in the log if it fails."""
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = asyncio.create_task(work(), context=outside())
            task.add_done_callback(partial(self._end, key, what))
        return task

    def _end(self, key: Hashable, what: str, task: asyncio.Task[Any]) -> None:
        del self._tasks[key]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            _log.info("%s failed: %s", what, reason_of(error))

    async def join(self, key: Hashable, what: str, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Return the task's result. Canceling one caller does not cancel the task for the others."""
        return await asyncio.shield(self.start(key, what, work))

    async def drain(self) -> None:
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)


class Authenticator:
    """Identifies the caller of a request. Create one per process; it belongs to the event loop that first uses it."""

    def __init__(
        self,
        database: Database,
        secrets: Secrets,
        options: AccessOptions = AccessOptions(),
        clock: Clock = SYSTEM_CLOCK,
        caches: CacheBudget | None = None,
    ) -> None:
        self._database = database
        self._secrets = secrets
        self._options = options
        self._clock = clock
        caches = caches or CacheBudget(_ALONE)
        self._tokens: Cache[str, Claims] = caches.cache("users' tokens")
        self._grants_statement = grants_statement(database.dialect)
        self.administrators = AdminTokens(
            AdminSessions(database, clock),
            secrets.admin_jwt_secret,
            options.max_age,
            clock,
            takes_v4=options.takes_v4_admins,
            accepted=secrets.accepted_admin_jwt,
        )
        self.previews = PreviewTokens(self.administrators, secrets.admin_jwt_secret, clock, secrets.accepted_admin_jwt)
        self._strict = options.refuse_malformed
        self._flights = _Flights()
        self._generation = 0
        self._grants = GrantsSnapshot()
        self._grants_text: bytes | None = None
        self._directory_at = -inf
        self._users: Cache[int, _User] = caches.cache("users")
        self._noted: dict[int, float] = {}

    def at_once(self, authorization: str | None) -> Actor | None:
        """Return the actor as `authenticate` does, or None if that needs a query."""
        now = self._clock.steady()
        if now - self._directory_at >= self._options.max_age / 2:
            return None
        token = None if authorization is None else read_bearer(authorization, strict=self._strict)
        if token is None:
            return self._grants.anonymous
        if "." in token:
            if is_admin_token(token) or is_preview_token(token):
                return None
            claims = self._accepted(token)
            user = self._users.get(claims.user_id)
            return None if user is None or self._is_old(user) else _admit(claims, user)
        found, older_key = self._find_api_token(token, self._grants)
        if found is None or (found.expires_at is not None and not found.is_valid_at(self._clock.wall())):
            return None  # `authenticate` reports the error
        return self._admit_token(found, token, older_key, now)

    async def authenticate(self, authorization: str | None) -> Actor:
        """Return the actor for a header. Raises UnauthorizedError if credentials are invalid."""
        age = self._clock.steady() - self._directory_at
        if age >= self._options.max_age / 2:
            await self._refresh_grants(age)
        grants, token = self._grants, read_bearer(authorization, strict=self._strict)
        if token is None:
            return grants.anonymous
        if is_admin_token(token):
            return (await self.administrators.signed_in(token)).content_actor
        if is_preview_token(token):
            return await self.previews.actor(token)
        if "." in token:  # API tokens are hexadecimal; a dot means a user token, valid or not
            return await self._user_actor(token)
        return await self._api_token_actor(token, grants)

    def expires_at(self, authorization: str | None) -> float:
        """Return when accepted credentials expire, in seconds since 1970.

        Returns infinity if they do not expire, or if only a query can decide.
        """
        token = read_bearer(authorization, strict=self._strict)
        if token is None or is_admin_token(token):
            return inf
        if is_preview_token(token):
            return self.previews.expires_at(token)
        if "." in token:
            return self._read_user_token(token).until
        found, _ = self._find_api_token(token, self._grants)
        return inf if found is None or found.expires_at is None else found.expires_at / 1000

    def invalidate(self) -> None:
        """Clear cached users, roles, permissions, API tokens and sessions. Call it after each write to any of them."""
        self._generation += 1
        self._directory_at = -inf
        self._users.clear()
        self.administrators.forget()
        self.previews.forget()

    async def drain(self) -> None:
        """Wait for background tasks; call it before the database is closed."""
        await self._flights.drain()

    async def _refresh_grants(self, age: float) -> None:
        """Read the grants again; wait for the result only if the cached grants are too old (`age` in seconds)."""
        if age >= self._options.max_age:
            await self._wait_for_directory()
        else:
            self._flights.start((self._generation, "grants"), _READ_GRANTS, self._read_grants_again)

    async def _wait_for_directory(self) -> None:
        """Read the grants; read again if `invalidate` was called meanwhile, because the result may be outdated."""
        generation = None
        while generation != self._generation:
            generation = self._generation
            await self._flights.join((generation, "grants"), _READ_GRANTS, self._read_grants_again)

    async def _read_grants_again(self) -> None:
        generation, asked_at = self._generation, self._clock.steady()
        text = await self._database.fetch_json(self._grants_statement)
        if generation != self._generation:
            return
        if text is not None and text != self._grants_text:
            self._grants, self._grants_text = read_grants(text), text
            self._users.clear()
        self._directory_at = asked_at

    async def _user_actor(self, token: str) -> Actor:
        claims = self._accepted(token)
        return _admit(claims, await self._fresh_user(claims.user_id))

    def _accepted(self, token: str) -> _Accepted:
        """Return the claims of a valid user token. Raises UnauthorizedError."""
        claims = self._tokens.get(token) or self._tokens.put(token, self._read_user_token(token))
        if not claims.is_valid_at(self._clock.wall()):
            raise UnauthorizedError(MISSING)
        if claims.user_id is None:
            raise UnauthorizedError(INVALID)
        if claims.expires_at is None and self._options.require_expiry:
            raise UnauthorizedError(MISSING)
        return _Accepted(claims.user_id, claims.version)

    def _read_user_token(self, token: str) -> Claims:
        return read_user_token(token, self._secrets.jwt_secret, self._secrets.accepted_jwt)

    async def _fresh_user(self, user_id: int) -> _User:
        user = self._users.get(user_id)
        if user is None or self._is_old(user):
            key, read = (self._generation, "user", user_id), partial(self._read_user, user_id)
            user = await self._flights.join(key, _READ_USER, read)
        return user

    def _is_old(self, user: _User) -> bool:
        return self._clock.steady() - user.read_at >= self._options.max_age

    async def _read_user(self, user_id: int) -> _User:
        generation, asked_at = self._generation, self._clock.steady()
        row = await self._database.fetch_row(*_USER.bind(self._database.dialect, user=user_id))
        role_id = None if row is None else row[3]
        if role_id is not None and role_id not in self._grants.roles:
            await self._read_grants_again()  # the role is newer than the grants
        if row is not None and row[2] and row[5] is None:  # blocked by other software
            self._flights.start("blocked users", _END_BLOCKED, self._end_blocked)
        user = self._judge_user(user_id, row, asked_at)
        if generation == self._generation:
            self._users.put(user_id, user)
        return user

    async def _end_blocked(self) -> None:
        async with unit_of_work(self._database) as unit:
            await revoke_tokens_of_blocked(unit.connection, self._database.dialect)

    def _judge_user(self, user_id: int, row: Any, asked_at: float) -> _User:
        if row is None:
            return _User(asked_at)
        username, email, blocked, role_id, version, _ = row
        if blocked:
            return _User(asked_at)
        if role_id is None:
            return _User(asked_at, refusal=MISSING)
        role = self._grants.role_types.get(role_id)
        actor = Actor("user", self._permissions(role_id), user_id, role_id, username, email, role)
        return _User(asked_at, actor, version=version)

    def _permissions(self, role_id: int) -> PermissionSet:
        return self._grants.roles.get(role_id, NOTHING)

    async def _api_token_actor(self, token: str, grants: GrantsSnapshot) -> Actor:
        # The lookup is by keyed hash: without the salt, its timing reveals nothing about stored tokens.
        found, older_key = self._find_api_token(token, grants)
        if found is None and self._clock.steady() - self._directory_at >= _TOKEN_AGE:
            await self._wait_for_directory()  # another process may have just created it
            found, older_key = self._find_api_token(token, self._grants)
        if found is None:
            report_failed_sign_in("api_token", origin.client())
            raise UnauthorizedError(MISSING)
        if not found.is_valid_at(self._clock.wall()):
            report_expired_token(origin.client(), found.actor.id)
            raise UnauthorizedError(EXPIRED)
        return self._admit_token(found, token, older_key, self._clock.steady())

    def _admit_token(self, found: ApiToken, token: str, older_key: str | None, now: float) -> Actor:
        """Return the actor of an API token that has not expired, and note the use, once in a while."""
        token_id = found.actor.id
        if token_id is not None and now - self._noted.get(token_id, -inf) >= USE_INTERVAL:
            self._noted[token_id] = now
            note = partial(self._write_use, token_id, token, older_key)
            self._flights.start(("use of API token", token_id), _NOTE_TOKEN, note)
        return found.actor

    def _find_api_token(self, token: str, grants: GrantsSnapshot) -> tuple[ApiToken | None, str | None]:
        """Return a stored token, and the key it is stored under if that uses a former salt."""
        found = grants.tokens.get(hash_api_token(token, self._secrets.api_token_salt))
        if found is None:
            for salt in self._secrets.accepted_salts:
                key = hash_api_token(token, salt.text)
                found = grants.tokens.get(key) if self._clock.wall() < salt.until else None
                if found is not None:
                    return found, None if salt.is_next else key
        return found, None

    async def _write_use(self, token_id: int, token: str, older_key: str | None) -> None:
        now = int(self._clock.wall() * 1000)
        before = now - int(USE_INTERVAL * 1000)
        await self._database.execute(*_NOTE_USE.bind(self._database.dialect, now=now, token=token_id, before=before))
        if older_key is not None:
            key = hash_api_token(token, self._secrets.api_token_salt)
            await self._database.execute(
                *_RENEW_KEY.bind(self._database.dialect, key=key, token=token_id, older=older_key)
            )
