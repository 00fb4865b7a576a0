"""The ambient transaction: all reads and writes inside its block belong to it, whatever code runs them.

    async with unit_of_work(database) as unit:
        with ambient(database, unit):
            await database.fetch_value(...)          # sees what the unit has written
            async with unit_of_work(database) as part:
                ...                                  # a savepoint: rolled back alone if it fails

Each nested unit of work is a savepoint with its own scope, and its callbacks run after the outer commit. Within a scope
one statement or part runs at a time: tasks started in it take turns. A scope ends with its block; a task that uses it
later gets TransactionFailed.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import Context, ContextVar, copy_context
from typing import Any, Final, Protocol

from octavo.database.change_feed import Callback
from octavo.database.connection import Transaction, TransactionFailed

_OVER: Final = "the transaction in which this task was started has ended. Await its tasks inside the transaction block"


class Unit(Protocol):
    """A unit of work. Callbacks of its parts run with its own callbacks."""

    connection: Any

    def after_commit(self, callback: Callback) -> None:
        """Call a function after the commit."""

    def after_undo(self, callback: Callback) -> None:
        """Call a function after a rollback."""


class Scope:
    """A transaction or a savepoint, for everything that runs inside its block."""

    def __init__(self, database: object, unit: Unit) -> None:
        self.database = database
        self.unit = unit
        self._turn = asyncio.Lock()
        self._is_over = False

    def end(self) -> None:
        """End the scope. Later use raises TransactionFailed."""
        self._is_over = True

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Any]:
        """Return the connection for one statement. Raises TransactionFailed after the scope's end."""
        self._check()
        async with self._turn:
            self._check()
            yield self.unit.connection

    @asynccontextmanager
    async def part(self) -> AsyncIterator[Transaction]:
        """Open a savepoint. Raises TransactionFailed after the scope's end."""
        async with self.turn() as connection, connection.part():
            yield connection

    @asynccontextmanager
    async def inner(self, *, exclusive: bool) -> AsyncIterator[Any]:
        """Open a nested transaction. Raises TransactionFailed for an exclusive one, and after the scope's end."""
        if exclusive:
            raise TransactionFailed("tables are not changed inside a transaction")
        async with self.part() as connection:
            with ambient(self.database, self.unit):
                yield connection

    def _check(self) -> None:
        if self._is_over:
            raise TransactionFailed(_OVER)


_scope: ContextVar[Scope | None] = ContextVar("octavo_ambient_transaction", default=None)


def joined(database: object) -> Scope | None:
    """Return the ambient scope for a database in this context, if there is one."""
    scope = _scope.get()
    return scope if scope is not None and scope.database is database else None


@contextmanager
def ambient(database: object, unit: Unit) -> Iterator[None]:
    """Run all reads and writes of the block on this database in a unit of work."""
    scope = Scope(database, unit)
    token = _scope.set(scope)
    try:
        yield
    finally:
        scope.end()
        _scope.reset(token)


def outside() -> Context | None:
    """Return a context without an ambient transaction for a new task, or None if the current one has none."""
    if _scope.get() is None:
        return None
    context = copy_context()
    context.run(_scope.set, None)
    return context
