"""Read users for account operations: the user, the stored settings and the JSON for responses, in one query.

Settings are read from v4's `strapi_core_store_settings`; missing or unreadable ones get v4's defaults.
"""

import json
from typing import Any, Final

from octavo.content.entry_unit import EntryUnit
from octavo.content.reader import EntryReader
from octavo.core.errors import NotFoundError
from octavo.core.forms.texts import is_web_link
from octavo.core.values import dataclass
from octavo.database.connection import Connection
from octavo.query.plan.read import plan_read
from octavo.query.request import Form, ReadRequest
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement, escape_braces
from octavo.schema.content_types import USER

LOCAL: Final = "local"
"""The provider of users who sign in with a password."""

_SETTING: Final = (
    "(SELECT value FROM strapi_core_store_settings WHERE {{key:name}} = 'plugin_users-permissions_{name}' LIMIT 1)"
)

_ADVANCED: Final = RawStatement(
    "SELECT value FROM strapi_core_store_settings WHERE {key:name} = 'plugin_users-permissions_advanced' LIMIT 1"
)

_FIND: Final = """
SELECT s.advanced, s.providers, u.id, u.email, u.password, u.confirmed, u.blocked, u.reset_password_token,
  u.confirmation_token, coalesce(v.version, 0), {shown}
FROM (SELECT {advanced} AS advanced, {grant} AS providers) s
LEFT JOIN (SELECT * FROM up_users WHERE {where} LIMIT 1) u ON 1 = 1
LEFT JOIN octavo_token_versions v ON v.user_id = u.id"""

_WHERE: Final = {
    "login": """provider = 'local' AND (email = {email} OR username = {username})
    ORDER BY CASE WHEN email = {email} THEN 0 ELSE 1 END, id""",
    "email": "email = {email} ORDER BY id",
    "id": "id = {id}",
    "subject": """provider = {provider} AND id =
    (SELECT a.user_id FROM octavo_provider_accounts a WHERE a.provider = {provider} AND a.subject = {subject})""",
    "reset": "reset_password_token = {code} ORDER BY id",
    "confirmation": "confirmation_token = {code} ORDER BY id",
}

_TAKEN: Final = """
SELECT {advanced}, {grant}, count(*), count(CASE WHEN provider = 'local' THEN 1 END)
FROM up_users WHERE email IN ({{email}}, {{username}}) OR username IN ({{email}}, {{username}})"""

_LIST: Final = """
SELECT u.id, u.username, u.email, u.confirmed, u.blocked, min(r.type)
FROM up_users u LEFT JOIN up_users_role_links l ON l.user_id = u.id LEFT JOIN up_roles r ON r.id = l.role_id
GROUP BY u.id, u.username, u.email, u.confirmed, u.blocked ORDER BY u.id"""

_NAMED: Final = RawStatement("SELECT id FROM up_users WHERE username = {name} OR email = {email} ORDER BY id LIMIT 1")

_ROLE_ID: Final = RawStatement("SELECT id FROM up_roles WHERE type = {type} ORDER BY id LIMIT 1")

_OTHERS: Final = """
SELECT {advanced}, {grant}, count(CASE WHEN username = {{username}} THEN 1 END),
  count(CASE WHEN email = {{email}} THEN 1 END)
FROM up_users WHERE (username = {{username}} OR email = {{email}}) AND id <> {{own_id}}"""


@dataclass(frozen=True, slots=True)
class AccountSettings:
    """The settings that v4 stores. `local_enabled`: whether users can sign in with a password."""

    unique_email: bool = True
    allow_register: bool = True
    email_confirmation: bool = False
    email_reset_password: str = ""
    email_confirmation_redirection: str = ""
    default_role: str = "authenticated"
    local_enabled: bool = True


@dataclass(frozen=True, slots=True)
class Account:
    """A user. `shown` is the JSON for responses; `version` is the token version."""

    id: int
    email: str
    password: str | None
    confirmed: bool
    blocked: bool
    reset_code: str | None
    confirmation_code: str | None
    version: int
    shown: bytes


PLACEHOLDER_ACCOUNT: Final = Account(
    0, "nobody@localhost", None, False, True, None, None, 0, b'{"username":"nobody","email":"nobody@localhost"}'
)
"""Used if no user is found, so that the response takes the same time."""


@dataclass(frozen=True, slots=True)
class ListedUser:
    """A user in a list; `role` is the type of their role."""

    id: int
    username: str
    email: str
    confirmed: bool
    blocked: bool
    role: str | None


@dataclass(frozen=True, slots=True)
class UserLookup:
    """The result of a query: the user, if any, and the settings."""

    settings: AccountSettings
    account: Account | None


@dataclass(frozen=True, slots=True)
class NameCounts:
    """The number of users with the same username or email address."""

    settings: AccountSettings
    first: int
    second: int


