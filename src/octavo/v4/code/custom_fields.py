"""Read the storage types of custom fields that a v4 project or its plugins register. No code is run."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tree_sitter import Node

from octavo.core.bounded_files import read_own_file
from octavo.schema.custom_fields import BASE_TYPES
from octavo.v4.code.data import NotData
from octavo.v4.code.inventory import code_files
from octavo.v4.code.plugin_types import find_server, server_code
from octavo.v4.code.plugins import PluginFolder
from octavo.v4.code.sources import Sources
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.source import LARGEST_SOURCE
from octavo.v4.javascript.syntax import arguments, callee, named, properties, walk

_REGISTER: Final = ("strapi", "customFields", "register")
_TEXT: Final = b"customFields"


def registered_fields(project: Path, plugins: Iterable[PluginFolder]) -> dict[str, str]:
    """Return the storage types by the names that `customField` uses, such as `plugin::map.point` or `global::stars`.

    Registrations with computed names or types are left out.
    """
    sources = Sources(project)
    fields: dict[str, str] = {}
    for path in dict.fromkeys(_files(sources, plugins)):
        module = sources.module(path) if _mentions(path) else None
        for call in () if module is None else _calls(module):
            fields |= _registered(sources, *call)
    return fields


def _files(sources: Sources, plugins: Iterable[PluginFolder]) -> Iterator[Path]:
    """Yield the code of installed plugins, then the code of the project, which wins."""
    for plugin in sorted(plugins, key=lambda plugin: plugin.is_local):
        server = find_server(sources, plugin)
        yield from () if server is None else server_code(sources, server)
    yield from code_files(sources, sources.source)


def _mentions(path: Path) -> bool:
    try:
        return _TEXT in read_own_file(path, LARGEST_SOURCE)
    except (OSError, ValueError):
        return False


def _calls(module: Module) -> Iterator[tuple[Module, Node]]:
    for descendant in walk(module.root):
        if (
            descendant.type == "call_expression"
            and callee(module, descendant)[-3:] == _REGISTER
            and arguments(descendant)
        ):
            yield module, arguments(descendant)[0]


def _registered(sources: Sources, module: Module, given: Node) -> Iterator[tuple[str, str]]:
    """Yield the names and types of an object, or of a list of objects."""
    module, node = sources.resolved(module, given)
    for item in named(node) if node.type == "array" else [node]:
        other, value = sources.resolved(module, item)
        members = properties(other, value) if value.type == "object" else {}
        name, plugin, kind = (_text(sources, other, members, key) for key in ("name", "plugin", "type"))
        if name and kind in BASE_TYPES and (plugin or "plugin" not in members):
            yield (f"plugin::{plugin}.{name}" if plugin else f"global::{name}"), kind


def _text(sources: Sources, module: Module, members: Mapping[str, Node], name: str) -> str:
    """Return a member that is a text, perhaps the name of a constant in another file; empty if it is computed."""
    if name not in members:
        return ""
    try:
        value: Any = sources.value(*sources.resolved(module, members[name]))
    except NotData:
        return ""
    return value if isinstance(value, str) else ""
