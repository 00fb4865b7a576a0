"""The definitions of a v4 project's plugins, for its registry."""

from octavo.schema.definition_files import PluginDefinitions
from octavo.settings import Settings
from octavo.settings.package_json import find_v4_project
from octavo.v4.code.plugins import Plugins, find_plugins


def plugins_of(settings: Settings) -> Plugins:
    """Return the plugins that v4 runs in this project."""
    v4 = find_v4_project(settings.project)
    return Plugins() if v4 is None else find_plugins(settings.project, settings.named_plugins, v4.packages)


def read_plugin_definitions(settings: Settings) -> PluginDefinitions:
    """Return the content types of the project's plugins, which are read from their code without running it."""
    plugins = plugins_of(settings)
    disabled = tuple(plugin.name for plugin in settings.named_plugins if not plugin.enabled)
    if not plugins.found:
        return PluginDefinitions(missing=plugins.missing, disabled=disabled)
    from octavo.v4.code.plugin_types import PluginTypeReader  # loading the parsers takes time and memory

    reader = PluginTypeReader(settings.project)
    files = tuple(reader.read(plugins.found))
    names = tuple(plugin.name for plugin in plugins.found)
    return PluginDefinitions(files, tuple(reader.problems), plugins.missing, names, disabled)


def read_custom_fields(settings: Settings) -> dict[str, str]:
    """Return the storage types of the custom fields that the project and its plugins register in code."""
    from octavo.v4.code.custom_fields import registered_fields  # loading the parsers takes time and memory

    return registered_fields(settings.project, plugins_of(settings).found)
