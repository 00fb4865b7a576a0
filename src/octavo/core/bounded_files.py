"""Files of a project's owner, read as a whole: regular ones, and none larger than its kind has reason to be."""

import os
import stat
from pathlib import Path
from typing import Final

MEGABYTE: Final = 1024 * 1024


class FileRefused(OSError):
    """What is there is not read; the text says why."""


class FileTooLarge(FileRefused):
    """The file is larger than any of its kind that people write."""

    def __init__(self, path: Path, largest: int) -> None:
        size = f"{largest // MEGABYTE} MB" if largest >= MEGABYTE else f"{largest // 1024} kB"
        super().__init__(f"{path.name} is larger than {size}, the most that is read of it")


def read_own_file(path: Path, largest: int) -> bytes:
    """What a file holds. Raises OSError: it cannot be opened, is a folder or a pipe, or larger than `largest` bytes."""
    # Without waiting: what looks like a file may be a pipe.
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
