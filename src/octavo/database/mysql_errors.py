"""Translate asyncmy's errors to the protocol's, with the original as the cause."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NoReturn

from asyncmy.errors import Error, InterfaceError

from octavo.core.errors import ServiceUnavailable, TablesChanged
from octavo.database.connection import (
    AnswerTooLarge,
    DatabaseMisconfigured,
    DatabaseReadOnly,
    IdTaken,
    IntegrityViolation,
    LockTimeout,
    StatementRefused,
    StatementTimeout,
    TransactionConflict,
    UniqueViolation,
    UnsuitableValue,
)

NO_TABLE: Final = 1146
NO_SAVEPOINT: Final = 1305
NOT_PRIVILEGED: Final = 1227
TRUNCATED: Final = frozenset({1260, 1301})
"""Warnings of a text that was cut (GROUP_CONCAT) or replaced by NULL, because it exceeds a limit of the server."""
ROLLED_BACK: Final = frozenset({1213, 1020, 1467, 1614})
"""Errors that roll back the whole transaction, not only the statement; 1467 is a deadlock over the next id."""
SERVER_LOST: Final = frozenset(
    {1053, 1077, 1079, 1080, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 2003, 2006, 2013, 2014, 2055, 4031}
)
REFUSED_FOR_GOOD: Final = frozenset({1044, 1045, 1049, 1130, 1251, 1698, 2054, 2059, 3159, 4151})
"""Errors on connecting that waiting does not change: credentials, names, login method."""

_KEY: Final = re.compile(r"for key '([^']*)'$")
_CONSTRAINT: Final = re.compile(r"CONSTRAINT `((?:[^`]|``)+)`|constraint '([^']+)'", re.IGNORECASE)
_COLUMN: Final = re.compile(r"(?:Column|Field) '([^']+)'")
_PRIMARY: Final = "PRIMARY"
_DATA_CLASS: Final = "22"
"""SQLSTATE class of values that do not fit."""


class ConnectionLost(ServiceUnavailable):
    """The connection was lost. The statement that was running may have been executed or not."""


def code_of(error: BaseException) -> int:
    """Return the error number, or 0 for other errors."""
    known = isinstance(error, Error) and error.args and isinstance(error.args[0], int)
    return int(error.args[0]) if known else 0


def _text(error: Exception) -> str:
    return str(error.args[-1])


def _unique_violation(error: Exception) -> UniqueViolation:
    """MySQL 8 names the table before the index; MariaDB does not."""
    key = _KEY.search(_text(error))
    index = _text(error) if key is None else key[1].rpartition(".")[2]
    return (IdTaken if index == _PRIMARY else UniqueViolation)(index)


def _violation(error: Exception) -> IntegrityViolation:
    name = _CONSTRAINT.search(_text(error)) or _COLUMN.search(_text(error))
    return IntegrityViolation(next(filter(None, name.groups())) if name else _text(error))


def _unsuitable(error: Exception) -> Exception:
    return UnsuitableValue(_text(error))


_Maker = Callable[[Exception], Exception]


def _rows(*rows: tuple[Iterable[int], _Maker]) -> Mapping[int, _Maker]:
    return {code: make for codes, make in rows for code in codes}


_TRANSLATIONS: Final = _rows(
    ((1022, 1062, 1169, 1586), _unique_violation),
    ((1048, 1216, 1217, 1364, 1451, 1452, 1557, 1761, 1762, 3819, 4025), _violation),
    ((1412, *ROLLED_BACK), lambda error: TransactionConflict(_text(error))),
    ((1205, 3572), lambda error: LockTimeout()),
    ((1028, 1317, 1907, 1969, 3024), lambda error: StatementTimeout()),
    ((1051, 1054, 1091, NO_TABLE), lambda error: TablesChanged(_text(error))),
    ((1442, 1644), lambda error: StatementRefused(_text(error))),
    ((1290, 1836), lambda error: DatabaseReadOnly(reason=_text(error))),
    (
        (1044, 1142, 1143, NOT_PRIVILEGED, 1370),
        lambda error: DatabaseMisconfigured(reason=_text(error)),
    ),  # a missing privilege
    ((1118, 1153, 1265, 1366, 1367, 1411, 1525, 3140, 3854, 3988, 4038), _unsuitable),
    (TRUNCATED, lambda error: AnswerTooLarge(_text(error))),
    (SERVER_LOST, lambda error: ConnectionLost()),
    (
        (3, 5, 28, 1021, 1023, 1026, 1030, 1034, 1037, 1038, 1040, 1041, 1114, 1135, 1203, 1206, 1226, 1436),
        lambda error: ServiceUnavailable(reason=_text(error)),
    ),
)


def is_interruption(error: BaseException) -> bool:
    """Return whether a statement may still be running on the server, as after a cancellation or a client-side
    timeout."""
    return isinstance(error, TimeoutError) or not isinstance(error, Exception)


def translated(error: Exception) -> Exception | None:
    """Return the protocol's error for an error of asyncmy, or None for other errors."""
    if isinstance(error, TimeoutError):
        return StatementTimeout(reason="a statement timed out on the server")
    if isinstance(error, UnicodeEncodeError):
        return UnsuitableValue(str(error))
    if isinstance(error, OSError | InterfaceError):
        return ConnectionLost()
    make = _TRANSLATIONS.get(code_of(error))
    if make is not None:
        return make(error)
    state = error.sqlstate if isinstance(error, Error) else None
    return _unsuitable(error) if isinstance(state, str) and state.startswith(_DATA_CLASS) else None


def raise_translated(error: BaseException, *, is_closed: bool) -> NoReturn:
    """Raise the protocol's error for an error of asyncmy. Other errors are raised unchanged."""
    if isinstance(error, Exception):
        translation = translated(error)
        if translation is None and is_closed:
            translation = ConnectionLost()
        if translation is not None:
            raise translation from error
    raise error
