"""Detect poolers in transaction mode (such as PgBouncer) that are not configured: session settings and prepared
statements would affect other clients.

A pooler invents the process id that a server sends on connecting. In transaction mode, two open connections can use the
same server process.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import asyncpg

from octavo.database.connection import DatabaseMisconfigured

POOLED: Final = (
    "the connection uses a pooler in transaction mode: set `pooler` in config/database.toml, and `direct` to "
    "the URL of "
    "PostgreSQL itself"
)
UNPREPARED: Final = (
    "the pooler does not support prepared statements in transaction mode: use PgBouncer 1.21 or later with "
    "`max_prepared_statements`, or set `pooler` to `transaction`"
)
_ALONE_SECONDS: Final = 1.0
STATEMENTS_LOST: Final = (asyncpg.InvalidSQLStatementNameError, asyncpg.DuplicatePreparedStatementError)
"""Errors that occur if a connection uses another client's server process."""
_WHO: Final = "SELECT pg_backend_pid()"
_LOOKS: Final = 3


async def check_for_pooler(
    one: asyncpg.Connection, open_connection: Callable[[], Awaitable[asyncpg.Connection]]
) -> None:
    """Raise DatabaseMisconfigured if a pooler assigns server processes per transaction; `one` is a connection."""
    try:
        is_shared = await _process(one) != one.get_server_pid() and await _share_process(one, open_connection)
    except STATEMENTS_LOST:
        is_shared = True
    if is_shared:
        raise DatabaseMisconfigured(reason=POOLED)


async def check_keeps_statements(
    one: asyncpg.Connection, open_connection: Callable[[], Awaitable[asyncpg.Connection]]
) -> None:
    """Raise DatabaseMisconfigured if a statement prepared by `one` is unknown to another server process."""
    other = await open_connection()
    try:
        for _ in range(_LOOKS):
            async with one.transaction():
                await one.fetchval(_WHO)
            async with other.transaction():  # most likely gets the server process that the first has just used
                await other.fetchval(_WHO)
                with suppress(TimeoutError):  # there is only one process
                    await one.fetchval(_WHO, timeout=_ALONE_SECONDS)
    except STATEMENTS_LOST:
        raise DatabaseMisconfigured(reason=UNPREPARED) from None
    finally:
        other.terminate()


async def _share_process(one: asyncpg.Connection, open_connection: Callable[[], Awaitable[asyncpg.Connection]]) -> bool:
    """Return whether a second connection gets the server process that the first has just used."""
    other = await open_connection()
    try:
        for _ in range(_LOOKS):
            if await _process(one) == await _process(other):
                return True
    finally:
        other.terminate()
    return False


async def _process(connection: asyncpg.Connection) -> int:
    """Return the id of the server process. Within a transaction it does not change."""
    async with connection.transaction():
        return int(await connection.fetchval(_WHO))
