"""Headers of the proxy: hop-by-hop headers are not forwarded, and both services receive the client's address."""

from octavo.operations.shadowing.headers import forwarded_request, forwarded_response, is_websocket, repeated_request

REQUEST = [
    (b"Host", b"api.example.org"),
    (b"Connection", b"keep-alive, X-Private"),
    (b"X-Private", b"1"),
    (b"Keep-Alive", b"timeout=5"),
    (b"TE", b"trailers"),
    (b"Authorization", b"Bearer abc"),
    (b"Cookie", b"a=1"),
    (b"If-None-Match", b'"1"'),
    (b"Accept-Encoding", b"br"),
    (b"X-HTTP-Method-Override", b"DELETE"),
]


def test_a_request_for_the_old_service() -> None:
    assert forwarded_request(REQUEST, "203.0.113.5", None) == [
        (b"Host", b"api.example.org"),
        (b"Authorization", b"Bearer abc"),
        (b"Cookie", b"a=1"),
        (b"If-None-Match", b'"1"'),
        (b"Accept-Encoding", b"br"),
        (b"X-HTTP-Method-Override", b"DELETE"),
        (b"X-Forwarded-For", b"203.0.113.5"),
        (b"X-Forwarded-Proto", b"http"),
        (b"X-Forwarded-Host", b"api.example.org"),
    ]


def test_headers_of_another_proxy_are_kept() -> None:
    before = [
        (b"Host", b"localhost:1339"),
        (b"X-Forwarded-For", b"203.0.113.5"),
        (b"X-Forwarded-Proto", b"https"),
        (b"X-Forwarded-Host", b"api.example.org"),
    ]
    assert forwarded_request(before, "127.0.0.1", b"cms.example.org") == [
        (b"X-Forwarded-Proto", b"https"),
        (b"X-Forwarded-Host", b"api.example.org"),
        (b"Host", b"cms.example.org"),
        (b"X-Forwarded-For", b"203.0.113.5, 127.0.0.1"),
    ]


def test_the_host_and_the_length_are_always_passed() -> None:
    headers = [(b"Connection", b"close, Host, content-length"), (b"Host", b"a"), (b"Content-Length", b"3")]
    assert forwarded_request(headers, "::1", None)[:2] == [(b"Host", b"a"), (b"Content-Length", b"3")]
    assert forwarded_request([], "::1", None, b"old:1337") == [
        (b"Host", b"old:1337"),
        (b"X-Forwarded-For", b"::1"),
        (b"X-Forwarded-Proto", b"http"),
    ]


def test_a_body_in_chunks_has_no_length() -> None:
    headers = [(b"Host", b"a"), (b"Transfer-Encoding", b"chunked"), (b"Content-Length", b"3")]
    assert forwarded_request(headers, "::1", None)[:2] == [(b"Host", b"a"), (b"Transfer-Encoding", b"chunked")]


def test_only_websockets_are_upgraded() -> None:
    assert is_websocket([(b"Connection", b"keep-alive, Upgrade"), (b"Upgrade", b"websocket")])
    assert not is_websocket([(b"Connection", b"Upgrade, HTTP2-Settings"), (b"Upgrade", b"h2c")])
    assert not is_websocket([(b"Upgrade", b"websocket")])


def test_a_response_for_the_client() -> None:
    headers = [(b"Content-Type", b"text/plain"), (b"Connection", b"close"), (b"Transfer-Encoding", b"chunked")]
    assert forwarded_response(headers) == [(b"Content-Type", b"text/plain")]


def test_a_repeated_request_is_complete_and_unconditional() -> None:
    assert repeated_request(REQUEST) == [
        ("Host", "api.example.org"),
        ("X-Private", "1"),
        ("Authorization", "Bearer abc"),
        ("Cookie", "a=1"),
        ("accept-encoding", "gzip"),
    ]
