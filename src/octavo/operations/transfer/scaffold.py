"""Create project folders from the bundled sample project, with new secrets and a readme."""

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from octavo import __version__
from octavo.schema.content_types import ContentType
from octavo.schema.loader import load_registry
from octavo.schema.registry import Registry

FILE: Final = "README.md"

_PLACES: Final = (
    ("src/api", "content types, each with its definition, `routes`, `controllers` and `services`"),
    ("src/components", "groups of attributes that content types share"),
    ("config", "settings; `octavo docs settings` lists all of them with their defaults"),
    ("seed", "sample content, for `octavo develop --seed`"),
    ("public", "static files and uploads"),
    (".env", "secrets of this machine; do not commit it"),
    (".octavo", "the SQLite database and other local files; the first start creates it"),
    ("database/migrations", "your migrations, if data changes together with definitions (`octavo docs migrations`)"),
)
_LATER: Final = (".octavo", "database/migrations")


def write_readme(folder: Path, registry: Registry) -> None:
    """Write the readme of a project, based on the files in its folder."""
    (folder / FILE).write_text(readme_of(folder, registry), encoding="utf-8")


def readme_of(folder: Path, registry: Registry) -> str:
    """Return the text of the readme."""
    return "\n".join([*_beginning(folder), *_content(registry), *_places(folder), *_everyday(), ""])


def _beginning(folder: Path) -> Iterator[str]:
    yield f"# {folder.name}"
    yield ""
    yield f"The content service of {folder.name}, created with Octavo {__version__}."
    yield ""
    yield "## Start"
    yield ""
    yield "```sh"
    yield f"pip install 'octavo>={__version__}'"
    if (folder / "seed").is_dir():
        yield "octavo develop --seed     # the first time: load the content of seed/"
    yield "octavo develop            # reloads when definitions, settings or code change"
    yield "```"
    yield ""
    yield "If this version of Octavo is not published yet, install a wheel or a working copy: `pip install ../octavo`."
    yield ""
    yield "The admin pages are at <http://127.0.0.1:1337/admin>: create the first administrator there. After cloning"
    yield "the project, `octavo develop` or `octavo secrets new --missing` creates new secrets."
    yield ""


def _content(registry: Registry) -> Iterator[str]:
    types = sorted((one for one in registry.content_types.values() if one.is_api), key=lambda one: one.uid)
    yield "## Content"
    yield ""
    if not types:
        yield "There are no content types yet. Create one in the admin pages, or with `octavo generate content-type`."
        yield ""
        return
    yield "| Content type | API URL | Drafts | Localized | Description |"
    yield "|---|---|---|---|---|"
    yield from (_row(one) for one in types)
    if registry.components:
        yield ""
        yield f"Components: {_listed(one.uid for one in registry.components.values())}."
    yield ""
    yield "`octavo permissions list public` shows what visitors can read. For programs, create tokens with"
    yield "`octavo tokens create NAME`. `octavo routes list` lists all routes, and `octavo openapi` describes them."
    yield ""


def _row(one: ContentType) -> str:
    address = f"/api/{one.singular_name if one.is_single else one.plural_name}"
    marks = ("yes" if one.draft_and_publish else "no", "yes" if one.localized else "no")
    return f"| {_cell(one.display_name)} | `{address}` | {' | '.join(marks)} | {_cell(one.description)} |"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


def _places(folder: Path) -> Iterator[str]:
    yield "## Files"
    yield ""
    yield "| | |"
    yield "|---|---|"
    for name, what in _PLACES:
        if name in _LATER or (folder / name).exists():
            yield f"| `{name}` | {what} |"
    yield ""


def _everyday() -> Iterator[str]:
    yield "## Commands"
    yield ""
    yield "```sh"
    yield "octavo generate --help            # create content types, components and code"
    yield "octavo config check --strict      # in CI: check settings and definitions"
    yield "octavo db diff --exit-code        # in CI: show what the next start changes in the database"
    yield "octavo db backup FILE             # back up the database (without uploaded files)"
    yield "octavo docs search WORD           # search the documentation offline"
    yield "```"
    yield ""
    yield "## Deploy"
    yield ""
    yield "`octavo docs deploying` describes a deployment with HTTPS. `octavo docs --folder` prints the folder with"
    yield "files for systemd, containers and proxies. In production, run `octavo start`, and check the secrets with"
    yield "`octavo secrets check`."


PACKAGE: Final = Path(__file__).parents[2]
SAMPLE_PLACES: Final = (PACKAGE / "sample", PACKAGE.parents[1] / "examples" / "magazine")
"""The sample project: in an installed package, or in a working copy of Octavo."""

_BASE: Final = ("config", ".gitignore")
_CONTENT: Final = ("src", "seed")
_EMPTY_FOLDERS: Final = ("public/uploads", "src/api", "src/components")
_KEPT: Final = ".gitkeep"
_ENV: Final = ".env"
_ENV_HEAD: Final = "# Secrets of this project, generated by Octavo. Keep them out of version control.\n"
_APP_KEYS: Final = 4
_SECRETS: Final = ("APP_KEYS", "API_TOKEN_SALT", "ADMIN_JWT_SECRET", "TRANSFER_TOKEN_SALT", "JWT_SECRET")


class FolderNotEmpty(OSError):
    """The folder for a new project is not empty."""


def make_project(folder: Path, *, blank: bool) -> None:
    """Create a project folder, with sample content unless `blank`. Raises FolderNotEmpty."""
    if folder.is_dir() and any(folder.iterdir()):
        raise FolderNotEmpty(f"{folder} already exists and is not empty")
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
