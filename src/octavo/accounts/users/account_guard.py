"""AccountGuard: end one-time codes, refresh tokens, sessions and access tokens when an account changes.

`content.entry_unit` calls it for every write of an entry, by any API, command or project code, in the write's
transaction. Codes and sessions are bound to the account's state, so changes by other software invalidate them without
a write. `end_of_blocked` handles blocks.
"""

from collections.abc import Mapping
from typing import Any, Final

from octavo.access.authentication.admin_sessions import end_admin_sessions, end_admin_sessions_of_blocked
from octavo.access.authentication.user_token_versions import revoke_tokens_of_blocked, revoke_user_tokens
from octavo.accounts.users.sessions import END_OF_BLOCKED, END_OF_USER
from octavo.accounts.users.user_rows import read_object
from octavo.database.connection import Database, Transaction
from octavo.database.unit_of_work import unit_of_work
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement
from octavo.schema.content_types import USER

_USER_CODES: Final = {"resetPasswordToken": None, "confirmationToken": None}
_ADMINISTRATOR_CODES: Final = {"resetPasswordToken": None, "registrationToken": None}

_ADDRESS: Final = RawStatement("""
SELECT u.email, (SELECT value FROM strapi_core_store_settings WHERE {key:name} = 'plugin_users-permissions_advanced'
  LIMIT 1) FROM up_users u WHERE u.id = {id}""")
END_CODES_OF_BLOCKED: Final = """
UPDATE up_users SET reset_password_token = NULL, confirmation_token = NULL
WHERE blocked AND (reset_password_token IS NOT NULL OR confirmation_token IS NOT NULL)"""
"""Ends the codes of blocked users."""


class AccountGuard:
    """Handles writes to users and administrators.

    `revoke`: a new password also invalidates older access tokens. `renews`: the project has refresh tokens.
    """

    def __init__(self, dialect: Dialect, *, revoke: bool, renews: bool) -> None:
        self._dialect = dialect
        self._revoke = revoke
        self._renews = renews

    async def before_update(
        self, connection: Transaction, uid: str, entry_id: int, data: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """End the codes, sessions and tokens that this update invalidates; return the data to write."""
        if uid == USER:
            return await self._before_user(connection, entry_id, data)
        ends = data.get("isActive", True) is not True or _sets_blocked(data)
        if ends or "password" in data:
            await end_admin_sessions(connection, self._dialect, entry_id)
        return {**_ADMINISTRATOR_CODES, **data} if ends or "password" in data or "email" in data else data

    async def before_delete(self, connection: Transaction, uid: str, entry_id: int) -> None:
        """End all codes, sessions and tokens of a deleted account."""
        if uid == USER:
            await self._end_user(connection, entry_id)
        else:
            await end_admin_sessions(connection, self._dialect, entry_id)

    async def _before_user(self, connection: Transaction, user_id: int, data: Mapping[str, Any]) -> Mapping[str, Any]:
        has_password, blocks = "password" in data, _sets_blocked(data)
        if not (has_password or blocks or "email" in data):
            return data
        await connection.lock(account_lock(user_id))  # prevents concurrent use of a code
        if blocks:
            await self._end_user(connection, user_id)
        elif has_password and self._revoke:
            await revoke_user_tokens(connection, self._dialect, user_id)
        row = await connection.fetch_row(*_ADDRESS.bind(self._dialect, id=user_id)) if "email" in data else None
        moves = row is not None and row[0] != data["email"]
        unconfirmed = moves and row is not None and read_object(row[1]).get("email_confirmation") is True
        ended = _USER_CODES if moves or has_password or blocks else {}
        return {**ended, **({"confirmed": False} if unconfirmed else {}), **data}

    async def _end_user(self, connection: Transaction, user_id: int) -> None:
        await revoke_user_tokens(connection, self._dialect, user_id)
        if self._renews:
            await connection.execute(*END_OF_USER.bind(self._dialect, user=user_id))

    async def end_of_blocked(self, database: Database) -> None:
        """End codes, sessions and tokens of accounts that other software has blocked or deactivated."""
        async with unit_of_work(database) as unit:
            await revoke_tokens_of_blocked(unit.connection, self._dialect)
            await unit.connection.execute(END_CODES_OF_BLOCKED)
            if self._renews:
                await unit.connection.execute(END_OF_BLOCKED)
            await end_admin_sessions_of_blocked(unit.connection)


def account_lock(user_id: int) -> str:
    """Return the name of the lock for changing an account or using one of its codes."""
    return f"octavo: account #{user_id}"


def _sets_blocked(data: Mapping[str, Any]) -> bool:
    """Return whether data may block an account; any other value counts too, because validation runs later."""
    return data.get("blocked") not in (None, False)
