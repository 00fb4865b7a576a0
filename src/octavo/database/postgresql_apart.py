"""A PostgreSQL connection outside the pool, whose statements run outside transactions and without a time limit."""

from collections.abc import Sequence
from typing import Any, Final

import asyncpg

from octavo.database.connection import Row, StatementCount, Values
from octavo.database.postgresql_errors import raise_translated
from octavo.database.postgresql_transaction import first_bytes

APART: Final = "SET default_transaction_read_only = off; SET statement_timeout = 0; SET lock_timeout = 0"


class IndependentConnection:
    """Implements `Connection`."""

    def __init__(self, counted: StatementCount, connection: asyncpg.Connection) -> None:
        self._counted = counted
        self._connection = connection

    async def fetch_all(self, text: str, values: Values = (), *, long: bool = False) -> Sequence[Row]:
        self._counted.statements += 1
        try:
            rows: Sequence[Row] = await self._connection.fetch(text, *values)
        except BaseException as error:
            raise_translated(error, self._connection)
        return rows

    async def fetch_row(self, text: str, values: Values = (), *, long: bool = False) -> Row | None:
        rows = await self.fetch_all(text, values)
        return rows[0] if rows else None

    async def fetch_value(self, text: str, values: Values = (), *, long: bool = False) -> Any:
        row = await self.fetch_row(text, values)
        return None if row is None else row[0]

    async def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> bytes | None:
        return first_bytes(await self.fetch_row(text, values))

    async def execute(self, text: str, values: Values = ()) -> int:
        return len(await self.fetch_all(text, values))

    async def execute_script(self, text: str) -> None:
        self._counted.statements += 1
        try:
            await self._connection.execute(text)
        except BaseException as error:
            raise_translated(error, self._connection)
