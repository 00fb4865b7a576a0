"""Takers: convert a valid, unambiguous value of a body to the bound value.

Each attribute has one, built once. It raises `NotPlain` for other values: the body then takes the regular path, which
reports errors or converts the value.
"""

from collections.abc import Callable
from typing import Any, Final

from octavo.content.input.column_values import STORERS
from octavo.content.input_path import TOP
from octavo.content.validation.scalar_rules import RULES, Mode
from octavo.core.errors import ValidationError
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.dialects.column_limits import PORTABLE
from octavo.schema.attributes import Enumeration, Scalar
from octavo.schema.scalar_types import LARGEST_ID, SCALAR_TYPES, ValueKind

Take = Callable[[Any], Any]
_TEXTS: Final = frozenset({"string", "text", "richtext"})
_ANY_LENGTH: Final = 2**31
_EXACT: Final = 2**53
_MOST_DIGITS: Final = len(str(LARGEST_ID))


class NotPlain(Exception):
    """A value requires the regular path."""


def plain_id(value: Any) -> int:
    """Return an entry's id, given as a number or as a text of digits (as in GraphQL). Raises NotPlain."""
    if value.__class__ is str and value.isascii() and value.isdecimal() and len(value) <= _MOST_DIGITS:
        value = int(value)
    if value.__class__ is not int or not 0 < value <= LARGEST_ID:
        raise NotPlain
    return value


def taker(attribute: Scalar, mode: Mode, dialect: Dialect) -> Take | None:
    """Return the taker of an attribute; None if it always takes the regular path."""
    if attribute.type == "password" or attribute.type not in RULES:
        return None
    careful = _careful(attribute, mode, dialect)
    if attribute.type in _TEXTS and not attribute.regex:
        return _text(attribute, mode, dialect, careful)
    if attribute.type == "integer":
        return _integer(attribute, mode, dialect, careful)
    if isinstance(attribute, Enumeration):
        return _choice(frozenset(attribute.values), careful)
    return careful


def _careful(attribute: Scalar, mode: Mode, dialect: Dialect) -> Take:
    """Return a taker that applies the type's rules, as the regular path does."""
    check, storer = RULES[attribute.type].check, STORERS[attribute.type]
    kind, limits, bind, required = (
        SCALAR_TYPES[attribute.type].kind,
        dialect.column_limits,
        dialect.bind,
        attribute.required,
    )

    def take(value: Any) -> Any:
        if value is None:
            if required:
                raise NotPlain
            return None
        found, type_errors, errors = check(attribute, value, "", mode)
        if type_errors or errors:
            raise NotPlain
        if found is not None and storer is not None:
            try:
                found = storer(found, TOP, limits)
            except ValidationError:
                raise NotPlain from None
        return bind(kind, found)

    return take


def _text(attribute: Scalar, mode: Mode, dialect: Dialect, careful: Take) -> Take:
    """Return a fast taker for ASCII texts, whose length is the same in every encoding."""
    longest = attribute.max_length if attribute.max_length is not None else _ANY_LENGTH
    limit = (PORTABLE if mode.strict else dialect.column_limits).longest_string
    if SCALAR_TYPES[attribute.type].kind is ValueKind.STRING and limit is not None:
        longest = min(longest, limit)
    least = 0 if mode.draft else attribute.min_length or 0

    def take(value: Any) -> Any:
        if value.__class__ is str and least <= len(value) <= longest and value.isascii() and "\0" not in value:
            return value
        return careful(value)

    return take


def _integer(attribute: Scalar, mode: Mode, dialect: Dialect, careful: Take) -> Take:
    largest = (PORTABLE if mode.strict else dialect.column_limits).largest_integer
    least: float = -_EXACT if largest is None else -largest - 1
    most: float = _EXACT if largest is None else largest
    least = least if attribute.minimum is None else max(least, attribute.minimum)
    most = most if attribute.maximum is None else min(most, attribute.maximum)

    def take(value: Any) -> Any:
        return value if value.__class__ is int and least <= value <= most else careful(value)

    return take


def _choice(values: frozenset[str], careful: Take) -> Take:
    def take(value: Any) -> Any:
        return value if value.__class__ is str and value in values else careful(value)

    return take
