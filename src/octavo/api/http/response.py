"""Answers: a body in one piece, or one that is read in pieces."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any, Final

import orjson

JSON = "application/json; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
HTML = "text/html; charset=utf-8"

Headers = tuple[tuple[bytes, bytes], ...]

UNKEPT: Final[Headers] = ((b"cache-control", b"private, no-store"),)
"""Said to caches in front: some keep what says nothing for minutes, and not all of them know each of the two words."""


class Response:
    """A complete answer. An empty `content_type` leaves that header out."""

    __slots__ = ("body", "content_type", "headers", "status")

    def __init__(self, status: int, body: bytes = b"", content_type: str = JSON, headers: Headers = ()) -> None:
        self.status = status
        self.body = body
        self.content_type = content_type
        self.headers = headers

    @property
    def length(self) -> int:
        """Bytes of the body."""
        return len(self.body)


class ReadyResponse(Response):
    """An answer that is given again and again: `head` are its headers, but for those of each request, once they are
    known."""

    __slots__ = ("head",)

    def __init__(self, status: int, body: bytes, content_type: str, headers: Headers) -> None:
        super().__init__(status, body, content_type, headers)
        self.head: Headers | None = None


class FileResponse(Response):
    """An answer whose body is read while it is sent. `close` is called whether or not the body was sent."""

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
    """An answer whose length nobody knows before it is sent."""

    __slots__ = ()

    def __init__(
        self, status: int, chunks: AsyncGenerator[bytes, None], content_type: str, headers: Headers = ()
    ) -> None:
        super().__init__(status, chunks, -1, content_type, headers)


class LiveResponse(Response):
    """An answer that goes on until `end` is called, which may be at any time; `chunks` is closed whatever happens.

    It is not counted among the requests under way. Nothing is waiting in it: what its pieces are made of is bounded by
    whoever gives them.
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
    """Any JSON value as an answer."""
    return Response(status, _encode(value), JSON, headers)


def _encode(value: Any) -> bytes:
    try:
        return orjson.dumps(value, default=_plain)
    except orjson.JSONEncodeError:
        # A lone surrogate or a huge integer, quoted from what the caller sent.
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
