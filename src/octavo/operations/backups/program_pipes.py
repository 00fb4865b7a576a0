"""The input and output of a database's client programs."""

import shutil
from contextlib import suppress
from typing import IO


def feed(first: str, source: IO[bytes], last: str, target: IO[bytes]) -> bool:
    """Write `first`, the source and `last` to the target. Return whether it read all; close a target that has ended."""
    try:
        target.write(first.encode())
        shutil.copyfileobj(source, target)
        target.write(last.encode())
        target.flush()
    except BrokenPipeError:
        close_broken(target)
        return False
    return True


def close_broken(pipe: IO[bytes]) -> None:
    """Discard buffered input of a program that has ended. Otherwise, closing the pipe later raises again."""
    with suppress(BrokenPipeError):
        pipe.close()


def first_line(text: str) -> str:
    """Return the first line of a program's output."""
    return text.strip().partition("\n")[0]
