"""Streams: responses whose chunks project code generates while they are sent."""

from asyncio import CancelledError
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable, Iterator, Mapping
from typing import Any

from octavo.api.http.response import Headers, StreamResponse
from octavo.core.errors import LoggedError
from octavo.core.threads import in_thread, is_cancelled

Pieces = AsyncIterable[bytes | str] | Iterable[bytes | str]
Report = Callable[[BaseException], None]


class CodeStream(StreamResponse):
    """A stream that starts before the headers are sent, so that an error of the first chunk gets an error response."""

    __slots__ = ("_has_begun",)

    def __init__(self, status: int, pieces: Pieces, content_type: str, headers: Headers = ()) -> None:
        super().__init__(status, _encoded(_checked(pieces)), content_type, headers)
        self._has_begun = False

    async def begin(self, report: Report) -> None:
        """Wait for the first chunk; `report` later errors. Raises errors of the code until then."""
        if not self._has_begun:
            self._has_begun = True
            pieces = self.chunks
            first = await anext(pieces, None)
            self.chunks = _resumed(first, pieces, report)


def _checked(pieces: Any) -> Pieces:
    if isinstance(pieces, str | bytes | bytearray | Mapping) or not isinstance(pieces, AsyncIterable | Iterable):
        raise TypeError(
            f"Response.stream: expected an iterable or async iterable of bytes or str, not {type(pieces).__name__}"
        )
    return pieces


async def _resumed(
    first: bytes | None, pieces: AsyncGenerator[bytes, None], report: Report
) -> AsyncGenerator[bytes, None]:
    try:
        if first is not None:
            yield first
        async for piece in pieces:
            yield piece
    except (Exception, SystemExit, KeyboardInterrupt, CancelledError) as error:
        if isinstance(error, CancelledError) and is_cancelled():
            raise
        report(error)
        raise LoggedError from error  # abort the connection, so that the client does not take this for the end
    finally:
        await pieces.aclose()


async def _encoded(pieces: Pieces) -> AsyncGenerator[bytes, None]:
    source = _async(pieces)
    try:
        async for piece in source:
            if isinstance(piece, str):
                yield piece.encode()
            elif isinstance(piece, bytes | bytearray | memoryview):
                yield bytes(piece)
            else:
                raise TypeError(f"Response.stream: expected pieces of bytes or str, not {type(piece).__name__}")
    finally:
        close = getattr(source, "aclose", None)
        if close is not None:
            await close()


def _async(pieces: Pieces) -> AsyncIterable[bytes | str]:
    return pieces if isinstance(pieces, AsyncIterable) else _in_threads(pieces)


def _next(iterator: Iterator[bytes | str]) -> bytes | str | BaseException | None:
    """Return the next chunk, None at the end, or the exception: threads lose the traceback of some errors."""
    try:
        return next(iterator, None)
    except BaseException as error:
        return error


async def _in_threads(pieces: Iterable[bytes | str]) -> AsyncGenerator[bytes | str, None]:
    """Yield the chunks of sync code, which may block, each in a thread."""
    iterator = iter(pieces)
    try:
        while (piece := await in_thread(lambda: _next(iterator))) is not None:
            if isinstance(piece, BaseException):
                raise piece
            yield piece
    finally:
        close = getattr(iterator, "close", None)
        if close is not None:
            await in_thread(close)
