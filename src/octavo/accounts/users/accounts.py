"""User accounts: sign in, register, change and reset passwords, confirm email addresses. Shared by REST and GraphQL.

Methods take the unvalidated body and the client's address, and count the attempt. They raise ValidationError,
ApplicationError and RateLimitError. Mail is sent after the response, so response times reveal nothing.
"""

import asyncio
import logging
from collections.abc import Coroutine, Mapping
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

import orjson

from octavo.access.authentication.credentials import sign_user_token
from octavo.access.authentication.one_time_codes import (
    CodeSubject,
    IssuedCode,
    is_plain_match,
    is_valid,
    issue_user_code,
    may_be_plain,
    user_of,
)
from octavo.access.authentication.passwords import prepare_password, verify_password
from octavo.access.authentication.sign_in_limits import SignInLimits
from octavo.access.authentication.sign_in_log import report_failed_sign_in
from octavo.access.authorization.actor import Actor
from octavo.accounts.users import account_input as bodies
from octavo.accounts.users.account_guard import END_CODES_OF_BLOCKED, account_lock
from octavo.accounts.users.account_input import RegistrationFields
from octavo.accounts.users.sessions import stamp_of
from octavo.accounts.users.user_rows import (
    LOCAL,
    PLACEHOLDER_ACCOUNT,
    Account,
    AccountRows,
    AccountSettings,
    UserLookup,
    lock_names,
)
from octavo.content.entry_unit import EntryUnit
from octavo.content.reader import EntryReader, PreparedRead
from octavo.content.writer import EntryWriter
from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.errors import ApplicationError, OctavoError, ValidationError
from octavo.core.mail.mailers import Mailer, MailProblem
from octavo.core.mail.templates import STORE_KEY, compose
from octavo.core.values import dataclass
from octavo.database.ambient import outside
from octavo.database.change_feed import Callback
from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work
from octavo.query.ast import EVERYTHING, Populate, Query
from octavo.query.plan.read import plan_read
from octavo.query.request import By, Form, ReadRequest
from octavo.query.sql.raw_statement import RawStatement
from octavo.schema.content_types import ROLE, USER

logger = logging.getLogger(__name__)
_TEMPLATES: Final = RawStatement("SELECT value FROM strapi_core_store_settings WHERE {key:name} = {key} LIMIT 1")
_STORE_NOTHING: Final = "UPDATE up_users SET reset_password_token = NULL WHERE id = 0"
_FIND_ROLES: Final = f"{ROLE}.find"
_TAKEN: Final = "Email or Username are already taken"

UserPurpose = Literal["user reset", "user confirmation"]


@dataclass(frozen=True, slots=True)
class _Kind:
    """How long a code is valid, in seconds, and the name of the query for codes stored by v4."""

    seconds: int
    search: str


_KINDS: Final[Mapping[UserPurpose, _Kind]] = {
    "user reset": _Kind(3600, "reset"),
    "user confirmation": _Kind(7 * 86400, "confirmation"),
}


class AccountCodes:
    """Issues and finds codes. With `plain`, codes mailed by v4 are accepted."""

    def __init__(self, rows: AccountRows, database: Database, clock: Clock, *, plain: bool) -> None:
        self._rows = rows
        self._database = database
        self._clock = clock
        self._plain = plain

    def issue(self, account: Account, purpose: UserPurpose) -> IssuedCode:
        """Issue a code that is valid until the account changes or the code expires."""
        return issue_user_code(_subject(account, purpose), self._clock.wall(), _KINDS[purpose].seconds)

    async def find(self, code: str, purpose: UserPurpose) -> Account | None:
        """Return the account of a valid code; None if the code is not valid."""
        user_id = user_of(code)
        if user_id is not None:
            account = (await self._rows.by_id(user_id)).account
        elif self._plain and may_be_plain(code):
            account = (await self._rows.by_plain_code(_KINDS[purpose].search, code)).account
        else:
            return None
        if account is None:
            return None
        if account.blocked and (account.reset_code or account.confirmation_code):  # blocked by other software
            async with unit_of_work(self._database) as unit:
                await unit.connection.execute(END_CODES_OF_BLOCKED)
        return account if self.is_valid(code, account, purpose) else None

    def is_valid(self, code: str, account: Account, purpose: UserPurpose) -> bool:
        """Return whether a code is valid for an account now. Blocked accounts have no valid codes."""
        stored = account.reset_code if purpose == "user reset" else account.confirmation_code
        if account.blocked:
            return False
        if self._plain and user_of(code) is None:
            return is_plain_match(code, stored)
        return is_valid(code, stored, _subject(account, purpose), self._clock.wall())


