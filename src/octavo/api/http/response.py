"""Responses: with a complete body, or one that is read while it is sent."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any, Final

import orjson

from octavo.core.errors import OctavoError, ServiceUnavailable

JSON = "application/json; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
HTML = "text/html; charset=utf-8"

Headers = tuple[tuple[bytes, bytes], ...]

NEVER_CACHED: Final[Headers] = ((b"cache-control", b"private, no-store"),)
"""Headers against caching: some proxies cache responses without them, and not all support both words."""


class Response:
    """A complete response. An empty `content_type` omits that header."""

    __slots__ = ("body", "content_type", "headers", "status")

    def __init__(self, status: int, body: bytes = b"", content_type: str = JSON, headers: Headers = ()) -> None:
        self.status = status
        self.body = body
        self.content_type = content_type
        self.headers = headers

    @property
    def length(self) -> int:
        """The body's length in bytes."""
        return len(self.body)


class ReadyResponse(Response):
    """A response that is sent repeatedly. `head` caches its headers, except those of each request."""

    __slots__ = ("head",)

    def __init__(self, status: int, body: bytes, content_type: str, headers: Headers) -> None:
        super().__init__(status, body, content_type, headers)
        self.head: Headers | None = None


class FileResponse(Response):
    """A response whose body is read while it is sent. `close` is called in any case."""

    __slots__ = ("_length", "chunks", "close")

    def __init__(
        self,
        status: int,
        chunks: AsyncGenerator[bytes, None],
        length: int,
        content_type: str,
        headers: Headers = (),
        close: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(status, b"", content_type, headers)
        self.chunks = chunks
        self.close = close
        self._length = length

    @property
    def length(self) -> int:
        return self._length


class StreamResponse(FileResponse):
    """A response whose length is unknown before it is sent."""

    __slots__ = ()

    def __init__(
        self, status: int, chunks: AsyncGenerator[bytes, None], content_type: str, headers: Headers = ()
    ) -> None:
        super().__init__(status, chunks, -1, content_type, headers)


class LiveResponse(Response):
    """A response that continues until `end` is called. `chunks` is closed in any case.

    It does not count as a running request. It has no buffer: the producer of its chunks limits them.
    """

    __slots__ = ("chunks", "end")

    def __init__(
        self,
        chunks: AsyncGenerator[bytes, None],
        content_type: str,
        end: Callable[[], None],
        headers: Headers = (),
    ) -> None:
        super().__init__(200, b"", content_type, headers)
        self.chunks = chunks
        self.end = end

    @property
    def length(self) -> int:
        return -1


def render_json(status: int, value: Any, headers: Headers = ()) -> Response:
    """Return a response with a JSON value."""
    return Response(status, _encode(value), JSON, headers)


def _encode(value: Any) -> bytes:
    try:
        return orjson.dumps(value, default=_plain)
    except orjson.JSONEncodeError:
        # A lone surrogate or a huge integer, quoted from the request.
        return json.dumps(_plain_text(value), ensure_ascii=False).encode()


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else list(value) if isinstance(value, tuple) else str(value)


def _plain_text(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {str(_plain_text(key)): _plain_text(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_text(child) for child in value]
    return value if isinstance(value, int | float | None) else _plain_text(str(value))


def render_error(error: OctavoError, headers: Headers = ()) -> Response:
    """Return an error as a response."""
    if isinstance(error, ServiceUnavailable):
        headers = (*headers, (b"retry-after", b"%d" % error.retry_after))
    if error.bare:
        return render_json(error.status, {"error": error.message}, headers)
    content: dict[str, Any] = {"status": error.status, "name": error.name, "message": error.message}
    if error.details is not None:
        content["details"] = error.details
    return render_json(error.status, {"data": None, "error": content}, headers)
