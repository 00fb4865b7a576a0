"""The plugins of a v4 project: those in `config/plugins`, in `src/plugins`, and the installed packages."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from octavo.core.bounded_files import MEGABYTE, read_own_file
from octavo.core.values import dataclass
from octavo.settings.files.plugins import BUILT_IN
from octavo.settings.package_json import DeclaredPlugin
from octavo.v4.javascript.source import resolved_inside

PACKAGES: Final = "node_modules"
_BUILD: Final = "dist"
_OF_V4: Final = "@strapi/"
"""The types of v4's own plugins are built in."""


@dataclass(frozen=True, slots=True)
class PluginFolder:
    """A plugin with its folder. Not `is_local`: an installed package."""

    name: str
    folder: Path
    is_local: bool = True

    @property
    def uid(self) -> str:
        """The first part of the UIDs of its types and handlers, such as `plugin::shop`."""
        return f"plugin::{self.name}"


@dataclass(frozen=True, slots=True)
class Plugins:
    """The plugins of a project. `missing` are the declared plugins and packages whose folder does not exist."""

    found: tuple[PluginFolder, ...] = ()
    missing: tuple[str, ...] = ()


def find_plugins(project: Path, declared: Iterable[DeclaredPlugin], packages: Iterable[str]) -> Plugins:
    """Return the plugins that v4 runs.

    `declared` are the plugins in `config/plugins`, and `packages` are the dependencies. Without a declaration, v4 does
    not run a plugin in `src/plugins`, but runs an installed one.
    """
    by_name: dict[str, PluginFolder] = {}
    missing: list[str] = []
    for package in sorted(packages):
        folder = project / PACKAGES / package
        name = _plugin_name(folder)
        if name is not None and not package.startswith(_OF_V4):
            by_name[name] = PluginFolder(name, folder, is_local=False)
        elif name is None and not folder.is_dir() and _is_plugin(package):
            missing.append(package)
    for plugin in declared:
        if plugin.name in BUILT_IN or not plugin.enabled:
            by_name.pop(plugin.name, None)
        elif plugin.name not in by_name or plugin.resolve is not None:
            found = _declared_folder(project, plugin)
            if found is not None:
                by_name[plugin.name] = found
            elif plugin.resolve is not None:
                missing.append(plugin.name)
    return Plugins(tuple(by_name.values()), tuple(missing))


def local_folders(project: Path, plugins: Plugins) -> Iterator[PluginFolder]:
    """Yield the local plugins, then those in `src/plugins` that `config/plugins` does not list, by folder."""
    known = {plugin.folder: plugin for plugin in plugins.found if plugin.is_local}
    yield from known.values()
    try:
        folders = sorted(path for path in (project / "src/plugins").iterdir() if path.is_dir())
    except OSError:
        return
    yield from (PluginFolder(path.name, path) for path in folders if path not in known and path.name[0] != ".")


def _declared_folder(project: Path, plugin: DeclaredPlugin) -> PluginFolder | None:
    resolve = plugin.resolve
    if resolve is None:
        candidates = [project / "src/plugins" / plugin.name]
    elif resolve.startswith((".", "/")):
        candidates = [project / resolve]
    else:
        candidates = [project / PACKAGES / resolve, project / resolve]
    for path in candidates:
        folder = _folder_inside(path, project) or _folder_inside(_source_of(path, project), project)
        if folder is not None:
            return PluginFolder(plugin.name, folder, PACKAGES not in folder.relative_to(project).parts)
    return None


def _folder_inside(path: Path, project: Path) -> Path | None:
    real = resolved_inside(path, project)
    if real is None or not real.is_dir():
        return None
    return project / real.relative_to(project.resolve())


def _source_of(path: Path, project: Path) -> Path:
    """Return the source of a folder that TypeScript compiles: `__dirname` is in `dist` then."""
    build = project / _BUILD
    return project / path.relative_to(build) if path.is_relative_to(build) else path


def _plugin_name(folder: Path) -> str | None:
    """Return the name of an installed plugin; None for packages that are not plugins."""
    about = _package(folder).get("strapi")
    if not isinstance(about, Mapping) or about.get("kind") != "plugin":
        return None
    name = about.get("name")
    return name if isinstance(name, str) and name else None


def server_files(folder: Path) -> Iterator[Path]:
    """Yield the possible files of a plugin's server, without suffix: sources, then compiled files."""
    exports = _package(folder).get("exports")
    listed = exports.get("./strapi-server") if isinstance(exports, Mapping) else None
    for way in ("source", "require", "default", "import"):
        path = listed.get(way) if isinstance(listed, Mapping) else None
        if isinstance(path, str):
            yield folder / path
    yield from (folder / path for path in ("strapi-server", "server/src/index", "server/index", "dist/server/index"))


def _package(folder: Path) -> Mapping[str, Any]:
    try:
        content = json.loads(read_own_file(folder / "package.json", MEGABYTE).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _is_plugin(package: str) -> bool:
    """Return whether the name of a package is that of a plugin that is not v4's own."""
    return "strapi-plugin" in package and not package.startswith(_OF_V4)
