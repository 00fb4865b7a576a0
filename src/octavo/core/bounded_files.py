"""Read project files completely, if they are regular files within a size limit."""

import os
import stat
from pathlib import Path
from typing import Final

MEGABYTE: Final = 1024 * 1024


class FileRefused(OSError):
    """The file cannot be read. The message contains the reason."""


class FileTooLarge(FileRefused):
    """The file exceeds the size limit for its kind."""

    def __init__(self, path: Path, largest: int) -> None:
        size = f"{largest // MEGABYTE} MB" if largest >= MEGABYTE else f"{largest // 1024} kB"
        super().__init__(f"{path.name} is larger than the limit of {size}")


def read_own_file(path: Path, largest: int) -> bytes:
    """Return the content of a file. Raises OSError if it cannot be opened, is not a regular file, or is too large."""
    # Non-blocking, because the path may be a pipe.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileRefused(f"{path.name} is not a regular file")
        with os.fdopen(descriptor, "rb", closefd=False) as opened:
            content = opened.read(largest + 1)
    finally:
        os.close(descriptor)
    if len(content) > largest:
        raise FileTooLarge(path, largest)
    return content
