"""Read all code of a v4 project. The entry point for the service, which closes operations by it, and for reports."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from tree_sitter import Node

from octavo.core.bounded_files import read_own_file
from octavo.core.plurals import counted
from octavo.schema.naming import kebab_case, uid_of_folder
from octavo.schema.registry import Registry
from octavo.settings.package_json import DeclaredPlugin, V4Project, find_v4_project
from octavo.v4.code.code import Code, Finding, Guard, Hook, Kind, Route, Shape, State, UsedName
from octavo.v4.code.controllers import Controllers
from octavo.v4.code.effects import Describer
from octavo.v4.code.extensions import ExtensionReader, extension_files
from octavo.v4.code.flow import OPEN_KEYS
from octavo.v4.code.graphql import GraphqlReader
from octavo.v4.code.hooks import LIFECYCLES, HookReader, assigned_hooks, subscriptions
from octavo.v4.code.inventory import (
    added_middlewares,
    code_files,
    read_cron,
    read_migrations,
    read_modules,
    read_packages,
    read_start,
    replaced_while_running,
)
from octavo.v4.code.named_handlers import NamedCode
from octavo.v4.code.plugin_types import evaluated_types, find_server, server_code, type_members
from octavo.v4.code.plugins import PluginFolder, Plugins, find_plugins, local_folders
from octavo.v4.code.porting import Places, as_ported, read_ported
from octavo.v4.code.routes import RouteReader, in_order
from octavo.v4.code.sources import Sources, answered
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.source import LARGEST_SOURCE
from octavo.v4.javascript.syntax import named, properties, string_value, walk
from octavo.v4.javascript.values import Record, Value

_OURS: Final = "strapi::"
_FAMILY: Final = "middlewares"


def found_everywhere(sources: Sources, names: NamedCode) -> Iterator[Guard | UsedName]:
    """Yield the global middlewares that may reject, or change the request; ported ones by name."""
    for folder in (sources.project / "config", *sources.folders(sources.project / "config/env")):
        path = sources.one(folder / _FAMILY)
        if path is not None:
            yield from _listed(sources, names, path)


def _listed(sources: Sources, names: NamedCode, path: Path) -> Iterator[Guard | UsedName]:
    place = sources.place(path)
    module = sources.module(path)
    value = None if module is None else sources.exported(module)
    if module is None or value is None:
        yield Guard(place.file, place, "the list of middlewares is computed")
        return
    module, value = sources.resolved(module, value)
    results = answered(module, value)
    if results is None or results.type != "array":
        yield Guard(place.file, place, "the list of middlewares is computed")
        return
    for item in named(results):
        yield from _one(sources, names, *sources.resolved(module, item))


def _one(sources: Sources, names: NamedCode, module: Module, node: Node) -> Iterator[Guard | UsedName]:
    place = module.place(node)
    members = properties(module, node) if node.type == "object" else {}
    given = members.get("resolve") or members.get("name") or node
    name = string_value(*sources.resolved(module, given))
    if name is None:
        yield Guard(f"{place.file}:{place.line}", place, "a computed middleware")
        return
    if name.startswith(_OURS):
        return
    judged, ported = names.configured(names.judge(_FAMILY, names.name_of(_FAMILY, name), place), module, node)
    if ported is not None:
        yield ported
    elif judged.guard is not None:
        yield judged.guard
    elif judged.shape is not None and _hides(judged.shape):
        yield Guard(name, place, "changes the query of every request")


def _hides(shape: Shape) -> bool:
    """Return whether leaving a change out may return more data than in v4."""
    return shape.replaces or any(change.key not in OPEN_KEYS and not change.only_if_absent for change in shape.changes)


def read_plugin(sources: Sources, reader: RouteReader, plugin: PluginFolder) -> Iterator[Route]:
    """Yield the routes of one plugin, and add findings for its files."""
    owner = plugin.uid
    files = list(code_files(sources, plugin.folder))
    place = sources.place(files[0] if files else plugin.folder)
    says = f"a local plugin of {counted(len(files), 'file')}"
    sources.find(Kind.PLUGIN, owner, place, says, State.OPEN, sources.place(plugin.folder).file)
    for path in files:
        if "routes" in (*path.relative_to(plugin.folder).parts[:-1], path.stem):
            yield from _routes(sources, reader, path, owner)


def _routes(sources: Sources, reader: RouteReader, path: Path, owner: str) -> Iterator[Route]:
    module = sources.module(path)
    value = None if module is None else sources.exported(module)
    if module is None or value is None:
        return
    module, value = sources.resolved(module, value)
    node = answered(module, value) or value
    if node.type == "object" and not {"type", "routes"} & properties(module, node).keys():
        for member in properties(module, node).values():
            other, router = sources.resolved(module, member)
            if other is module:  # routers of other files are read with these
                yield from reader.plugin_router(other, answered(other, router) or router, owner)
        return
    yield from reader.plugin_router(module, node, owner)


_MAY_REACH_OUT: Final = re.compile(
    rb"shadowCRUD|\.use\(|subscribe|\.extend\(|lifecycles\b[^;=]{0,200}=[^=>]|Object\.assign\(\s*strapi|strapi\s*\.[^;=]{0,200}\b(controller|service|polic|route|contentType|lifecycles)[^;=]{0,200}[^=!<>;]=[^=>]"
)
"""Texts in files that affect other files."""


def read_code(project: Path, registry: Registry, declared: Iterable[DeclaredPlugin] = ()) -> Code:
    """Return the JavaScript and TypeScript code of a project, without what is ported; empty if it is not a v4 project.

    Runs no code. `declared` are the plugins in `config/plugins`.

    Raises ValueError for a `package.json` that cannot be read.
    """
    v4_project = find_v4_project(project)
    if v4_project is None:
        return Code()
    return _Reader(project, registry, v4_project, find_plugins(project, declared, v4_project.packages)).read()


class _Reader:
    def __init__(self, project: Path, registry: Registry, packages: V4Project, plugins: Plugins) -> None:
        self._plugins = plugins
        self._project = project
        self._registry = registry
        self._packages = packages.packages
        self._sources = sources = Sources(project)
        self._describer = describer = Describer(sources)
        self._ported = read_ported(project, registry.content_types)
        self._named = NamedCode(sources, self._ported, describer)
        self._controllers = Controllers(sources, registry, self._ported, describer)
        self._routes = RouteReader(sources, self._controllers, self._named, registry)
        self._hooks = HookReader(sources, registry, describer)
        self._extensions = ExtensionReader(sources, self._routes, self._named, self._hooks, describer)
        self._graphql = GraphqlReader(sources, self._named, describer)
        self._everywhere: list[Guard] = []
        self._around: list[UsedName] = []

    def read(self) -> Code:
        sources = self._sources
        apis = [(path, f"api::{kebab_case(path.name)}") for path in sources.folders(sources.source / "api")]
        plugins = [*local_folders(self._project, self._plugins)]
        self._collect(apis, plugins)
        for name, path in extension_files(sources):
            self._extensions.read(path, name)
        found = [route for path, owner in apis for route in self._routes.read(path, owner)]
        found += self._extensions.routes
        found += [route for plugin in plugins for route in read_plugin(sources, self._routes, plugin)]
        for standing in found_everywhere(sources, self._named):
            if isinstance(standing, Guard):
                self._everywhere.append(standing)
            else:
                self._around.append(standing)
        self._starts([sources.source, *(path for path, _ in apis)])
        self._scan()
        self._hooks.close_nested()
        ported = self._ported
        hooks = [hook for hook in self._hooks.hooks if hook.guard.name not in ported.hooks]
        routes = tuple(_hooked(route, hooks) for route in in_order(found, sources.findings))
        self._named.tell()
        self._rest()
        return Code(
            findings=(
                *(as_ported(found, ported) for found in sources.findings),
                *_route_findings(routes, ported.actions),
            ),
            routes=routes,
            core={route.action: _hooked(route, hooks) for route in self._routes.core()},
            around=tuple(self._around),
            ported=frozenset(ported.actions),
            everywhere=tuple(self._everywhere),
            hooks=tuple(hooks),
            plugin_actions=_unported(self._extensions.actions, ported.actions),
            plugin_routes=(*self._extensions.whole, *self._changed_routes()),
            switches=tuple(self._graphql.switches),
            fields=tuple(replace(rule, named_at=ported.fields.get(rule.field, "")) for rule in self._graphql.rules),
            graphql=tuple(self._graphql.door),
        )

    def _collect(self, apis: list[tuple[Path, str]], plugins: list[PluginFolder]) -> None:
        """Collect what routes refer to, before the routes are read."""
        sources = self._sources
        self._named.collect(sources.source, "global::")
        for plugin in plugins:
            for part in (plugin.folder / "server", plugin.folder / "server/src"):
                self._named.collect(part, f"{plugin.uid}.")
        for plugin in self._plugins.found:
            self._collect_hooks(plugin)
        for path, owner in apis:
            self._named.collect(path, f"{owner}.")
            self._controllers.collect(path, owner)
            for kind in sources.folders(path / "content-types"):
                file = sources.one(kind / LIFECYCLES)
                if file is not None:
                    self._hooks.read_file(file, uid_of_folder(owner, kind.name, self._registry.content_types))

    def _collect_hooks(self, plugin: PluginFolder) -> None:
        """Collect the hooks of a plugin's content types. Those of types that are not completely readable are closed."""
        served = self._served_types(plugin)
        server = find_server(self._sources, plugin) if served else None
        types = None if server is None else evaluated_types(self._sources, server)
        literal = {} if server is None else dict(type_members(self._sources, server))
        for uid in served:
            name = uid.rpartition(".")[2]
            value = None if types is None else types.at(name)
            if value is None or not isinstance(value.data, Record) or value.rest is not None:
                place = self._sources.place(plugin.folder if server is None else server.entry)
                self._hooks.close(uid, place)
                self._collect_files(plugin, uid, name)
            elif value.at(LIFECYCLES).is_given:
                self._collect_value(value.at(LIFECYCLES), literal.get(name, {}).get(LIFECYCLES), uid)

    def _collect_files(self, plugin: PluginFolder, uid: str, name: str) -> None:
        """Collect the hooks in the usual folders, for a server that may load them."""
        for folder in ("server", "server/src"):
            file = self._sources.one(plugin.folder / folder / "content-types" / name / LIFECYCLES)
            if file is not None:
                self._hooks.read_file(file, uid)

    def _collect_value(self, hooks: Value, literal: tuple[Module, Node] | None, uid: str) -> None:
        """Collect evaluated hooks; from the object literal if it contains the same ones, because it says more."""
        if literal is not None:
            module, node = self._sources.resolved(*literal)
            members = properties(module, node) if node.type == "object" else {}
            same = {event: value.place for event, value in hooks.items()}
            if hooks.rest is None and same == {event: module.place(member) for event, member in members.items()}:
                self._hooks.read_object(module, node, uid)
                return
        self._hooks.read_value(hooks, uid)

    def _starts(self, folders: list[Path]) -> None:
        for folder in folders:
            path = self._sources.one(folder / "index")
            if path is not None:
                self._everywhere += read_start(self._sources, path, self._describer)

    def _scan(self) -> None:
        """Read what any file may contain: subscriptions to hooks, added middlewares, GraphQL extensions."""
        for path in dict.fromkeys(self._running_files()):
            if not _may_reach_out(path):
                continue
            module = self._sources.module(path)
            if module is None:
                place = self._sources.place(path)
                self._everywhere.append(Guard(place.file, place, "cannot be read, and could add middlewares or hooks"))
                continue
            for call in subscriptions(module):
                self._hooks.subscribe(module, call)
            for uid, event, value in assigned_hooks(module):
                if event:
                    self._hooks.read_one(module, value, uid, event)
                else:
                    self._hooks.read_object(*self._sources.resolved(module, value), uid)
            calls = (descendant for descendant in walk(module.root) if descendant.type == "call_expression")
            self._everywhere += added_middlewares(module, calls, self._describer)
            self._everywhere += replaced_while_running(module, self._describer)
            self._graphql.read(module)
        self._scan_installed()

    def _running_files(self) -> Iterator[Path]:
        """Yield the code of the project, and of its local plugins outside `src`."""
        yield from code_files(self._sources, self._sources.source)
        for plugin in self._plugins.found:
            if plugin.is_local and not plugin.folder.is_relative_to(self._sources.source):
                yield from code_files(self._sources, plugin.folder)
            server = find_server(self._sources, plugin) if plugin.is_local else None
            if server is not None:
                yield from server_code(self._sources, server)

    def _scan_installed(self) -> None:
        """Read the subscriptions of installed plugins to their own types.

        Packages change other things in known ways or are listed in the report: what they might add closes nothing.
        """
        for plugin in self._plugins.found:
            served = self._served_types(plugin)
            server = find_server(self._sources, plugin) if served and not plugin.is_local else None
            for path in () if server is None else server_code(self._sources, server):
                module = self._sources.module(path) if _may_reach_out(path) else None
                if module is not None:
                    for call in subscriptions(module):
                        self._hooks.subscribe(module, call, served)

    def _served_types(self, plugin: PluginFolder) -> list[str]:
        return [uid for uid in self._registry.content_types if uid.startswith(f"{plugin.uid}.")]

    def _changed_routes(self) -> Iterator[Guard]:
        """Yield the extensions' changes of plugin routes, for plugins without a routes file in Python."""
        changed = self._extensions.changed_routes
        return (guard for guard in changed if f"{guard.name.partition('.')[0]} routes" not in self._ported.routes)

    def _rest(self) -> None:
        read_cron(self._sources, self._describer)
        read_migrations(self._sources, self._describer)
        read_packages(self._sources, self._packages)
        read_modules(self._sources)
        for guard in self._everywhere:
            self._sources.find(
                Kind.MIDDLEWARE, guard.name, guard.place, f"runs before every request: {guard.says}", State.CLOSED
            )


