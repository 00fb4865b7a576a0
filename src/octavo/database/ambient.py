"""The ambient transaction: what is read and written inside its block belongs to it, whoever does that.

    async with unit_of_work(database) as unit:
        with ambient(database, unit):
            await database.fetch_value(...)          # sees what the unit has written
            async with unit_of_work(database) as part:
                ...                                  # undone alone if it fails; what follows it follows the whole

Each part is a scope of its own, in which others may lie. In a scope one thing is done at a time: tasks that were
started in it take turns, at a statement or at a part. A scope ends with its block; a task that goes on after it is
refused.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import Context, ContextVar, copy_context
from typing import Any, Final, Protocol

from octavo.database.change_feed import Callback
from octavo.database.connection import Transaction, TransactionFailed

_OVER: Final = (
    "the transaction in which this was started is over: wait inside its block for the tasks that are started there"
)


class Unit(Protocol):
    """What is done together; what follows its parts follows it."""

    connection: Any

    def after_commit(self, callback: Callback) -> None:
        """Call something once all is durable."""

    def after_undo(self, callback: Callback) -> None:
        """Call something once all is undone."""


class Scope:
    """A transaction, or a part of one, for what is begun inside."""

    def __init__(self, database: object, unit: Unit) -> None:
        self.database = database
        self.unit = unit
        self._turn = asyncio.Lock()
        self._is_over = False

    def end(self) -> None:
        """From now on nothing may be begun here."""
        self._is_over = True

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Any]:
        """The connection, for one statement. Raises TransactionFailed after the end."""
        self._check()
        async with self._turn:
            self._check()
            yield self.unit.connection

    @asynccontextmanager
    async def part(self) -> AsyncIterator[Transaction]:
        """The connection, for what is undone alone if it fails. Raises TransactionFailed after the end."""
        async with self.turn() as connection, connection.part():
            yield connection

    @asynccontextmanager
    async def inner(self, *, exclusive: bool) -> AsyncIterator[Any]:
        """The connection of a transaction that was to be begun here. Raises TransactionFailed for an exclusive one."""
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
    """The scope that reads and writes on a database belong to here, if there is one."""
    scope = _scope.get()
    return scope if scope is not None and scope.database is database else None


@contextmanager
def ambient(database: object, unit: Unit) -> Iterator[None]:
    """Let what is read and written inside the block belong to a unit of work on this database."""
    scope = Scope(database, unit)
    token = _scope.set(scope)
    try:
        yield
    finally:
        scope.end()
        _scope.reset(token)


def outside() -> Context | None:
    """A context for a task that belongs to no transaction, wherever it is started; None where it needs no other."""
    if _scope.get() is None:
        return None
    context = copy_context()
    context.run(_scope.set, None)
    return context
