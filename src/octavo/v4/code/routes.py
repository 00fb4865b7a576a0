"""Read the routes of APIs that are data: core routers, and literal lists of routes."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, Final

from tree_sitter import Node

from octavo.core.plurals import counted
from octavo.project.functions import relative
from octavo.project.routes import Access
from octavo.schema.content_types import ContentType
from octavo.schema.naming import kebab_case
from octavo.schema.registry import Registry
from octavo.v4.code.code import Finding, Guard, Kind, Route, Shape, State, UsedName
from octavo.v4.code.controllers import Controllers, factory_call, generated_uid
from octavo.v4.code.data import NotData
from octavo.v4.code.named_handlers import FAMILIES, Family, NamedCode
from octavo.v4.code.sources import Sources
from octavo.v4.javascript.modules import bindings_of, follow
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.source import Place
from octavo.v4.javascript.syntax import (
    FUNCTIONS,
    arguments,
    is_open,
    member_path,
    named,
    properties,
    string_value,
    walk,
)

_NAME: Final = re.compile(r":\w+")
_NAME_WITH_RULE: Final = re.compile(r"(:\w+)\([^)]*\)")
_MOST_SEGMENTS: Final = 10
_PLAIN: Final = re.compile(r"(:\w+|[\w.~!$&'@,;=-]+)")


def in_order(routes: Iterable[Route], findings: list[Finding]) -> tuple[Route, ...]:
    """Return the reachable routes, twice for optional names; add findings for the others."""
    kept: list[Route] = []
    shapes: dict[tuple[bool, str, tuple[str, ...]], Route] = {}
    wild: list[tuple[Route, str]] = []
    for given in routes:
        for route in _without_options(given):
            before = next((other for other, start in wild if _covers(other, start, route)), None)
            if before is not None:
                guard = Guard(before.name, before.place, "an earlier route with an unsupported path may match first")
                route = replace(route, guards=(*route.guards, guard))
            if not _is_plain(route.path) or route.path.count("/") >= _MOST_SEGMENTS:
                wild.append((route, re.split(r"[(*+?:{]", route.path, maxsplit=1)[0]))
                says = "unsupported path pattern: not served"
                findings.append(Finding(Kind.ROUTE, route.name, route.place, says, State.CLOSED))
                continue
            before_it = (shapes.get((route.at_root, route.method, shape)) for shape in _shapes_before(route.path))
            earlier = next(filter(None, before_it), None)
            if earlier is None:
                kept.append(route)
                shapes[route.at_root, route.method, _shape(route.path)] = route
            elif earlier.place != route.place:
                says = f"never reached, as in v4: {earlier.name} of {earlier.place} matches first"
                findings.append(Finding(Kind.ROUTE, route.name, route.place, says, State.NOTHING))
    return tuple(kept)


def _without_options(route: Route) -> list[Route]:
    """Return `/a/:b?` as `/a` and `/a/:b`. Rules such as `:id(\\d+)` are removed: ids are validated anyway."""
    path = _NAME_WITH_RULE.sub(r"\1", route.path)
    if not path.endswith("?") or not _NAME.search(path.rpartition("/")[2]):
        return [replace(route, path=path)]
    return [replace(route, path=path.rpartition("/")[0] or "/"), replace(route, path=path[:-1])]


def _is_plain(path: str) -> bool:
    return all(_PLAIN.fullmatch(segment) for segment in path.strip("/").split("/")) or path == "/"


def _covers(other: Route, start: str, route: Route) -> bool:
    is_beside = (other.at_root, other.method) == (route.at_root, route.method)
    return is_beside and route.path.startswith(start)


def _shape(path: str) -> tuple[str, ...]:
    """Return the segments of a path, with `:` for names."""
    return tuple(":" if segment.startswith(":") else segment for segment in path.lower().split("/"))


def _shapes_before(path: str) -> Iterator[tuple[str, ...]]:
    """Yield the shapes of all paths that match whatever this one matches."""
    shape = _shape(path)[:_MOST_SEGMENTS]
    return product(*((":",) if segment == ":" else (segment, ":") if segment else ("",) for segment in shape))


METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_ROUTER: Final = "createCoreRouter"
_DEEPEST: Final = 5
_LOCALIZE: Final = "createLocalization"


class RouteReader:
    """Reads the route files of one project, after its controllers, policies and middlewares."""

    def __init__(self, sources: Sources, controllers: Controllers, names: NamedCode, registry: Registry) -> None:
        self._sources = sources
        self._controllers = controllers
        self._named = names
        self._types = registry.content_types

    def read(self, api: Path, owner: str) -> Iterator[Route]:
        """Yield the routes of one API (`api::article`), in v4's order."""
        for path in self._sources.folder(api / "routes", data=True):
            place = self._sources.place(path)
            python = path.with_suffix(".py")
            if python.is_file():
                by = f"ported by {relative(python, self._sources.project)}"
                self._sources.find(Kind.ROUTE, place.file, place, by, State.PORTED)
                continue
            routes, prefix = self._file(path, owner, place)
            yield from routes
            content_type = self._types.get(f"{owner}.{kebab_case(path.stem)}")
            if content_type is not None and content_type.localized:
                yield self._localization(content_type, owner, prefix, place)

    def core(self) -> Iterator[Route]:
        """Yield each generated core action of each content type of an API."""
        for uid, content_type in self._types.items():
            if uid.startswith("api::"):
                owner, place = uid.rpartition(".")[0], Place("", 0)
                for action, method, path in _core_routes(content_type):
                    route = self._handled(Route(method, path, f"{uid}.{action}", "", place, Access()), owner)
                    is_missing = uid not in self._controllers.controllers
                    yield replace(route, core=(uid, action)) if is_missing else route
                if content_type.localized:
                    yield self._localization(content_type, owner, "", place)

    def _file(self, path: Path, owner: str, place: Place) -> tuple[list[Route], str]:
        uid = generated_uid(path)
        if uid is not None:
            return self._known(uid, owner, place), ""
        module = self._sources.module(path)
        value = None if module is None else self._sources.exported(module)
        if module is not None and not named(module.root):
            self._sources.find(Kind.ROUTE, place.file, place, "empty", State.NOTHING)
            return [], ""
        if module is None or value is None:
            self._unread(place, "its export is missing or computed")
            return [], ""
        return self._router(*self._sources.resolved(module, value), owner)

    def _known(self, uid: str, owner: str, place: Place) -> list[Route]:
        routes = list(self._core(uid, owner, place))
        self._sources.find(Kind.ROUTE, uid, place, "generated", State.NOTHING)
        return routes

    def _unread(self, place: Place, says: str) -> None:
        self._sources.find(Kind.ROUTE, place.file, place, f"{says}: not served", State.CLOSED)

    def _router(self, module: Module, node: Node, owner: str, depth: int = 0) -> tuple[list[Route], str]:
        """Return the routes of an expression, and the prefix of its router."""
        made = factory_call(module, node, _ROUTER)
        if made is not None:
            return self._core_router(module, node, made[0], made[1], owner)
        if node.type == "object":
            return self._own_router(module, node, owner)
        if node.type == "call_expression" and depth < _DEEPEST:
            return self._joined(module, node, owner, depth + 1)
        self._unread(module.place(node), "an unsupported router")
        return [], ""

    def _joined(self, module: Module, node: Node, owner: str, depth: int) -> tuple[list[Route], str]:
        """Return a core router and a list of routes, joined by a function of the project: `customRouter(core,
        extra)`."""
        routes: list[Route] = []
        prefix = ""
        for argument in arguments(node):
            other, value = self._sources.resolved(module, argument)
            if value.type == "array":
                listed = list(self._list(other, value, owner, prefix))
                routes = listed + routes if _puts_own_first(module, node) else routes + listed
            else:
                found, prefix = self._router(other, value, owner, depth)
                routes += found
        return routes, prefix

    def _core_router(
        self, module: Module, node: Node, uid: str, given: Node | None, owner: str
    ) -> tuple[list[Route], str]:
        place = module.place(node)
        options: dict[str, Node] = {}
        if given is not None:
            module, given = self._sources.resolved(module, given)
            if given.type in FUNCTIONS:
                given = None  # v4 reads options that do not exist
        if given is not None:
            options = properties(module, given) if given.type == "object" else {}
            if given.type != "object" or is_open(module, given):
                self._unread(place, "the options of its core router are computed")
                return [], ""
        try:
            said = {
                key: self._sources.value(module, options[key]) for key in ("only", "except", "prefix") if key in options
            }
        except NotData:
            self._unread(place, "the options of its core router are computed")
            return [], ""
        routes = []
        prefix = said.get("prefix") or ""
        for route in self._core(uid, owner, place, prefix):
            action = route.action.rpartition(".")[2]
            if action in _names(said.get("except")) or ("only" in said and action not in _names(said["only"])):
                continue
            routes.append(self._configured(module, options.get("config"), action, route, owner))
        summary = "; ".join(
            [*(f"{key} {value}" for key, value in said.items() if value), *(["config"] if "config" in options else [])]
        )
        self._sources.find(Kind.ROUTE, uid, place, f"core router: {summary or 'all routes'}", State.TAKEN)
        return routes, prefix

    def _core(self, uid: str, owner: str, place: Place, prefix: str = "") -> Iterator[Route]:
        """Yield the routes of a core router; none if the content type does not exist."""
        content_type = self._types.get(uid)
        if content_type is None:
            self._sources.find(Kind.ROUTE, uid, place, "unknown content type: not served", State.CLOSED)
            return
        for action, method, path in _core_routes(content_type):
            yield self._handled(Route(method, prefix + path, f"{uid}.{action}", "", place, Access()), owner)

    def _localization(self, content_type: ContentType, owner: str, prefix: str, place: Place) -> Route:
        base = content_type.singular_name if content_type.is_single else f"{content_type.plural_name}/:id"
        action = f"{content_type.uid}.{_LOCALIZE}"
        return Route(
            "POST",
            f"{prefix}/{base}/localizations",
            action,
            action,
            place,
            Access(scopes=(action,)),
            core=(content_type.uid, _LOCALIZE),
        )

    def _configured(self, module: Module, config: Node | None, action: str, route: Route, owner: str) -> Route:
        """Return a core route with its options from `config: { find: { ... } }`."""
        if config is None:
            return route
        module, config = self._sources.resolved(module, config)
        place = module.place(config)
        if config.type != "object" or is_open(module, config):
            return _guarded(route, Guard(route.name, place, "its config is computed"))
        one = properties(module, config).get(action)
        if one is None:
            return route
        return self._with_config(*self._sources.resolved(module, one), replace(route, place=module.place(one)), owner)

    def _own_router(self, module: Module, node: Node, owner: str) -> tuple[list[Route], str]:
        routes, prefix = self._read_router(module, node, owner)
        place = module.place(node)
        self._sources.find(Kind.ROUTE, place.file, place, f"a list of {counted(len(routes), 'route')}", State.TAKEN)
        return routes, prefix

    def _read_router(self, module: Module, node: Node, owner: str) -> tuple[list[Route], str]:
        members = properties(module, node)
        if "routes" not in members:
            self._unread(module.place(node), "a router without routes")
            return [], ""
        try:
            prefix = str(self._sources.value(module, members["prefix"]) or "") if "prefix" in members else ""
        except NotData:
            self._unread(module.place(members["prefix"]), "its prefix is computed")
            return [], ""
        return list(self._list(*self._sources.resolved(module, members["routes"]), owner, prefix)), prefix

    def _list(self, module: Module, node: Node, owner: str, prefix: str, depth: int = 0) -> Iterator[Route]:
        if node.type != "array" or depth > _DEEPEST:
            self._unread(module.place(node), "its routes are computed")
            return
        yield from self.written_out(module, named(node), owner, prefix, depth)

    def written_out(
        self, module: Module, items: list[Node], owner: str, prefix: str, depth: int = 0
    ) -> Iterator[Route]:
        """Yield the routes that are object literals, or are spread from a list by `...list`."""
        for item in items:
            if item.type == "spread_element":
                yield from self._list(*self._sources.resolved(module, named(item)[0]), owner, prefix, depth + 1)
                continue
            other, value = self._sources.resolved(module, item)
            route = self.own_route(other, value, owner, prefix)
            if route is not None:
                yield route

    def plugin_router(self, module: Module, node: Node, owner: str) -> Iterator[Route]:
        """Yield the routes of a local plugin (`plugin::shop`) that callers without an administrator's token can use.

        As in v4, a router without `type` is an admin router, which is served at `/shop` instead of below the API's
        prefix.
        """
        members = properties(module, node) if node.type == "object" else {}
        kind = string_value(module, members["type"]) if "type" in members else None
        start = f"/{owner.removeprefix('plugin::')}"
        if kind == "content-api":
            routes, prefix = self._own_router(module, node, owner)
            yield from (replace(route, path=route.path if prefix else start + route.path) for route in routes)
        elif "routes" in members:
            routes, prefix = self._read_router(module, node, owner)
            yield from self._at_root(routes, "" if prefix else start, owner)
        elif node.type == "array":
            yield from self._at_root(self._list(module, node, owner, ""), start, owner)

    def _at_root(self, routes: Iterable[Route], start: str, owner: str) -> Iterator[Route]:
        """Yield the public routes of an admin router; record the others, for which there are no administrators."""
        for route in routes:
            if route.access.public:
                yield replace(route, path=start + route.path, at_root=True)
            else:
                name = f"{route.name} of {owner}"
                self._sources.find(Kind.ROUTE, name, route.place, "an admin route: not served", State.OPEN)

    def own_route(self, module: Module, node: Node, owner: str, prefix: str) -> Route | None:
        """Return a literal route: `{ method, path, handler, config }`; None, with a finding, if it is not literal."""
        place = module.place(node)
        members = properties(module, node) if node.type == "object" else {}
        try:
            method = str(self._sources.value(module, members["method"])).upper()
            path = str(self._sources.value(module, members["path"]))
        except (KeyError, NotData):
            self._unread(place, "a computed route")
            return None
        if method not in METHODS:
            self._unread(place, f"a route with the unsupported method {method}")
            return None
        handler = self._handler(module, members.get("handler"))
        config = members.get("config")
        if config is not None:
            module, config = self._sources.resolved(module, config)
            if config.type == "object" and "prefix" in properties(module, config):
                prefix = ""  # whatever its value, v4 ignores the router's prefix then
        route = self._handled(Route(method, f"{prefix}/{path.strip('/')}", handler, "", place, Access()), owner)
        if is_open(module, node):
            route = _guarded(route, Guard(route.name, place, "parts of it are computed"))
        if config is not None:
            route = self._with_config(module, config, route, owner)
        return route

    def _handler(self, module: Module, node: Node | None) -> str:
        """Return the name of a handler; empty for a function, or if it is not a literal."""
        if node is None:
            return ""
        module, node = self._sources.resolved(module, node)
        return (string_value(module, node) or "").strip()

    def _handled(self, route: Route, owner: str) -> Route:
        """Return the route with its handler resolved: a core action, or one of the project's own."""
        name, _, action = route.handler.rpartition(".")
        if not route.handler:
            return replace(route, action="", handled_at=route.place)
        start = f"{owner}."
        scope = route.handler if route.handler.startswith(start) else f"{start}{route.handler}"
        route = replace(route, action=scope, access=Access(scopes=(scope,)))
        full, controller = next(
            (
                (key, self._controllers.controllers[key])
                for key in (f"{start}{name}", name)
                if key in self._controllers.controllers
            ),
            (name, None),
        )
        if controller is None:
            return route
        if controller.core is None or action in controller.own:
            return replace(route, handled_at=controller.own.get(action))
        content_type = self._types.get(controller.core)
        if content_type is None or action not in [known for known, _, _ in _core_routes(content_type)] + [_LOCALIZE]:
            return route
        shape = controller.shape(action)
        return replace(
            route,
            core=(controller.core, action),
            action=f"{full}.{action}",
            guards=tuple(self._controllers.guards(controller, action)),
            shapes=(shape,) if shape is not None and shape != Shape() else (),
        )

    def _with_config(self, module: Module, config: Node, route: Route, owner: str) -> Route:
        """Return the route with its `auth`, `policies` and `middlewares`."""
        if config.type != "object" or is_open(module, config):
            return _guarded(route, Guard(route.name, module.place(config), "its config is computed"))
        members = properties(module, config)
        if "auth" in members:
            route = self._with_auth(module, members["auth"], route)
        shapes = []
        for family in FAMILIES:
            listed = members.get(family)
            used = self._named.used(family, module, listed, owner, route.name) if listed is not None else ()
            for judged, ported in used:
                if judged.guard is not None:
                    route = _guarded(route, judged.guard)
                elif ported is not None:
                    route = _with_ported(route, family, ported)
                elif judged.shape is not None and judged.shape != Shape():
                    shapes.append(judged.shape)
        return replace(route, shapes=(*shapes, *route.shapes))

    def _with_auth(self, module: Module, node: Node, route: Route) -> Route:
        try:
            match self._sources.value(module, node):
                case False:
                    return replace(route, access=Access(public=True))
                case True | None:
                    return route
                case {"strategies": list(names)} if names:
                    accepted = ", ".join(map(str, names))
                    return _guarded(route, Guard(route.name, module.place(node), f"accepts only {accepted}"))
                case {"strategies": given} if given is not None:
                    return _guarded(route, Guard(route.name, module.place(node), "its `strategies` is not understood"))
                case {"scope": list(scopes)} if all(isinstance(item, str) for item in scopes):
                    return replace(route, access=Access(scopes=tuple(scopes) or route.access.scopes))
                case {} as keys if "scope" not in keys and "strategies" not in keys:
                    return route  # v4 ignores other keys, such as `required`
        except NotData:
            pass
        return _guarded(route, Guard(route.name, module.place(node), "its auth is computed"))


