"""Find where secrets are stored and who else can read them: files, file permissions, git. Also write them to `.env`.

Secrets are never printed or passed as arguments to another program, where other users could see them.
"""

import os
import re
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from octavo.cli.base import refuse
from octavo.settings.sources import read_env_file

_PATIENCE: Final = 60.0
_SHORTEST_SOUGHT: Final = 8
"""Shorter texts occur everywhere by chance."""
_PLAIN: Final = re.compile(r"[A-Za-z0-9_\-+/=.,:;]*")


def is_open_to_all(path: Path) -> bool:
    """Return whether all users of this machine can read a file."""
    try:
        return os.name == "posix" and bool(path.stat().st_mode & stat.S_IROTH)
    except OSError:
        return False


class Git:
    """The git repository that contains the project, if any."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._program = shutil.which("git")
        self.is_there = self._run("rev-parse", "--is-inside-work-tree") is not None

    def has(self, name: str) -> bool:
        """Return whether a file is committed or staged."""
        return self.is_there and bool(self._run("ls-files", "--", name))

    def had(self, name: str) -> bool:
        """Return whether a file was ever committed, on any branch."""
        return self.is_there and bool(self._run("log", "--all", "-n1", "--format=%h", "--", name))

    def ignores(self, name: str) -> bool:
        """Return whether git ignores a file, so it cannot be added by accident."""
        return not self.is_there or self._run("check-ignore", "-q", "--", name) is not None

    def files_with(self, text: str) -> list[str]:
        """Return the committed files that contain a text."""
        if not self.is_there or len(text) < _SHORTEST_SOUGHT:
            return []
        return (self._run("grep", "-lIF", "-f", "-", "--", ":/", text=text) or "").splitlines()

    def _run(self, *arguments: str, text: str = "") -> str | None:
        """Run git and return its output, or None if git fails, is not installed or times out."""
        if self._program is None:
            return None
        command = [self._program, "-C", str(self._project), "-c", "core.fsmonitor=false", *arguments]
        try:
            done = subprocess.run(command, input=text, text=True, capture_output=True, check=True, timeout=_PATIENCE)
        except (subprocess.SubprocessError, OSError):
            return None
        return done.stdout.strip()


def write_env(project: Path, values: Mapping[str, str]) -> None:
    """Set variables in `.env` without other changes. Variables with an empty value are removed."""
    path = (project / ".env").resolve()
    before = path.read_text("utf-8")
    after = before
    for name, value in values.items():
        after = _with_variable(after, name, value)
    descriptor, made = tempfile.mkstemp(dir=path.parent, prefix=".env.")
    written = Path(made)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(after)
            file.flush()
            os.fsync(descriptor)
        _check(project, after, values)
        shutil.copymode(path, written)
        with suppress(OSError, AttributeError):  # only root can change the owner
            os.chown(written, path.stat().st_uid, path.stat().st_gid)
        written.replace(path)
    finally:
        written.unlink(missing_ok=True)


def _with_variable(text: str, name: str, value: str) -> str:
    line = f"{name}={_quoted(value)}\n" if value else ""
    pattern = re.compile(rf"^[ \t]*(?:export[ \t]+)?{re.escape(name)}[ \t]*=.*(?:\n|\Z)", re.MULTILINE)
    replaced, times = pattern.subn(lambda _: line, text)
    if times:
        return replaced
    return text + ("" if text.endswith("\n") or not text else "\n") + line


def _quoted(value: str) -> str:
    if _PLAIN.fullmatch(value):
        return value
    if "'" in value or "\n" in value:
        refuse("A value with quotes or line breaks cannot be written to .env; use --show, and set it yourself")
    return f"'{value}'"


def _check(project: Path, after: str, values: Mapping[str, str]) -> None:
    """Raise an error if the new text does not set the values as expected: `.env` has an unknown form."""
    before = read_env_file(project)
    with tempfile.TemporaryDirectory(prefix="octavo-env-") as folder:
        Path(folder, ".env").touch(0o600)
        Path(folder, ".env").write_text(after, "utf-8")
        found = read_env_file(Path(folder))
    wanted = {name: value for name, value in {**before, **values}.items() if value or name not in values}
    if found != wanted:
        refuse("This .env cannot be changed safely; use --show, and set the variables yourself")


def files_of(sources: Iterable[str], variables: Mapping[str, str], project: Path) -> dict[str, Path]:
    """Return the files that settings came from, by the description of their source."""
    found: dict[str, Path] = {}
    for source in sources:
        name = source.removeprefix(".env: ")
        if name.endswith("_FILE") and variables.get(name):
            found[source] = project / variables[name]
        elif source.startswith(".env: "):
            found[source] = project / ".env"
        elif "/" in source:
            found[source] = project / source.partition(":")[0]
    return found
