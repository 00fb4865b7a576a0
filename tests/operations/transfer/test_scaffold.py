"""Scaffolding: secrets are appended to existing files, and the wheel contains the sample project."""

import subprocess
import sys
from pathlib import Path

import pytest

from octavo.operations.transfer.scaffold import add_secrets, sample_folder

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "before, kept",
    [("PORT=1\n", "PORT=1\n"), ("PORT=1", "PORT=1\n"), ("", "")],
)
def test_secrets_are_appended(tmp_path: Path, before: str, kept: str) -> None:
    file = tmp_path / ".env"
    file.write_text(before, "utf-8")
    assert add_secrets(tmp_path, ("JWT_SECRET",)) == ("JWT_SECRET",)
    assert file.read_text("utf-8").startswith(f"{kept}JWT_SECRET=")
    assert len(file.read_text("utf-8").splitlines()[-1]) == len("JWT_SECRET=") + 32


def test_no_file_is_created_without_secrets(tmp_path: Path) -> None:
    assert add_secrets(tmp_path, ()) == ()
    assert list(tmp_path.iterdir()) == []


def test_the_wheel_carries_the_sample(tmp_path: Path) -> None:
    pytest.importorskip("setuptools")
    build = ["egg_info", "--egg-base", str(tmp_path), "build_py", "--build-lib", str(tmp_path)]
    command = [sys.executable, "setup.py", "-q", *build]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    packed, sample = tmp_path / "octavo/sample", sample_folder()
    found = {file.relative_to(packed) for file in packed.rglob("*") if file.is_file()}
    wanted = {
        file.relative_to(sample)
        for part in ("config", "seed", "src")
        for file in (sample / part).rglob("*")
        if file.is_file()
    }
    assert found == wanted | {Path(".gitignore")}
