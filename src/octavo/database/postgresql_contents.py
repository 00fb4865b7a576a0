"""Where content is read on one server of PostgreSQL: equal reads that wait are made together (`joint_reads`)."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Protocol

import asyncpg

from octavo.database.ambient import joined
from octavo.database.connection import Reads, Row, Values
from octavo.database.joint_reads import JointReads
from octavo.database.postgresql_transaction import first_bytes
from octavo.database.request_share import is_shared, place


class _Server(Reads, Protocol):
    """What reads from it."""

    async def read_freely(self, fetch: Callable[..., Awaitable[Any]], text: str, values: Values) -> Any:
        """Read outside of any transaction, in the words of asyncpg."""


class PostgresqlContents:
    """The protocol's `Reads`, outside of transactions; inside of one its connection reads."""

    def __init__(self, database: _Server) -> None:
        self._database = database
        self._joint: JointReads[str, Row | None] = JointReads(
            partial(database.read_freely, asyncpg.Connection.fetchrow)
        )

    async def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> bytes | None:
        return first_bytes(await self.fetch_row(text, values))

    def fetch_row(self, text: str, values: Values = (), *, long: bool = False) -> Awaitable[Row | None]:
        if joined(self._database) is not None:
            return self._database.fetch_row(text, values)
        return self._read_shared(text, values) if is_shared() else self._joint.read(text, values)

    async def _read_shared(self, text: str, values: Values) -> Row | None:
        async with place():
            return await self._joint.read(text, values)
