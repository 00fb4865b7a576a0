"""Output of a program after the reader stops early."""

import subprocess
import sys
from io import BytesIO

import pytest

from octavo.operations.backups.program_pipes import feed


@pytest.mark.parametrize("rest", [b"", b"rest", b"much" * 100_000])
def test_the_exit_of_a_program_is_detected(rest: bytes) -> None:
    with subprocess.Popen([sys.executable, "-c", ""], stdin=subprocess.PIPE) as process:
        process.wait()
        assert process.stdin is not None
        assert not feed("first", BytesIO(rest), "last", process.stdin)
