"""Accounts: log in, register, change and reset passwords, confirm addresses; the same for every door.

Each takes the body as it was sent and the client's address, and counts the attempt. Refuses with ValidationError,
ApplicationError and RateLimitError. Mail leaves after the answer, so that its time tells nothing.
"""

import asyncio
import logging
from collections.abc import Coroutine, Mapping
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any, Final

import orjson

from octavo.authentication.credentials import sign_user_token
from octavo.authentication.one_time_codes import is_good, is_plain, issue_code, user_of
from octavo.authentication.passwords import HashedPassword, prepare_password, verify_password
from octavo.authentication.rate_limits import RateLimits
from octavo.authentication.token_versions import revoke_user_tokens, user_token_version
from octavo.authorization.ability import CREATE
from octavo.authorization.actor import Actor
from octavo.authorization.input_sanitizer import InputSanitizer
from octavo.clock import SYSTEM_CLOCK, Clock
from octavo.content.entry_unit import EntryUnit
from octavo.content.reader import EntryReader, PreparedRead
from octavo.content.writer import EntryWriter
from octavo.database.ambient import outside
from octavo.errors import ApplicationError, OctavoError, ValidationError
from octavo.mail.mailers import Mailer, MailProblem
from octavo.mail.templates import STORE_KEY, compose
from octavo.plan.read import plan_read
from octavo.query.request import By, Form, ReadRequest
from octavo.schema.attributes import Scalar
from octavo.schema.automatic import CREATORS, TIMESTAMPS
from octavo.schema.uids import USER
from octavo.sql.own_table_statement import OwnStatement
from octavo.users import account_input as bodies
from octavo.users.sessions import stamp_of
from octavo.users.user_rows import LOCAL, Account, AccountRows, AccountSettings, lock_names
from octavo.values import dataclass

logger = logging.getLogger(__name__)

RESET_SECONDS: Final = 3600
CONFIRMATION_SECONDS: Final = 7 * 86400

_NEVER_REGISTERED: Final = frozenset(
    (
        *("id", "username", "email", "password", "role", "provider", "confirmed", "blocked"),
        *("resetPasswordToken", "confirmationToken", *TIMESTAMPS, *CREATORS),
    )
)
_TEMPLATES: Final = OwnStatement("SELECT value FROM strapi_core_store_settings WHERE {key:name} = {key} LIMIT 1")
_TAKEN: Final = "Email or Username are already taken"


@dataclass(frozen=True, slots=True)
class AccountOptions:
    """How accounts are kept.

    `revoke`: a new password makes older tokens useless. `hide_states`: nobody is told which addresses are
    confirmed or blocked. `plain_codes`: codes that v4 has stored in plain text are taken.
    """

    jwt_secret: str = field(repr=False)
    jwt_seconds: int = 30 * 86400
    revoke: bool = False
    hide_states: bool = False
    plain_codes: bool = True
    allowed_fields: tuple[str, ...] = ()
    public_url: str = ""
    api_prefix: str = "/api"
    project: Path = Path()


@dataclass(frozen=True, slots=True)
class Session:
    """A user as JSON, and a new token; none while the address has to be confirmed first.

    `user_id` and `stamp` are for a session with refresh tokens: see `user_sessions`.
    """

    user: bytes
    jwt: str | None
    user_id: int
    stamp: str


