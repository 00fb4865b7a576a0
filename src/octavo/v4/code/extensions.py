"""`src/extensions/*/strapi-server`: a project's code changes of plugins."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from tree_sitter import Node

from octavo.v4.code.code import Guard, Kind, Route, State
from octavo.v4.code.effects import Describer
from octavo.v4.code.found_routes import FoundRoute, look_ups
from octavo.v4.code.hooks import LIFECYCLES, HookReader
from octavo.v4.code.named_handlers import NamedCode
from octavo.v4.code.routes import RouteReader
from octavo.v4.code.sources import Sources, answered
from octavo.v4.javascript.modules import names_in
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.source import Place
from octavo.v4.javascript.syntax import (
    FUNCTIONS,
    arguments,
    callee,
    identifier,
    member_path,
    named,
    parameters,
    properties,
    string_value,
    unwrap,
    walk,
)

_ADDS: Final = ("push", "unshift")
_CONTENT_API: Final = "content-api"
_UNKNOWN: Final = "?"
_DEEPEST: Final = 3
_ONE_ACTION: Final = len(("plugin", "controllers", "user", "me"))
_CHANGES: Final = ("assignment_expression", "augmented_assignment_expression")


class ExtensionReader:
    """Reads the extensions of one project."""

    def __init__(
        self, sources: Sources, routes: RouteReader, names: NamedCode, hooks: HookReader, describer: Describer
    ) -> None:
        self._describer = describer
        self._names = names
        self._sources = sources
        self._reader = routes
        self._hooks = hooks
        self.routes: list[Route] = []
        self.actions: dict[str, Guard] = {}
        self.whole: list[Guard] = []
        self.changed_routes: list[Guard] = []
        self._read: set[tuple[str, str, int]] = set()
        self._found_routes: list[FoundRoute] = []

    def read(self, path: Path, plugin: str) -> None:
        """Read a `strapi-server` file. `plugin` is its name, such as `users-permissions`."""
        owner, place = f"plugin::{plugin}", self._sources.place(path)
        module = self._sources.module(path)
        value = None if module is None else self._sources.exported(module)
        if module is not None and value is not None:
            module, value = self._sources.resolved(module, value)
        if module is None or value is None or value.type not in FUNCTIONS or not parameters(value):
            if module is None or value is not None or module.root.named_children:
                self._close(owner, place, "it does not export a function with the plugin as its parameter")
            return
        first = parameters(value)[0]
        if first.type != "identifier":
            self._close(owner, place, "it does not export a function with the plugin as its parameter")
            return
        self._body(module, value, identifier(module, first), owner, 0)
        self._close_found()

    def _body(self, module: Module, function: Node, name: str, owner: str, depth: int) -> None:
        """Read the uses of the plugin in a function, which has it as a parameter."""
        controllers, seen = _controller_names(module, function, name)
        names = dict(_type_names(module, function, name))
        names |= {own: ["controllers", controller] for own, controller in controllers.items()}
        for route, listed in look_ups(module, function, owner, lambda node: _path(module, node, name)):
            self._found_routes.append(route)
            seen |= {node.id for node in walk(listed)}
        for descendant in walk(function):
            if descendant.type in _CHANGES:
                seen |= self._changed(module, descendant, name, names, controllers, owner)
            elif descendant.type == "call_expression":
                seen |= self._called(module, descendant, name, owner) | self._handed(
                    module, descendant, name, owner, depth
                )
            elif descendant.type == "identifier" and identifier(module, descendant) == name:
                self._mentioned(module, descendant, seen, owner)
            elif _is_handed_on(module, descendant, controllers) and descendant.id not in seen:
                self._close(owner, module.place(descendant), "passes its controllers to other code")

    def _changed(
        self,
        module: Module,
        change: Node,
        name: str,
        names: Mapping[str, list[str]],
        controllers: Mapping[str, str],
        owner: str,
    ) -> set[int]:
        """Read an assignment; return the ids of the understood nodes."""
        left, right = change.child_by_field_name("left"), change.child_by_field_name("right")
        if left is None or right is None:
            return set()
        path = _path(module, left, name) or _named_path(module, left, names)
        if not path:
            return set()
        seen = {node.id for node in walk(left)}
        extended = self._extended(module, path, right, lambda node: _controller(module, node, name, controllers))
        if extended is None:
            self._assigned(module, path, right, owner)
            return seen
        for action, node in properties(module, extended).items():
            self._replace(f"{owner}.{path[1]}.{action}", module.place(node), self._describer.describe(module, node))
        return seen | {node.id for node in walk(named(extended)[0])}

    def _mentioned(self, module: Module, node: Node, seen: set[int], owner: str) -> None:
        """Handle a use of the plugin in any other position. Uses of its routes or controllers there are not
        understood."""
        if node.id in seen:
            return
        top = node
        while top.parent is not None and top.parent.type in ("member_expression", "subscript_expression"):
            if top.parent.child_by_field_name("object") != top:
                break
            top = top.parent
        path = member_path(module, top)
        if path[1:2] == ("routes",):
            self._close_routes(owner, module.place(node))
        elif path[1:2] == ("controllers",) and len(path) < _ONE_ACTION and not _is_bound(module, top):
            self._close(owner, module.place(node), "passes its controllers to other code")
        elif not path[1:2] and top == node and not _is_answer(node):
            self._close(owner, module.place(node), "passes the plugin to other code")

    def _extended(
        self, module: Module, path: Sequence[str], right: Node, controller_of: Callable[[Node], str | None]
    ) -> Node | None:
        """Return the object that adds actions to a controller, `{ ...plugin.controllers.auth, async callback() {} }`.

        It can also be the result of a function. None if the assigned value has any other form.
        """
        if len(path) != len(("controllers", "auth")) or path[0] != "controllers":
            return None
        other, value = self._sources.resolved(module, right)
        made = answered(other, value) if other.file == module.file else None
        items = named(made) if made is not None and made.type == "object" else []
        if made is None or not items or items[0].type != "spread_element":
            return None
        is_original = controller_of(named(items[0])[0]) == path[1]
        return made if is_original and len(properties(module, made)) == len(items) - 1 else None

    def _assigned(self, module: Module, path: Sequence[str], right: Node, owner: str) -> None:
        place, says = module.place(right), self._describer.describe(module, right)
        match path:
            case ["controllers", controller, action] if _UNKNOWN not in (controller, action):
                self._replace(f"{owner}.{controller}.{action}", place, says)
            case ["controllers", controller] if controller != _UNKNOWN:
                self._replace(f"{owner}.{controller}", place, f"the whole controller: {says}")
            case ["controllers", *_]:
                self._close(owner, place, f"replaces controllers: {says}")
            case ["services", *rest]:
                self._close(owner, place, f"replaces the service {'.'.join(rest)}: {says}")
            case ["routes", *_]:
                self._close_routes(owner, place)
            case ["policies" | "middlewares" as family, kind] if kind != _UNKNOWN:
                self._names.add(family, f"{owner}.{kind}", module, right)
            case ["contentTypes", kind, part, *event] if part == LIFECYCLES:
                self._hooked(module, "" if kind == _UNKNOWN else f"{owner}.{kind}", event, right)
            case ["contentTypes", *rest]:
                self._note(f"{owner} contentTypes", place, f"changes definitions in code: {'.'.join(rest)}")
            case [part, *rest]:
                self._note(f"{owner} {part}", place, f"sets {'.'.join((part, *rest))}: {says}")

    def _hooked(self, module: Module, uid: str, event: Sequence[str], right: Node) -> None:
        """Read `plugin.contentTypes.user.lifecycles = {...}`, or the function of one event."""
        if event:
            self._hooks.read_one(module, right, uid, event[0])
        else:
            self._hooks.read_object(*self._sources.resolved(module, right), uid)

    def _called(self, module: Module, call: Node, name: str, owner: str) -> set[int]:
        """Read `plugin.routes['content-api'].routes.push({...})`; return the ids of the understood nodes."""
        function = call.child_by_field_name("function")
        path = [] if function is None else _path(module, function, name)
        if path != ["routes", _CONTENT_API, "routes", path[-1] if path else ""] or path[-1] not in _ADDS:
            return set()
        prefix = f"/{owner.removeprefix('plugin::')}"
        self.routes += self._reader.written_out(module, arguments(call), owner, prefix)
        return set() if function is None else {node.id for node in walk(function)}

    def _handed(self, module: Module, call: Node, name: str, owner: str, depth: int) -> set[int]:
        """Read `changeRoutes(plugin)` if it is a function of the project, in the same way as this one."""
        function, given = call.child_by_field_name("function"), arguments(call)
        if function is None or depth >= _DEEPEST or len(given) != 1 or member_path(module, given[0]) != (name,):
            return set()
        other, value = self._sources.resolved(module, function)
        first = parameters(value)[:1] if value.type in FUNCTIONS else []
        if not first or first[0].type != "identifier":
            return set()
        key = (owner, other.file, value.start_byte)
        if key not in self._read:
            self._read.add(key)
            self._body(other, value, identifier(other, first[0]), owner, depth + 1)
        return {given[0].id}

    def _replace(self, name: str, place: Place, says: str) -> None:
        self.actions[name] = Guard(name, place, says)
        self._sources.find(Kind.EXTENSION, name, place, f"replaces an action of the plugin: {says}", State.CLOSED)

    def _close(self, owner: str, place: Place, says: str) -> None:
        self.whole.append(Guard(owner, place, says))
        self._sources.find(Kind.EXTENSION, owner, place, f"{says}: all its routes are closed", State.CLOSED)

    def _close_routes(self, owner: str, place: Place) -> None:
        """Close all routes of the plugin, because the changes are unknown, unless Python has a routes file for it."""
        says = "changes the plugin's routes"
        self.changed_routes.append(Guard(owner, place, says))
        self._sources.find(Kind.EXTENSION, f"{owner} routes", place, f"{says}: all of them are closed", State.CLOSED)

    def _close_found(self) -> None:
        """Close the actions of the routes that the extension looks up to change them."""
        for route in self._found_routes:
            actions = route.actions([added for added in self.routes if added.action.startswith(f"{route.owner}.")])
            if not actions:
                self._close_routes(route.owner, route.place)
            for action in actions:
                says = f"changes the route of {action.removeprefix(f'{route.owner}.')}"
                self.changed_routes.append(Guard(action, route.place, says))
                self._sources.find(Kind.EXTENSION, f"{route.owner} routes", route.place, says, State.CLOSED)
        self._found_routes.clear()

    def _note(self, name: str, place: Place, says: str) -> None:
        self._sources.find(Kind.EXTENSION, name, place, says, State.OPEN)


def _path(module: Module, node: Node, name: str) -> list[str]:
    """Return the names after the plugin's, `?` for computed ones; empty if the node is about something else."""
    names: list[str] = []
    current = unwrap(node)
    while current.type in ("member_expression", "subscript_expression"):
        names.append(_last(module, current))
        below = current.child_by_field_name("object")
        if below is None:
            return []
        current = unwrap(below)
    return list(reversed(names)) if current.type == "identifier" and identifier(module, current) == name else []


