"""A request's properties, and limits on reading its body."""

import asyncio
import gzip
import zlib
from typing import Any

import pytest

from octavo.api.http.options import BodyLimits, HttpOptions
from octavo.api.http.proxies import TrustedProxies
from octavo.api.http.request import Request
from octavo.core.errors import BadRequestError, OctavoError, PayloadTooLargeError, UnsupportedMediaTypeError
from tests.api.http.asgi import Header, receiver, request_of, scope_of

SMALL = HttpOptions(body=BodyLimits(json=10))


def test_paths_and_queries_are_decoded_on_demand() -> None:
    request = request_of("GET", "/a%20b/%C3%A9?x=%5B1")
    assert (request.raw_path, request.path, request.query) == ("/a%20b/%C3%A9", "/a b/é", "x=%5B1")


@pytest.mark.parametrize("path", ["/%ff", "/%C3", "/\xff", "/a%00b", "/%ED%A0%80"])
def test_a_path_that_is_not_text_is_refused(path: str) -> None:
    with pytest.raises(BadRequestError):
        assert request_of("GET", path).path


def test_a_query_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(BadRequestError, match="The query string is not valid UTF-8"):
        assert request_of("GET", "/?a=\xff").query


def test_the_raw_path_is_optional() -> None:
    scope = scope_of("GET", "/")
    del scope["raw_path"]
    scope["path"] = "/a b/é"
    request = Request(scope, receiver(()), HttpOptions())
    assert (request.raw_path, request.path) == ("/a%20b/%C3%A9", "/a b/é")


def test_headers_are_found_by_lower_case_name_and_the_first_counts() -> None:
    request = request_of(headers=[("Authorization", "Bearer a"), ("authorization", "Bearer b"), ("X-Odd", "\xff")])
    assert request.header("authorization") == "Bearer a"
    assert request.header("x-odd") == "\xff"
    assert request.header("nope") is None


@pytest.mark.parametrize(
    "header, kind",
    [("application/JSON; charset=utf-8", "application/json"), (" text/plain ", "text/plain"), ("", "")],
)
def test_the_content_type_is_given_without_parameters(header: str, kind: str) -> None:
    assert request_of(headers=[("content-type", header)]).content_type == kind


@pytest.mark.parametrize(
    "trusted, forwarded, client",
    [
        ([], ["203.0.113.9"], "192.0.2.1"),
        (["192.0.2.1"], [], "192.0.2.1"),
        (["192.0.2.1"], ["203.0.113.9"], "203.0.113.9"),
        (["192.0.2.1"], ["6.6.6.6, 203.0.113.9"], "203.0.113.9"),
        (["192.0.2.1"], ["6.6.6.6", "203.0.113.9"], "203.0.113.9"),
        (["192.0.2.1", "10.0.0.1"], ["203.0.113.9, 10.0.0.1"], "203.0.113.9"),
        (["10.0.0.1"], ["203.0.113.9"], "192.0.2.1"),
    ],
)
def test_forwarded_addresses_count_as_far_as_proxies_are_trusted(
    trusted: list[str], forwarded: list[str], client: str
) -> None:
    options = HttpOptions(trusted_proxies=TrustedProxies(trusted))
    headers = [("X-Forwarded-For", value) for value in forwarded]
    assert request_of("GET", "/", headers, options=options).client == client


def test_each_request_has_one_id() -> None:
    first, second = request_of(), request_of()
    assert first.id == first.id != second.id


@pytest.mark.parametrize("chunks", [[b"0123456789"], [b"01", b"", b"23456789"], [b"0123456789", b""]])
def test_a_body_is_joined_from_its_chunks_and_cached(chunks: list[bytes]) -> None:
    async def read() -> tuple[bytes, bytes]:
        request = request_of(chunks=chunks, options=SMALL)
        return await request.body(), await request.body()

    assert asyncio.run(read()) == (b"0123456789", b"0123456789")


RAW = b'{"a":"' + b"x" * 1000 + b'"}'
REFUSED: list[tuple[list[Header], list[bytes | None], type[OctavoError]]] = [
    ([], [b"0123456789", b"0"], PayloadTooLargeError),
    ([("content-length", "11")], [], PayloadTooLargeError),
    ([("content-length", "9" * 5000)], [], PayloadTooLargeError),
    ([], [b"01", None], BadRequestError),
    ([], [None], BadRequestError),
    ([("content-encoding", "br")], [b"01"], UnsupportedMediaTypeError),
    ([("content-encoding", "gzip")], [b"01"], BadRequestError),
    ([("content-encoding", "deflate")], [zlib.compress(b"0")[:-6]], BadRequestError),
]


@pytest.mark.parametrize("headers, chunks, error", REFUSED)
def test_bodies_that_are_too_long_or_broken_are_refused(
    headers: list[Header], chunks: list[bytes | None], error: type[OctavoError]
) -> None:
    with pytest.raises(error):
        asyncio.run(request_of(headers=headers, chunks=chunks, options=SMALL).body())


@pytest.mark.parametrize("encoding, packed", [("gzip", gzip.compress(RAW, mtime=0)), ("Deflate", zlib.compress(RAW))])
def test_compressed_bodies_are_read(encoding: str, packed: bytes) -> None:
    body: Any = asyncio.run(request_of(headers=[("content-encoding", encoding)], chunks=[packed]).json())
    assert body == {"a": "x" * 1000}


def test_the_limit_applies_to_decompressed_bodies() -> None:
    options = HttpOptions(body=BodyLimits(json=1000))
    bomb = gzip.compress(b"0" * 500_000, mtime=0)
    with pytest.raises(PayloadTooLargeError):
        asyncio.run(request_of(headers=[("content-encoding", "gzip")], chunks=[bomb], options=options).body())
