"""Parse multipart bodies as they arrive: files are spooled to disk, all parts limited, temporary files deleted.

Raises errors with status 400 (malformed), 413 and 415 (compressed).
"""

import asyncio
import binascii
from functools import partial
from tempfile import SpooledTemporaryFile

from multipart import (  # type: ignore[import-untyped]
    MultipartError,
    MultipartSegment,
    ParserLimitReached,
    PushMultipartParser,
    parse_options_header,
)

from octavo.api.http.options import BodyLimits
from octavo.api.http.request import Request
from octavo.core.errors import BadRequestError, PayloadTooLargeError, ServiceUnavailable, UnsupportedMediaTypeError
from octavo.core.threads import in_thread
from octavo.core.values import dataclass

# Files up to this size stay in memory. Chunks from this size on are parsed in a thread.
IN_MEMORY = 256 * 1024
_MALFORMED = "Malformed multipart body"
_NOT_BASE64 = "A part with Content-Transfer-Encoding base64 is not valid base64"
_PLAIN_ENCODINGS = frozenset({"", "binary", "8bit", "7bit"})


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file of a form. `file` is at its beginning, and deleted after the request."""

    field: str
    filename: str
    content_type: str
    size: int
    file: SpooledTemporaryFile[bytes]


@dataclass(frozen=True, slots=True)
class FormData:
    """The parts of a form in order. A field name can occur several times."""

    fields: tuple[tuple[str, str], ...]
    files: tuple[UploadedFile, ...]

    def values(self) -> dict[str, str | list[str]]:
        """Return the fields by name. Repeated names have a list of values."""
        gathered: dict[str, list[str]] = {}
        for name, value in self.fields:
            gathered.setdefault(name, []).append(value)
        return {name: values[0] if len(values) == 1 else values for name, values in gathered.items()}


async def read_form_data(request: Request) -> FormData:
    """Parse a request of type `multipart/form-data`."""
    limits = request.options.body
    if request.header("content-encoding") not in (None, "identity"):
        raise UnsupportedMediaTypeError
    _, parameters = parse_options_header(request.header("content-type") or "")
    boundary = parameters.get("boundary", "")
    if not 1 <= len(boundary) <= 200 or not boundary.isascii():
        raise BadRequestError("The Content-Type of the multipart body has no boundary")
    collector = _Collector(boundary, limits)
    request.when_done(partial(_close, collector))
    waiting = bytearray()
    async for chunk in request.stream(limits.upload):
        waiting += chunk
        if len(waiting) >= IN_MEMORY:
            await in_thread(partial(collector.feed, bytes(waiting)))
            waiting.clear()
    if collector.is_large:
        await in_thread(partial(collector.feed, bytes(waiting)))
    else:
        collector.feed(bytes(waiting))
    return collector.finish()


def _close(collector: "_Collector") -> None:
    """Delete the temporary files. A file system needs milliseconds for a large file, so a thread waits for it."""
    if collector.is_large:
        asyncio.get_running_loop().run_in_executor(None, collector.close)
    else:
        collector.close()


class _Collector:
    """Collects fields and files from the parser's events."""

    def __init__(self, boundary: str, limits: BodyLimits) -> None:
        self._limits = limits
        # Latin-1 decodes any bytes: names are in UTF-8 or, from old clients, in Windows-1252.
        self._parser = PushMultipartParser(boundary, max_segment_count=limits.parts, header_charset="latin-1")
        self._fields: list[tuple[str, str]] = []
        self._files: list[UploadedFile] = []
        self._opened: list[SpooledTemporaryFile[bytes]] = []
        self._segment: MultipartSegment | None = None
        self._base64: _Base64Decoder | None = None
        self._text = bytearray()
        self._text_total = 0
        self.is_large = False
        """Whether files are on disk."""

    def feed(self, piece: bytes) -> None:
        """Parse the next chunk of the body. Blocks while writing files.

        Raises ServiceUnavailable if a temporary file cannot be written.
        """
        self.is_large |= len(piece) >= IN_MEMORY
        try:
            if piece and not self._parser.closed:
                self._take(piece)
        except OSError as error:
            raise ServiceUnavailable("Files cannot be uploaded", reason="a temporary file cannot be written") from error
        except ParserLimitReached:
            raise PayloadTooLargeError from None
        except MultipartError:
            raise BadRequestError(_MALFORMED) from None

    def finish(self) -> FormData:
        """Return the form after the last chunk."""
        try:
            self._parser.close()
        except MultipartError:
            raise BadRequestError(_MALFORMED) from None
        return FormData(tuple(self._fields), tuple(self._files))

    def close(self) -> None:
        """Delete the temporary files."""
        for file in self._opened:
            file.close()

    def _take(self, chunk: bytes) -> None:
        for event in self._parser.parse(chunk):
            if isinstance(event, MultipartSegment):
                self._begin(event)
            elif self._segment is None:
                raise BadRequestError(_MALFORMED)
            elif event is None:
                self._end(self._segment)
            else:
                self._add(self._segment, event)

    def _begin(self, segment: MultipartSegment) -> None:
        self._segment = segment
        self._base64 = _transfer_decoder(segment)
        self._text.clear()
        if segment.filename is not None:
            self._opened.append(SpooledTemporaryFile(IN_MEMORY))  # noqa: SIM115 - closed with the request

    def _add(self, segment: MultipartSegment, data: bytes | bytearray) -> None:
        if self._base64 is not None:
            data = self._base64.decode(data)
        if segment.filename is None:
            self._text_total += len(data)
            self._text += data
            if self._text_total > self._limits.fields:
                raise PayloadTooLargeError
            return
        if segment.bytes_received > self._limits.file:
            raise PayloadTooLargeError
        self._opened[-1].write(data)

    def _end(self, segment: MultipartSegment) -> None:
        if self._base64 is not None:
            self._base64.finish()
        name = _header_text(segment.name or "")
        if segment.filename is None:
            self._fields.append((name, _decode(self._text)))
            return
        file = self._opened[-1]
        size = file.tell()
        file.seek(0)
        # An empty file input sends a part without name and content.
        if segment.filename or size:
            kind = segment.content_type or "application/octet-stream"
            self._files.append(UploadedFile(name, _header_text(segment.filename), kind, size, file))