def _guarded(route: Route, guard: Guard) -> Route:
    return route if guard in route.guards else replace(route, guards=(*route.guards, guard))


def _with_ported(route: Route, family: Family, used: UsedName) -> Route:
    if family == "policies":
        return replace(route, policies=(*route.policies, used))
    return replace(route, middlewares=(*route.middlewares, used))


def _names(value: Any) -> Mapping[str, None]:
    return dict.fromkeys(item for item in value if isinstance(item, str)) if isinstance(value, list) else {}


def _core_routes(content_type: ContentType) -> tuple[tuple[str, str, str], ...]:
    """Return action, method and path of each core route, in v4's order."""
    if content_type.is_single:
        path = f"/{content_type.singular_name}"
        return (("find", "GET", path), ("update", "PUT", path), ("delete", "DELETE", path))
    path = f"/{content_type.plural_name}"
    one = f"{path}/:id"
    return (
        ("find", "GET", path),
        ("findOne", "GET", one),
        ("create", "POST", path),
        ("update", "PUT", one),
        ("delete", "DELETE", one),
    )


def _puts_own_first(module: Module, call: Node) -> bool:
    """Return whether a function that joins two lists of routes puts its second argument first."""
    called = call.child_by_field_name("function")
    function = None if called is None else follow(module, called, bindings_of(module))
    if function is None:
        return False
    for descendant in walk(function):
        if descendant.type == "array":
            spreads = [
                member_path(module, named(item)[0]) for item in named(descendant) if item.type == "spread_element"
            ]
            if len(spreads) > 1:
                return spreads[0][-1:] != ("routes",) and spreads[-1][-1:] == ("routes",)
    return False