def _hooked(route: Route, hooks: list[Hook]) -> Route:
    """Return the route with the hooks that guard its action."""
    if route.core is None:
        return route
    uid, action = route.core
    guards = [hook.guard for hook in hooks if hook.uid in ("", uid) and action in hook.actions]
    return replace(route, guards=(*route.guards, *guards)) if guards else route


def _unported(actions: Mapping[str, Guard], ported: Places) -> dict[str, Guard]:
    """Return the actions of plugins that are not ported to Python."""
    return {name: guard for name, guard in actions.items() if name not in ported}


def _route_findings(routes: tuple[Route, ...], ported: Places) -> Iterator[Finding]:
    """Yield a finding for each route that differs from the generated one."""
    for route in routes:
        names = ", ".join(dict.fromkeys(guard.name for guard in route.guards))
        if route.action in ported and not route.guards:
            says = f"handled by {ported[route.action]}"
            yield Finding(Kind.ROUTE, route.name, route.place, says, State.PORTED)
            continue
        if route.core is None:
            guarded = f"; guarded by {names}" if names else ""
            public = f"public at {route.path}, " if route.at_root else ""
            says = f"{public}custom handler {route.handler or '(a function)'}: returns 501{guarded}"
            yield Finding(Kind.ROUTE, route.name, route.place, says, State.OPEN)
        elif route.guards:
            yield Finding(Kind.ROUTE, route.name, route.place, f"closed because of {names}", State.CLOSED)
        elif route.access.public or route.shapes or route.action != ".".join(route.core):
            says = f"{'public, ' if route.access.public else ''}core action {'.'.join(route.core)}"
            yield Finding(Kind.ROUTE, route.name, route.place, says, State.TAKEN)


def _may_reach_out(path: Path) -> bool:
    """Return whether a file has to be parsed; an unreadable file may contain anything."""
    try:
        return _MAY_REACH_OUT.search(read_own_file(path, LARGEST_SOURCE)) is not None
    except OSError:
        return True
