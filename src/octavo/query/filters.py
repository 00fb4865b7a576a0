"""Parse filter parameters to a Filter: `filters[author][name][$eqi]=ann`, `$and`/`$or`/`$not`, implicit `$eq`.

Only the syntax is checked here. `access.authorization.query_sanitizer` checks attribute names and permissions.
"""

from typing import Any

from octavo.core.errors import InvalidParameter, ValidationError
from octavo.query.ast import And, At, Compare, Filter, Not, Or, Path, Unknown, Value
from octavo.query.operators import EQUALS, IS_IN, LOGICAL, OPERATORS, Operand, Operator

_FALSE_FLAGS = frozenset({"false", "f", "0", ""})
Scalars = str | int | float | bool


def read_filters(value: Any, path: Path = ("filters",)) -> Filter | None:
    """Return the parsed `filters`, or None if there is no restriction.

    Raises InvalidParameter for an operator without an attribute, ValidationError for invalid syntax.
    """
    if value is None or value == "":
        return None
    if not isinstance(value, dict | list):
        raise ValidationError(f"Invalid filters: expected attributes at {_dotted(path)}")
    return _read_group(value, path, attribute=None)


def _read_group(value: Any, path: Path, attribute: str | None) -> Filter:
    if isinstance(value, list):
        return And(items=tuple(_read_group(item, (*path, str(i)), attribute) for i, item in enumerate(value)))
    if isinstance(value, dict):
        return And(items=tuple(_read_entry(key, item, (*path, key), attribute) for key, item in value.items()))
    if attribute is not None:
        return _compare(EQUALS, value, path)
    raise ValidationError(f"Invalid filters: expected attributes at {_dotted(path)}")


def _read_entry(key: str, value: Any, path: Path, attribute: str | None) -> Filter:
    if key in LOGICAL:
        return _read_logical(key, value, path, attribute)
    if key.startswith("$") and attribute is None:
        raise InvalidParameter(key, path)
    if key in OPERATORS:
        return _compare(OPERATORS[key], value, path)
    if key.startswith("$"):
        return Unknown(name=key, path=path)
    return At(attribute=key, filter=_read_attribute(key, value, path), path=path)


def _read_logical(key: str, value: Any, path: Path, attribute: str | None) -> Filter:
    if key == "$not":
        return Not(item=_read_group(value, path, attribute))
    if isinstance(value, list):
        items = tuple(_read_group(item, (*path, str(i)), attribute) for i, item in enumerate(value))
    elif isinstance(value, dict):
        items = tuple(_read_entry(name, item, (*path, name), attribute) for name, item in value.items())
    else:
        raise ValidationError(f"Invalid filters: expected a list at {_dotted(path)}")
    return Or(items=items) if key == "$or" else And(items=items)


def _read_attribute(name: str, value: Any, path: Path) -> Filter:
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        return Compare(operator=IS_IN, values=tuple(value), path=path)
    return _read_group(value, path, attribute=name)


def _compare(operator: Operator, value: Any, path: Path) -> Filter:
    if operator.operand is Operand.FLAG:
        return Compare(operator=operator, values=(read_flag(value, path),), path=path)
    values = _scalars(value, path)
    if operator.operand is Operand.MANY:
        return Compare(operator=operator, values=values, path=path)
    if operator.operand is Operand.PAIR:
        if len(values) != 2:
            raise ValidationError(f"Invalid filters: {operator.name} requires two values at {_dotted(path)}")
        return Compare(operator=operator, values=values, path=path)
    compared = tuple(Compare(operator=operator, values=(item,), path=path) for item in values)
    if not compared:
        return Compare(operator=IS_IN, values=(), path=path)
    return compared[0] if len(compared) == 1 else Or(items=compared)


def _scalars(value: Any, path: Path) -> tuple[Value, ...]:
    values = value if isinstance(value, list) else [value]
    for item in values:
        if isinstance(item, dict):
            return _operand_object(item, path)
        if item is not None and not isinstance(item, Scalars):
            raise ValidationError(f"Invalid filters: expected a value at {_dotted(path)}")
    return tuple(values)


def _operand_object(value: dict[str, Any], path: Path) -> tuple[Value, ...]:
    """Read an object in place of a value. An attribute name is rejected; operators in it match no value."""
    for key in value:
        if key not in OPERATORS and key not in LOGICAL:
            raise InvalidParameter(key, (*path, key))
    return ()


def read_flag(value: Any, path: Path) -> bool:
    """Parse a boolean: `false`, `f`, `0` and the empty text are false; every other text is true (observed.md, 4)."""
    if value is None or isinstance(value, bool):
        return value is True
    if isinstance(value, str | int | float):
        return str(value) not in _FALSE_FLAGS
    raise ValidationError(f"Invalid value: expected true or false at {_dotted(path)}")


def _dotted(path: Path) -> str:
    return ".".join(path)
