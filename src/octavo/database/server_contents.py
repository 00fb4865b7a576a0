"""Reads of content on a database server: identical ones are shared, and a page's total is read apart if others read
it."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable

from octavo.database.ambient import joined
from octavo.database.connection import Connection, PageAndCount, Row, Values, first_bytes
from octavo.database.connection_share import is_shared, place
from octavo.database.request_coalescing import RequestCoalescer


class ServerContents:
    """Implements `Reads` outside transactions; inside one, the transaction's connection reads.

    `read_row` reads the first row on a connection of the pool.
    """

    def __init__(
        self,
        database: Connection,
        read_row: Callable[[str, Values], Awaitable[Row | None]],
        *,
        shares: bool = True,
    ) -> None:
        self._database = database
        self._joint: RequestCoalescer[str, Row | None] = RequestCoalescer(read_row, shares=shares)
        self._pages: Counter[Hashable] = Counter()  # pages being read with their totals, by what is counted

    async def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> bytes | None:
        return first_bytes(await self.fetch_row(text, values))

    def fetch_row(
        self, text: str, values: Values = (), *, long: bool = False, apart: PageAndCount | None = None
    ) -> Awaitable[Row | None]:
        if joined(self._database) is not None:
            return self._database.fetch_row(text, values)
        if is_shared():
            return self._read_shared(text, values)
        return self._joint.read(text, values) if apart is None else self._read_page(text, values, apart)

    async def _read_page(self, text: str, values: Values, apart: PageAndCount) -> Row | None:
        """Read a page with its total. If others are counting the same, read the page alone and share their total."""
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
