"""Poolers in transaction mode (PgBouncer and the like) are noticed where nobody has told of one: settings of a session
and prepared statements would reach somebody else there.

A pooler makes up the process id that a server tells its clients at the beginning. In transaction mode two connections
that are both open meet one process of the server.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import asyncpg

from octavo.core.errors import ServiceUnavailable

POOLED: Final = (
    "a pooler in transaction mode is in between: say so with `pooler` in config/database.toml, and name the address of "
    "PostgreSQL itself with `direct`"
)
UNPREPARED: Final = (
    "the pooler keeps no prepared statements in transaction mode: PgBouncer does from 1.21 on, with "
    "`max_prepared_statements`; else set `pooler` to `transaction`"
)
_ALONE_SECONDS: Final = 1.0
STATEMENTS_LOST: Final = (asyncpg.InvalidSQLStatementNameError, asyncpg.DuplicatePreparedStatementError)
"""What follows when somebody else's statements are met."""
_WHO: Final = "SELECT pg_backend_pid()"
_LOOKS: Final = 3


async def check_for_pooler(
    one: asyncpg.Connection, open_connection: Callable[[], Awaitable[asyncpg.Connection]]
) -> None:
    """Raise ServiceUnavailable where a pooler lends the server for a transaction alone; `one` is a connection."""
    try:
        is_shared = await _process(one) != one.get_server_pid() and await _meet(one, open_connection)
    except STATEMENTS_LOST:
        is_shared = True
    if is_shared:
        raise ServiceUnavailable(reason=POOLED)


async def check_keeps_statements(
    one: asyncpg.Connection, open_connection: Callable[[], Awaitable[asyncpg.Connection]]
) -> None:
    """Raise ServiceUnavailable where what `one` has prepared is not known at another process of the server."""
    other = await open_connection()
    try:
        for _ in range(_LOOKS):
            async with one.transaction():
                await one.fetchval(_WHO)
            async with other.transaction():  # lent what the first one has just met, most probably
                await other.fetchval(_WHO)
                with suppress(TimeoutError):  # there is one process alone
                    await one.fetchval(_WHO, timeout=_ALONE_SECONDS)
    except STATEMENTS_LOST:
        raise ServiceUnavailable(reason=UNPREPARED) from None
    finally:
        other.terminate()


async def _meet(one: asyncpg.Connection, open_connection: Callable[[], Awaitable[asyncpg.Connection]]) -> bool:
    """Whether a second connection meets the server's process that the first has just met."""
    other = await open_connection()
    try:
        for _ in range(_LOOKS):
            if await _process(one) == await _process(other):
                return True
    finally:
        other.terminate()
    return False


async def _process(connection: asyncpg.Connection) -> int:
    """The process that answers. A transaction is answered by one."""
    async with connection.transaction():
        return int(await connection.fetchval(_WHO))
