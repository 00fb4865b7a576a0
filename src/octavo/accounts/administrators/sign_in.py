"""Administrator sign-in, token refresh and sign-out.

Methods take the unvalidated request body. They raise ApplicationError, ValidationError, UnauthorizedError and
RateLimitError with Strapi's messages.
"""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from octavo.access.authentication.admin_sessions import AdminSession, AdminSessions, SignedIn
from octavo.access.authentication.authenticator import Authenticator
from octavo.access.authentication.credentials import MAX_TOKEN_LENGTH, MISSING, sign_admin_token
from octavo.access.authentication.passwords import verify_password
from octavo.access.authentication.sign_in_limits import SignInLimits
from octavo.access.authentication.sign_in_log import report_failed_sign_in
from octavo.accounts.administrators.audit import UNKNOWN_ADMINISTRATOR, Audit
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
    """Options for administrator sign-in: lifetimes in seconds, and compatibility rules.

    With `long_tokens` (rule `adminTokens`) access tokens last as long as sessions and can be renewed, and a sign-out
    only ends a session that has a cookie. `plain_tokens` is the rule `mailedCodes`, `sealed_first` the rule
    `firstAdministrator`. `public_url` is the admin panel's URL.
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
    """The result of a sign-in: the administrator, an access token, and the refresh cookie (shown once)."""

    administrator: Administrator
    token: str = field(repr=False)
    cookie: str = field(repr=False)


class AdminSignIn:
    """Signs administrators in and out. Create one per process."""

    def __init__(
        self,
        database: Database,
        authenticator: Authenticator,
        limits: SignInLimits,
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
        """Sign in with an email address and a password."""
        email, password = _credentials(body)
        await self._limits.check("admin-login", client, email)
        administrator = (
            await find_administrator(self._database, self._database.dialect, email) if _is_valid(email) else None
        )
        await self._limits.check_account("admin-login", client, administrator.id if administrator else None, email)
        sound = await verify_password(password, administrator.password if administrator else None)
        if administrator is None or not sound or not administrator.active or administrator.blocked:
            report_failed_sign_in("administrator", client, administrator.email if administrator else None)
            await self.audit.write_refused(
                administrator.id if administrator else UNKNOWN_ADMINISTRATOR,
                administrator.email if administrator else None,
            )
            raise ApplicationError(_refusal(administrator if sound else None))
        async with unit_of_work(self._database, in_maintenance=True) as unit:
            return await self.begin(unit.connection, administrator)

    async def begin(self, connection: Transaction, administrator: Administrator) -> AdminLogin:
        """Start a session for an administrator as read in this transaction."""
        password, seconds = administrator.password or "", self.options.session_seconds
        await self.audit.write_session(connection, administrator.id, administrator.email)
        session = await self.sessions.begin(connection, administrator.id, password, seconds)
        return AdminLogin(administrator, self._sign(session.name), session.cookie)

    async def renew(self, cookie: str, client: str) -> str:
        """Return a new access token for the session of a refresh cookie."""
        return self._sign((await self._session_of(cookie, client)).name)

    async def renew_token(self, body: Any, client: str) -> str:
        """Return a new access token for a valid one, and extend its session."""
        given = checked(RENEWAL, body)
        try:
            signed_in = await self._authenticator.administrators.signed_in(given["token"])
        except UnauthorizedError:
            await self._limits.check("admin-session", client)
            raise ValidationError("Invalid token") from None
        async with unit_of_work(self._database, in_maintenance=True) as unit:
            if signed_in.session:
                await self.sessions.extend(unit.connection, signed_in.session, self.options.session_seconds)
                return self._sign(signed_in.session)
            administrator = await read_administrator(unit.connection, self._database.dialect, signed_in.actor.id or 0)
            if administrator is None:
                raise ValidationError("Invalid token")
            return (await self.begin(unit.connection, administrator)).token

    async def logout(self, cookie: str, authorization: str | None, client: str) -> None:
        """End the session of a cookie or, without one, of an access token.

        With `long_tokens` only the session of a cookie ends. Access tokens stay valid, as in v4.
        """
        if cookie:
            session = (await self._session_of(cookie, client)).name
        else:
            session = (await self.signed_in(authorization)).session
        if not cookie and self.options.long_tokens:
            return
        async with unit_of_work(self._database, in_maintenance=True) as unit:
            await self.sessions.end(unit.connection, session)
            unit.after_commit(self._authenticator.invalidate)

    async def signed_in(self, authorization: str | None) -> SignedIn:
        """Return the administrator of an Authorization header. Raises UnauthorizedError for other callers."""
        scheme, _, token = (authorization or "").strip().partition(" ")
        if scheme.lower() != "bearer" or len(token) > MAX_TOKEN_LENGTH or not token.isascii():
            raise UnauthorizedError(MISSING)
        return await self._authenticator.administrators.signed_in(token)

    async def _session_of(self, cookie: str, client: str) -> AdminSession:
        """Return the session of a refresh cookie. Only failures count toward the rate limit."""
        session = await self.sessions.find_by_cookie(cookie)
        if session is None:
            await self._limits.check("admin-session", client)
            raise UnauthorizedError(MISSING)
        return session

    def forget(self) -> None:
        """Clear cached administrators and users after a change."""
        self._authenticator.invalidate()

    def _sign(self, session: str) -> str:
        seconds = self.options.session_seconds if self.options.long_tokens else self.options.access_seconds
        return sign_admin_token(session, self.options.secret, self._clock.wall(), seconds)

    async def keep_session(self, unit: UnitOfWork, authorization: str | None, password: str) -> None:
        """Keep the request's session valid under a new password hash. All other sessions have ended."""
        session = (await self.signed_in(authorization)).session
        if session:
            await self.sessions.keep(unit.connection, session, password)


def _credentials(body: Any) -> tuple[str, str]:
    """Return email address and password. Values that are not text fail like a wrong password."""
    given = body if isinstance(body, Mapping) else {}
    email, password = given.get("email"), given.get("password")
    if not email or not password or not isinstance(email, str):
        raise ApplicationError("Missing credentials")
    if not isinstance(password, str):
        raise ApplicationError(_WRONG)
    return email.lower(), password


def _refusal(administrator: Administrator | None) -> str:
    """Return the error message for a failed sign-in. Account states are only revealed with the right password."""
    if administrator is None:
        return _WRONG
    return "User blocked" if administrator.active else "User not active"


def _is_valid(email: str) -> bool:
    return len(email) <= MAX_EMAIL and is_storable(email)
