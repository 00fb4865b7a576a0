"""Opens an archive as a plain tar file that can be read at any place: decrypted and unpacked to a temporary file."""

import gzip
import io
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, Final

from octavo.operations.transfer.archive.encryption import WRONG_KEY, DecryptingFile
from octavo.operations.transfer.archive.parts import COMPRESSED, ENCRYPTED
from octavo.operations.transfer.problems import TransferError

_PIECE: Final = 1 << 20
FREELY: Final = 256 * 1024**2
"""Bytes that every archive may unpack to."""
_MOST_TIMES: Final = 200
"""How many times its own size an archive may unpack to beyond that. Text in JSON comes to 20, rarely to 50."""


@contextmanager
def unpacked(path: Path, password: str | None, folder: Path, freely: int = FREELY) -> Iterator[IO[bytes]]:
    """The tar file within an archive. The temporary file lies in `folder` and is gone afterwards.

    It may have `freely` bytes, or many times the archive's size.

    Raises TransferError.
    """
    with ExitStack() as stack:
        file: Any = stack.enter_context(path.open("rb"))
        suffixes = path.suffixes
        if path.suffix == ENCRYPTED:
            if password is None:
                raise TransferError(f"{path} is encrypted: it needs its key")
            suffixes = suffixes[:-1]
            file = io.BufferedReader(DecryptingFile(file, password, str(path)), _PIECE)
        if suffixes[-1:] == [COMPRESSED]:
            file = gzip.GzipFile(fileobj=file)
        if path.suffix in (ENCRYPTED, COMPRESSED):
            file = stack.enter_context(_spooled(file, path, folder, freely))
        yield file


@contextmanager
def _spooled(file: IO[bytes], path: Path, folder: Path, freely: int) -> Iterator[IO[bytes]]:
    folder.mkdir(parents=True, exist_ok=True)
    most = max(freely, _MOST_TIMES * path.stat().st_size)
    with tempfile.TemporaryFile(dir=folder) as plain:
        size = 0
        for piece in _pieces(file, path):
            size += len(piece)
            if size > most:
                raise TransferError(f"{path} unpacks to more than {_MOST_TIMES} times its size; it is not read further")
            plain.write(piece)
        plain.seek(0)
        yield plain


def _pieces(file: IO[bytes], path: Path) -> Iterator[bytes]:
    try:
        while piece := file.read(_PIECE):
            yield piece
    except (OSError, EOFError, zlib.error) as error:
        reason = WRONG_KEY if path.suffix == ENCRYPTED else f"cannot be unpacked: {error}"
        raise TransferError(f"{path} {reason}") from error
