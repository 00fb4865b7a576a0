"""Link provider accounts to users, and create users on the first sign-in.

v4 identifies users by provider and email address. Octavo also stores the provider's own id (subject), so that no one
gets another user's account if an email address is reassigned at the provider. Raises ApplicationError with v4's
messages.
"""

import secrets
from typing import Any, Final

from octavo.accounts.users.providers.catalogue import ProviderProfile
from octavo.accounts.users.user_rows import AccountRows, UserLookup, lock_names
from octavo.content.entry_unit import EntryUnit
from octavo.content.writer import EntryWriter
from octavo.core.errors import ApplicationError
from octavo.core.forms.texts import is_email
from octavo.core.values import dataclass
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.raw_statement import RawStatement
from octavo.schema.content_types import USER

TABLE: Final = SystemTable(
    "octavo_provider_accounts",
    (
        "provider varchar(64) NOT NULL",
        "subject varchar(255) NOT NULL",
        "user_id integer NOT NULL",
        "PRIMARY KEY (provider, subject)",
    ),
)

_HOLDERS: Final = RawStatement("""
SELECT u.id, u.email, CASE WHEN u.provider = {provider} THEN 1 ELSE 0 END, CASE WHEN EXISTS (
  SELECT 1 FROM octavo_provider_accounts a WHERE a.provider = {provider} AND a.user_id = u.id) THEN 1 ELSE 0 END
FROM up_users u WHERE u.email = {email} ORDER BY u.id""")

_LINK: Final = RawStatement("""
INSERT INTO octavo_provider_accounts (provider, subject, user_id) VALUES ({provider}, {subject}, {user})
{provider, subject:on_conflict} user_id = {user_id:proposed}""")

_NAMED: Final = RawStatement("SELECT count(*) FROM up_users WHERE username = {name}")

_LONGEST: Final = 254
_LONGEST_NAME: Final = 100
_SHORTEST_NAME: Final = 3
_TAKEN: Final = "Email is already taken."


@dataclass(frozen=True, slots=True)
class _Found:
    """The user already linked to a provider account, and whether other users have the address."""

    own: int | None
    linked: bool
    others: bool


class ProviderAccounts:
    """Finds and creates users. `refuse_unverified`: an address the provider has not verified is ignored."""

    def __init__(self, rows: AccountRows, writer: EntryWriter, *, refuse_unverified: bool) -> None:
        self._rows = rows
        self._writer = writer
        self._refuse_unverified = refuse_unverified
        self._user_type = writer.registry.content_types[USER]
        self._dialect = writer.database.dialect

    async def account(self, provider: str, person: ProviderProfile) -> UserLookup:
        """Return the user for a provider account, created if necessary, with the settings for sign-in."""
        lookup = await self._rows.by_subject(provider, person.subject)
        if lookup.account is not None:
            return lookup
        email = self._email(person)
        return await self._writer.run(lambda unit: self._join(unit, provider, person, email))

    def _email(self, person: ProviderProfile) -> str:
        email = person.email.lower()
        if len(email) > _LONGEST or not is_email(email):
            raise ApplicationError("Email was not available.")
        if self._refuse_unverified and not person.verified:
            raise ApplicationError("Email is not verified by the provider.")
        return email

    async def _join(self, unit: EntryUnit, provider: str, person: ProviderProfile, email: str) -> UserLookup:
        await lock_names(unit, self._dialect, email, person.username)
        settings = (found_now := await self._rows.by_subject(provider, person.subject, unit.connection)).settings
        if found_now.account is not None:
            return found_now
        lookup = await self._look(unit, provider, email)
        if lookup.own is None and not settings.allow_register:
            raise ApplicationError("Register action is actually not available.")
        if lookup.linked or (lookup.own is None and lookup.others and settings.unique_email):
            raise ApplicationError(_TAKEN)
        user_id = lookup.own or await self._create(unit, provider, person, email, settings.default_role)
        link = _LINK.bind(self._dialect, provider=provider, subject=person.subject, user=user_id)
        await unit.connection.execute(*link)
        return await self._rows.by_id(user_id, unit.connection)

    async def _look(self, unit: EntryUnit, provider: str, email: str) -> _Found:
        rows = await unit.connection.fetch_all(*_HOLDERS.bind(self._dialect, email=email, provider=provider))
        # The collation of the column can ignore case and accents; only the same address belongs to the same person.
        own = [(user_id, linked) for user_id, stored, mine, linked in rows if mine and stored.lower() == email]
        free = next((user_id for user_id, linked in own if not linked), None)
        return _Found(free, linked=bool(own) and free is None, others=bool(rows))

    async def _create(self, unit: EntryUnit, provider: str, person: ProviderProfile, email: str, role: str) -> int:
        role_id = await self._rows.role_id(unit.connection, role)
        if role_id is None:
            raise ApplicationError("Impossible to find the default role")
        data: dict[str, Any] = {
            "username": await self._free_name(unit, person.username or email.partition("@")[0]),
            "email": email,
            "provider": provider,
            "confirmed": True,
            "blocked": False,
            "role": role_id,
        }
        return await unit.create(self._user_type, data)

    async def _free_name(self, unit: EntryUnit, wanted: str) -> str:
        """Return the wanted username, with a random suffix if it is too short or taken."""
        name = "".join(sign for sign in wanted if sign.isprintable())[:_LONGEST_NAME]
        taken = await unit.connection.fetch_value(*_NAMED.bind(self._dialect, name=name))
        return f"{name or 'user'}-{secrets.token_hex(4)}" if taken or len(name) < _SHORTEST_NAME else name
