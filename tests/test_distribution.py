"""A worker of the test run that dies ends neither the other workers nor the run."""

import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.markers import ROOT

_CONFTEST: Final = """
from pathlib import Path
from tests import distribution

distribution.ROOT = Path(__file__).parent
pytest_plugins = ["tests.distribution"]
"""
_CRASH: Final = """
import os

def test_before(): pass
def test_crash(): os._exit(1)
def test_after(): pass
"""


def test_a_test_that_ends_its_worker_is_left_out_and_all_others_run(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(_CONFTEST)
    (tmp_path / "test_crash.py").write_text(_CRASH)
    for name in "abcd":
        (tmp_path / f"test_{name}.py").write_text(f"def test_{name}(): assert {name!r} != 'c'\n")
    options = ("-q", "-n", "2", "-p", "no:cacheprovider", "--rootdir", tmp_path)
    command = (sys.executable, "-m", "pytest", *options, tmp_path)
    done = subprocess.run(command, cwd=ROOT.parent, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done.stdout
    assert "2 failed, 5 passed" in done.stdout
    assert "crashed while running 'test_crash.py::test_crash'" in done.stdout
