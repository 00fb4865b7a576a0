"""The limits of the process, and the log of results."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from octavo.operations.comparison.results import Outcome, Results
from octavo.operations.shadowing import running
from octavo.operations.shadowing.running import OutcomeLog


@pytest.mark.parametrize(
    "soft, hard, found",
    [
        (256, 20_000, "4096 8576"),
        (256, 1_024, "320 1024"),
        (64, 64, "16 64"),
        (9_000, 20_000, "4096 9000"),
    ],
)
def test_the_limit_of_open_files_is_raised(soft: int, hard: int, found: str) -> None:
    code = (
        f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))\n"
        "from octavo.operations.shadowing.open_files import allow_connections\n"
        "print(allow_connections(), resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == found


def test_the_log_stays_private_after_a_rotation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_LARGEST_LOG", 100)
    before = os.umask(0o022)
    try:
        log = OutcomeLog(str(tmp_path / "a.log"), Results("a", "b"))
        for _ in range(3):
            log.add(Outcome(key="k", role="public", method="GET", target="/api/a", route="GET /api/a", state="equal"))
        log.close()
    finally:
        os.umask(before)
    assert {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {"a.log": 0o600, "a.log.1": 0o600}
