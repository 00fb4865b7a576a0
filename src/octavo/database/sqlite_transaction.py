"""A transaction on the connection to an SQLite file that writes.

Statements run in the event loop, except those with many values and those marked as long, which run in a thread.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, Protocol, TypeVar

from octavo.core.threads import in_computing_thread
from octavo.database.connection import Links, Observed, Row, StatementCount, TransactionFailed, Values, check_values
from octavo.database.sqlite_connection import (
    Collect,
    ResultT,
    SqliteConnection,
    all_rows,
    first_json,
    first_row,
    first_value,
    touched,
)
from octavo.database.writer_time_limit import WriterUse

AnswerT = TypeVar("AnswerT")
WorkT = TypeVar("WorkT")
Run = Callable[[Collect[ResultT], str, Values, float], ResultT]

_NO_MORE: Final = "the transaction has failed or ended"
MOST_VALUES_HERE: Final = 256
"""Maximum number of values of a statement in the event loop: about a millisecond for changed rows."""


class StatementRunner(StatementCount, Protocol):
    """Runs the long statements of a transaction."""

    async def run_in_thread(
        self,
        connection: SqliteConnection,
        run: Callable[[Collect[ResultT], str, Values, float], AnswerT],
        collect: Collect[ResultT],
        text: str,
        values: Values,
        seconds: float,
    ) -> AnswerT:
        """Run a statement of a connection in a thread. Cancelling the caller interrupts the statement."""


class SqliteTransaction:
    """Implements `Transaction` on SQLite."""

    def __init__(self, database: StatementRunner, hold: WriterUse, seconds: float) -> None:
        self._database = database
        self._hold = hold
        self._connection = hold.connection
        self._seconds = seconds
        self._usable = True

    async def fetch_all(self, text: str, values: Values = (), *, long: bool = False) -> Sequence[Row]:
        return await self._run(all_rows, text, values, long)

    async def fetch_row(self, text: str, values: Values = (), *, long: bool = False) -> Row | None:
        return await self._run(first_row, text, values, long)

    async def fetch_value(self, text: str, values: Values = (), *, long: bool = False) -> Any:
        return await self._run(first_value, text, values, long)

    async def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> bytes | None:
        return await self._run(first_json, text, values, long, self._connection.run_limited)

    async def execute(self, text: str, values: Values = ()) -> int:
        return await self._run(touched, text, values, False, self._connection.run_change)

    async def execute_script(self, text: str) -> None:
        await self._run(all_rows, text, (), True)

    async def lock(self, name: str) -> None:
        """Do nothing: there is only one writer."""
        self.check()
        self._hold.check()

    async def lock_all(self, names: Sequence[str], *, shared: Sequence[str] = ()) -> None:
        """Do nothing: there is only one writer."""
        self.check()
        self._hold.check()

    async def lock_linked(self, prefix: str, links: Links, values: Values) -> None:
        """Do nothing: there is only one writer."""
        self.check()
        self._hold.check()

    @asynccontextmanager
    async def part(self) -> AsyncIterator[None]:
        self.check()
        self._hold.check()
        self._connection.begin_part()
        try:
            yield
            self.check()
            self._hold.check()
            self._connection.end_part()
        except BaseException:
            self._usable = self._hold.lost is None and self._connection.undo_part()
            raise

    async def read(self, collect: Collect[ResultT], text: str, values: Values, long: bool) -> ResultT:
        """Run a read that would otherwise use a reader's connection."""
        run: Run[ResultT] | None = self._connection.run_limited if collect is first_json else None
        return await self._run(collect, text, values, long, run)

    def commit_with_next(self) -> bool:
        return False

    async def compute(self, work: Callable[[], WorkT]) -> WorkT:
        self.check()
        self._hold.begin_statement()
        try:
            return await in_computing_thread(work)
        finally:
            self._hold.end_statement()

    def check(self) -> None:
        """Raise TransactionFailed if a statement has failed, or the transaction has ended."""
        if not self._usable:
            raise TransactionFailed(_NO_MORE)

    def end(self) -> None:
        """End the transaction. Further statements raise an error."""
        self._usable = False

    async def _run(
        self, collect: Collect[ResultT], text: str, values: Values, long: bool, run: Run[ResultT] | None = None
    ) -> ResultT:
        if not self._usable:
            raise TransactionFailed(_NO_MORE)
        self._hold.begin_statement()
        self._usable = False
        try:
            self._database.statements += 1
            check_values(values)
            run = run or self._connection.run
            if long or len(values) > MOST_VALUES_HERE:
                with Observed(self._database.watch, text):
                    runner = self._database.run_in_thread
                    result = await runner(self._connection, run, collect, text, values, self._seconds)
            elif self._database.watch is None:
                result = run(collect, text, values, self._seconds)
            else:
                with Observed(self._database.watch, text):
                    result = run(collect, text, values, self._seconds)
        finally:
            self._hold.end_statement()
        self._usable = True
        return result
