"""Opens the guard of accounts, as the settings have it."""

from octavo.runtime.options import renews, revokes_tokens
from octavo.settings import Settings
from octavo.sql.dialects.base import Dialect
from octavo.users.account_guard import AccountGuard


def open_account_guard(settings: Settings, dialect: Dialect) -> AccountGuard:
    """Return what ends codes and sessions when an account changes."""
    return AccountGuard(dialect, revoke=revokes_tokens(settings), renews=renews(settings))
