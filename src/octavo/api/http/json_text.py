"""Parse strict JSON bodies: an object or an array, UTF-8, finite numbers, no lone surrogates, limited nesting.

Errors have status 400 and the messages of JavaScript's parser, as in v4.
"""

import json
import re
from codecs import BOM_UTF8
from typing import Any

import orjson

from octavo.core.errors import BadRequestError, MalformedBody

_CONTAINER = re.compile(rb"[ \t\r\n]*[\[{]")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_SPACE = " \t\r\n"
_CONTAINERS = (dict, list)
MOST_CONTAINERS = 50_000
_LEAST_BYTES = 20
"""Maximum number of lists and objects in a body, or one per this many bytes of a larger body."""
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*"?', re.DOTALL)
_MOST_EXPLAINED = 64 * 1024
_CONTEXT = 10  # characters shown on each side of an unexpected one


def parse_json(body: bytes, max_depth: int) -> Any:
    """Parse a JSON body. An empty body is an empty object. PowerShell and .NET send a byte-order mark before it."""
    body = body.removeprefix(BOM_UTF8)
    if not body:
        return {}
    if not _CONTAINER.match(body):
        raise MalformedBody("invalid JSON, only supports object and array", "Error")
    brackets = body.count(b"{") + body.count(b"[")
    if brackets > MOST_CONTAINERS:
        check_containers(body)
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise MalformedBody(_explain(body, error)) from None
    # With fewer brackets than allowed levels, the nesting cannot be too deep.
    if brackets > max_depth:
        _check_depth(value, max_depth)
    return value


def check_containers(body: bytes) -> int:
    """Return the number of opening brackets, including those in strings.

    Raises an error for too many lists and objects: creating and freeing them takes longer than the rest of the request.
    """
    brackets = body.count(b"{") + body.count(b"[")
    if brackets > MOST_CONTAINERS and brackets > (most := max(MOST_CONTAINERS, len(body) // _LEAST_BYTES)):
        outside = _STRING.sub(b"", body)
        if outside.count(b"{") + outside.count(b"[") > most:
            raise MalformedBody(f"The body has more than {most} lists and objects")
    return brackets


def _check_depth(value: Any, max_depth: int) -> None:
    level = [value]
    for _ in range(max_depth):
        level = [
            child
            for container in level
            for child in (container.values() if isinstance(container, dict) else container)
            if isinstance(child, _CONTAINERS)
        ]
        if not level:
            return
    raise BadRequestError(f"The body is nested deeper than {max_depth} levels")


def _explain(body: bytes, found: orjson.JSONDecodeError) -> str:
    """Return the message for invalid JSON. Long bodies get a generic one, because finding the details is slow."""
    message = f"Malformed JSON at position {found.pos}: {found.msg}"
    if len(body) > _MOST_EXPLAINED:
        return message
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return "The body is not valid UTF-8"
    try:
        json.loads(text, parse_int=_skip, parse_float=_skip)
    except json.JSONDecodeError as error:
        return _translate(error.msg, text, error.pos)
    except RecursionError:
        return "The body is nested too deeply"
    return message


def _skip(number: str) -> None:
    """Skip a number: only the error's position matters, and parsing long numbers is slow."""


# The beginning of the standard library's message, and its replacement; `{at}` is the position.
_MESSAGES = (
    ("Expecting ':'", "Expected ':' after property name in JSON at position {at}"),
    ("Unterminated string", "Unterminated string in JSON at position {end}"),
    ("Invalid control character", "Bad control character in string literal in JSON at position {at}"),
    ("Invalid \\escape", "Bad escaped character in JSON at position {next}"),
    ("Invalid \\u", "Bad Unicode escape in JSON at position {next}"),
    ("Extra data", "Unexpected non-whitespace character after JSON at position {at}"),
)


def _translate(message: str, text: str, at: int) -> str:
    for beginning, translation in _MESSAGES:
        if message.startswith(beginning):
            return translation.format(at=at, next=at + 1, end=len(text))
    if message.startswith("Expecting ','"):
        expected = "'}' after property value" if _is_in_object(text[:at]) else "']' after array element"
        return f"Expected ',' or {expected} in JSON at position {at}"
    if message.startswith("Illegal trailing comma"):  # Python 3.13 reports the comma, others the next character
        at = len(text) - len(text[at + 1 :].lstrip(_SPACE))
        message = "Expecting property name" if text[at] == "}" else "Expecting value"
    if message.startswith("Expecting property name"):
        expected = "property name or '}'" if text[:at].rstrip(_SPACE).endswith("{") else "double-quoted property name"
        return f"Expected {expected} in JSON at position {at}"
    return _unexpected_token(text, at) if at < len(text.rstrip(_SPACE)) else "Unexpected end of JSON input"


def _is_in_object(before: str) -> bool:
    """Return whether the innermost open container is an object."""
    opened: list[str] = []
    for character in re.findall(r"[][{}]", _TEXT.sub("", before)):
        if character in "[{":
            opened.append(character)
        else:
            opened.pop()
    return opened[-1:] == ["{"]


def _unexpected_token(text: str, at: int) -> str:
    start, end = max(0, at - _CONTEXT), min(len(text), at + _CONTEXT)
    excerpt = text if len(text) <= 2 * _CONTEXT else text[start:end]
    before = "..." if len(excerpt) < len(text) and start > 0 else ""
    after = "..." if len(excerpt) < len(text) and end < len(text) else ""
    return f"Unexpected token '{text[at]}', {before}\"{excerpt}\"{after} is not valid JSON"
