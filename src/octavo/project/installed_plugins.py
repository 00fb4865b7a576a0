"""Find installed plugins. This scans all packages, so it is done only if a plugin is in use."""

from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from octavo.core.values import dataclass
from octavo.project.problems import CodeProblem, InvalidCode
from octavo.schema.source_folders import SourceFolder
from octavo.settings.files.plugins import BUILT_IN

GROUP: Final = "octavo.plugins"
_RESTART: Final = "; if it was installed while Octavo runs, restart Octavo"


@dataclass(frozen=True, slots=True)
class PluginPackage:
    """An installed plugin: its name, its package and the package's folder. `version` is the distribution's."""

    name: str
    package: str
    version: str
    source: SourceFolder


def installed_plugins() -> dict[str, PluginPackage]:
    """Return the installed plugins by name, without running their code. Raises InvalidCode if one is not a package."""
    problems: list[CodeProblem] = []
    found: dict[str, PluginPackage] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda one: one.name):
        plugin = _read(entry)
        if plugin is None:
            problems.append(CodeProblem(_place(entry), f"{entry.value} is not an installed package{_RESTART}"))
        elif entry.name in BUILT_IN or entry.name in found:
            problems.append(CodeProblem(_place(entry), f"another plugin is also named {entry.name}"))
        else:
            found[entry.name] = plugin
    if problems:
        raise InvalidCode(problems)
    return found


def _read(entry: EntryPoint) -> PluginPackage | None:
    spec = find_spec(entry.value) if entry.value.isidentifier() else None
    folders = spec.submodule_search_locations if spec is not None else None
    if not folders:
        return None
    folder = Path(next(iter(folders)))
    version = entry.dist.version if entry.dist is not None else ""
    return PluginPackage(entry.name, entry.value, version, SourceFolder(folder, folder.parent, entry.value))


def _place(entry: EntryPoint) -> str:
    distribution = entry.dist.name if entry.dist is not None else "a package"
    return f"{distribution}: entry point {entry.name}"
