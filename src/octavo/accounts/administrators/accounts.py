"""Administrators' own sessions: they log in, renew their access and log out.

Bodies are taken as they were sent. Refuses with ApplicationError, ValidationError, UnauthorizedError and
RateLimitError, in the words of the reference.
"""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from octavo.access.authentication.admin_sessions import AdminSession, AdminSessions, SignedIn
from octavo.access.authentication.authenticator import Authenticator
from octavo.access.authentication.credentials import MAX_TOKEN_LENGTH, MISSING, sign_admin_token
from octavo.access.authentication.passwords import verify_password
from octavo.access.authentication.rate_limits import RateLimits
from octavo.accounts.administrators.audit import NOBODY, Audit
from octavo.accounts.administrators.request_bodies import RENEWAL, checked
from octavo.accounts.administrators.rows import Administrator, find_administrator, read_administrator
from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.errors import ApplicationError, UnauthorizedError, ValidationError
from octavo.core.forms.texts import is_storable
from octavo.core.text_limits import MAX_EMAIL
from octavo.core.values import dataclass
from octavo.database.connection import Database, Transaction
from octavo.database.unit_of_work import UnitOfWork, unit_of_work

_WRONG: Final = "Invalid credentials"


@dataclass(frozen=True, slots=True)
class AdminOptions:
    """How administrators get in: seconds that an access token, a session, a mailed token and an invitation last.

    `long_tokens` is the rule `adminTokens`: access tokens last as long as sessions and renew themselves, and a logout
    ends what the cookie names, no token. `plain_tokens` is `mailedCodes`, `sealed_first` is `firstAdministrator`.
    `public_url` is where the pages are.
    """

    secret: str = field(repr=False)
    access_seconds: int = 1800
    session_seconds: int = 14 * 86400
    reset_seconds: int = 3600
    invitation_seconds: int = 7 * 86400
    long_tokens: bool = False
    plain_tokens: bool = False
    sealed_first: bool = True
    public_url: str = "/admin"
    project: Path = Path()


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
        audit: Audit,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self.options = options
        self.audit = audit
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
        sound = await verify_password(password, found.password if found else None)
        if found is None or not sound or not found.active or found.blocked:
            await self.audit.write_refused(found.id if found else NOBODY, found.email if found else None)
            raise ApplicationError(_refusal(found if sound else None))
        async with unit_of_work(self._database) as unit:
            return await self.begin(unit.connection, found)

    async def begin(self, connection: Transaction, administrator: Administrator) -> AdminLogin:
        """A session of an administrator, as they are stored now."""
        password, seconds = administrator.password or "", self.options.session_seconds
        await self.audit.write_session(connection, administrator.id, administrator.email)
        session = await self.sessions.begin(connection, administrator.id, password, seconds)
        return AdminLogin(administrator, self._sign(session.name), session.cookie)

    async def renew(self, cookie: str, client: str) -> str:
        """Another access token for the session of a refresh cookie."""
        return self._sign((await self._session_of(cookie, client)).name)

    async def renew_token(self, body: Any, client: str) -> str:
        """Another access token for one that holds; its session begins to last anew."""
        given = checked(RENEWAL, body)
        try:
            signed_in = await self._authenticator.administrators.signed_in(given["token"])
        except UnauthorizedError:
            await self._limits.check("admin-session", client)
            raise ValidationError("Invalid token") from None
        async with unit_of_work(self._database) as unit:
            if signed_in.session:
                await self.sessions.extend(unit.connection, signed_in.session, self.options.session_seconds)
                return self._sign(signed_in.session)
            found = await read_administrator(unit.connection, self._database.dialect, signed_in.actor.id or 0)
            if found is None:
                raise ValidationError("Invalid token")
            return (await self.begin(unit.connection, found)).token

    async def logout(self, cookie: str, authorization: str | None, client: str) -> None:
        """End the session of a cookie, or of an access token where there is no cookie: not where such tokens are long,
        for there a logout ends what pages remember, as in v4."""
        if cookie:
            session = (await self._session_of(cookie, client)).name
        else:
            session = (await self.signed_in(authorization)).session
        if not cookie and self.options.long_tokens:
            return
        async with unit_of_work(self._database) as unit:
            await self.sessions.end(unit.connection, session)
            unit.after_commit(self._authenticator.invalidate)

    async def signed_in(self, authorization: str | None) -> SignedIn:
        """The administrator of an Authorization header. Raises UnauthorizedError for any other."""
        scheme, _, token = (authorization or "").strip().partition(" ")
        if scheme.lower() != "bearer" or len(token) > MAX_TOKEN_LENGTH or not token.isascii():
            raise UnauthorizedError(MISSING)
        return await self._authenticator.administrators.signed_in(token)

    async def _session_of(self, cookie: str, client: str) -> AdminSession:
        """Only what fails is counted: whoever holds a session may renew it as often as they like."""
        session = await self.sessions.find_by_cookie(cookie)
        if session is None:
            await self._limits.check("admin-session", client)
            raise UnauthorizedError(MISSING)
        return session

    def forget(self) -> None:
        """Read administrators and users again, as after a change of one."""
        self._authenticator.invalidate()

    def _sign(self, session: str) -> str:
        seconds = self.options.session_seconds if self.options.long_tokens else self.options.access_seconds
        return sign_admin_token(session, self.options.secret, self._clock.wall(), seconds)

    async def keep_session(self, unit: UnitOfWork, authorization: str | None, password: str) -> None:
        """Let the session of a request go on under another password, whose hash this is; all others are over."""
        session = (await self.signed_in(authorization)).session
        if session:
            await self.sessions.keep(unit.connection, session, password)


def _credentials(body: Any) -> tuple[str, str]:
    """Address and password. What is no text is as wrong as a wrong password."""
    given = body if isinstance(body, Mapping) else {}
    email, password = given.get("email"), given.get("password")
    if not email or not password or not isinstance(email, str):
        raise ApplicationError("Missing credentials")
    if not isinstance(password, str):
        raise ApplicationError(_WRONG)
    return email.lower(), password


def _refusal(administrator: Administrator | None) -> str:
    """Why nobody is let in; what is said of an administrator is for who knows the password."""
    if administrator is None:
        return _WRONG
    return "User blocked" if administrator.active else "User not active"


def _is_sound(email: str) -> bool:
    return len(email) <= MAX_EMAIL and is_storable(email)
