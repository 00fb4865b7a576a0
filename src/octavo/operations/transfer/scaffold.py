"""Create project folders from the bundled sample project, with new secrets."""

import os
import secrets
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from octavo.operations.transfer.project_readme import write_readme
from octavo.schema.loader import load_registry

PACKAGE: Final = Path(__file__).parents[2]
SAMPLE_PLACES: Final = (PACKAGE / "sample", PACKAGE.parents[1] / "examples" / "magazine")
"""The sample project: in an installed package, or in a working copy of Octavo."""

_BASE: Final = ("config", ".gitignore")
_CONTENT: Final = ("src", "seed")
_EMPTY_FOLDERS: Final = ("public/uploads", "src/api", "src/components")
_KEPT: Final = ".gitkeep"
_ENV: Final = ".env"
_ENV_HEAD: Final = "# Secrets of this project, made by Octavo. Keep them out of version control.\n"
_APP_KEYS: Final = 4
_SECRETS: Final = ("APP_KEYS", "API_TOKEN_SALT", "ADMIN_JWT_SECRET", "TRANSFER_TOKEN_SALT", "JWT_SECRET")


class FolderNotEmpty(OSError):
    """The folder for a new project is not empty."""


def make_project(folder: Path, *, blank: bool) -> None:
    """Create a project folder, with sample content unless `blank`. Raises FolderNotEmpty."""
    if folder.is_dir() and any(folder.iterdir()):
        raise FolderNotEmpty(f"{folder} is there already and not empty")
    folder.mkdir(parents=True, exist_ok=True)
    sample = sample_folder()
    for name in _BASE if blank else (*_BASE, *_CONTENT):
        _copy(sample / name, folder / name)
    for name in _EMPTY_FOLDERS:
        _make_empty(folder / name)
    add_secrets(folder, _SECRETS)
    write_readme(folder, load_registry(folder))


def sample_folder() -> Path:
    """Return the folder of the sample project."""
    return next(place for place in SAMPLE_PLACES if place.is_dir())


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, copy_function=shutil.copyfile)
    else:
        shutil.copyfile(source, target)


def _make_empty(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if not any(folder.iterdir()):
        (folder / _KEPT).touch()


def add_secrets(project: Path, names: Iterable[str]) -> tuple[str, ...]:
    """Append new secrets with these names to `.env`, which only the owner can read if it is new. Return their names."""
    lines = [f"{name}={_new_value(name)}\n" for name in names]
    if not lines:
        return ()
    path = project / _ENV
    head = _joint(path) if path.is_file() else _ENV_HEAD
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w", encoding="utf-8") as file:
        file.write(head + "".join(lines))
    return tuple(line.partition("=")[0] for line in lines)


def _joint(path: Path) -> str:
    """Return a line break if the file does not end with one."""
    text = path.read_bytes()
    return "\n" if text and not text.endswith(b"\n") else ""


def _new_value(name: str) -> str:
    return ",".join(secrets.token_urlsafe(24) for _ in range(_APP_KEYS if name == "APP_KEYS" else 1))
