"""Read the content types of a v4 project's plugins, from the code of their servers. No code is run."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from tree_sitter import Node

from octavo.core.values import dataclass
from octavo.schema.definition_files import DefinitionFile, DefinitionFiles, SourceFolder
from octavo.schema.problems import DefinitionProblem, unserved
from octavo.v4.code.plugins import PluginFolder, server_files
from octavo.v4.code.sources import SCRIPTS, Sources, answered
from octavo.v4.javascript.modules import exports_of, find_script, required, resolve
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.reader import Reader
from octavo.v4.javascript.source import SourceProblem
from octavo.v4.javascript.syntax import properties, string_value, walk
from octavo.v4.javascript.values import Items, Record, Value

_TYPES: Final = "contentTypes"
_UNREAD: Final = (
    "content types are computed, so Octavo reads only the server's content-types/NAME/schema.json of this plugin"
)
_NO_SCHEMA: Final = "the schema is computed, so this content type is not served; write it as a JSON object"
_COMPUTED: Final = "is computed, so it is ignored; write it as a JSON value"
_NO_TYPE: Final = "is computed, so this content type is not served; write it as a JSON value"
_NO_ATTRIBUTE: Final = "is computed, so this attribute is not served; write it as a JSON value"
_MORE: Final = "may have more attributes, which are computed and not served; write them as JSON values"
_PRIVATE: Final = "is computed, so the attribute is private; write it as a JSON value"
_NEEDED: Final = ("kind", "collectionName", "info", "options", "pluginOptions", "attributes")
"""Parts of a schema without which Octavo could read a wrong table, or return drafts and other hidden entries."""
_OPTIONAL: Final = frozenset(("default", "required", "unique", "min", "max", "minLength", "maxLength", "regex"))
"""Parts of an attribute that only affect writes."""
_MOST_FILES: Final = 5000
_Member = tuple[Module, Node]


@dataclass(frozen=True, slots=True)
class PluginServer:
    """The server code of a plugin, found without running it. `types` is the expression of `contentTypes`; None if the
    plugin has none, or if it is computed. `is_readable`: the exports of the server are known."""

    entry: Path
    types: _Member | None = None
    is_readable: bool = False


def find_server(sources: Sources, plugin: PluginFolder) -> PluginServer | None:
    """Return the server of a plugin; None if it has none. A readable file is preferred to one with computed exports."""
    scripts = [path for stem in server_files(plugin.folder) if (path := find_script(stem, sources.project)) is not None]
    for path in scripts:
        module = sources.module(path)
        members = None if module is None else _exported_members(sources, module)
        if members is not None:
            member = members.get(_TYPES)
            return PluginServer(path, None if member is None else sources.resolved(*member), is_readable=True)
    return PluginServer(scripts[0]) if scripts else None


def evaluated_types(sources: Sources, server: PluginServer) -> Value | None:
    """Return the value of `contentTypes`: an object, or `undefined` if the plugin has none; None if it is computed."""
    found = _evaluated(sources, server.entry)
    value = None if found is None else found.at(_TYPES)
    if value is not None and isinstance(value.data, Record):
        return value
    if server.types is None:
        has_none = found is not None and isinstance(found.data, Record) and value is not None and value.is_undefined
        return value if has_none and server.is_readable else None
    module, node = server.types
    is_whole = module.path is not None and sources.exported(module) == node
    value = _evaluated(sources, module.path) if is_whole and module.path is not None else None
    return value if value is not None and isinstance(value.data, Record) else None


def _evaluated(sources: Sources, path: Path) -> Value | None:
    try:
        return Reader(sources.project, {}).read_config(path)
    except SourceProblem:
        return None


def server_code(sources: Sources, server: PluginServer) -> Iterator[Path]:
    """Yield the file of a server and the files of the project that it imports, also indirectly."""
    waiting, known = [server.entry], {server.entry}
    while waiting:
        path = waiting.pop()
        yield path
        module = sources.module(path)
        if module is not None:
            modules = {one for text in _specifiers(module) if (one := resolve(module, text)) is not None}
            modules = {one for one in modules - known if one.suffix in SCRIPTS}
            waiting += sorted(modules)[: _MOST_FILES - len(known)]
            known |= modules


def _specifiers(module: Module) -> Iterator[str]:
    for node in walk(module.root):
        source = node.child_by_field_name("source")
        if node.type in ("import_statement", "export_statement", "import_require_clause") and source is not None:
            yield string_value(module, source) or ""
        elif node.type == "call_expression" and (imported := required(module, node)) is not None:
            yield imported.specifier


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
    for exported in exports.again:
        again = sources.imported_by(module, exported)
        if again is not None:
            other, node = _called(sources, *again)
            return _members(other, node) if node.type == "object" else None
    return {name: (module, node) for name, node in exports.names.items()} or None


def _called(sources: Sources, module: Module, node: Node) -> _Member:
    """Return what a function returns: v4 calls a server, and its parts, if they are functions."""
    results = answered(module, node)
    return (module, node) if results is None or results is node else sources.resolved(module, results)


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
        types = None if server is None else evaluated_types(self._sources, server)
        if types is not None and types.is_undefined:
            return
        types_by_name = {} if types is None else dict(types.items())
        if types is None or types.rest is not None:
            yield from self._files(plugin, known=types_by_name)
            if server is not None:
                self.problems.append(unserved(self._sources.place(server.entry).file, _TYPES, _UNREAD))
        for name, value in types_by_name.items():
            yield from self._definition(plugin, name, value)

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
        unknown = [key for key in _NEEDED if not self._is_usable(key, schema.at(key))]
        if unknown:
            self.problems += (unserved(source, key, _NO_TYPE) for key in unknown)
            return
        raw: dict[str, Any] = {}
        for key, member in schema.items():
            if key == "attributes":
                raw[key] = dict(self._attributes(member, source))
            else:
                raw |= self._known(member, source, key, key, _COMPUTED)
        yield _with_table(plugin, DefinitionFile(f"{plugin.uid}.{name}", raw, source))

    @staticmethod
    def _is_usable(key: str, value: Value) -> bool:
        return value.is_undefined or (isinstance(value.data, Record) if key == "attributes" else _is_known(value))

    def _attributes(self, attributes: Value, source: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the attributes that are known. A computed `private` counts as true."""
        if attributes.rest is not None:
            self.problems.append(unserved(source, "attributes", _MORE))
        for name, attribute in attributes.items():
            path = f"attributes.{name}"
            if attribute.is_undefined:
                continue
            if not isinstance(attribute.data, Record) or attribute.rest is not None:
                self.problems.append(unserved(source, path, _NO_ATTRIBUTE))
                continue
            unknown = [key for key, member in attribute.items() if not _is_known(member)]
            needed = [key for key in unknown if key not in _OPTIONAL and key != "private"]
            if needed:
                self.problems += (unserved(source, f"{path}.{key}", _NO_ATTRIBUTE) for key in needed)
                continue
            raw: dict[str, Any] = {"private": True} if "private" in unknown else {}
            for key, member in attribute.items():
                raw |= self._known(member, source, f"{path}.{key}", key, _PRIVATE if key == "private" else _COMPUTED)
            yield name, raw

    def _known(self, value: Value, source: str, path: str, key: str, message: str) -> dict[str, Any]:
        """Return the entry of a known value; nothing, with a problem, for a computed one."""
        if not _is_known(value):
            self.problems.append(unserved(source, path, message))
            return {}
        return {} if value.is_undefined else {key: value.plain()}


def _is_known(value: Value) -> bool:
    """Return whether a value and all of its parts are JSON, or undefined."""
    return all(one.rest is None and (one.is_undefined or _is_json(one)) for _, one in value.walk())


def _is_json(value: Value) -> bool:
    return value.data is None or isinstance(value.data, Record | Items | str | int | float | bool)


def _with_table(plugin: PluginFolder, file: DefinitionFile) -> DefinitionFile:
    """Return the definition with v4's default name of a plugin's table."""
    name = file.uid.rpartition(".")[2]
    table = file.raw.get("collectionName") or f"{plugin.name}_{name}"
    return DefinitionFile(file.uid, {**file.raw, "collectionName": table}, file.name)
