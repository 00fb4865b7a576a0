"""Installation: which packages each make target installs, with which Python, and that they run the working copy."""

import ensurepip
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path

import pytest

from requirements import install

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
RUN, DEV = "requirements/install.py run", "requirements/install.py dev"
WITHOUT = {"MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS", "MAKELEVEL", "PYTHON"}
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in WITHOUT}


def said(*command: str, **variables: str) -> tuple[int, str, str]:
    """Return the exit code and output of a command in the repository."""
    done = subprocess.run(
        command, cwd=ROOT, env={**ENVIRONMENT, **variables}, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


def chores(stamp: str) -> set[str]:
    """Return the targets that need a stamp."""
    return set(re.findall(rf"^(\w+): \$\({stamp}\) ##", MAKEFILE, re.MULTILINE))


def planned(chore: str, folder: Path) -> str:
    """Return what make would do for a target if nothing is installed yet."""
    code, plan, error = said("make", "-n", chore, f"VENV={folder / 'none'}")
    assert code == 0, error
    return plan


def test_running_needs_no_development_packages(tmp_path: Path) -> None:
    plan = planned("run", tmp_path)
    assert RUN in plan
    assert DEV not in plan


@pytest.mark.parametrize("chore", sorted(chores("DEV")))
def test_development_adds_its_own_packages(tmp_path: Path, chore: str) -> None:
    plan = planned(chore, tmp_path)
    assert RUN in plan[: plan.index(DEV)]


def test_every_chore_is_known() -> None:
    listed = set(re.findall(r"^(\w+):.*## ", MAKEFILE, re.MULTILINE))
    assert listed == chores("RUN") | chores("DEV") | {"help", "clean"}
    assert chores("RUN") == {"run"}


# Which Python


def test_the_named_python_is_used() -> None:
    code, found, _ = said("scripts/pythons", "one", PYTHON=sys.executable)
    assert (code, found) == (0, f"{sys.executable}\n")


def test_pythons_are_listed_with_their_versions() -> None:
    code, found, _ = said("scripts/pythons")
    versions = [tuple(int(part) for part in line.split()[0].split(".")) for line in found.splitlines()]
    assert code == 0
    assert versions == sorted(set(versions))
    assert [version for version in versions if not (3, 11) <= version[:2] <= (3, 14)] == []


def test_supported_versions_are_the_same_everywhere() -> None:
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["classifiers"]
    promised = [int(found[1]) for text in classifiers if (found := re.search(r":: 3\.(\d+)$", text))]
    script = (ROOT / "scripts/pythons").read_text(encoding="utf-8")
    assert f"(3, {min(promised)}) <= sys.version_info[:2] <= (3, {max(promised)})" in script


def test_a_missing_python() -> None:
    code, found, error = said("scripts/pythons", "one", PYTHON="/nowhere/python3")
    assert (code, found) == (1, "")
    assert error == "PYTHON=/nowhere/python3 is no Python from 3.11 to 3.14.\n"


def test_a_python_that_is_too_old(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.version_info = (3, 10, 13)\n")
    code, _, error = said("scripts/pythons", "one", PYTHON=sys.executable, PYTHONPATH=str(tmp_path))
    assert (code, error) == (1, f"PYTHON={sys.executable} is no Python from 3.11 to 3.14.\n")


def test_a_python_that_cannot_make_virtual_environments(tmp_path: Path) -> None:
    (tmp_path / "ensurepip.py").write_text("raise ImportError\n")
    variables = {"PYTHON": sys.executable, "PYTHONPATH": str(tmp_path)}
    code, _, error = said("scripts/pythons", "one", **variables)
    assert code == 1
    assert error.endswith("cannot make virtual environments. On Debian or Ubuntu: sudo apt install python3-venv\n")
    assert said("scripts/pythons", "lacking", **variables)[1].split()[1:] == [sys.executable]


def test_make_fails_without_a_python(tmp_path: Path) -> None:
    code, _, error = said("make", "run", f"VENV={tmp_path / 'none'}", "PYTHON=/nowhere/python3")
    assert code == 2
    assert "PYTHON=/nowhere/python3 is no Python from 3.11 to 3.14." in error
    assert list(tmp_path.iterdir()) == []


# Installing


def test_progress_is_read_from_the_output_of_pip() -> None:
    lines = [
        "Looking in links: /wheels\n",
        "Collecting anyio==4.16.0 (from -r requirements/run.txt (line 9))\n",
        "  Downloading anyio-4.16.0-py3-none-any.whl (132 kB)\n",
        "Processing /wheels/idna-3.20-py3-none-any.whl (from -r requirements/run.txt (line 604))\n",
        "Requirement already satisfied: h11==0.16.0 in /x (from -r requirements/run.txt (line 592)) (0.16.0)\n",
        "Requirement already satisfied: idna>=2 in /x (from anyio==4.16.0->-r requirements/run.txt (line 9))\n",
        "Successfully installed anyio-4.16.0 idna-3.20\n",
    ]
    words: list[str] = []
    assert list(install.taken(lines, words)) == [9, 604, 592]
    assert words == lines


def test_a_failed_installation_is_reported(tmp_path: Path) -> None:
    lock = tmp_path / "run.txt"
    lock.write_text(f"octavo-is-not-there==1.0 --hash=sha256:{'0' * 64}\n")
    with pytest.raises(SystemExit, match=r"No matching distribution found for octavo-is-not-there==1.0") as failure:
        install.install(lock, {"PIP_NO_INDEX": "1"})
    assert "pip could not install run.txt" in str(failure.value)


def test_the_bundled_pip_runs(tmp_path: Path) -> None:
    venv.create(tmp_path, with_pip=False)
    command = f"{tmp_path}/bin/python"
    _, version, error = said(command, "-m", "pip", "--version", **install.carried_pip())
    assert version.startswith(f"pip {ensurepip.version()} "), error


def test_the_command_is_this_working_copy(tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    venv.create(folder, with_pip=False)
    packages = next(folder.glob("lib/python3*/site-packages"))
    install.link(packages, folder / "bin")
    where = "import octavo; print(octavo.__file__)"
    dependencies = {"PYTHONPATH": sysconfig.get_path("purelib")}
    assert said(f"{folder}/bin/python", "-c", where)[1] == f"{ROOT}/src/octavo/__init__.py\n"
    code, version, error = said(f"{folder}/bin/octavo", "version", **dependencies)
    assert (code, version[:7]) == (0, "Octavo "), error
