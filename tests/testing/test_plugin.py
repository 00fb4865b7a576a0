"""The pytest plugin, as described in docs/testing.md: a separate pytest runs the page's tests on the magazine."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run_tests(project: Path) -> subprocess.CompletedProcess[str]:
    """Return pytest's output in a project's folder."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:anyio", "-W", "error"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTEST_ADDOPTS": ""}
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


def test_the_examples_of_the_docs_pass(tmp_path: Path) -> None:
    project = tmp_path / "magazine"
    shutil.copytree(
        ROOT / "examples/magazine", project, ignore=shutil.ignore_patterns("seed", ".octavo", ".env", "uploads")
    )
    page = (ROOT / "docs/testing.md").read_text(encoding="utf-8")
    for name, text in re.findall(r"^```python\n# (\S+)\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")
    finished = run_tests(project)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "6 passed" in finished.stdout


def test_a_project_that_cannot_start_is_reported_without_a_traceback(tmp_path: Path) -> None:
    files = {
        "conftest.py": 'pytest_plugins = ["octavo.testing.plugin"]\n',
        "src/index.py": "def boostrap(app): ...\n",
        "tests/test_it.py": "async def test_it(site): ...\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    finished = run_tests(tmp_path)
    assert "src/index.py: boostrap: unknown function, which is never called. Did you mean bootstrap?" in finished.stdout
    assert "octavo/testing/plugin.py" not in finished.stdout
