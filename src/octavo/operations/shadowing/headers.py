"""Headers of a proxy: which are for one connection only, and what services learn about the client."""

from collections.abc import Container, Iterable, Sequence
from typing import Final

Headers = Sequence[tuple[bytes, bytes]]

_HOP_BY_HOP: Final = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)
_NEVER_HOP_BY_HOP: Final = frozenset(
    {b"content-length", b"host", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto"}
)
"""Headers that a proxy passes on even if `Connection` names them: without them, requests have another meaning."""
_NOT_REPEATED: Final = frozenset(
    {
        b"accept-encoding",
        b"content-length",
        b"expect",
        b"if-match",
        b"if-modified-since",
        b"if-none-match",
        b"if-range",
        b"if-unmodified-since",
        b"range",
        b"x-http-method-override",
        b"x-http-method",
        b"x-method-override",
    }
)
"""Headers of partial and conditional requests, and headers that change the method."""


def value_of(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> bytes:
    """Return the values of a header, joined by commas. `name` is in small letters."""
    return b", ".join(value for key, value in headers if key.lower() == name)


def is_websocket(headers: Headers) -> bool:
    """Return whether a request asks for a WebSocket."""
    return b"upgrade" in _tokens(headers, b"connection") and b"websocket" in _tokens(headers, b"upgrade")


def has_body(headers: Headers) -> bool:
    """Return whether a request has a body."""
    return value_of(headers, b"content-length") not in (b"", b"0") or b"chunked" in _tokens(
        headers, b"transfer-encoding"
    )


def end_to_end(headers: Headers) -> list[tuple[bytes, bytes]]:
    """Return the headers that a proxy passes on: all except those for one connection."""
    return _without(headers, _HOP_BY_HOP | (_tokens(headers, b"connection") - _NEVER_HOP_BY_HOP))


def forwarded_request(
    headers: Headers, client: str, host: bytes | None, default: bytes = b""
) -> list[tuple[bytes, bytes]]:
    """Return the headers of a request for the old service.

    `client` is the address of the connection. `host` replaces the client's `Host` if given, and
    `default` is the `Host` of HTTP/1.0 clients that send none. Addresses that another proxy has added to
    `X-Forwarded-For` stay in front.
    """
    passed = end_to_end(headers)
    if b"chunked" in _tokens(headers, b"transfer-encoding"):
        passed = [*_without(passed, {b"content-length"}), (b"Transfer-Encoding", b"chunked")]
    if is_websocket(headers):
        passed += [(b"Connection", b"Upgrade"), (b"Upgrade", b"websocket")]
    before = value_of(headers, b"x-forwarded-for")
    added = [(b"X-Forwarded-For", b", ".join(filter(None, (before, client.encode()))))]
    if not value_of(headers, b"x-forwarded-proto"):
        added.append((b"X-Forwarded-Proto", b"http"))
    original = value_of(headers, b"host")
    if original and not value_of(headers, b"x-forwarded-host"):
        added.append((b"X-Forwarded-Host", original))
    if host is not None:
        passed = [*_without(passed, {b"host"}), (b"Host", host)]
    elif not any(name.lower() == b"host" for name, _ in passed):
        passed.append((b"Host", default))
    return [*_without(passed, {b"x-forwarded-for"}), *added]


def forwarded_response(headers: Headers) -> list[tuple[bytes, bytes]]:
    """Return the headers of a response for the client."""
    return end_to_end(headers)


def repeated_request(headers: Headers) -> list[tuple[str, str]]:
    """Return the headers to send the request again, completely and unconditionally, as text."""
    passed = _without(headers, _HOP_BY_HOP | _NOT_REPEATED)
    return [*((name.decode("latin-1"), value.decode("latin-1")) for name, value in passed), ("accept-encoding", "gzip")]


def _tokens(headers: Headers, name: bytes) -> frozenset[bytes]:
    return frozenset(token.strip().lower() for token in value_of(headers, name).split(b",")) - {b""}


def _without(headers: Headers, names: Container[bytes]) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, value in headers if name.lower() not in names]
