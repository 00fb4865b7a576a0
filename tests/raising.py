"""What a block raises, where the block is the point: a transaction with several statements inside."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def raising(error: type[Exception]) -> Iterator["pytest.ExceptionInfo[Any]"]:
    """As `pytest.raises`, for as many statements as the block needs."""
    with pytest.raises(error) as caught:
        yield caught
