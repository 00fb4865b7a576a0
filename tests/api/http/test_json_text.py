"""JSON bodies, and the error messages for malformed ones."""

from typing import Any

import pytest

from octavo.api.http.json_text import parse_json
from octavo.core.errors import BadRequestError, MalformedBody

ONLY = "invalid JSON, only supports object and array"


@pytest.mark.parametrize(
    "body, value",
    [
        ("", {}),
        ("{}", {}),
        (" \n[1, 2]", [1, 2]),
        ('{"a": {"b": [null, true, 1.5, "é", "\\ud83d\\ude00"]}}', {"a": {"b": [None, True, 1.5, "é", "😀"]}}),
        ('{"a": 1, "a": 2}', {"a": 2}),
    ],
)
def test_json_becomes_values(body: str, value: Any) -> None:
    assert parse_json(body.encode(), 10) == value


MALFORMED = [
    ('"str"', "Error", ONLY),
    ("null", "Error", ONLY),
    ("12", "Error", ONLY),
    ("  ", "Error", ONLY),
    ("{bad", "SyntaxError", "Expected property name or '}' in JSON at position 1"),
    ("{", "SyntaxError", "Expected property name or '}' in JSON at position 1"),
    ("{,}", "SyntaxError", "Expected property name or '}' in JSON at position 1"),
    ("{1:2}", "SyntaxError", "Expected property name or '}' in JSON at position 1"),
    ('{"a":1,}', "SyntaxError", "Expected double-quoted property name in JSON at position 7"),
    ('{"a" 1}', "SyntaxError", "Expected ':' after property name in JSON at position 5"),
    ('{"a":1 "b"', "SyntaxError", "Expected ',' or '}' after property value in JSON at position 7"),
    ('{"a":{"b":[1}}', "SyntaxError", "Expected ',' or ']' after array element in JSON at position 12"),
    ('["a":1]', "SyntaxError", "Expected ',' or ']' after array element in JSON at position 4"),
    ('["]", {"a": "}" 1]', "SyntaxError", "Expected ',' or '}' after property value in JSON at position 16"),
    ('{"a":"x', "SyntaxError", "Unterminated string in JSON at position 7"),
    ('{"a":"x\ny"}', "SyntaxError", "Bad control character in string literal in JSON at position 7"),
    ('{"a":"\\x"}', "SyntaxError", "Bad escaped character in JSON at position 7"),
    ("{} x", "SyntaxError", "Unexpected non-whitespace character after JSON at position 3"),
    ("[", "SyntaxError", "Unexpected end of JSON input"),
    ("[1,]", "SyntaxError", "Unexpected token ']', \"[1,]\" is not valid JSON"),
    ('{"a":bad}', "SyntaxError", 'Unexpected token \'b\', "{"a":bad}" is not valid JSON'),
    (
        '{"aaaaaaa":bad,"bbbbbbb":1}',
        "SyntaxError",
        'Unexpected token \'b\', ...""aaaaaaa":bad,"bbbbb"... is not valid JSON',
    ),
]


@pytest.mark.parametrize("body, name, message", MALFORMED, ids=[body for body, _, _ in MALFORMED])
def test_malformed_json_is_refused_in_known_words(body: str, name: str, message: str) -> None:
    with pytest.raises(MalformedBody) as caught:
        parse_json(body.encode(), 10)
    assert (caught.value.status, caught.value.name, caught.value.message) == (400, name, message)
    assert caught.value.details is None


@pytest.mark.parametrize(
    "body",
    [
        b"[NaN]",
        b"[Infinity]",
        b"[-Infinity]",
        b"[1e400]",
        b'["\\ud800"]',
        b'["\\udc00\\ud800"]',
        b'["\xff"]',
        b'["\xed\xa0\x80"]',
        b"[\xef\xbb\xbf]",
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
    ids=repr,
)
def test_values_that_json_does_not_have_are_refused(body: bytes) -> None:
    with pytest.raises(MalformedBody):
        parse_json(body, 10)


@pytest.mark.parametrize("body, value", [(b'{"a": 1}', {"a": 1}), (b" [1]", [1]), (b"", {})])
def test_a_byte_order_mark_is_skipped(body: bytes, value: Any) -> None:
    assert parse_json(b"\xef\xbb\xbf" + body, 10) == value


def test_nesting_is_limited() -> None:
    assert parse_json(b"[" * 10 + b"]" * 10, 10)
    assert parse_json(b"[" + b"{}," * 50 + b"{}]", 10) == [{}] * 51
    for deep in (b"[" * 11 + b"]" * 11, b'{"a":' * 11 + b"1" + b"}" * 11):
        with pytest.raises(BadRequestError, match="nested deeper than 10 levels"):
            parse_json(deep, 10)
