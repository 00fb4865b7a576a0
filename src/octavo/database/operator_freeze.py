"""An operator's freeze: `default_transaction_read_only` of the server, the database, the role or the connection.

Octavo sets this parameter on its own connections, so that reads cannot write, and overrides it in transactions that
write. So it has to look at what the parameter would be without Octavo.
"""

from collections.abc import Awaitable, Callable
from typing import Final

from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.database.connection import DatabaseReadOnly

FREEZE_INTERVAL: Final = 1.0
"""Seconds between two checks of the parameter."""
OPERATORS_DEFAULT: Final = """
SELECT (
    SELECT split_part(setting, '=', 2)::boolean FROM pg_db_role_setting, unnest(setconfig) AS one (setting)
    WHERE setting LIKE 'default\\_transaction\\_read\\_only=%'
    AND setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
    AND setrole IN (0, (SELECT oid FROM pg_roles WHERE rolname = session_user))
    ORDER BY setrole = 0, setdatabase = 0 LIMIT 1
), (SELECT reset_val::boolean FROM pg_settings WHERE name = 'default_transaction_read_only')"""
"""The value set for the database or role (NULL if there is none), and the value when the connection was opened or the
server last read its files. The second one is outdated if the first one was removed after the connection was opened."""


class OperatorFreeze:
    """Whether the operator has made the database read-only, checked at most once per interval (in seconds)."""

    def __init__(self, interval: float, clock: Clock = SYSTEM_CLOCK) -> None:
        self._interval = interval
        self._clock = clock
        self._due = 0.0
        self._frozen = False

    async def check(
        self,
        ask: Callable[[], Awaitable[tuple[bool | None, bool]]],
        ask_new_connection: Callable[[], Awaitable[tuple[bool | None, bool]]],
    ) -> None:
        """Raise DatabaseReadOnly while the database is frozen.

        `ask` returns the row of OPERATORS_DEFAULT on an open connection, `ask_new_connection` on a new one.
        """
        now = self._clock.steady()
        if now >= self._due:
            self._due = now + self._interval  # requests meanwhile use the known state
            configured, known = await ask()
            if configured is None and known:
                configured, known = await ask_new_connection()
            self._frozen = known if configured is None else configured
        if self._frozen:
            raise DatabaseReadOnly(reason="the database is read-only: default_transaction_read_only is on")
