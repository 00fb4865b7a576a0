"""A session on a MySQL connection: statements, transactions, locks."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from hashlib import blake2b
from typing import Any, Final, Protocol, TypeVar

from asyncmy.errors import Error

from octavo.core.errors import ServiceUnavailable
from octavo.core.threads import in_computing_thread
from octavo.database.connection import (
    AnswerTooLarge,
    Links,
    Observed,
    Row,
    StatementCount,
    TransactionFailed,
    Values,
    check_values,
)
from octavo.database.mysql_connection import MysqlConnection
from octavo.database.mysql_errors import (
    NO_SAVEPOINT,
    NO_TABLE,
    ROLLED_BACK,
    TRUNCATED,
    code_of,
    is_interruption,
    raise_translated,
)
from octavo.database.mysql_locks import COUNT, FILL, MAKE, linked_text, lock_statements
from octavo.database.mysql_returning import Kind, Returning, find_returning
from octavo.database.mysql_statements import fill, text_literal
from octavo.database.watchdog import Watchdog

WorkT = TypeVar("WorkT")

BEGIN_WRITING: Final = b"START TRANSACTION READ WRITE"
BEGIN_SNAPSHOT: Final = (
    b"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"
)
BEGIN_EXCLUSIVE: Final = b"SET autocommit = 0"
_EXCLUSIVE_LOCK: Final = "octavo: exclusive"
_DATABASE: Final = b"SELECT database()"
_SHORTEST: Final = 32
"""A longer statement is needed to build a text over a limit."""


def rows_of(result: Any) -> Sequence[Row]:
    """Return all rows of a result."""
    rows: Sequence[Row] = result.rows or ()
    return rows


def first_of(result: Any) -> Row | None:
    """Return the first row of a result, or None."""
    return result.rows[0] if result.rows else None


def value_of(result: Any) -> Any:
    """Return the first column of the first row, or None."""
    return result.rows[0][0] if result.rows else None


def bytes_of(value: Any, largest: int) -> bytes | None:
    """Return a JSON text as bytes, or None for NULL. Raises AnswerTooLarge."""
    text: bytes | None = value.encode() if isinstance(value, str) else value
    if text is not None and len(text) > largest:
        raise AnswerTooLarge(f"{len(text)} bytes")
    return text


class Counted(StatementCount, Protocol):
    """What a session needs of its database."""

    largest_answer: int

    async def make_locks(self) -> None:
        """Create the table of locks, with all its rows."""


async def run_checked(connection: MysqlConnection, statement: bytes, seconds: float | None) -> Any:
    """Run a statement, and raise AnswerTooLarge if the server cut a text of its result, or may have done so because
    it did not store all warnings."""
    result = await connection.run(statement, seconds)
    if result.warning_count and result.rows is not None:
        warnings = (await connection.run(b"SHOW WARNINGS", seconds)).rows
        for _, code, message in warnings:
            if code in TRUNCATED:
                raise AnswerTooLarge(message)
        if len(warnings) < result.warning_count:
            raise AnswerTooLarge(
                f"the server stored {len(warnings)} of {result.warning_count} warnings: set max_error_count = 65535, "
                "or grant the user SESSION_VARIABLES_ADMIN"
            )
    return result


class MysqlSession:
    """Implements `Connection` on MySQL. Each statement is a transaction, unless one was begun."""

    def __init__(
        self, database: Counted, connection: MysqlConnection, watchdog: Watchdog, seconds: float | None
    ) -> None:
        self._database = database
        self._connection = connection
        self._watchdog = watchdog
        self._seconds = seconds
        self.interrupted = False

    async def fetch_all(self, text: str, values: Values = (), *, long: bool = False) -> Sequence[Row]:
        return rows_of(await self._run(text, values))

    async def fetch_row(self, text: str, values: Values = (), *, long: bool = False) -> Row | None:
        return first_of(await self._run(text, values))

    async def fetch_value(self, text: str, values: Values = (), *, long: bool = False) -> Any:
        return value_of(await self._run(text, values))

    async def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> bytes | None:
        return bytes_of(value_of(await self._run(text, values)), self._database.largest_answer)

    async def execute(self, text: str, values: Values = ()) -> int:
        result = await self._run(text, values)
        return int(result.affected_rows)

    async def execute_script(self, text: str) -> None:
        await self._observed(text, lambda: self._send(text.encode()))

    async def read(self, collect: Callable[[Any], Any], text: str, values: Values) -> Any:
        """Run a read that would otherwise use a separate connection."""
        return collect(await self._run(text, values))

    async def compute(self, work: Callable[[], WorkT]) -> WorkT:
        return await in_computing_thread(work)

    async def _run(self, text: str, values: Values) -> Any:
        return await self._observed(text, lambda: self._statement(text, values))

    async def _observed(self, text: str, run: Callable[[], Awaitable[Any]]) -> Any:
        self._database.statements += 1
        if self._database.watch is None:
            return await run()
        with Observed(self._database.watch, text):
            return await run()

    async def _statement(self, text: str, values: Values) -> Any:
        self._check()
        returning = find_returning(text)
        if returning is None or (self._connection.has_returning and returning.kind is not Kind.UPDATE):
            return await self._fill_and_send(text, values)
        return await self._emulate(returning, values)

    async def _emulate(self, returning: Returning, values: Values) -> Any:
        """Run a statement without its RETURNING clause, and return the rows of that clause."""
        if returning.kind in (Kind.INSERT, Kind.UPSERT):
            return await self._insert(returning, values)
        columns = f"{returning.key} AS octavo_key, {returning.shown}"
        rows = await self._fill_and_send(f"{returning.select(returning.condition, columns)} FOR UPDATE", values)
        if not rows.rows:
            return rows
        keys = ", ".join(_key_literal(row[0]) for row in rows.rows)
        by_key = f"WHERE {returning.key} IN ({keys})"
        # Other columns than the id can have the same value in rows that the statement does not concern.
        condition = by_key if returning.key == "id" else returning.condition
        if returning.kind is Kind.DELETE:
            await self._fill_and_send(f"DELETE FROM {returning.table} {condition}", values)
            rows.rows = tuple(row[1:] for row in rows.rows)
            return rows
        changing = fill(f"{returning.change} {condition}", values)
        return await self._send(changing + b";" + returning.select(by_key).encode())

    async def _insert(self, returning: Returning, values: Values) -> Any:
        inserted = await self._fill_and_send(returning.text, values)
        if returning.kind is Kind.UPSERT:
            return await self._fill_and_send(returning.select(returning.condition), values)
        step = self._connection.id_step
        ids = [inserted.insert_id + number * step for number in range(inserted.affected_rows)]
        if returning.columns == "id" or not ids:
            inserted.rows = tuple((one,) for one in ids)
            return inserted
        return await self._send(returning.select(f"WHERE id IN ({', '.join(map(str, ids))}) ORDER BY id").encode())

    async def _fill_and_send(self, text: str, values: Values) -> Any:
        try:
            check_values(values)
            statement = fill(text, values)
        except Exception as error:
            self._spoil()
            raise_translated(error, is_closed=False)
        return await self._send(statement)

    async def _send(self, statement: bytes, seconds: float | None = None) -> Any:
        self._check()
        self._spoil()
        self._watchdog.begin(self._connection)
        try:
            result = await run_checked(self._connection, statement, seconds or self._seconds)
        except BaseException as error:
            self._fail(error)
        finally:
            self._watchdog.end(self._connection)
        self._restore()
        return result

    def _check(self) -> None:
        """Raise an error if no further statement is allowed."""

    def _spoil(self) -> None:
        """Allow no further statement."""

    def _restore(self) -> None:
        """Allow further statements: the last one succeeded."""

    def _fail(self, error: BaseException) -> Any:
        self.interrupted = is_interruption(error)
        raise_translated(error, is_closed=self._connection.is_closed)


def _key_literal(value: Any) -> str:
    return str(value) if isinstance(value, int) else text_literal(str(value))


class MysqlTransaction(MysqlSession):
    """Implements `Transaction` on MySQL.

    An exclusive one commits with each statement that changes tables: MySQL has no transactions of these. So such a
    change is written to be continued after an interruption.
    """

    def __init__(
        self,
        database: Counted,
        connection: MysqlConnection,
        watchdog: Watchdog,
        seconds: float | None,
        *,
        exclusive: bool = False,
    ) -> None:
        super().__init__(database, connection, watchdog, seconds)
        self._exclusive = exclusive
        self._usable = True
        self._is_lost = False
        self._parts = 0

    async def lock(self, name: str) -> None:
        await self.lock_all((name,))

    async def lock_all(self, names: Sequence[str], *, shared: Sequence[str] = ()) -> None:
        if not names:
            return
        statements, wanted = lock_statements(names, shared)
        if await self._lock_rows(statements) != wanted:
            await self._database.make_locks()
            if await self._lock_rows(statements) != wanted:
                raise ServiceUnavailable(reason="the table octavo_locks does not have its rows")

    async def _lock_rows(self, statements: bytes) -> int:
        """Lock rows of the table of locks; return how many there were."""
        self._check()
        self._spoil()
        self._watchdog.begin(self._connection)
        try:
            results = await self._connection.run_all(statements, self._seconds)
        except BaseException as error:
            if code_of(error) != NO_TABLE:
                self._fail(error)
            results = []
        finally:
            self._watchdog.end(self._connection)
        self._restore()
        return sum(value_of(result) for result in results)

    async def lock_linked(self, prefix: str, links: Links, values: Values) -> None:
        uid, entry_id, uids, ids = values
        rows = await self._send(linked_text(links, entry_id))
        entries = sorted({*zip(uids, ids, strict=True), *((uid, int(row[0])) for row in rows_of(rows))})
        types = sorted({prefix + one for one in uids})
        await self.lock_all([f"{prefix}{one} {number}" for one, number in entries], shared=types)

    @asynccontextmanager
    async def part(self) -> AsyncIterator[None]:
        self._parts += 1
        name = f"octavo_part_{self._parts}"  # an equal name would replace the outer savepoint
        try:
            await self._send(f"SAVEPOINT {name}".encode())
            try:
                yield
                await self._end_part(f"RELEASE SAVEPOINT {name}")
            except BaseException:
                await self._undo_part(name)
                raise
        finally:
            self._parts -= 1

    async def _end_part(self, statement: str) -> None:
        """End a savepoint. A change of tables in an exclusive transaction has ended it already."""
        try:
            await self._send(statement.encode())
        except Error as error:
            if not self._exclusive or code_of(error) != NO_SAVEPOINT:
                raise
            self._restore()

    async def _undo_part(self, name: str) -> None:
        """Roll back to the savepoint, unless the whole transaction is rolled back, or a statement was interrupted."""
        if self.interrupted or self._is_lost or self._connection.is_closed:
            self._usable = False
            return
        self._usable = True
        await self._end_part(f"ROLLBACK TO SAVEPOINT {name};RELEASE SAVEPOINT {name}")

    def commit_with_next(self) -> bool:
        return False

    async def begin(self, statement: bytes) -> None:
        """Begin a transaction. Connections are read-only by default."""
        await self._send(statement)

    async def make_exclusive(self, patience: float) -> None:
        """Wait for other exclusive transactions of the same database, at most `patience` seconds. The lock belongs to
        the session, because changes of tables end transactions. Raises ServiceUnavailable."""
        name = value_of(await self._send(_DATABASE))
        digest = blake2b(str(name).encode(), digest_size=16).hexdigest()
        lock = text_literal(f"{_EXCLUSIVE_LOCK} {digest}")
        if value_of(await self._send(f"SELECT GET_LOCK({lock}, {patience:.3f})".encode(), patience + 1.0)) != 1:
            raise ServiceUnavailable(reason=f"another process is changing tables (waited {patience:g} s)")

    async def make_locks(self) -> None:
        """Create the table of the locks of transactions, and its rows. Only exclusive transactions do so: rows that
        another one has inserted may be locked already."""
        await self._send(MAKE)
        if not value_of(await self._send(COUNT)):
            await self._send(FILL)

    async def commit(self) -> None:
        """Commit. No further statements are allowed."""
        await self._send(b"COMMIT")
        self._usable = False

    def _check(self) -> None:
        if not self._usable:
            raise TransactionFailed("the transaction has failed or ended")

    def _spoil(self) -> None:
        self._usable = False

    def _restore(self) -> None:
        self._usable = True

    def _fail(self, error: BaseException) -> Any:
        self._is_lost |= code_of(error) in ROLLED_BACK
        return super()._fail(error)
