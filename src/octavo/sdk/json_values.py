"""Serialize values returned by project code. Unsupported types raise an error with their path, never become `repr`."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from enum import Enum
from inspect import isasyncgen, iscoroutine, isgenerator
from typing import Any, Final

import orjson

from octavo.api.http.response import JSON, Headers
from octavo.api.http.response import Response as RawResponse

ALLOWED: Final = (
    "dict, list, tuple, str, int, float, bool, None, date, time, datetime, UUID, Decimal, Enum, dataclass, EntryPage "
    "and Response"
)
_ROOT: Final = "the returned value"


class NotJson(TypeError):
    """A value that JSON does not support. The message contains its path and the supported types."""


def render_value(status: int, value: Any, headers: Headers = ()) -> RawResponse:
    """Return a value as a response. Raises NotJson."""
    return RawResponse(status, _encode(value), JSON, headers)


def _encode(value: Any) -> bytes:
    try:
        return orjson.dumps(value, default=_known)
    except orjson.JSONEncodeError:
        # Either an unsupported type, a lone surrogate, a huge integer, or keys that are not texts.
        return json.dumps(_plain(value, ""), ensure_ascii=False).encode()


def _known(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview | range):
        return list(value)
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError


def _plain(value: Any, path: str) -> Any:
    """Return a value that the standard library's JSON supports. Raises NotJson."""
    if isinstance(value, Enum):
        return _plain(value.value, path)
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, int | float | None):
        return value
    if isinstance(value, Mapping):
        return {_key(key, path): _plain(child, f"{path}.{key}") for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(child, f"{path}[{number}]") for number, child in enumerate(value)]
    try:
        known = orjson.loads(orjson.dumps(value, default=_known))
    except orjson.JSONEncodeError:
        raise _refused(value, path) from None
    return known


def _key(key: Any, path: str) -> str:
    if isinstance(key, str):
        return str(_plain(key, path))
    try:
        return str(orjson.loads(orjson.dumps({key: None}, option=orjson.OPT_NON_STR_KEYS)).popitem()[0])
    except orjson.JSONEncodeError:
        raise _refused(key, f"{path}.{str(key)[:60]}") from None


def _refused(value: Any, path: str) -> NotJson:
    where = path.removeprefix(".") or _ROOT
    hint = ""
    if isgenerator(value) or isasyncgen(value):
        hint = "; to stream it, return Response.stream(...)"
    elif iscoroutine(value):
        value.close()
        hint = "; use await"
    return NotJson(f"{where}: JSON cannot contain {type(value).__name__}. Allowed types: {ALLOWED}{hint}")
