"""A connection that reads one state of an SQLite file for as long as it takes. Its statements run in a thread."""

from collections.abc import Sequence
from typing import Any

from octavo.database.connection import Row, TransactionFailed, Values
from octavo.database.sqlite_connection import (
    Collect,
    ResultT,
    SqliteConnection,
    all_rows,
    first_json,
    first_row,
    first_value,
)
from octavo.database.sqlite_transaction import StatementRunner
from octavo.database.values import check_values


class SqliteSnapshot:
    """The protocol's `Connection` within a read transaction of SQLite. Each statement takes `seconds` at most."""

    def __init__(self, database: StatementRunner, connection: SqliteConnection, seconds: float) -> None:
        self._database = database
        self._connection = connection
        self._seconds = seconds

    async def begin(self) -> None:
        """Begin: the state is the one that the first read meets."""
        await self.fetch_all("BEGIN")
        await self.fetch_value("SELECT count(*) FROM sqlite_schema")

    async def fetch_all(self, text: str, values: Values = (), *, long: bool = False) -> Sequence[Row]:
        return await self._run(all_rows, text, values)

    async def fetch_row(self, text: str, values: Values = (), *, long: bool = False) -> Row | None:
        return await self._run(first_row, text, values)

    async def fetch_value(self, text: str, values: Values = (), *, long: bool = False) -> Any:
        return await self._run(first_value, text, values)

    async def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> bytes | None:
        return await self._run(first_json, text, values)

    async def execute(self, text: str, values: Values = ()) -> int:
        raise TransactionFailed("a snapshot only reads")

    async def execute_script(self, text: str) -> None:
        raise TransactionFailed("a snapshot only reads")

    async def _run(self, collect: Collect[ResultT], text: str, values: Values) -> ResultT:
        self._database.statements += 1
        check_values(values)
        return await self._database.run_in_thread(
            self._connection, self._connection.run, collect, text, values, self._seconds
        )
