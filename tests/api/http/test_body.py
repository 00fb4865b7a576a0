"""Bodies are parsed by their content type."""

import asyncio
from typing import Any

import pytest

from octavo.api.http.body import Body, read_body
from octavo.api.http.options import BodyLimits, HttpOptions
from octavo.api.http.query_string import parse_form
from octavo.core.errors import BadRequestError, MalformedBody, OctavoError, PayloadTooLargeError
from tests.api.http.asgi import request_of

OPTIONS = HttpOptions(body=BodyLimits(json=100, form=100, text=50))


def read(content_type: str | None, body: bytes) -> Body:
    headers = [] if content_type is None else [("Content-Type", content_type)]
    return asyncio.run(read_body(request_of("POST", "/", headers, [body], OPTIONS), parse_form))


@pytest.mark.parametrize(
    "content_type, body, value",
    [
        ("application/json", b'{"data": {"a": 1}}', {"data": {"a": 1}}),
        ("application/json; charset=UTF-8", b"[]", []),
        ("application/vnd.api+json", b"{}", {}),
        ("application/json", b"", {}),
        ("application/x-www-form-urlencoded", b"a[b]=1&c=d+e&f=%C3%A9", {"a": {"b": "1"}, "c": "d e", "f": "é"}),
        ("text/plain", b"title=x", "title=x"),
        ("text/plain;charset=utf-8", b'{"data": 1}', '{"data": 1}'),
        ("application/xml", b"<a/>", {}),
        ("application/octet-stream", b"\xff", {}),
        ("nonsense", b"{}", {}),
        (None, b'{"data": {}}', {}),
    ],
)
def test_the_content_type_decides_how_a_body_is_read(content_type: str | None, body: bytes, value: Any) -> None:
    assert read(content_type, body) == Body(value)


@pytest.mark.parametrize(
    "content_type, body, error",
    [
        ("application/json", b"{bad", MalformedBody),
        ("application/json", b'{"a":"' + b"x" * 100 + b'"}', PayloadTooLargeError),
        ("application/x-www-form-urlencoded", b"a=\xff", BadRequestError),
        ("application/x-www-form-urlencoded", b"a=" + b"x" * 100, PayloadTooLargeError),
        ("text/plain", b"\xff", BadRequestError),
        ("text/plain", b"x" * 51, PayloadTooLargeError),
        ("multipart/form-data", b"--B--", BadRequestError),
    ],
)
def test_bodies_that_contradict_their_type_are_refused(
    content_type: str, body: bytes, error: type[OctavoError]
) -> None:
    with pytest.raises(error):
        read(content_type, body)
