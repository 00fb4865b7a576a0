"""Installs a lock file into the virtual environment whose Python runs this, and makes `octavo` this working copy.

Usage: .venv/bin/python requirements/install.py run|dev
"""

import ensurepip
import os
import re
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent / "src"
PURPOSES = {"pip": "the installer", "run": "what running needs", "dev": "what development needs"}

# Nothing is compiled ahead: Python compiles what it imports, which is a tenth of what is installed.
OPTIONS = ("install", "--disable-pip-version-check", "--no-compile", "--require-hashes", "--requirement")
TAKEN = re.compile(r"(?:Collecting|Processing|Requirement already satisfied).*\(from -r .*\(line (\d+)\)\)")
SHOWN_EVERY = 10
"""Without a terminal, every tenth package gets a line."""

# A script of pip's would hold the path of the interpreter, which not every system takes with spaces or in any length.
COMMAND = """#!/bin/sh
exec "$(dirname "$0")/python" -m octavo "$@"
"""


def carried_pip() -> dict[str, str]:
    """The variables with which `-m pip` is the pip that Python carries, run from its archive.

    Making a virtual environment with pip in it unpacks and compiles that pip first, which takes five seconds.
    """
    folders = (Path(ensurepip.__file__).parent / "_bundled", sysconfig.get_config_var("WHEEL_PKG_DIR"))
    archives = [file for folder in folders if folder for file in Path(folder).glob(f"pip-{ensurepip.version()}-*.whl")]
    if archives:
        return {"PYTHONPATH": str(archives[0])}
    subprocess.run([sys.executable, "-m", "ensurepip"], check=True)
    return {}


def install(lock: Path, variables: dict[str, str]) -> None:
    """Let pip install a lock file, showing how far it is. Where it fails, what it said is shown and this ends."""
    packages = [line.split("==")[0] if "==" in line else "" for line in lock.read_text(encoding="utf-8").splitlines()]
    total = len([name for name in packages if name])
    said: list[str] = []
    with subprocess.Popen(
        [sys.executable, "-m", "pip", *OPTIONS, str(lock)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, **variables, "PYTHONUNBUFFERED": "1"},
    ) as pip:
        assert pip.stdout is not None
        for number, line in enumerate(taken(pip.stdout, said), start=1):
            show(number, total, packages[line - 1])
    if pip.returncode:
        sys.exit(f"\n{''.join(said)}\npip could not install {lock.name}: see above. Then run the command again.")


def taken(lines: Iterable[str], said: list[str]) -> Iterator[int]:
    """The lines of the lock file that pip takes up, each once; all that it says is put aside."""
    seen: set[str] = set()
    for line in lines:
        said.append(line)
        found = TAKEN.match(line)
        if found and found[1] not in seen:
            seen.add(found[1])
            yield int(found[1])


def show(number: int, total: int, name: str) -> None:
    """Say how far it is: on a terminal in one line that changes."""
    if sys.stdout.isatty():
        print(f"\r\033[K  {number} of {total}: {name}", end="\r\033[K" if number == total else "", flush=True)
    elif number % SHOWN_EVERY == 0:
        print(f"  {number} of {total}", flush=True)


def link(packages: Path, commands: Path) -> None:
    """Make `import octavo` and the command `octavo` those of this working copy, as an editable install would.

    Done by hand, this takes no build: neither its seconds nor the packages it needs.
    """
    (packages / "__editable__.octavo.pth").write_text(f"{SOURCE}\n", encoding="utf-8")
    command = commands / "octavo"
    command.write_text(COMMAND, encoding="utf-8")
    command.chmod(0o755)


def import_once() -> None:
    """Import what the command imports: that shows that it can be, and keeps it compiled for the first start."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-m", "octavo", "develop", "--help"]
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)


def main(name: str) -> None:
    """Install `<name>.txt`, after pip itself where that is missing."""
    began = time.monotonic()
    if find_spec("pip") is None:
        print(f"Installing {PURPOSES['pip']}", flush=True)
        install(HERE / "pip.txt", carried_pip())
    print(f"Installing {PURPOSES[name]}", flush=True)
    install(HERE / f"{name}.txt", {})
    link(Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("scripts")))
    import_once()
    print(f"Installed in {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
