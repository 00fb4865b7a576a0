"""`event.state` as stored for hooks after the commit: JSON, and a few types of Python that JSON does not have.

A value that cannot be stored is left out, with a log message: shared state of hooks must not prevent the write.
"""

import logging
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

import orjson

logger = logging.getLogger("octavo.code")

LARGEST: Final = 1024**2
"""Maximum bytes of a state, as JSON."""
_TYPE: Final = "$octavo"
_SMALLEST_INT, _LARGEST_INT = -(2**63), 2**64 - 1
_READ: Final[Mapping[str, Callable[[Any], Any]]] = {
    "decimal": Decimal,
    "int": lambda text: int(text, 16),
    "bytes": b64decode,
    "set": set,
    "frozenset": frozenset,
    "dict": lambda items: {_hashable(_read(key)): _read(value) for key, value in items},
}


def store_state(state: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return the storable part of a state. `place` names the hooks in the log."""
    stored: dict[str, Any] = {}
    room = LARGEST
    for name, value in state.items():
        try:
            plain = _stored(value)
            size = len(orjson.dumps(plain))
        except (TypeError, RecursionError) as error:
            logger.warning("%s: event.state.%s is lost after the commit: %s", place, name, error)
            continue
        if size > room:
            message = "%s: event.state.%s is lost after the commit: the state can have at most %d bytes as JSON"
            logger.warning(message, place, name, LARGEST)
            continue
        room -= size
        stored[name] = plain
    return stored


def read_state(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state that was stored."""
    return {name: _read(value) for name, value in stored.items()}


def _stored(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, bool | float | None):
        return value
    if isinstance(value, int):
        fits = _SMALLEST_INT <= value <= _LARGEST_INT
        return int(value) if fits else {_TYPE: "int", "value": hex(value)}
    if isinstance(value, Mapping):
        return _stored_mapping(value)
    if isinstance(value, list | tuple):
        return [_stored(item) for item in value]
    if isinstance(value, set | frozenset):
        kind = "set" if isinstance(value, set) else "frozenset"
        return {_TYPE: kind, "value": [_stored(item) for item in value]}
    if isinstance(value, Decimal):
        return {_TYPE: "decimal", "value": str(value)}
    if isinstance(value, bytes | bytearray):
        return {_TYPE: "bytes", "value": b64encode(value).decode()}
    return orjson.loads(orjson.dumps(value))


def _stored_mapping(value: Mapping[Any, Any]) -> Any:
    if _TYPE in value or not all(isinstance(key, str) for key in value):
        return {_TYPE: "dict", "value": [[_stored(key), _stored(item)] for key, item in value.items()]}
    return {_stored(key): _stored(item) for key, item in value.items()}


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return [_read(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind = value.get(_TYPE)
    if kind is None:
        return {key: _read(item) for key, item in value.items()}
    found = value["value"]
    if kind in ("set", "frozenset"):
        found = [_hashable(_read(one)) for one in found]
    return _READ[kind](found)


def _hashable(value: Any) -> Any:
    """Convert lists back to the tuples that they were before JSON."""
    return tuple(map(_hashable, value)) if isinstance(value, list) else value
