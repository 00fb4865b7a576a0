"""Local copies of content from remote storages, for responses."""

from io import BufferedReader, FileIO
from tempfile import TemporaryFile
from typing import IO, Any, Final

from octavo.core.errors import ServiceUnavailable

_CHUNK: Final = 1 << 20


def as_local_file(content: IO[bytes], length: int) -> FileIO:
    """Return a local file, or a copy of the first bytes of other content, which the response deletes by closing it.

    Raises ServiceUnavailable if the copy cannot be written.
    """
    if isinstance(content, BufferedReader) and isinstance(content.raw, FileIO):
        local: FileIO = content.detach()  # type: ignore[assignment]
        return local
    with content:
        try:
            return _copied(content, length)
        except OSError as error:
            raise ServiceUnavailable(
                "The image cannot be served", reason="a temporary file cannot be written"
            ) from error


def _copied(content: IO[bytes], length: int) -> FileIO:
    """Return a temporary file with the first bytes of the content."""
    copy: Any = TemporaryFile(buffering=0)  # noqa: SIM115 - the response closes it
    try:
        while length > 0 and (piece := content.read(min(_CHUNK, length))):
            _write_piece(copy, piece)
            length -= len(piece)
        copy.seek(0)
    except BaseException:
        copy.close()
        raise
    file: FileIO = copy
    return file


def _write_piece(file: FileIO, piece: bytes) -> None:
    """Write all bytes: an unbuffered file can write a part, such as on a disk that is almost full."""
    rest = memoryview(piece)
    while rest:
        rest = rest[file.write(rest) :]
