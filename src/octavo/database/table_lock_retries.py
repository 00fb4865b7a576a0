"""Retry changes of tables that are locked by others for a while, then raise an error that names the lock holders.

A change that waits for its lock blocks everyone after it. So it waits only briefly, then releases its locks and lets
others through before the next attempt.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from octavo.core.clock import SYSTEM_CLOCK
from octavo.core.errors import ServiceUnavailable
from octavo.database.connection import Database, LockTimeout

_PAUSES: Final = (0.5, 1.0, 2.0, 4.0, 8.0)
"""How long to let others through before the next attempt, in multiples of the lock timeout."""

ResultT = TypeVar("ResultT")


class TablesLocked(ServiceUnavailable):
    """Others held locks on tables for too long. `reason` names the tables and, if known, the lock holders."""


async def retry_locked(database: Database, change: Callable[[], Awaitable[ResultT]]) -> ResultT:
    """Run a transaction that changes tables, and retry it while others hold locks on them. Raises TablesLocked."""
    since = SYSTEM_CLOCK.steady()
    for pause in _PAUSES:
        try:
            return await change()
        except LockTimeout:
            await asyncio.sleep(pause * database.lock_timeout)
    try:
        return await change()
    except LockTimeout as error:
        seconds = SYSTEM_CLOCK.steady() - since
        raise TablesLocked(reason=await _reason(database, error.tables, seconds)) from error


async def _reason(database: Database, tables: tuple[str, ...], seconds: float) -> str:
    """Return which tables stayed locked during the attempts, and by whom."""
    holders = "; ".join(await database.lock_holders(tables)) or "unknown holder"
    return f"{', '.join(tables) or 'a table'} stayed locked for {seconds:.0f} s ({holders})"