def _subject(account: Account, purpose: UserPurpose) -> CodeSubject:
    return CodeSubject(purpose, account.id, account.email, account.password)


@dataclass(frozen=True, slots=True)
class AccountOptions:
    """Options for accounts.

    `hide_states`: responses do not reveal which addresses are confirmed or blocked. `plain_codes`: codes that v4
    stored in plain text are accepted. `allowed_fields`: the attributes that registration can set, if configured.
    `listed_only`: a body with other attributes is refused.
    """

    jwt_secret: str = field(repr=False)
    jwt_seconds: int = 30 * 86400
    hide_states: bool = False
    plain_codes: bool = True
    allowed_fields: tuple[str, ...] | None = None
    listed_only: bool = False
    public_url: str = ""
    api_prefix: str = "/api"
    project: Path = Path()


@dataclass(frozen=True, slots=True)
class Session:
    """A user as JSON and a new token, or no token until the address is confirmed.

    `user_id` and `stamp` are for sessions with refresh tokens: see `user_sessions`.
    """

    user: bytes
    jwt: str | None
    user_id: int
    stamp: str


class Accounts:
    """What users do with their own accounts. Create one per process."""

    def __init__(
        self,
        reader: EntryReader,
        writer: EntryWriter,
        limits: SignInLimits,
        mailer: Mailer,
        options: AccountOptions,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self.rows = AccountRows(reader)
        self.forget: Callback = lambda: None
        """Clears caches as an update of a user does, so that requests for unknown accounts take the same time."""
        self._codes = AccountCodes(self.rows, reader.database, clock, plain=options.plain_codes)
        self.options = options
        self._reader = reader
        self._writer = writer
        self._database = reader.database
        self._user_type = reader.registry.content_types[USER]
        self._limits = limits
        self._mailer = mailer
        self._registration = RegistrationFields(
            self._user_type, reader.registry, options.allowed_fields, writer.rules, listed_only=options.listed_only
        )
        self._under_way: set[asyncio.Task[None]] = set()

    async def login(self, body: Any, client: str, provider: str = LOCAL) -> Session:
        """Sign in with a username or email address and a password."""
        if provider != LOCAL:
            raise ApplicationError("This provider is disabled")
        await self._limits.check("login", client, _text(body, "identifier"))
        texts = bodies.read_texts(body, bodies.LOGIN)
        found = await self.rows.by_identifier(texts["identifier"])
        account = found.account
        await self._limits.check_account("login", client, account.id if account else None, texts["identifier"])
        if not found.settings.local_enabled:
            raise ApplicationError("This provider is disabled")
        matches = await verify_password(texts["password"], account.password if account else None)
        if account is None or not matches:
            report_failed_sign_in("user", client, account.email if account else None)
            raise ValidationError("Invalid identifier or password")
        return self.session(UserLookup(found.settings, account))

    async def register(self, body: Any, actor: Actor, client: str) -> Session:
        """Create a user with the default role, and sign in."""
        await self._limits.check("register", client, _text(body, "email"))
        texts = bodies.read_texts(body, bodies.REGISTER, *self._registration.problems(body))
        before = await self.rows.taken(texts["email"], texts["username"])
        if not before.settings.allow_register:
            raise ApplicationError("Register action is currently disabled")
        data = self._registration.read(body, actor) | texts | {"provider": LOCAL}
        data["password"] = await prepare_password(texts["password"])
        shows_role = actor.may(_FIND_ROLES)
        return await self._writer.run(lambda unit: self._register(unit, data, shows_role=shows_role))

    async def _register(self, unit: EntryUnit, data: Mapping[str, Any], *, shows_role: bool) -> Session:
        """Create the user. v4 answers callers who can read roles with the role."""
        await lock_names(unit, self._database.dialect, data["email"], data["username"])
        taken = await self.rows.taken(data["email"], data["username"], unit.connection)
        settings = taken.settings
        if taken.second or (settings.unique_email and taken.first):
            raise ApplicationError(_TAKEN)
        role_id = await self.rows.role_id(unit.connection, settings.default_role)
        if role_id is None:
            raise ApplicationError("Impossible to find the default role")
        given = {**data, "role": role_id, "confirmed": not settings.email_confirmation}
        user_id = await unit.create(self._user_type, given)
        made = await self.rows.by_id(user_id, unit.connection)
        assert made.account is not None, "it has just been made"
        if not settings.email_confirmation and not shows_role:
            return _known(self._opened(made))
        code = await self._store_confirmation(unit, made.account) if settings.email_confirmation else None
        user = await self._reader.read_one(self._shown(user_id, with_role=shows_role), unit.connection)
        assert user is not None, "it has just been made"
        if code is None:
            return replace(_known(self._opened(made)), user=user)
        unit.after_commit(partial(self._send_confirmation, user, made.account.email, code))
        return Session(user, None, user_id, "")

    async def change_password(self, body: Any, actor: Actor, client: str) -> Session:
        """Change the actor's own password and return a new session."""
        if actor.kind != "user" or actor.id is None:
            raise ApplicationError("You must be authenticated to reset your password")
        await self._limits.check("change-password", client, actor.id)
        texts = bodies.read_texts(body, bodies.CHANGE_PASSWORD)
        account = (await self.rows.by_id(actor.id)).account
        if not await verify_password(texts["currentPassword"], account.password if account else None):
            raise ValidationError("The provided current password is invalid")
        if account is None or texts["currentPassword"] == texts["password"]:
            raise ValidationError("Your new password must be different than your current password")
        return await self._set_password(account, texts["password"])

    async def forgot_password(self, body: Any, client: str) -> None:
        """Mail a code for a password reset if the account exists. The response is always the same."""
        await self._limits.check("forgot-password", client, _text(body, "email"))
        texts = bodies.read_texts(body, bodies.FORGOT_PASSWORD)
        found = await self.rows.by_email(texts["email"])
        account = found.account
        await self._limits.check_account("forgot-password", client, account.id if account else None, texts["email"])
        self._start(self._send_reset(account if account and not account.blocked else None, found.settings))

    async def reset_password(self, body: Any, client: str) -> Session:
        """Set a new password with a mailed code, and sign in."""
        await self._limits.check("reset-password", client)
        texts = bodies.read_texts(body, bodies.RESET_PASSWORD)
        if texts["password"] != texts["passwordConfirmation"]:
            raise ValidationError("Passwords do not match")
        account = await self._codes.find(texts["code"], "user reset")
        if account is None:
            raise ValidationError("Incorrect code provided")
        return await self._set_password(account, texts["password"], texts["code"])

    async def confirm_email(self, body: Any, client: str) -> tuple[Session, str]:
        """Confirm a user's email address; return a session and the URL to redirect to."""
        await self._limits.check("email-confirmation", client)
        code = bodies.read_texts(body, bodies.CONFIRM_EMAIL)["confirmation"]
        account = await self._codes.find(code, "user confirmation")
        if account is None:
            raise ValidationError("Invalid token")
        confirmed = await self._writer.run(lambda unit: self._confirm(unit, account.id, code))
        return _known(self._opened(confirmed)), confirmed.settings.email_confirmation_redirection or "/"

    async def _confirm(self, unit: EntryUnit, user_id: int, code: str) -> UserLookup:
        await unit.connection.lock(account_lock(user_id))
        account = (await self.rows.by_id(user_id, unit.connection)).account
        if account is None or not self._codes.is_valid(code, account, "user confirmation"):
            raise ValidationError("Invalid token")
        await unit.update(self._user_type, user_id, {"confirmed": True, "confirmationToken": None})
        return await self.rows.by_id(user_id, unit.connection)

    async def send_email_confirmation(self, body: Any, client: str) -> str:
        """Mail a confirmation code if the address belongs to an unconfirmed account; return the address."""
        await self._limits.check("send-email-confirmation", client, _text(body, "email"))
        email = bodies.read_texts(body, bodies.SEND_CONFIRMATION)["email"]
        account = (await self.rows.by_email(email)).account
        await self._limits.check_account("send-email-confirmation", client, account.id if account else None, email)
        if account is not None and (account.confirmed or account.blocked):
            if not self.options.hide_states:
                raise ApplicationError("Already confirmed" if account.confirmed else "User blocked")
            account = None
        self._start(self._confirm_again(account))
        return email

    async def drain(self) -> None:
        """Wait for mails being sent; call it before the database is closed."""
        await asyncio.gather(*self._under_way, return_exceptions=True)

    async def _set_password(self, account: Account, password: str, code: str | None = None) -> Session:
        """Store a password. With `code`, only if that is the stored code, which is deleted."""
        data = {"password": await prepare_password(password), "resetPasswordToken": None}

        async def work(unit: EntryUnit) -> UserLookup:
            await unit.connection.lock(account_lock(account.id))
            now = (await self.rows.by_id(account.id, unit.connection)).account
            if now is None or (code is not None and not self._codes.is_valid(code, now, "user reset")):
                raise ValidationError("Incorrect code provided")
            await unit.update(self._user_type, account.id, data)
            return await self.rows.by_id(account.id, unit.connection)

        return replace(_known(self._opened(await self._writer.run(work))), user=account.shown)

    async def _send_reset(self, account: Account | None, settings: AccountSettings) -> None:
        """Mail a code. Without an account, do the same work but send no mail, so timing reveals nothing."""
        to = account or PLACEHOLDER_ACCOUNT
        code = self._codes.issue(to, "user reset")
        await self._writer.run(lambda unit: self._store(unit, to, {"resetPasswordToken": code.stored}))
        url = settings.email_reset_password or f"{self.options.public_url}/reset-password"
        await self._send(
            "reset_password", to.shown, account.email if account else None, {"URL": url, "TOKEN": code.text}
        )

    async def _confirm_again(self, account: Account | None) -> None:
        """Mail a new confirmation code; without an account, only do the same work."""
        to = account or PLACEHOLDER_ACCOUNT
        code = await self._writer.run(lambda unit: self._store_confirmation(unit, to))
        await self._send("email_confirmation", to.shown, account.email if account else None, self._confirmation(code))

    async def _store_confirmation(self, unit: EntryUnit, account: Account) -> str:
        code = self._codes.issue(account, "user confirmation")
        await self._store(unit, account, {"confirmationToken": code.stored})
        return code.text

    async def _store(self, unit: EntryUnit, account: Account, code: Mapping[str, Any]) -> None:
        """Store a code, which invalidates the previous one. Runs as many statements for `PLACEHOLDER_ACCOUNT`."""
        unit.is_cautious = True  # the number of statements must not depend on previous writes
        if not await unit.update(self._user_type, account.id, code):
            await unit.connection.execute(_STORE_NOTHING)
            unit.after_commit(self.forget)

    def _send_confirmation(self, user: bytes, email: str, code: str) -> None:
        self._start(self._send("email_confirmation", user, email, self._confirmation(code)))

    def _confirmation(self, code: str) -> dict[str, Any]:
        url = f"{self.options.public_url}{self.options.api_prefix}/auth/email-confirmation"
        return {"URL": url, "CODE": code}

    async def _send(self, name: str, user: bytes, to: str | None, data: Mapping[str, Any]) -> None:
        """Mail a text. Without an address, only prepare it."""
        stored = await self._database.fetch_value(*_TEMPLATES.bind(self._database.dialect, key=STORE_KEY))
        shared = {"USER": orjson.loads(user), "SERVER_URL": self.options.public_url}
        address = to or PLACEHOLDER_ACCOUNT.email
        message = await asyncio.to_thread(compose, name, self.options.project, stored, address, {**shared, **data})
        if to is not None:
            await self._mailer.send(message)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run work in the background."""
        task = asyncio.create_task(_logged(work), context=outside())
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    def _shown(self, user_id: int, *, with_role: bool = False) -> PreparedRead:
        """Prepare the read of a user for a response."""
        query = Query(populate=(Populate(name="role", query=EVERYTHING),)) if with_role else EVERYTHING
        request = ReadRequest(content_type=self._user_type, by=By.ID, projection=Form.FLAT, query=query)
        return self._reader.prepare(plan_read(request, self._reader.registry)).bind(id=user_id)

    def session(self, found: UserLookup) -> Session:
        """Open a session for an authenticated user. Raises ApplicationError if the user is blocked or unconfirmed."""
        if _has_to_confirm(found):
            raise ApplicationError("Your account email is not confirmed")
        if found.account is not None and found.account.blocked:
            raise ApplicationError("Your account has been blocked by an administrator")
        return _known(self._opened(found))

    async def token_for(self, user_id: int) -> str | None:
        """Return a token for a user whose session continues; None if the user cannot sign in."""
        session = self._opened(await self.rows.by_id(user_id))
        return None if session is None else session.jwt

    def _opened(self, found: UserLookup) -> Session | None:
        """Open a session. It has no token if the user is blocked or unconfirmed."""
        account = found.account
        if account is None:
            return None
        if account.blocked or _has_to_confirm(found):
            return Session(account.shown, None, account.id, "")
        options = self.options
        token = sign_user_token(account.id, options.jwt_secret, options.jwt_seconds, account.version)
        return Session(account.shown, token, account.id, stamp_of(account.password, account.version))


def _has_to_confirm(found: UserLookup) -> bool:
    return found.settings.email_confirmation and found.account is not None and not found.account.confirmed


def _known(session: Session | None) -> Session:
    assert session is not None, "the user has just been read"
    return session


def _text(body: Any, name: str) -> str:
    value = body.get(name) if isinstance(body, Mapping) else None
    return value if isinstance(value, str) else ""


async def _logged(work: Coroutine[Any, Any, None]) -> None:
    """Run background work and log its errors."""
    try:
        await work
    except (MailProblem, OctavoError) as error:
        logger.error("Could not send an email to a user: %s", error)
    except Exception:
        logger.exception("Could not send an email to a user")
