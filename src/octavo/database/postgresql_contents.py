"""Where content is read on one server of PostgreSQL: equal reads that wait are made together (`joint_reads`), and so is
the total that several pages of one list have, which takes as long as a page."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import Any, Protocol

import asyncpg

from octavo.database.ambient import joined
from octavo.database.connection import Connection, PageApart, Row, Values
from octavo.database.connection_share import is_shared, place
from octavo.database.postgresql_transaction import first_bytes
from octavo.database.request_coalescing import JointReads


class _Server(Connection, Protocol):
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
        self._pages: Counter[Hashable] = Counter()  # read with their totals just now, by what is counted

    async def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> bytes | None:
        return first_bytes(await self.fetch_row(text, values))

    def fetch_row(
        self, text: str, values: Values = (), *, long: bool = False, apart: PageApart | None = None
    ) -> Awaitable[Row | None]:
        if joined(self._database) is not None:
            return self._database.fetch_row(text, values)
        if is_shared():
            return self._read_shared(text, values)
        return self._joint.read(text, values) if apart is None else self._read_page(text, values, apart)

    async def _read_page(self, text: str, values: Values, apart: PageApart) -> Row | None:
        """Read a page with its total; where others count the same, the page alone, and the total together with them."""
        counted = (text, *values[: apart.shared])
        if self._pages[counted] and not self._joint.is_under_way(text, values):
            texts = apart.texts()
            if texts is not None:
                return await self._read_apart(*texts, values)
        self._pages[counted] += 1
        try:
            return await self._joint.read(text, values)
        finally:
            self._pages[counted] -= 1
            if not self._pages[counted]:
                del self._pages[counted]

    async def _read_apart(self, page: str, total: str, taken: int, values: Values) -> Row:
        rows = await asyncio.gather(self._joint.read(page, values), self._joint.read(total, values[:taken]))
        return [row[0] for row in rows if row is not None]

    async def _read_shared(self, text: str, values: Values) -> Row | None:
        async with place():
            return await self._joint.read(text, values)
