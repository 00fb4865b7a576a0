"""Plain values: the content of columns in a form that is the same on all databases.

Integers are int, other numbers float; decimals, dates and times are text (times with milliseconds); instants are
milliseconds since 1970 (UTC); JSON is text. SQLite columns can have values of any type: those that are invalid for the
column raise ValueError.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from itertools import accumulate
from math import isfinite, isinf, isnan
from typing import Any, Final

import orjson

from octavo.core.errors import ValidationError
from octavo.query.dates import read_date, read_instant, read_time
from octavo.query.sql.dialects.base import BasicDialect
from octavo.query.sql.dialects.column_limits import ColumnLimits
from octavo.schema.scalar_types import ValueKind

KIND_OF_WORD: Final[Mapping[str, ValueKind]] = {
    "increments": ValueKind.INTEGER,
    "reference": ValueKind.INTEGER,
    "order": ValueKind.FLOAT,
    "integer": ValueKind.INTEGER,
    "string": ValueKind.STRING,
    "text": ValueKind.TEXT,
    "bigint": ValueKind.BIG_INTEGER,
    "double": ValueKind.FLOAT,
    "decimal": ValueKind.DECIMAL,
    "boolean": ValueKind.BOOLEAN,
    "date": ValueKind.DATE,
    "time": ValueKind.TIME,
    "datetime": ValueKind.DATETIME,
    "timestamp": ValueKind.TIMESTAMP,
    "plain datetime": ValueKind.DATETIME,
    "json": ValueKind.JSON,
    "plain json": ValueKind.JSON,
}
"""Kinds of values by the column types of `query.sql.ddl.tables`."""

INSTANTS: Final = frozenset({ValueKind.DATETIME, ValueKind.TIMESTAMP})

_BIG: Final = 2**63
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_JSON_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_BRACKET: Final = re.compile(r"[][{}]")
_YEAR: Final = re.compile(r"\d{4}-", re.ASCII)
_DIGITS: Final = re.compile(r"[+-]?\d{1,19}", re.ASCII)
_FRACTION: Final = re.compile(r"(\.\d{3})\d+\Z", re.ASCII)
_JSON_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_EXTREME: Final = re.compile(r"\d[eE][+-]?\d\d|\d{200}", re.ASCII)
"""Occurs in numbers of more than 208 digits, and in others."""
_JSON_ESCAPE: Final = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u(0000|[dD][89a-fA-F]..)|\\.")
"""An escape sequence, with a group for NUL and for half of a surrogate pair."""
_BOOLEANS: Final = {"1": True, "true": True, "t": True, "0": False, "false": False, "f": False}


def reading(dialect: BasicDialect, kind: ValueKind, column: str) -> str:
    """Return the SQL that reads a column, given its quoted name."""
    if kind in INSTANTS:
        return dialect.milliseconds(column)
    return dialect.stored_json(column) if kind is ValueKind.JSON else column


def plain(kind: ValueKind, stored: Any) -> Any:
    """Convert a driver's value to a plain one. Raises ValueError."""
    if stored is None:
        return None
    try:
        return _PLAIN[kind](stored)
    except (ValidationError, InvalidOperation, OverflowError, TypeError) as error:
        raise ValueError(str(error)) from error


def _text(stored: Any) -> str:
    try:
        return stored.decode() if isinstance(stored, bytes) else str(stored)
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8 text") from None


def _whole(stored: Any) -> int:
    if isinstance(stored, str) and _DIGITS.fullmatch(stored):
        return int(stored)
    if isinstance(stored, float) and stored.is_integer():
        return int(stored)
    if isinstance(stored, int):
        return int(stored)
    raise ValueError("is not a whole number")


def _number(stored: Any) -> float:
    try:
        return float(stored)
    except ValueError:
        raise ValueError("is not a number") from None


def _decimal(stored: Any) -> str:
    number = Decimal(str(stored))
    if not number.is_finite():
        raise ValueError("is not a finite number")
    return format(number, "f")


def _boolean(stored: Any) -> bool:
    boolean = _BOOLEANS.get(str(stored).lower())
    if boolean is None:
        raise ValueError("must be true or false")
    return boolean


def _day(stored: Any) -> str:
    if isinstance(stored, int):
        return datetime.fromtimestamp(stored / 1000, UTC).date().isoformat()
    return read_date(stored) if _YEAR.match(str(stored)) else str(stored)


def _time(stored: Any) -> str:
    return read_time(_FRACTION.sub(r"\1", str(stored)))


def _instant(stored: Any) -> int:
    return int(stored) if isinstance(stored, int | float) else read_instant(stored)


def _json(stored: Any) -> str:
    """Return JSON text. `BasicDialect.stored_json` reads other texts as JSON strings."""
    if isinstance(stored, float) and not isfinite(stored):
        raise ValueError("is not a finite number")
    text = _text(stored)
    if isinstance(stored, bytes) and not _is_json(text):
        raise ValueError("is not JSON")
    return text


def _is_json(text: str) -> bool:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True


_PLAIN: Final[Mapping[ValueKind, Callable[[Any], Any]]] = {
    ValueKind.STRING: _text,
    ValueKind.TEXT: _text,
    ValueKind.INTEGER: _whole,
    ValueKind.BIG_INTEGER: _whole,
    ValueKind.FLOAT: _number,
    ValueKind.DECIMAL: _decimal,
    ValueKind.BOOLEAN: _boolean,
    ValueKind.DATE: _day,
    ValueKind.TIME: _time,
    ValueKind.DATETIME: _instant,
    ValueKind.TIMESTAMP: _instant,
    ValueKind.JSON: _json,
}


