"""Plugins: installed packages with the same structure as a project's `src`. An entry point defines the name.

    [project.entry-points."octavo.plugins"]
    reviews = "octavo_reviews"

A plugin is enabled in `config/plugins.toml`; an installed plugin that is not listed there does not run.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from importlib.util import find_spec
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, Union, get_args, get_origin, get_type_hints

from octavo.core.values import dataclass
from octavo.project.naming import did_you_mean
from octavo.project.problems import CodeProblem, InvalidCode
from octavo.schema.custom_fields import CustomFields, known_custom_fields
from octavo.schema.definition_files import PluginDefinitions, SourceFolder
from octavo.settings import Settings
from octavo.settings.files.plugins import BUILT_IN
from octavo.settings.v4_package import load_v4

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "octavo.plugins"
_RESTART: Final = "; if it was installed while Octavo runs, restart Octavo"
_FILE: Final = "config/plugins.toml"
_INSTALL: Final = "; install its package, then restart Octavo"


@dataclass(frozen=True, slots=True)
class PluginPackage:
    """An installed plugin: its name, its package and the package's folder. `version` is the distribution's."""

    name: str
    package: str
    version: str
    source: SourceFolder


def v4_plugin_definitions(settings: Settings) -> PluginDefinitions | None:
    """Return the content types of a v4 project's own plugins; None for other projects."""
    if not settings.is_v4:
        return None
    definitions: PluginDefinitions = load_v4("plugin_definitions").read_plugin_definitions(settings)
    return definitions


def project_custom_fields(settings: Settings) -> CustomFields:
    """Return the custom fields of a project whose types are known without its database."""
    registered: dict[str, str] = {}
    if settings.is_v4:
        registered = load_v4("plugin_definitions").read_custom_fields(settings)
    return known_custom_fields(settings.project, settings.api.custom_fields, registered)


def installed_plugins() -> dict[str, PluginPackage]:
    """Return the installed plugins by name, without running their code. Raises InvalidCode if one is not a package.

    Scans all packages, so it is called only if a plugin is in use.
    """
    from importlib.metadata import entry_points

    problems: list[CodeProblem] = []
    packages: dict[str, PluginPackage] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda one: one.name):
        plugin = _read(entry)
        if plugin is None:
            problems.append(CodeProblem(_place(entry), f"{entry.value} is not an installed package{_RESTART}"))
        elif entry.name in BUILT_IN or entry.name in packages:
            problems.append(CodeProblem(_place(entry), f"another plugin is also named {entry.name}"))
        else:
            packages[entry.name] = plugin
    if problems:
        raise InvalidCode(problems)
    return packages


def _read(entry: "EntryPoint") -> PluginPackage | None:
    spec = find_spec(entry.value) if entry.value.isidentifier() else None
    folders = spec.submodule_search_locations if spec is not None else None
    if not folders:
        return None
    folder = Path(next(iter(folders)))
    version = entry.dist.version if entry.dist is not None else ""
    return PluginPackage(entry.name, entry.value, version, SourceFolder(folder, folder.parent, entry.value))


def _place(entry: "EntryPoint") -> str:
    distribution = entry.dist.name if entry.dist is not None else "a package"
    return f"{distribution}: entry point {entry.name}"


def plugins_in_use(tables: Mapping[str, Mapping[str, Any]]) -> tuple[PluginPackage, ...]:
    """Return the plugins enabled in `plugins.toml`. Raises InvalidCode for those that are not installed."""
    wanted = [name for name, table in tables.items() if table.get("enabled") is True]
    if not wanted:
        return ()
    known = installed_plugins()
    missing = [
        CodeProblem(f"{_FILE}: {name}", f"the plugin is not installed{did_you_mean(name, known) or _INSTALL}")
        for name in wanted
        if name not in known
    ]
    if missing:
        raise InvalidCode(missing)
    return tuple(known[name] for name in wanted)


def read_configs(
    plugins: Iterable[PluginPackage], tables: Mapping[str, Mapping[str, Any]], kinds: Mapping[Path, Any]
) -> dict[str, Any]:
    """Return the config of each enabled plugin. `kinds` are their `Settings`, by folder. Raises InvalidCode."""
    return {
        plugin.name: read_config(kinds.get(plugin.source.path), tables[plugin.name].get("config", {}), plugin.name)
        for plugin in plugins
    }


def read_config(kind: Any, given: Mapping[str, Any], plugin: str) -> Any:
    """Return `config` of a plugin's table as its dataclass `Settings`; unchanged if it has none.

    Raises InvalidCode with every key that is unknown, missing, or has the wrong type.
    """
    if kind is None:
        return given
    if not (isinstance(kind, type) and is_dataclass(kind)):
        raise InvalidCode([CodeProblem(plugin, "index.py: Settings must be a dataclass")])
    problems = [CodeProblem(f"{_FILE}: {plugin}.config.{key}", says) for key, says in _unfit(kind, given)]
    if problems:
        raise InvalidCode(problems)
    return kind(**given)


def _unfit(kind: Any, given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    known, hints = {item.name: item for item in fields(kind) if item.init}, get_type_hints(kind)
    for key, value in given.items():
        if key not in known:
            yield key, f"unknown setting{did_you_mean(key, known)}"
        elif not _fits(value, hints[key]):
            yield key, f"expected {_word(hints[key])}, not {value!r}"
    for key, item in known.items():
        if key not in given and item.default is MISSING and item.default_factory is MISSING:
            yield key, "is missing"


def _fits(value: Any, hint: Any) -> bool:
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return any(_fits(value, one) for one in get_args(hint))
    kind = origin or hint
    if kind is Any:
        return True
    if kind is NoneType:
        return value is None
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind is tuple:
        kind = list
    return isinstance(kind, type) and isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _word(hint: Any) -> str:
    return getattr(hint, "__name__", None) or str(hint)
