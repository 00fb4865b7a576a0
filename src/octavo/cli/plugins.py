"""`octavo plugins`: built-in and installed plugins, and whether a project uses them."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Final

import click

from octavo.cli.base import Group, json_option, project_option, read_settings, say_json, say_table
from octavo.core.plurals import counted
from octavo.core.values import dataclass
from octavo.project.plugins import PluginPackage, installed_plugins, plugins_in_use
from octavo.schema.definition_files import DefinitionFiles
from octavo.settings import Settings
from octavo.settings.files.plugins import BUILT_IN

_CODE: Final = {
    "routes": "route",
    "controllers": "controller",
    "services": "service",
    "policies": "policy",
    "middlewares": "middleware",
}


@dataclass(frozen=True, slots=True)
class PluginLine:
    """A row of the list of plugins."""

    name: str
    enabled: bool
    version: str
    brings: str


@click.group(cls=Group)
def plugins() -> None:
    """Show built-in plugins and installed packages."""


@plugins.command("list", epilog="Example: octavo plugins list --json")
@project_option
@json_option
def list_plugins(project: Path, as_json: bool) -> None:
    """List the plugins, whether the project uses them, and what they add."""
    settings = read_settings(project)
    found = [*_built_in(settings), *_installed(settings)]
    if as_json:
        say_json([asdict(line) for line in found])
        return
    rows = [(line.name, "yes" if line.enabled else "no", line.version, line.brings) for line in found]
    say_table(("plugin", "in use", "version", "brings"), rows)


def _built_in(settings: Settings) -> Iterator[PluginLine]:
    for name, attribute in BUILT_IN.items():
        plugin = getattr(settings.plugins, attribute)
        yield PluginLine(name, getattr(plugin, "enabled", True), "built in", "")


def _installed(settings: Settings) -> Iterator[PluginLine]:
    in_use = {plugin.name for plugin in plugins_in_use(settings.plugins.others)}
    for name, plugin in installed_plugins().items():
        yield PluginLine(name, name in in_use, plugin.version, ", ".join(_brought(plugin)))


def _brought(plugin: PluginPackage) -> Iterator[str]:
    """Return what a plugin's package adds: definitions, code and hooks."""
    files = DefinitionFiles([plugin.source], [])
    yield from (file.uid for file in files.content_types())
    yield from (file.uid for file in files.components())
    folder = plugin.source.path
    for kind, one in _CODE.items():
        count = sum(1 for path in folder.glob(f"**/{kind}/*.py") if path.name != "__init__.py")
        if count:
            yield counted(count, one, kind)
    hooks = sum(1 for _ in folder.glob("**/lifecycles.py"))
    if hooks:
        yield counted(hooks, "hook file")
    yield from (file for file in ("index.py", "cron.py") if (folder / file).is_file())
