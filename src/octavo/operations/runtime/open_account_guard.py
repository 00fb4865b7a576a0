"""Opens the guard of accounts, as the settings have it."""

from octavo.accounts.users.account_guard import AccountGuard
from octavo.operations.runtime.options import renews, revokes_tokens
from octavo.query.sql.dialects.base import Dialect
from octavo.settings import Settings


def open_account_guard(settings: Settings, dialect: Dialect) -> AccountGuard:
    """Return what ends codes and sessions when an account changes."""
    return AccountGuard(dialect, revoke=revokes_tokens(settings), renews=renews(settings))