class AccountRows:
    """Finds users."""

    def __init__(self, reader: EntryReader) -> None:
        self._database = reader.database
        self._dialect = reader.database.dialect
        parts = {
            "advanced": _SETTING.format(name="advanced"),
            "grant": _SETTING.format(name="grant"),
        }
        shown = escape_braces(_shown(reader))
        self._find = {
            name: RawStatement(_FIND.format(where=where, shown=shown, **parts)) for name, where in _WHERE.items()
        }
        self._taken = RawStatement(_TAKEN.format_map(parts))
        self._others = RawStatement(_OTHERS.format_map(parts))

    async def by_identifier(self, identifier: str) -> UserLookup:
        """Find a user by email address or username; an email address takes precedence."""
        return await self._one("login", self._database, email=identifier.lower(), username=identifier)

    async def by_email(self, email: str) -> UserLookup:
        """Find the first user with this email address."""
        return await self._one("email", self._database, email=email)

    async def by_id(self, user_id: int, connection: Connection | None = None) -> UserLookup:
        """Find a user by id."""
        return await self._one("id", connection or self._database, id=user_id)

    async def by_subject(self, provider: str, subject: str, connection: Connection | None = None) -> UserLookup:
        """Find a user by a provider's own id. Requires `provider_accounts.TABLE`."""
        return await self._one("subject", connection or self._database, provider=provider, subject=subject)

    async def by_plain_code(self, kind: str, code: str) -> UserLookup:
        """Find the user of a code (`reset`, `confirmation`) that v4 issued."""
        return await self._one(kind, self._database, code=code, long=True)  # v4 has no index for this

    async def taken(self, email: str, username: str, connection: Connection | None = None) -> NameCounts:
        """Count the users whose username or email address is one of these: all, and those with a password."""
        taken = self._taken.bind(self._dialect, email=email, username=username)
        row = await (connection or self._database).fetch_row(*taken)
        assert row is not None, "counts always answer a row"
        return NameCounts(_read_settings(row[0], row[1]), row[2], row[3])

    async def others(self, connection: Connection, own_id: int, username: str | None, email: str | None) -> NameCounts:
        """Count the other users with this username, and those with this email address."""
        others = self._others.bind(self._dialect, username=username, email=email, own_id=own_id)
        row = await connection.fetch_row(*others)
        assert row is not None, "counts always answer a row"
        return NameCounts(_read_settings(row[0], row[1]), row[2], row[3])

    async def role_id(self, connection: Connection, role_type: str) -> int | None:
        """Return the id of the role with this type."""
        role_id = await connection.fetch_value(*_ROLE_ID.bind(self._dialect, type=role_type))
        return None if role_id is None else int(role_id)

    async def _one(self, where: str, connection: Connection, *, long: bool = False, **values: Any) -> UserLookup:
        row = await connection.fetch_row(*self._find[where].bind(self._dialect, **values), long=long)
        assert row is not None, "the settings always answer a row"
        advanced, providers, user_id, email, password, confirmed, blocked, reset, confirmation, version, shown = row
        settings = _read_settings(advanced, providers)
        if user_id is None:
            return UserLookup(settings, None)
        account = Account(
            user_id, email or "", password, bool(confirmed), bool(blocked), reset, confirmation, version, shown
        )
        return UserLookup(settings, account)


async def list_users(connection: Connection) -> tuple[ListedUser, ...]:
    """Return all users."""
    rows = await connection.fetch_all(_LIST, long=True)
    return tuple(
        ListedUser(user_id, username or "", email or "", bool(confirmed), bool(blocked), role)
        for user_id, username, email, confirmed, blocked, role in rows
    )


async def default_role(connection: Connection, dialect: Dialect) -> str:
    """Return the type of the default role for new users, whether or not it exists."""
    return _read_settings(await connection.fetch_value(*_ADVANCED.bind(dialect)), None).default_role


async def find_user(connection: Connection, dialect: Dialect, name: str) -> int:
    """Return the id of the user with this username or email address. Raises NotFoundError."""
    user_id = await connection.fetch_value(*_NAMED.bind(dialect, name=name, email=name.lower()))
    if user_id is None:
        raise NotFoundError(f"No user is named {name!r}")
    return int(user_id)


async def lock_names(unit: EntryUnit, dialect: Dialect, *names: str | None) -> None:
    """Lock usernames and email addresses, so that a concurrent writer sees that they are taken.

    If a collation compares them, different names can be equal, so all are locked.
    """
    if dialect.texts_by_collation:
        await unit.connection.lock("octavo: accounts")
        return
    for name in sorted({f"octavo: account {name}" for name in names if name}):
        await unit.connection.lock(name)


def _shown(reader: EntryReader) -> str:
    """Return the SQL expression for the JSON of the user in row `u`."""
    user = reader.registry.content_types[USER]
    planned = plan_read(ReadRequest(content_type=user, projection=Form.FLAT), reader.registry)
    return reader.entry_json(planned.plan.shape, "u")


def _read_settings(advanced: Any, providers: Any) -> AccountSettings:
    stored, given = read_object(advanced), AccountSettings()
    email = read_object(providers).get("email")
    return AccountSettings(
        unique_email=stored.get("unique_email", given.unique_email) is not False,
        allow_register=stored.get("allow_register", given.allow_register) is not False,
        email_confirmation=stored.get("email_confirmation") is True,
        email_reset_password=_link(stored.get("email_reset_password")),
        email_confirmation_redirection=_link(stored.get("email_confirmation_redirection")),
        default_role=str(stored.get("default_role") or given.default_role),
        local_enabled=not isinstance(email, dict) or email.get("enabled") is not False,
    )


def _link(stored: Any) -> str:
    """Return a stored link; an empty text if it is not a link to a web page."""
    return stored if is_web_link(stored) else ""


def read_object(text: Any) -> dict[str, Any]:
    """Return a setting stored as JSON text; an empty dict if it is not an object."""
    try:
        value = json.loads(text or "{}")
    except (TypeError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
