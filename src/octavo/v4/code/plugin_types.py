"""Read the content types of a v4 project's plugins, from the code of their servers. No code is run."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from tree_sitter import Node

from octavo.core.values import dataclass
from octavo.schema.definition_files import DefinitionFile, DefinitionFiles, SourceFolder
from octavo.schema.problems import DefinitionProblem, unserved
from octavo.v4.code.plugins import PluginFolder, server_files
from octavo.v4.code.sources import Sources, answered
from octavo.v4.javascript.modules import exports_of, find_script
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.reader import Reader
from octavo.v4.javascript.source import SourceProblem
from octavo.v4.javascript.syntax import properties
from octavo.v4.javascript.values import UNDEFINED, Items, Record, Value

_TYPES: Final = "contentTypes"
_UNREAD: Final = (
    "content types are computed, so Octavo reads only the server's content-types/NAME/schema.json of this plugin"
)
_NO_SCHEMA: Final = "the schema is computed, so this content type is not served; write it as a JSON object"
_COMPUTED: Final = "is computed, so it is ignored; write it as a JSON value"
_Member = tuple[Module, Node]


@dataclass(frozen=True, slots=True)
class PluginServer:
    """The server code of a plugin, found without running it. `types` is the value of `contentTypes`; None if the plugin
    has none."""

    entry: Module
    types: _Member | None


def find_server(sources: Sources, plugin: PluginFolder) -> PluginServer | None:
    """Return the server of a plugin; None if it has none, or if its exports are computed."""
    for path in server_files(plugin.folder):
        script = find_script(path, sources.project)
        module = None if script is None else sources.module(script)
        if module is not None:
            members = _exported_members(sources, module)
            if members is not None:
                found = members.get(_TYPES)
                return PluginServer(module, None if found is None else sources.resolved(*found))
    return None


def type_members(sources: Sources, server: PluginServer) -> Iterator[tuple[str, dict[str, _Member]]]:
    """Yield the content types by name, each with its members, such as `schema` and `lifecycles`."""
    if server.types is None:
        return
    for name, (module, node) in _members(*_called(sources, *server.types)).items():
        members = _members(*_called(sources, *sources.resolved(module, node)))
        if members:
            yield name, members


def _exported_members(sources: Sources, module: Module) -> dict[str, _Member] | None:
    exports = exports_of(module)
    value = sources.exported(module)
    if value is not None:
        other, node = _called(sources, *sources.resolved(module, value))
        return _members(other, node) if node.type == "object" else None
    for found in exports.again:
        again = sources.imported_by(module, found)
        if again is not None:
            other, node = _called(sources, *again)
            return _members(other, node) if node.type == "object" else None
    return {name: (module, node) for name, node in exports.names.items()} or None


def _called(sources: Sources, module: Module, node: Node) -> _Member:
    """Return what a function returns: v4 calls a server, and its parts, if they are functions."""
    found = answered(module, node)
    return (module, node) if found is None or found is node else sources.resolved(module, found)


def _members(module: Module, node: Node) -> dict[str, _Member]:
    return {name: (module, value) for name, value in properties(module, node).items()} if node.type == "object" else {}


class PluginTypeReader:
    """Reads the content types of plugins as definitions, and collects warnings in `problems`."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._sources = Sources(project)
        self.problems: list[DefinitionProblem] = []

    def read(self, plugins: Iterable[PluginFolder]) -> Iterator[DefinitionFile]:
        """Yield the definitions of plugins."""
        for plugin in plugins:
            yield from self._read(plugin)

    def _read(self, plugin: PluginFolder) -> Iterator[DefinitionFile]:
        server = find_server(self._sources, plugin)
        if server is not None and server.types is None:
            return
        types = None if server is None else self._evaluated(server)
        found = {} if types is None else dict(types.items())
        if types is None or types.rest is not None or not isinstance(types.data, Record):
            yield from self._files(plugin, known=found)
            if server is not None:
                self.problems.append(unserved(server.entry.file, _TYPES, _UNREAD))
        for name, value in found.items():
            yield from self._definition(plugin, name, value)

    def _evaluated(self, server: PluginServer) -> Value | None:
        """Return the value of `contentTypes`, from the file that defines it."""
        if server.types is None:
            return None
        module = server.types[0]
        path = module.path
        if path is None:
            return None
        reader = Reader(self._project, {})
        try:
            value = reader.read_config(path)
        except SourceProblem:
            return None
        return value.at(_TYPES) if module is server.entry else value

    def _files(self, plugin: PluginFolder, known: Iterable[str]) -> Iterator[DefinitionFile]:
        """Yield the definition files in the usual folders, if the code does not list the content types."""
        for place in ("server", "server/src"):
            source = SourceFolder(plugin.folder / place, self._project)
            for file in DefinitionFiles([source], self.problems).types_in(plugin.uid):
                if file.uid.rpartition(".")[2] not in known:
                    yield _with_table(plugin, file)

    def _definition(self, plugin: PluginFolder, name: str, value: Value) -> Iterator[DefinitionFile]:
        schema = value.at("schema")
        if not isinstance(schema.data, Record):
            self.problems.append(unserved(value.place.file, f"{_TYPES}.{name}.schema", _NO_SCHEMA))
            return
        source = next((member.place.file for member in schema.data.values()), schema.place.file)
        raw = self._plain(schema, source, "")
        yield _with_table(plugin, DefinitionFile(f"{plugin.uid}.{name}", raw, source))

    def _plain(self, value: Value, source: str, path: str) -> Any:
        """Return the JSON value, without values that are unknown."""
        if isinstance(value.data, Record):
            members = {}
            for key, member in value.data.items():
                below = f"{path}.{key}" if path else key
                if member.is_undefined:
                    continue
                if _is_json(member):
                    members[key] = self._plain(member, source, below)
                else:
                    self.problems.append(unserved(source, below, _COMPUTED))
            return members
        if isinstance(value.data, Items):
            return [self._plain(item, source, f"{path}.{index}") for index, item in enumerate(value.data)]
        return None if value.data is UNDEFINED else value.data


def _is_json(value: Value) -> bool:
    return value.data is None or isinstance(value.data, Record | Items | str | int | float | bool)


def _with_table(plugin: PluginFolder, file: DefinitionFile) -> DefinitionFile:
    """Return the definition with v4's default name of a plugin's table."""
    name = file.uid.rpartition(".")[2]
    table = file.raw.get("collectionName") or f"{plugin.name}_{name}"
    return DefinitionFile(file.uid, {**file.raw, "collectionName": table}, file.name)