def obstacle(kind: ValueKind, value: Any, limits: ColumnLimits, *, rounded: bool = False) -> str | None:
    """Return why a database cannot store a plain value exactly, or None. `rounded`: decimals can lose digits."""
    if value is None:
        return None
    if kind is not ValueKind.JSON and isinstance(value, str) and "\0" in value:
        return "contains a NUL character"
    if kind is ValueKind.DECIMAL:
        return _decimal_obstacle(Decimal(value), limits, rounded)
    check = _OBSTACLES.get(kind)
    return None if check is None else check(value, limits)


def _string_obstacle(text: str, limits: ColumnLimits) -> str | None:
    longest = limits.longest_string
    return f"is longer than {longest} characters" if longest is not None and len(text) > longest else None


def _integer_obstacle(number: int, limits: ColumnLimits) -> str | None:
    largest = limits.largest_integer
    return None if largest is None or -largest - 1 <= number <= largest else "is too large for an integer"


def _big_integer_obstacle(number: int, limits: ColumnLimits) -> str | None:
    return None if -_BIG <= number < _BIG else "is too large for an integer"


def _float_obstacle(number: float, limits: ColumnLimits) -> str | None:
    if isnan(number):
        return "is not a number"
    return "is infinite" if isinf(number) and not limits.infinite_numbers else None


def _decimal_obstacle(number: Decimal, limits: ColumnLimits, rounded: bool) -> str | None:
    places = limits.decimal_places
    stored = round(number, places) if rounded and places is not None else number
    if limits.most_decimal is not None and abs(stored) >= limits.most_decimal:
        return f"is not less than {limits.most_decimal}"
    if rounded or places is None or number == round(number, places):
        return None
    return f"has more than {places} decimal places"


def _day_obstacle(day: str, limits: ColumnLimits) -> str | None:
    if limits.year_zero or (_DAY.fullmatch(day) and not day.startswith("0000")):
        return None
    return "is before the year 1" if day.startswith("0000") else "is not a day in the years 1 to 9999"


def _datetime_obstacle(instant: int, limits: ColumnLimits) -> str | None:
    return _instant_obstacle(instant, limits.datetimes)


def _timestamp_obstacle(instant: int, limits: ColumnLimits) -> str | None:
    return _instant_obstacle(instant, limits.timestamps)


def _instant_obstacle(instant: int, limits: tuple[int, int] | None) -> str | None:
    if limits is None or limits[0] <= instant <= limits[1]:
        return None
    return f"is not between {' and '.join(map(_shown_instant, limits))}"


def _shown_instant(milliseconds: int) -> str:
    moment = _EPOCH + timedelta(milliseconds=milliseconds)
    return moment.replace(tzinfo=None).isoformat(" ", "seconds")


def _json_obstacle(text: str, limits: ColumnLimits) -> str | None:
    problem = _escape_obstacle(text, limits) or _json_number_obstacle(text, limits)
    if problem is not None:
        return problem
    most = limits.json_levels
    return f"has more than {most} levels" if most is not None and _levels(text, most) > most else None


def _escape_obstacle(text: str, limits: ColumnLimits) -> str | None:
    if "\\u" not in text:
        return None
    escapes = {escape[1] for escape in _JSON_ESCAPE.finditer(text)} - {None}
    if not limits.nul_in_json and "0000" in escapes:
        return "contains a NUL character"
    return "contains half of a surrogate pair" if not limits.half_pairs_in_json and escapes - {"0000"} else None


def _json_number_obstacle(text: str, limits: ColumnLimits) -> str | None:
    if limits.most_json_number is None or not _EXTREME.search(text):
        return None
    numbers = _JSON_NUMBER.findall(_JSON_STRING.sub("", text))
    problems = (_number_problem(number, limits) for number in numbers if _EXTREME.search(number))
    return next(filter(None, problems), None)


def _number_problem(text: str, limits: ColumnLimits) -> str | None:
    try:
        number = Decimal(text)
    except InvalidOperation:  # the exponent has more than 18 digits
        return "contains a number with a too large exponent"
    if limits.most_json_number is not None and number.copy_abs() >= limits.most_json_number:  # abs() rounds
        return "contains a number that is too large"
    exponent, places = number.as_tuple().exponent, limits.json_places
    is_exact = places is None or not isinstance(exponent, int) or -exponent <= places
    return None if is_exact else f"contains a number with more than {places} decimal places"


def _levels(text: str, most: int) -> int:
    """Return how deep the arrays and objects of JSON are nested, or any number up to `most` if they have few."""
    if text.count("[") + text.count("{") <= most:
        return 0
    brackets = _BRACKET.findall(_JSON_STRING.sub("", text))
    return max(accumulate(1 if bracket in "[{" else -1 for bracket in brackets), default=0)


_OBSTACLES: Final[Mapping[ValueKind, Callable[[Any, ColumnLimits], str | None]]] = {
    ValueKind.STRING: _string_obstacle,
    ValueKind.INTEGER: _integer_obstacle,
    ValueKind.BIG_INTEGER: _big_integer_obstacle,
    ValueKind.FLOAT: _float_obstacle,
    ValueKind.DATE: _day_obstacle,
    ValueKind.DATETIME: _datetime_obstacle,
    ValueKind.TIMESTAMP: _timestamp_obstacle,
    ValueKind.JSON: _json_obstacle,
}
