"""Recorded exchanges: a request of a visitor and the old service's response, within a memory limit."""

import random
import re
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import chain
from typing import Any, Final
from urllib.parse import unquote

import orjson

from octavo.core.values import dataclass
from octavo.operations.comparison.requests import LONGEST_BODY, is_below
from octavo.operations.shadowing.headers import Headers, end_to_end, value_of

MEGABYTE: Final = 1024**2
_READS: Final = (b"GET", b"HEAD")
_STREAMS: Final = b"text/event-stream"
_SIZES: Final = struct.Struct(">III")
_MOST_TARGET: Final = 8_192
_BASE_SIZE: Final = 4_096
_TEXT_SIZE: Final = 64
"""What an exchange and each text of its headers need besides their content."""
_SLASHES: Final = re.compile("/+")
_NOT_COMPARED: Final = {
    206: "responses with a part of a file",
    304: "responses without content (304)",
    416: "responses with a part of a file",
    429: "rate limit of the upstream server",
    502: "failures of the upstream server",
    503: "failures of the upstream server",
    504: "failures of the upstream server",
}


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and the old service's response. Text is decoded as Latin-1."""

    method: str
    target: str
    headers: Sequence[tuple[str, str]]
    status: int
    response_headers: Sequence[tuple[str, str]]
    seconds: float
    body: bytes
    response_body: bytes

    @property
    def size(self) -> int:
        """The approximate size in memory."""
        texts = (self.target, *chain.from_iterable((*self.headers, *self.response_headers)))
        return _BASE_SIZE + len(self.body) + len(self.response_body) + sum(len(text) + _TEXT_SIZE for text in texts)


def to_frames(exchange: Exchange) -> Iterator[bytes]:
    """Yield the bytes of an exchange for the comparison process."""
    names = ("method", "target", "headers", "status", "response_headers", "seconds")
    head = orjson.dumps({name: getattr(exchange, name) for name in names})
    yield _SIZES.pack(len(head), len(exchange.body), len(exchange.response_body)) + head
    yield exchange.body
    yield exchange.response_body


def message_frame(message: dict[str, Any]) -> bytes:
    """Return the bytes of a message that is not an exchange."""
    head = orjson.dumps(message)
    return _SIZES.pack(len(head), 0, 0) + head


async def read_frame(reader: Any) -> Exchange | dict[str, Any]:
    """Read an exchange or a message. Raises asyncio.IncompleteReadError at the end."""
    sizes = _SIZES.unpack(await reader.readexactly(_SIZES.size))
    head, body, response_body = [await reader.readexactly(size) for size in sizes]
    values = orjson.loads(head)
    if "method" not in values:
        return dict(values)
    return Exchange(**values, body=body, response_body=response_body)


@dataclass(slots=True)
class Recorder:
    """Decides which exchanges are recorded, and limits their memory.

    `sample` is the share of reads to record, from 0 to 1. `most_body` limits a body and `memory` all recordings, in
    bytes. `skipped` counts requests that are not recorded, by reason.
    """

    paths: tuple[str, ...]
    skipped_paths: tuple[str, ...] = ()
    sample: float = 1.0
    most_body: int = 2 * MEGABYTE
    memory: int = 32 * MEGABYTE
    used: int = 0
    skipped: Counter[str] = field(default_factory=Counter)

    def start(self, method: bytes, target: bytes, headers: Headers) -> "Recording | None":
        """Return a recording of a request that can be a read, or None."""
        if method not in _READS and not (method == b"POST" and b"json" in value_of(headers, b"content-type")):
            self.skipped["writes"] += 1
            return None
        path = unquote(target.partition(b"?")[0].decode("latin-1"))
        if not is_below(path, self.paths):
            self.skipped["other paths"] += 1
        elif len(target) > _MOST_TARGET:
            self.skipped["too long"] += 1
        elif is_below(_folded(path), map(_folded, self.skipped_paths)):
            self.skipped["paths of --skip"] += 1
        elif self.sample < 1 and random.random() >= self.sample:  # noqa: S311
            self.skipped["not in the sample"] += 1
        else:
            recording = Recording(self, method, target, headers)
            return recording if recording.is_open else None
        return None


def _folded(path: str) -> str:
    """Return a path as routers of both services compare it: v4's ignores case."""
    return _SLASHES.sub("/", path).lower()


class Recording:
    """The recording of one exchange. It ends early if a limit is reached."""

    def __init__(self, recorder: Recorder, method: bytes, target: bytes, headers: Headers) -> None:
        self._recorder = recorder
        self._method, self._target, self._headers = method, target, headers
        self._status = 0
        self._response_headers: Headers = ()
        self._body, self._response_body = bytearray(), bytearray()
        self._reserved = 0
        self.is_open = True
        self._reserve(_BASE_SIZE + len(target) + _size_of(headers))

    def add_request(self, data: bytes) -> None:
        """Record a part of the request's body."""
        if len(self._body) + len(data) > LONGEST_BODY:
            self.stop("too long")
        elif self._reserve(len(data)):
            self._body += data

    def set_response(self, status: int, headers: Headers) -> None:
        """Record the head of the response."""
        self._status, self._response_headers = status, end_to_end(headers)
        if reason := _NOT_COMPARED.get(status):
            self.stop(reason)
        elif _STREAMS in value_of(headers, b"content-type"):
            self.stop("event streams")
        else:
            self._reserve(_size_of(self._response_headers))

    def add_response(self, data: bytes) -> None:
        """Record a part of the response's body."""
        if len(self._response_body) + len(data) > self._recorder.most_body:
            self.stop("responses above --max-body")
        elif self._reserve(len(data)):
            self._response_body += data

    def _reserve(self, size: int) -> bool:
        if not self.is_open:
            return False
        if self._recorder.used + size > self._recorder.memory:
            self.stop("memory limit")
            return False
        self._recorder.used += size
        self._reserved += size
        return True

    def stop(self, reason: str = "") -> None:
        """End the recording without an exchange, and count the reason."""
        if self.is_open and reason:
            self._recorder.skipped[reason] += 1
        self._release()

    def finish(self, seconds: float) -> Exchange | None:
        """End the recording. Return the exchange, unless the recording ended before."""
        if not self.is_open:
            return None
        exchange = Exchange(
            self._method.decode("latin-1"),
            self._target.decode("latin-1"),
            _decoded(self._headers),
            self._status,
            _decoded(self._response_headers),
            seconds,
            bytes(self._body),
            bytes(self._response_body),
        )
        self._release()
        return exchange

    def _release(self) -> None:
        self.is_open = False
        self._recorder.used -= self._reserved
        self._reserved = 0
        self._body, self._response_body = bytearray(), bytearray()


def _size_of(headers: Headers) -> int:
    return sum(len(text) + _TEXT_SIZE for text in chain.from_iterable(headers))


def _decoded(headers: Headers) -> list[tuple[str, str]]:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]
