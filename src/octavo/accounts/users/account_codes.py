"""Issue and find one-time codes of users, sealed by `access.authentication.one_time_codes`."""

from collections.abc import Mapping
from typing import Final, Literal

from octavo.access.authentication.one_time_codes import (
    CodeSubject,
    IssuedCode,
    is_plain_match,
    is_valid,
    issue_user_code,
    may_be_plain,
    user_of,
)
from octavo.accounts.users.account_guard import END_CODES_OF_BLOCKED
from octavo.accounts.users.user_rows import Account, AccountRows
from octavo.core.clock import Clock
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work

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
