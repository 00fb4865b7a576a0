"""Administrator registration and password reset: the first administrator, invitations, forgotten passwords.

Each ends with a session. Raises ValidationError, ApplicationError and RateLimitError with Strapi's messages. Responses
do not reveal whether an account exists.
"""

import asyncio
import hmac
import logging
from collections.abc import Coroutine
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final

from octavo.access.authentication.admin_sessions import SUPER_ADMIN, end_admin_sessions_of_blocked
from octavo.access.authentication.one_time_codes import (
    administrator_of,
    is_valid,
    issue_administrator_code,
    may_be_plain,
)
from octavo.access.authentication.passwords import hash_password
from octavo.access.authentication.sign_in_limits import SignInLimits
from octavo.accounts.administrators import request_bodies
from octavo.accounts.administrators.accounts import AdministratorAccount
from octavo.accounts.administrators.request_bodies import checked
from octavo.accounts.administrators.row_writes import (
    NewRow,
    ensure_roles,
    insert_administrator,
    lock_administrators,
    store_code,
    update_administrator,
)
from octavo.accounts.administrators.rows import (
    NO_ADMINISTRATOR,
    Administrator,
    TokenKind,
    find_administrator,
    find_by_plain_code,
    has_administrators,
    read_administrator,
    role_id_of,
    roles_of,
    stored_code,
    subject_of,
)
from octavo.accounts.administrators.sign_in import AdminLogin, AdminSignIn
from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.errors import ApplicationError, ForbiddenError, ValidationError
from octavo.core.mail.mailers import Mailer
from octavo.core.mail.templates import compose
from octavo.database.ambient import outside
from octavo.database.change_feed import ChangeFeed
from octavo.database.connection import Connection, Database
from octavo.database.unit_of_work import UnitOfWork, unit_of_work

logger = logging.getLogger(__name__)

_NOT_FIRST: Final = "You cannot register a new super admin"
_RESET_FAILED: Final = "An application error occured"  # Strapi's spelling
_CODE: Final = "code"
_RESET_MAIL: Final = "admin_reset_password"