def _type_names(module: Module, function: Node, name: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the names that a function assigns to content types: `const user = plugin.contentTypes.user`."""
    for descendant in walk(function):
        pattern, value = descendant.child_by_field_name("name"), descendant.child_by_field_name("value")
        if descendant.type == "variable_declarator" and pattern is not None and value is not None:
            path = _path(module, value, name)
            if path[:1] == ["contentTypes"]:
                yield from ((own, [*path, *way]) for own, way in names_in(module, pattern) if way is not None)


def _controller_names(module: Module, function: Node, name: str) -> tuple[dict[str, str], set[int]]:
    """Return the names that a function assigns to whole controllers, `const auth = plugin.controllers.auth`, and the
    ids of the nodes of these declarations."""
    names: dict[str, str] = {}
    seen: set[int] = set()
    for descendant in walk(function):
        pattern, value = descendant.child_by_field_name("name"), descendant.child_by_field_name("value")
        if descendant.type == "variable_declarator" and pattern is not None and value is not None:
            controller = _controller(module, value, name, names)
            if controller is not None and pattern.type == "identifier":
                names[identifier(module, pattern)] = controller
                seen |= {node.id for node in walk(descendant)}
    return names, seen


def _controller(module: Module, node: Node, name: str, names: Mapping[str, str]) -> str | None:
    """Return the controller that an expression is: `plugin.controllers.auth`, a name of it, or a call of either."""
    node = unwrap(node)
    if node.type == "call_expression":
        function = node.child_by_field_name("function")
        return None if function is None else _controller(module, function, name, names)
    if node.type == "identifier":
        return names.get(identifier(module, node))
    match _path(module, node, name):
        case ["controllers", controller] if controller != _UNKNOWN:
            return controller
    return None


def _is_handed_on(module: Module, node: Node, controllers: Mapping[str, str]) -> bool:
    """Return whether a node is a name of a controller in any other position than before one of its actions."""
    if node.type != "identifier" or identifier(module, node) not in controllers:
        return False
    member = node.parent
    is_member = member is not None and member.type in ("member_expression", "subscript_expression")
    return not is_member or member is None or member.child_by_field_name("object") != node


def _named_path(module: Module, node: Node, names: Mapping[str, list[str]]) -> list[str]:
    """Return the path of a member of a named object."""
    path = member_path(module, node)
    return [*names[path[0]], *path[1:]] if path and path[0] in names else []


def _is_bound(module: Module, node: Node) -> bool:
    """Return whether a node is the argument of `bind`:
    `plugin.controllers.auth.register.bind(plugin.controllers.auth)`."""
    call = node.parent and node.parent.parent
    return call is not None and callee(module, call)[-1:] in (("bind",), ("call",))


def _is_answer(node: Node) -> bool:
    """Return whether a node is a function's return value or parameter."""
    parent = node.parent
    return parent is not None and parent.type in (
        "return_statement",
        "arrow_function",
        "formal_parameters",
        "required_parameter",
    )


def _last(module: Module, node: Node) -> str:
    name_node = node.child_by_field_name("property")
    if name_node is not None:
        return identifier(module, name_node)
    index = node.child_by_field_name("index")
    return (None if index is None else string_value(module, index)) or _UNKNOWN


def extension_files(sources: Sources) -> Iterator[tuple[str, Path]]:
    """Yield the extended plugins, each with its file."""
    for folder in sources.folders(sources.source / "extensions"):
        path = sources.one(folder / "strapi-server")
        if path is not None:
            yield folder.name, path
