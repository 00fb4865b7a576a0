"""Where content is read on one server of PostgreSQL: equal reads that wait are made together (`joint_reads`)."""

from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any, Protocol

import asyncpg

from octavo.database.ambient import joined
from octavo.database.connection import Reads, Row, Values, Watch
from octavo.database.joint_reads import JointReads
from octavo.database.postgresql_transaction import first_bytes
from octavo.database.request_share import is_shared, place


class _Server(Reads, Protocol):
    """What reads from it."""

    watch: Watch | None

    async def read_freely(self, fetch: Callable[..., Awaitable[Any]], text: str, values: Values, began: float) -> Any:
        """Read outside of any transaction, in the words of asyncpg; `began`: when that was asked for, if watched."""


class PostgresqlContents:
    """The protocol's `Reads`, outside of transactions; inside of one its connection reads."""

    def __init__(self, database: _Server) -> None:
        self._database = database
        self.joint = JointReads(self._read)

    async def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> bytes | None:
        return first_bytes(await self.fetch_row(text, values))

    async def fetch_row(self, text: str, values: Values = (), *, long: bool = False) -> Row | None:
        if joined(self._database) is not None:
            return await self._database.fetch_row(text, values)
        if not is_shared():
            return await self.joint.read(text, values)
        async with place():
            return await self.joint.read(text, values)

    async def _read(self, text: str, values: Values) -> Row | None:
        began = 0.0 if self._database.watch is None else perf_counter()
        row: Row | None = await self._database.read_freely(asyncpg.Connection.fetchrow, text, values, began)
        return row