class Registration:
    """Registers administrators and resets passwords. Create one per process."""

    def __init__(
        self,
        database: Database,
        administrators: AdminSignIn,
        limits: SignInLimits,
        mailer: Mailer,
        feed: ChangeFeed,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._database = database
        self._dialect = database.dialect
        self._administrators = administrators
        self._options = administrators.options
        self._limits = limits
        self._mailer = mailer
        self._feed = feed
        self._clock = clock
        self._under_way: set[asyncio.Task[None]] = set()

    async def has_administrators(self) -> bool:
        """Return whether any administrator exists."""
        return await has_administrators(self._database)

    def first_code(self) -> str:
        """Return the code that a remote client needs to register the first administrator."""
        return hmac.new(self._options.secret.encode(), b"octavo: first administrator", sha256).hexdigest()[:24]

    async def register_first(self, body: Any, client: str, *, here: bool) -> tuple[AdminLogin, AdministratorAccount]:
        """Register the first administrator and sign in. `here`: the request comes from this machine.

        With the rule `firstAdministrator`, remote clients send the `code` that Octavo logs at startup.
        """
        await self._limits.check("admin-register-first", client)
        code = ""
        if self._options.sealed_first and isinstance(body, dict):
            code = str(body.get(_CODE) or "")
            body = {name: value for name, value in body.items() if name != _CODE}
        given = checked(request_bodies.FIRST, body)
        if await has_administrators(self._database):
            raise ApplicationError(_NOT_FIRST)
        if self._options.sealed_first and not here and not _same(code, self.first_code()):
            raise ForbiddenError(
                "Creating the first administrator requires the code that the service logged at startup"
            )
        hashed = (await hash_password(given["password"])).hash
        async with unit_of_work(self._database, self._feed) as unit:
            await lock_administrators(unit.connection)
            if await has_administrators(unit.connection):
                raise ApplicationError(_NOT_FIRST)
            await ensure_roles(unit, self._dialect)
            role = await role_id_of(unit.connection, self._dialect, SUPER_ADMIN)
            if role is None:
                raise ApplicationError("The Super Admin role does not exist")
            new = NewRow(given["email"], given["firstname"], given.get("lastname"), roles=(role,), password=hashed)
            return await self._enter(unit, await insert_administrator(unit, self._dialect, new))

    async def invited(self, query: Any) -> Administrator:
        """Return the administrator that an invitation is for."""
        token = checked(request_bodies.REGISTRATION_TOKEN, query)["registrationToken"]
        administrator = await self._find("registration", token)
        if administrator is None:
            raise ValidationError("Invalid registrationToken")
        return administrator

    async def register(self, body: Any, client: str) -> tuple[AdminLogin, AdministratorAccount]:
        """Activate an invited administrator with a password, and sign in."""
        await self._limits.check("admin-register", client)
        given = checked(request_bodies.REGISTRATION, body)
        account, token = given["userInfo"], given["registrationToken"]
        if await self._find("registration", token) is None:
            raise ValidationError("Invalid registration info")
        hashed = (await hash_password(account["password"])).hash
        async with unit_of_work(self._database, self._feed) as unit:
            await lock_administrators(unit.connection)
            administrator = await self._find("registration", token, unit)
            if administrator is None:
                raise ValidationError("Invalid registration info")
            lastname = account.get("lastname", administrator.lastname)
            changed = replace(administrator, firstname=account["firstname"], lastname=lastname, active=True)
            await update_administrator(unit, self._dialect, changed, password=hashed)
            return await self._enter(unit, administrator.id)

    async def forgot_password(self, body: Any, client: str) -> None:
        """Mail a token for a password reset if the account exists. The response is always the same."""
        email = body.get("email") if isinstance(body, dict) else None
        await self._limits.check("admin-forgot-password", client, email if isinstance(email, str) else "")
        given = checked(request_bodies.FORGOTTEN, body)
        administrator = await find_administrator(self._database, self._dialect, given["email"])
        await self._limits.check_account(
            "admin-forgot-password", client, administrator.id if administrator else None, given["email"]
        )
        self._start(
            self._send_reset(
                administrator
                if administrator is not None and administrator.active and not administrator.blocked
                else None
            )
        )

    async def reset_password(self, body: Any, client: str) -> tuple[AdminLogin, AdministratorAccount]:
        """Set a new password with a mailed token, and sign in."""
        await self._limits.check("admin-reset-password", client)
        given = checked(request_bodies.RESET, body)
        if await self._find("reset", given["resetPasswordToken"]) is None:
            raise ApplicationError(_RESET_FAILED)
        hashed = (await hash_password(given["password"])).hash
        async with unit_of_work(self._database, self._feed) as unit:
            await lock_administrators(unit.connection)
            administrator = await self._find("reset", given["resetPasswordToken"], unit)
            if administrator is None:
                raise ApplicationError(_RESET_FAILED)
            await update_administrator(unit, self._dialect, administrator, password=hashed)
            return await self._enter(unit, administrator.id)

    async def drain(self) -> None:
        """Wait for mails being sent; call it before the database is closed."""
        await asyncio.gather(*self._under_way, return_exceptions=True)

    async def _find(self, kind: TokenKind, code: str, unit: UnitOfWork | None = None) -> Administrator | None:
        """Return the administrator of a valid code. Invitations need an inactive account, resets an active one."""
        connection = self._database if unit is None else unit.connection
        administrator = await self._find_sealed(connection, kind, code)
        if administrator is None and self._options.plain_tokens and may_be_plain(code):
            administrator = await find_by_plain_code(connection, self._dialect, kind, code)
        if administrator is None:
            return None
        if administrator.blocked or (kind == "reset" and not administrator.active):
            if unit is None:  # blocked by other software
                async with unit_of_work(self._database) as ending:
                    await end_admin_sessions_of_blocked(ending.connection)
            return None
        return administrator

    async def _find_sealed(self, connection: Connection, kind: TokenKind, code: str) -> Administrator | None:
        """Return the administrator of a valid code issued by Octavo."""
        user_id = administrator_of(code)
        administrator = await read_administrator(connection, self._dialect, user_id) if user_id else None
        if administrator is None:
            return None
        stored = await stored_code(connection, self._dialect, kind, administrator.id)
        return administrator if is_valid(code, stored, subject_of(administrator, kind), self._clock.wall()) else None

    async def _enter(self, unit: UnitOfWork, user_id: int) -> tuple[AdminLogin, AdministratorAccount]:
        administrator = await read_administrator(unit.connection, self._dialect, user_id)
        assert administrator is not None, "it has just been written"
        account = AdministratorAccount(administrator, await roles_of(unit.connection, self._dialect, user_id))
        return await self._administrators.begin(unit.connection, administrator), account

    async def _send_reset(self, found: Administrator | None) -> None:
        """Mail a code. Without an administrator, do the same work but send no mail, so timing reveals nothing."""
        to = found or NO_ADMINISTRATOR
        code = issue_administrator_code(subject_of(to, "reset"), self._clock.wall(), self._options.reset_seconds)
        async with unit_of_work(self._database, self._feed) as unit:
            await store_code(unit, self._dialect, "reset", to.id, code.stored)
            unit.after_commit(self._administrators.forget)
        data = {
            "URL": f"{self._options.public_url}/auth/reset-password",
            "TOKEN": code.text,
            "USER": {"firstname": to.firstname, "lastname": to.lastname, "email": to.email},
        }
        message = await asyncio.to_thread(compose, _RESET_MAIL, self._options.project, None, to.email, data)
        if found is not None:
            await self._mailer.send(message)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run work in the background, so that the response time does not depend on it."""
        task = asyncio.create_task(_logged(work), context=outside())
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)


async def _logged(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except Exception:
        logger.exception("Could not send an email about an administrator's password")


def _same(given: str, code: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), code.encode())
