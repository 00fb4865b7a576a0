"""The process retains memory of large responses for later ones."""

import subprocess
import sys
from typing import Final

import pytest

_FAULTS: Final = """
import resource, sys
from octavo.operations.runtime.allocator import keep_freed_memory

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def answers():
    return [bytearray(350_000) for _ in range(4)]

kept = keep_freed_memory()
answers()
before = faults()
for _ in range(50):
    answers()
print(kept, faults() - before < 1_000)  # given back each time, it would be 13,000
"""

_PAGES: Final = """
import re
import apsw, granian, uvloop
from octavo.operations.runtime.allocator import give_back_start, mapped_files

def pages():
    return int(re.search(r"RssFile:\\s+(\\d+)", open("/proc/self/status").read())[1])

before = pages()
give_back_start(mapped_files())
print(pages() < before / 2, apsw.Connection(":memory:").execute("select 1").fetchall())
"""


def output_of(environment: dict[str, str], program: str = _FAULTS) -> str:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's")
def test_responses_reuse_freed_memory() -> None:
    kept, few = output_of({}).split()
    assert few == "True" or kept == "False"  # other C libraries have their own rules


@pytest.mark.parametrize(
    "variable", ["MALLOC_TRIM_THRESHOLD_=65536", "GLIBC_TUNABLES=glibc.malloc.trim_threshold=65536"]
)
def test_settings_of_the_operator_take_precedence(variable: str) -> None:
    name, _, value = variable.partition("=")
    assert output_of({name: value}).split()[0] == "False"


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's")
def test_pages_of_programs_are_released_and_loaded_again() -> None:
    assert output_of({}, _PAGES) == "True [(1,)]"
