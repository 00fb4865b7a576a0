"""`app.transaction()`: several reads and writes of project code in one transaction."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final, TypeVar

from octavo.content.writer import EntryWriter
from octavo.core.errors import ServiceUnavailable
from octavo.database.ambient import joined
from octavo.database.connection import StatementTimeout, TransactionConflict
from octavo.database.unit_of_work import ATTEMPTS, UnitOfWork

ResultT = TypeVar("ResultT")

LONGEST_SECONDS: Final = 10.0
"""Default time limit of a transaction of project code, in seconds."""
_PAUSE_SECONDS: Final = 0.01


class OutsideTransaction(RuntimeError):
    """`app.lock` was called outside a transaction."""


class Transaction:
    """A running transaction."""

    def __init__(self, unit: UnitOfWork) -> None:
        self._unit = unit

    def after_commit(self, function: Callable[[], Awaitable[object] | None]) -> None:
        """Call a function, async or not, after the commit. It is not called after a rollback.

        Errors of the function are logged. The call is lost if the process ends between the commit and the call.
        """
        self._unit.after_commit(function)


@asynccontextmanager
async def begin(writer: EntryWriter, seconds: float) -> AsyncIterator[Transaction]:
    """Open a transaction, or a part of the outer one. Raises ServiceUnavailable; a part TransactionConflict."""
    is_part = joined(writer.database) is not None
    try:
        async with writer.open_ambient() as unit, _limited(seconds):
            yield Transaction(unit)
    except TransactionConflict as error:
        if is_part:
            raise
        raise ServiceUnavailable(reason="the project's transaction conflicted with another one") from error


async def run(
    writer: EntryWriter, function: Callable[[Transaction], Awaitable[ResultT]], seconds: float, attempts: int = ATTEMPTS
) -> ResultT:
    """Call a function in a transaction, and retry it in a new one after a conflict. Raises ServiceUnavailable."""
    for attempt in range(1, attempts + 1):
        try:
            async with begin(writer, seconds) as transaction:
                return await function(transaction)
        except ServiceUnavailable as error:
            if attempt == attempts or not isinstance(error.__cause__, TransactionConflict):
                raise
            await asyncio.sleep(_PAUSE_SECONDS * attempt)
    raise AssertionError("the last attempt returns or raises")


async def lock(writer: EntryWriter, name: str) -> None:
    """Lock a name until the end of the current transaction. Raises OutsideTransaction, ServiceUnavailable."""
    scope = joined(writer.database)
    if scope is None:
        raise OutsideTransaction(
            f"app.lock({name!r}) is called outside a transaction: use async with app.transaction()"
        )
    try:
        async with scope.turn() as connection:
            await connection.lock(f"project: {name}")
    except StatementTimeout as error:
        raise ServiceUnavailable(reason=f"another transaction of the project's code holds the lock {name!r}") from error


@asynccontextmanager
async def _limited(seconds: float) -> AsyncIterator[None]:
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            yield
    except TimeoutError as error:
        if not limit.expired():
            raise
        reason = f"a transaction of the project's code took longer than {seconds:g} s"
        raise ServiceUnavailable(reason=reason) from error
