"""Transactions of a few statements, which are not tried again."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from octavo.database.connection import Database, Transaction, TransactionConflict
from octavo.errors import ServiceUnavailable


@asynccontextmanager
async def brief_transaction(database: Database) -> AsyncIterator[Transaction]:
    """One that gives in when another is in its way: who asked is told to come back. Raises ServiceUnavailable."""
    try:
        async with database.transaction() as transaction:
            yield transaction
    except TransactionConflict:
        raise ServiceUnavailable from None
