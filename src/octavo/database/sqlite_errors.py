"""What SQLite's errors mean: each becomes the protocol's error, with the driver's own as its cause."""

import re
from typing import Final, NoReturn

import apsw

from octavo.core.errors import ServiceUnavailable, TablesChanged
from octavo.database.connection import (
    AnswerTooLarge,
    IntegrityViolation,
    StatementTimeout,
    UniqueViolation,
    UnsuitableValue,
)

_UNIQUE_CODES = {
    apsw.SQLITE_CONSTRAINT_UNIQUE,
    apsw.SQLITE_CONSTRAINT_PRIMARYKEY,
    apsw.SQLITE_CONSTRAINT_ROWID,
}
_UNSUITABLE = (OverflowError, UnicodeEncodeError, apsw.MismatchError)
_UNAVAILABLE = (
    apsw.BusyError,
    apsw.LockedError,
    apsw.CantOpenError,
    apsw.IOError,
    apsw.FullError,
    apsw.ProtocolError,
    apsw.ConnectionClosedError,
)
_UNKNOWN_NAME: Final = re.compile(r"no such (column|table): |table \S+ has no column named ")


def raise_translated(error: Exception) -> NoReturn:
    """Raise the error of the protocol for an error of SQLite; what is no such error goes on as it is."""
    if isinstance(error, apsw.ConstraintError):
        rule = str(error).partition("failed: ")[2] or str(error)
        unique = getattr(error, "extendedresult", 0) in _UNIQUE_CODES
        raise (UniqueViolation(_index_name(rule)) if unique else IntegrityViolation(rule)) from error
    if isinstance(error, apsw.InterruptError):
        raise StatementTimeout from error
    if isinstance(error, _UNAVAILABLE):
        raise ServiceUnavailable from error
    if isinstance(error, apsw.TooBigError):
        raise AnswerTooLarge(str(error)) from error
    if isinstance(error, apsw.SQLError) and _UNKNOWN_NAME.match(str(error)):
        raise TablesChanged(str(error)) from error
    if isinstance(error, _UNSUITABLE):
        raise UnsuitableValue(str(error)) from error
    raise error


def _index_name(rule: str) -> str:
    """An index on expressions is told as `index 'name'`, any other by its columns."""
    return rule[7:-1] if rule.startswith("index '") else rule