class _Base64Decoder:
    """Decodes a part with `Content-Transfer-Encoding: base64` as it arrives."""

    def __init__(self) -> None:
        self._rest = b""

    def decode(self, data: bytes | bytearray) -> bytes:
        """Return the bytes of all complete groups so far. Raises BadRequestError."""
        data = self._rest + bytes(data).translate(None, b" \t\r\n")
        complete = len(data) - len(data) % 4
        self._rest = data[complete:]
        try:
            return binascii.a2b_base64(data[:complete], strict_mode=True)
        except binascii.Error:
            raise BadRequestError(_NOT_BASE64) from None

    def finish(self) -> None:
        """Raise BadRequestError if the last group is incomplete."""
        if self._rest:
            raise BadRequestError(_NOT_BASE64)


def _transfer_decoder(segment: MultipartSegment) -> _Base64Decoder | None:
    encoding = (segment.header("Content-Transfer-Encoding") or "").strip().lower()
    if encoding == "base64":
        return _Base64Decoder()
    if encoding not in _PLAIN_ENCODINGS:
        raise BadRequestError(
            f"Content-Transfer-Encoding {encoding[:40]!r} is not supported: send the part as binary or base64"
        )
    return None


def _header_text(text: str) -> str:
    """Return a text that was read as Latin-1 in the encoding that it has: UTF-8, or Windows-1252 from old clients."""
    for encoding in ("utf-8", "cp1252"):
        try:
            return text.encode("latin-1").decode(encoding)
        except UnicodeError:
            continue
    return text


def _decode(text: bytearray) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise BadRequestError("A form field is not valid UTF-8") from None
