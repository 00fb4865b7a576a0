"""Check whether a v4 project's own built admin panel can be served, and what is missing."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from octavo.api.http.single_page import PAGE
from octavo.core.bounded_files import read_own_file
from octavo.core.values import dataclass
from octavo.operations.runtime.static_files import built_panel, panel_folders
from octavo.settings import Settings
from octavo.v4.adoption.plugins import counterparts
from octavo.v4.adoption.report import Verdict

_SOURCE: Final = re.compile(r"""(?:src|href)="([^"]+)\"""")
_BACKEND: Final = re.compile(r"""window\.strapi=\{backendURL:(?:[\w$]+\()?["'`]([^"'`]*)["'`]""")
_MOST: Final = 32 * 1024**2
"""Maximum bytes of a script to read."""


@dataclass(frozen=True, slots=True)
class PanelCheck:
    """The result. `folder` is what is served, or None. `problems` prevent the panel from working, `notes` do not."""

    folder: Path | None
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Whether editors can use it."""
        return self.folder is not None and not self.problems


def check_panel(settings: Settings, packages: dict[str, str]) -> PanelCheck:
    """Check the built panel of a project. `packages` are the dependencies in its package.json."""
    if settings.admin.panel == "off":
        return PanelCheck(None, ('admin.panel is "off", or v4\'s `serveAdminPanel` is false',))
    folder = built_panel(settings)
    if folder is None:
        places = " or ".join(f"{place.relative_to(settings.project)}/" for place in panel_folders(settings.project))
        missing = f"no {PAGE} in {places}; build the panel with v4's `strapi build`, and copy it there"
        return PanelCheck(None, (missing,))
    page = read_own_file(folder / PAGE, _MOST).decode(errors="replace")
    problems = (*_files(folder, page, settings.admin.path), *_backend(folder, settings.server.url))
    return PanelCheck(folder, problems, (*_unused(settings), *_absent(packages)))


def _unused(settings: Settings) -> Iterator[str]:
    if settings.admin.panel == "octavo":
        yield 'Octavo serves its own admin pages; to serve this panel, set admin.panel = "project"'


def _files(folder: Path, page: str, path: str) -> Iterator[str]:
    """Yield missing files that the page loads, below the panel's path."""
    for source in _SOURCE.findall(page):
        if "//" in source or source.startswith("data:"):
            continue
        if not source.startswith(f"{path}/"):
            yield f"{PAGE} loads {source}, which is outside {path}; set `admin.path` to the path of the build"
        elif not (folder / source.removeprefix(f"{path}/")).is_file():
            yield f"{PAGE} loads {source}, which is not in {folder.name}/; copy the whole folder"


def _backend(folder: Path, url: str | None) -> Iterator[str]:
    """Check the API URL of the build. A panel built without one uses the host it was loaded from."""
    for script in sorted(folder.glob("main*.js")):
        match = _BACKEND.search(read_own_file(script, _MOST).decode(errors="replace"))
        address = match[1].rstrip("/") if match else ""
        if address and address != (url or "").rstrip("/"):
            yield f"it calls the API at {address}; set `server.url` to this address, or build it without `url`"


def _absent(packages: dict[str, str]) -> Iterator[str]:
    """Yield the packages whose plugins do not exist in Octavo. Their pages get 404 responses; the rest works."""
    for plugin in counterparts(packages):
        if plugin.verdict is Verdict.ABSENT:
            yield f"the pages of {plugin.package} do not work, because the plugin has no counterpart"