class Accounts:
    """What people do with their own accounts. One for each process."""

    def __init__(
        self,
        reader: EntryReader,
        writer: EntryWriter,
        limits: RateLimits,
        mailer: Mailer,
        options: AccountOptions,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self.rows = AccountRows(reader, versioned=options.revoke)
        self.options = options
        self._reader = reader
        self._writer = writer
        self._database = reader.database
        self._user_type = reader.registry.content_types[USER]
        self._limits = limits
        self._mailer = mailer
        self._clock = clock
        self._extra = frozenset(options.allowed_fields) & self._registrable()
        self._under_way: set[asyncio.Task[None]] = set()

    async def login(self, body: Any, client: str, provider: str = LOCAL) -> Session:
        """A session for a name or an address, and a password."""
        if provider != LOCAL:
            raise ApplicationError("This provider is disabled")
        await self._limits.check("login", client, _text(body, "identifier"))
        texts = bodies.read_texts(body, bodies.LOGIN)
        found = await self.rows.by_identifier(texts["identifier"])
        account = found.account
        if account is not None:
            await self._limits.check_account("login", client, account.id)
        if not found.settings.local_enabled:
            raise ApplicationError("This provider is disabled")
        matches = await verify_password(texts["password"], account.password if account else None)
        if account is None or not matches:
            raise ValidationError("Invalid identifier or password")
        if found.settings.email_confirmation and not account.confirmed:
            raise ApplicationError("Your account email is not confirmed")
        if account.blocked:
            raise ApplicationError("Your account has been blocked by an administrator")
        return self.session(account)

    async def register(self, body: Any, actor: Actor, client: str) -> Session:
        """A new user, with the default role."""
        await self._limits.check("register", client, _text(body, "email"))
        texts = bodies.read_texts(body, bodies.REGISTER)
        before = await self.rows.taken(texts["email"], texts["username"])
        if not before.settings.allow_register:
            raise ApplicationError("Register action is currently disabled")
        data = self._registered(body, actor) | texts | {"provider": LOCAL}
        data["password"] = await prepare_password(texts["password"])
        return await self._writer.run(lambda unit: self._register(unit, data))

    async def _register(self, unit: EntryUnit, data: Mapping[str, Any]) -> Session:
        await lock_names(unit, data["email"], data["username"])
        taken = await self.rows.taken(data["email"], data["username"], unit.connection)
        settings = taken.settings
        if taken.second or (settings.unique_email and taken.first):
            raise ApplicationError(_TAKEN)
        role_id = await self.rows.role_id(unit.connection, settings.default_role)
        if role_id is None:
            raise ApplicationError("Impossible to find the default role")
        given = {**data, "role": role_id, "confirmed": not settings.email_confirmation}
        user_id = await unit.create(self._user_type, given)
        code = await self._store_confirmation(unit, user_id) if settings.email_confirmation else ""
        user = await self._reader.read_one(self._shown(user_id), unit.connection)
        assert user is not None, "it has just been made"
        if code:
            unit.after_commit(partial(self._send_confirmation, user, data["email"], code))
            return Session(user, None, user_id, "")
        return Session(user, await self._token(unit, user_id), user_id, _stamp(data["password"]))

    async def change_password(self, body: Any, actor: Actor, client: str) -> Session:
        """A session after one's own password has changed."""
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
        """Send a code for a new password, if there is somebody to send it to; nobody is told."""
        await self._limits.check("forgot-password", client, _text(body, "email"))
        texts = bodies.read_texts(body, bodies.FORGOT_PASSWORD)
        found = await self.rows.by_email(texts["email"])
        if found.account is not None and not found.account.blocked:
            self._start(self._send_reset(found.account, found.settings))

    async def reset_password(self, body: Any, client: str) -> Session:
        """A session after a new password has been chosen with a code."""
        await self._limits.check("reset-password", client)
        texts = bodies.read_texts(body, bodies.RESET_PASSWORD)
        if texts["password"] != texts["passwordConfirmation"]:
            raise ValidationError("Passwords do not match")
        account = await self._by_code("reset", texts["code"])
        if account is None or account.blocked or not self._is_good(texts["code"], account.reset_code):
            raise ValidationError("Incorrect code provided")
        return await self._set_password(account, texts["password"], texts["code"])

    async def confirm_email(self, body: Any, client: str) -> tuple[Session, str]:
        """A session for the user whose address is now known to be right, and where to go next."""
        await self._limits.check("email-confirmation", client)
        code = bodies.read_texts(body, bodies.CONFIRM_EMAIL)["confirmation"]
        account = await self._by_code("confirmation", code)
        if account is None or not self._is_good(code, account.confirmation_code):
            raise ValidationError("Invalid token")
        await self._writer.run(lambda unit: self._confirm(unit, account.id, code))
        found = await self.rows.by_id(account.id)
        return self.session(found.account or account), found.settings.email_confirmation_redirection or "/"

    async def _confirm(self, unit: EntryUnit, user_id: int, code: str) -> None:
        await unit.connection.lock(_lock_name(user_id))
        account = (await self.rows.by_id(user_id, unit.connection)).account
        if account is None or not self._is_good(code, account.confirmation_code):
            raise ValidationError("Invalid token")
        await unit.update(self._user_type, user_id, {"confirmed": True, "confirmationToken": None})

    async def send_email_confirmation(self, body: Any, client: str) -> str:
        """Send a code to confirm an address, if somebody with that address has to; the address."""
        await self._limits.check("send-email-confirmation", client, _text(body, "email"))
        email = bodies.read_texts(body, bodies.SEND_CONFIRMATION)["email"]
        account = (await self.rows.by_email(email)).account
        if account is None:
            return email
        if not account.confirmed and not account.blocked:
            self._start(self._confirm_again(account))
        elif not self.options.hide_states:
            raise ApplicationError("Already confirmed" if account.confirmed else "User blocked")
        return email

    async def settle(self) -> None:
        """Wait until no mail is under way; before the database is closed."""
        await asyncio.gather(*self._under_way, return_exceptions=True)

    async def _set_password(self, account: Account, password: str, code: str | None = None) -> Session:
        """Store a password; with a code, only while it is the one stored, and never again."""
        data = {"password": await prepare_password(password), "resetPasswordToken": None}

        async def work(unit: EntryUnit) -> str:
            await unit.connection.lock(_lock_name(account.id))
            now = (await self.rows.by_id(account.id, unit.connection)).account
            if now is None or (code is not None and not self._is_good(code, now.reset_code)):
                raise ValidationError("Incorrect code provided")
            await unit.update(self._user_type, account.id, data)
            if self.options.revoke:
                await revoke_user_tokens(unit.connection, self._database.dialect, account.id)
            return await self._token(unit, account.id)

        token = await self._writer.run(work)
        return Session(account.shown, token, account.id, _stamp(data["password"]))

    async def _by_code(self, kind: str, code: str) -> Account | None:
        user_id = user_of(code)
        if user_id is not None:
            return (await self.rows.by_id(user_id)).account
        if not (self.options.plain_codes and is_plain(code)):
            return None
        return (await self.rows.by_plain_code(kind, code)).account

    def _is_good(self, code: str, stored: str | None) -> bool:
        return is_good(code, stored, self._clock.wall())

    async def _send_reset(self, account: Account, settings: AccountSettings) -> None:
        code = issue_code(account.id, self._clock.wall(), RESET_SECONDS)
        await self._writer.update(self._user_type, account.id, {"resetPasswordToken": code.stored})
        url = settings.email_reset_password or f"{self.options.public_url}/reset-password"
        await self._send("reset_password", account.shown, account.email, {"URL": url, "TOKEN": code.text})

    async def _confirm_again(self, account: Account) -> None:
        code = await self._writer.run(lambda unit: self._store_confirmation(unit, account.id))
        await self._send("email_confirmation", account.shown, account.email, self._confirmation(code))

    async def _store_confirmation(self, unit: EntryUnit, user_id: int) -> str:
        code = issue_code(user_id, self._clock.wall(), CONFIRMATION_SECONDS)
        await unit.update(self._user_type, user_id, {"confirmationToken": code.stored})
        return code.text

    def _send_confirmation(self, user: bytes, email: str, code: str) -> None:
        self._start(self._send("email_confirmation", user, email, self._confirmation(code)))

    def _confirmation(self, code: str) -> dict[str, Any]:
        url = f"{self.options.public_url}{self.options.api_prefix}/auth/email-confirmation"
        return {"URL": url, "CODE": code}

    async def _send(self, name: str, user: bytes, to: str, data: Mapping[str, Any]) -> None:
        stored = await self._database.fetch_value(*_TEMPLATES.bind(self._database.dialect, key=STORE_KEY))
        shared = {"USER": orjson.loads(user), "SERVER_URL": self.options.public_url}
        message = await asyncio.to_thread(compose, name, self.options.project, stored, to, {**shared, **data})
        await self._mailer.send(message)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside the answer."""
        task = asyncio.create_task(_logged(work), context=outside())
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    def _registrable(self) -> frozenset[str]:
        """The attributes that a project may let people set when they register."""
        return frozenset(
            name
            for name, attribute in self._user_type.attributes.items()
            if attribute.writable
            and not attribute.private
            and name not in _NEVER_REGISTERED
            and not (isinstance(attribute, Scalar) and attribute.type == "password")
        )

    def _registered(self, body: Mapping[str, Any], actor: Actor) -> dict[str, Any]:
        """What a registration says beyond name, address and password, as far as it may."""
        given = {name: value for name, value in body.items() if name in self._extra}
        return dict(InputSanitizer(self._reader.registry, actor.ability, CREATE).sanitize(given, self._user_type))

    def _shown(self, user_id: int) -> PreparedRead:
        request = ReadRequest(content_type=self._user_type, by=By.ID, projection=Form.FLAT)
        return self._reader.prepare(plan_read(request, self._reader.registry)).bind(id=user_id)

    def session(self, account: Account) -> Session:
        """A session for a user who has proved who they are."""
        token = self._sign(account.id, account.version)
        return Session(account.shown, token, account.id, stamp_of(account.password))

    async def token_for(self, user_id: int) -> str | None:
        """A token for a user whose session goes on; None when there is no such user any more."""
        account = (await self.rows.by_id(user_id)).account
        return None if account is None or account.blocked else self._sign(account.id, account.version)

    async def _token(self, unit: EntryUnit, user_id: int) -> str:
        dialect = self._database.dialect
        version = await user_token_version(unit.connection, dialect, user_id) if self.options.revoke else 0
        return self._sign(user_id, version)

    def _sign(self, user_id: int, version: int) -> str:
        return sign_user_token(user_id, self.options.jwt_secret, self.options.jwt_seconds, version)


def _stamp(password: object) -> str:
    """What a session remembers of a password that was just hashed."""
    assert isinstance(password, HashedPassword), "it has been stored, so it fits"
    return stamp_of(password.hash)


def _lock_name(user_id: int) -> str:
    return f"octavo: account #{user_id}"


def _text(body: Any, name: str) -> str:
    value = body.get(name) if isinstance(body, Mapping) else None
    return value if isinstance(value, str) else ""


async def _logged(work: Coroutine[Any, Any, None]) -> None:
    """Work that nobody waits for: what goes wrong is told in the log."""
    try:
        await work
    except (MailProblem, OctavoError) as error:
        logger.error("A message to a user could not be sent: %s", error)
    except Exception:
        logger.exception("A message to a user could not be sent")
