"""The readme of a new project: how to start it and where to find its files."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from octavo import __version__
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry

FILE: Final = "README.md"

_PLACES: Final = (
    ("src/api", "content-types, a folder each; code of theirs (`routes`, `controllers`, `services`) lies beside them"),
    ("src/components", "groups of attributes that content-types share"),
    ("config", "settings; what is not there has its default (`octavo docs settings`)"),
    ("seed", "content to begin with, for `octavo develop --seed`"),
    ("public", "files that are served as they are, uploads among them"),
    (".env", "secrets of this machine: never committed"),
    (".octavo", "made by the first start: the database, while it is SQLite"),
    ("database/migrations", "to be made where data has to change with the definitions (`octavo docs migrations`)"),
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
    yield f"The content of {folder.name}, served by Octavo (made with {__version__})."
    yield ""
    yield "## Start"
    yield ""
    yield "```sh"
    yield f"pip install 'octavo>={__version__}'"
    if (folder / "seed").is_dir():
        yield "octavo develop --seed     # the first time: with the content of seed/"
    yield "octavo develop            # takes up every change of definitions, settings and code at once"
    yield "```"
    yield ""
    yield "Where no index has that version of Octavo, name a working copy of it, or a wheel: `pip install ../octavo`."
    yield ""
    yield "Editors work at <http://127.0.0.1:1337/admin>: the first visit makes the first administrator. Who clones the"
    yield "project gets secrets of their own by `octavo develop`, or by `octavo secrets new --missing`."
    yield ""


def _content(registry: Registry) -> Iterator[str]:
    types = sorted((one for one in registry.content_types.values() if one.is_api), key=lambda one: one.uid)
    yield "## Content"
    yield ""
    if not types:
        yield "There are no content-types yet: `octavo generate` begins one, and so do the pages of administrators."
        yield ""
        return
    yield "| What | Address | Drafts | Languages | |"
    yield "|---|---|---|---|---|"
    yield from (_row(one) for one in types)
    if registry.components:
        yield ""
        yield f"Components: {_listed(one.uid for one in registry.components.values())}."
    yield ""
    yield "Others may read what the public role may: `octavo permissions list --role public`. Programs get a token:"
    yield "`octavo tokens create NAME`. `octavo routes list` shows every address, `octavo openapi` describes them."
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
    yield "## Where what is"
    yield ""
    yield "| | |"
    yield "|---|---|"
    for name, what in _PLACES:
        if name in _LATER or (folder / name).exists():
            yield f"| `{name}` | {what} |"
    yield ""


def _everyday() -> Iterator[str]:
    yield "## Every day"
    yield ""
    yield "```sh"
    yield "octavo generate --help            # begins content-types, components, code"
    yield "octavo config check --strict      # for CI: settings and definitions"
    yield "octavo db diff --exit-code        # for CI: what a start would do to the tables"
    yield "octavo db backup FILE             # a copy of the database; uploaded files lie elsewhere"
    yield "octavo docs search WORD           # the manual, without a network"
    yield "```"
    yield ""
    yield "## Deploy"
    yield ""
    yield "`octavo docs deploying` leads from a bare machine to HTTPS; files for systemd, containers and proxies lie"
    yield "where `octavo docs --folder` says. In production it is `octavo start`, with secrets of that machine's own:"
    yield "`octavo secrets check` tells whether they are sound."
