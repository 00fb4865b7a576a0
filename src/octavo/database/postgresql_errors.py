"""Translate asyncpg's errors to the protocol's, with the original as the cause."""

from collections.abc import Callable
from typing import Any, Final, NoReturn

import asyncpg

from octavo.core.errors import ServiceUnavailable, TablesChanged
from octavo.database.connection import (
    AnswerTooLarge,
    IdTaken,
    IntegrityViolation,
    LockTimeout,
    StatementRefused,
    StatementTimeout,
    TransactionConflict,
    UniqueViolation,
    UnsuitableValue,
)
from octavo.database.postgresql_poolers import POOLED, STATEMENTS_LOST
from octavo.query.sql.dialects.postgresql import TOO_LARGE

_PRIMARY_KEY: Final = "_pkey"
"""Suffix of PostgreSQL's names of primary keys, which are all ids. Octavo's other indexes do not have it."""


class ConnectionLost(ServiceUnavailable):
    """The connection was lost. The statement that was running may have been executed or not."""


_LOST = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.IdleInTransactionSessionTimeoutError,
)

_OTHER_TABLES = (
    asyncpg.UndefinedColumnError,
    asyncpg.UndefinedTableError,
    asyncpg.UndefinedFunctionError,  # no operator for values of these types
    asyncpg.DatatypeMismatchError,
)


def _is_size_error(error: Exception) -> bool:
    """Return whether a statement was aborted because of its size: by its own check, or by the server's limit for
    texts."""
    return TOO_LARGE in str(error) or "string buffer" in str(error)


def _unique_violation(index: str) -> UniqueViolation:
    return (IdTaken if index.endswith(_PRIMARY_KEY) else UniqueViolation)(index)


_TRANSLATIONS: tuple[tuple[tuple[type[Exception], ...], Callable[[Any], Exception]], ...] = (
    ((asyncpg.UniqueViolationError,), lambda error: _unique_violation(error.constraint_name or str(error))),
    (
        (asyncpg.IntegrityConstraintViolationError,),
        lambda error: IntegrityViolation(error.constraint_name or error.column_name or str(error)),
    ),
    (
        (
            asyncpg.TransactionRollbackError,
            asyncpg.InvalidCachedStatementError,
            asyncpg.exceptions.OutdatedSchemaCacheError,
        ),
        lambda error: TransactionConflict(str(error)),
    ),
    (
        (asyncpg.FeatureNotSupportedError, asyncpg.TriggeredDataChangeViolationError),
        lambda error: StatementRefused(str(error)),
    ),
    (_OTHER_TABLES, lambda error: TablesChanged(str(error))),
    ((asyncpg.LockNotAvailableError,), lambda error: LockTimeout()),
    ((asyncpg.QueryCanceledError,), lambda error: StatementTimeout()),
    ((TimeoutError,), lambda error: StatementTimeout(reason="a statement timed out on the server")),
    (
        (asyncpg.DataError, asyncpg.ProgramLimitExceededError, UnicodeEncodeError),
        lambda error: (AnswerTooLarge if _is_size_error(error) else UnsuitableValue)(str(error)),
    ),
    (_LOST, lambda error: ConnectionLost()),
    (STATEMENTS_LOST, lambda error: ServiceUnavailable(reason=POOLED)),
    ((asyncpg.InsufficientResourcesError, asyncpg.PostgresSystemError), lambda error: ServiceUnavailable()),
)
"""The first matching row determines the error. Timeouts are OSErrors, and a cancelled statement is an
OperatorInterventionError, so they come first."""


def is_interruption(error: BaseException) -> bool:
    """Return whether a statement may still be running on the server, as after a cancellation or a client-side
    timeout."""
    return isinstance(error, TimeoutError) or not isinstance(error, Exception)


def raise_translated(error: BaseException, connection: asyncpg.Connection) -> NoReturn:
    """Raise the protocol's error for an error of asyncpg. Other errors are raised unchanged."""
    for kinds, make in _TRANSLATIONS:
        if isinstance(error, kinds):
            raise make(error) from error
    if isinstance(error, Exception) and connection.is_closed():
        raise ConnectionLost from error
    raise error
