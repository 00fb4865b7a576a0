"""Convert stored values when the type of their attribute changes: to the same value in the new type, or not at all.

This is stricter than the API: a value is only converted if its meaning is unchanged. `1.5` is not an integer, an
instant at noon is not a date, a text is JSON only if it is valid JSON.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from octavo.content.input.column_values import store
from octavo.content.input_path import InputPath
from octavo.core.errors import OctavoError, ValidationError
from octavo.core.forms.printing import print_number
from octavo.database.connection import Database
from octavo.database.conversions import ConversionStep, Unconvertible
from octavo.database.synchronize import plan_changes
from octavo.modeling.refactoring.rename import RenameRefused, find_definition
from octavo.query.sql.ddl.changes import ChangeType
from octavo.query.sql.ddl.physical import physical_name, type_word
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import column_name, table_name
from octavo.schema.attributes import Scalar
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES, ValueKind

_WHOLE: Final = re.compile(r"[+-]?\d{1,40}(?:\.0*)?", re.ASCII)
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_DATED: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ].+)?", re.ASCII)
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_MIDNIGHT: Final = re.compile(r"(\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0+)?)?Z?", re.ASCII)
_SCALE: Final = re.compile(r"\(\d+, ?(\d+)\)")
_TRUTH: Final = {"true": True, "1": True, "t": True, "false": False, "0": False, "f": False}
_DIGITS: Final = 15
"""Decimal digits that a float always preserves."""
_EXACT: Final = 2**53
"""Integers up to this are exact as floats."""


class ConversionRefused(OctavoError):
    """A column cannot be converted. The message contains the reason."""


async def find_conversion(database: Database, registry: Registry, type_name: str, name: str) -> ConversionStep | None:
    """Return the conversion of an attribute's column to the type in its definition, or None if it has that type.

    Raises ConversionRefused.
    """
    try:
        definition = find_definition(registry, type_name)
    except RenameRefused as error:
        raise ConversionRefused(str(error)) from error
    attribute = definition.attributes.get(name)
    if not isinstance(attribute, Scalar):
        raise ConversionRefused(f"{definition.uid} has no attribute {name} with its own column")
    if SCALAR_TYPES[attribute.type].secret:
        raise ConversionRefused(f"{definition.uid}.{name} stores secrets, which cannot be converted")
    dialect = database.dialect
    place = (physical_name(table_name(definition), dialect), physical_name(column_name(attribute), dialect))
    for change in (await plan_changes(database, registry)).ordered:
        if isinstance(change, ChangeType) and (change.table, change.wanted.name) == place:
            return _step(change, attribute, dialect)
    return None


def _step(change: ChangeType, attribute: Scalar, dialect: Dialect) -> ConversionStep:
    word = type_word(change.found.type)
    if word is None:
        raise ConversionRefused(
            f"{change.table}.{change.wanted.name} is {change.found.type}, which no attribute type uses"
        )
    kind = SCALAR_TYPES[attribute.type].kind
    scale = _SCALE.search(change.wanted.type)
    places = int(scale[1]) if scale else None
    plain = Scalar(name=attribute.name, type=attribute.type)

    def convert(value: Any) -> Any:
        converted = convert_value(value, kind)
        if places is not None and round(converted, places) != converted:
            raise Unconvertible
        try:
            return store(plain, converted, InputPath(), dialect)
        except ValidationError as error:
            raise Unconvertible from error

    return ConversionStep(change, SCALAR_TYPES[word].kind, kind, convert)


def convert_value(value: Any, kind: ValueKind) -> Any:
    """Convert a JSON value for an attribute of another kind. Raises Unconvertible."""
    result = _CONVERTERS[kind](value)
    if result is None:
        raise Unconvertible
    return result


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value) if isinstance(value, int) else print_number(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _integer(value: Any) -> int | None:
    if isinstance(value, bool | int):
        return int(value)
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and value.is_integer() else None
    return int(value.strip().partition(".")[0]) if isinstance(value, str) and _WHOLE.fullmatch(value.strip()) else None


def _float(value: Any) -> float | int | None:
    if isinstance(value, bool | int):
        return int(value) if abs(value) <= _EXACT else None
    if isinstance(value, float):
        return value
    if not isinstance(value, str) or not _NUMBER.fullmatch(value.strip()):
        return None
    number, digits = float(value), value.lower().partition("e")[0].strip("+- ").replace(".", "").strip("0")
    return number if math.isfinite(number) and len(digits) <= _DIGITS else None


def _boolean(value: Any) -> bool | None:
    if isinstance(value, str):
        return _TRUTH.get(value.strip().lower())
    return bool(value) if isinstance(value, bool) or value in (0, 1) else None


def _day(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    midnight = _MIDNIGHT.fullmatch(value.strip())
    return midnight[1] if midnight else value.strip() if _DAY.fullmatch(value.strip()) else None


def _time(value: Any) -> str | None:
    return value.strip() if isinstance(value, str) else None


def _instant(value: Any) -> str | int | None:
    if isinstance(value, bool | list | dict):
        return None
    if isinstance(value, int | float):
        return int(value) if value == int(value) else None
    return value.strip() if isinstance(value, str) and _DATED.fullmatch(value.strip()) else None


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(text)
    return number


def _json(value: Any) -> Any:
    """Parse a text as JSON."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError):
        return None


_CONVERTERS: Final[Mapping[ValueKind, Callable[[Any], Any]]] = {
    ValueKind.STRING: _text,
    ValueKind.TEXT: _text,
    ValueKind.INTEGER: _integer,
    ValueKind.BIG_INTEGER: _integer,
    ValueKind.FLOAT: _float,
    ValueKind.DECIMAL: _float,
    ValueKind.BOOLEAN: _boolean,
    ValueKind.DATE: _day,
    ValueKind.TIME: _time,
    ValueKind.DATETIME: _instant,
    ValueKind.TIMESTAMP: _instant,
    ValueKind.JSON: _json,
}
