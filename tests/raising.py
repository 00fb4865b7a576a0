"""Expect an exception from a block of several statements, such as a transaction."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def raising(error: type[Exception]) -> Iterator["pytest.ExceptionInfo[Any]"]:
    """Work like `pytest.raises`, but allow several statements in the block."""
    with pytest.raises(error) as caught:
        yield caught
