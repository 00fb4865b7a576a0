"""Without the extra `v4`, v4 projects are refused with a clear error, and Octavo projects work."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.processes import ROOT
from tests.cli.projects import make_project
from tests.v4.config.project import SQLITE, write

MISSING = """raise ModuleNotFoundError("No module named 'tree_sitter'", name="tree_sitter")\n"""


def octavo(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process that cannot import `tree_sitter`."""
    hidden = folder.parent / "hidden"
    hidden.mkdir(exist_ok=True)
    (hidden / "tree_sitter.py").write_text(MISSING, "utf-8")
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join((str(hidden), str(ROOT / "src")))}
    arguments = [sys.executable, "-m", "octavo", *command]
    return subprocess.run(arguments, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", [("config", "check"), ("start", "--port", "0"), ("adopt", ".")])
def test_v4_project_without_the_extra_is_refused_by_name(tmp_path: Path, command: tuple[str, ...]) -> None:
    folder = tmp_path / "v4"
    folder.mkdir()
    done = octavo(write(folder, {"config/database.js": SQLITE}), *command)
    assert done.returncode, done.stdout
    assert "pip install 'octavo[v4]'" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_octavo_project_works_without_the_extra(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    for command in (("config", "check"), ("db", "diff"), ("types", "--python")):
        done = octavo(project, *command)
        assert not done.returncode, done.stderr
