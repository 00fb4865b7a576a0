"""Resolve names, members and calls in the code of a v4 project, across its files. No code is run."""

from collections.abc import Iterable
from typing import Final

from tree_sitter import Node

from octavo.v4.code.data import NotData
from octavo.v4.code.harmless_calls import CONNECTING, GLOBALS, is_harmless_package
from octavo.v4.code.references import (
    CLASSES,
    CORE,
    HARMLESS,
    STRAPI,
    UNKNOWN,
    VALUE,
    Thing,
    instance_of,
    is_unknown,
    outside_member,
)
from octavo.v4.code.scopes import ALL, Scopes, class_members, last_name, paths_of
from octavo.v4.code.sources import Sources
from octavo.v4.javascript.modules import Binding, Import, required
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import (
    FUNCTIONS,
    arguments,
    identifier,
    member_path,
    named,
    properties,
    returned,
    unwrap,
)

_DEEPEST: Final = 16
_MOST: Final = 8
"""Maximum number of values of one expression."""
_MOST_STEPS: Final = 2000
"""Maximum number of steps for one expression: expressions and members to examine."""
_DEFAULT: Final = "default"
_FACTORIES: Final = (("createCoreService",), ("createCoreController",))
_WAYS: Final = {
    "ternary_expression": ("consequence", "alternative"),
    "binary_expression": ("left", "right"),
    "assignment_expression": ("right",),
}
"""Expressions whose value is one of their parts."""


class Resolver:
    """Resolves expressions of one project."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self.scopes = Scopes(sources)
        self._steps = 0

    def targets(self, module: Module, node: Node, this: Thing | None) -> list[Thing]:
        """Return the functions that an expression may call, including modules and services of `strapi`."""
        self._steps = _MOST_STEPS
        things = [one for thing in self.resolve(module, node, this) for one in self.whole(thing)]
        return [one for thing in things for one in (self.served(thing.path) if thing.what == STRAPI else [thing])]

    def strapi_paths(self, module: Module, node: Node, this: Thing | None) -> list[tuple[str, ...]]:
        """Return the paths from `strapi` that an expression may refer to: `("entityService", "update")`."""
        self._steps = _MOST_STEPS
        return [thing.path for thing in self.resolve(module, node, this) if thing.what == STRAPI]

    def resolve(self, module: Module, node: Node, this: Thing | None = None, depth: int = 0) -> list[Thing]:
        """Return what an expression may refer to; several values if it depends on the control flow."""
        node = unwrap(node)
        self._steps -= 1
        if depth > _DEEPEST or self._steps < 0:
            return [UNKNOWN]
        deeper = depth + 1
        match node.type:
            case "identifier" | "shorthand_property_identifier":
                return self._name(module, node, this, deeper)
            case "this":
                return [this or UNKNOWN]
            case "super":
                return self._parent(this, deeper)
            case "member_expression" | "subscript_expression":
                return self._member(module, node, this, deeper)
            case "call_expression":
                return self._called(module, node, this, deeper)
        if node.type in FUNCTIONS or node.type in CLASSES or node.type == "object":
            return [Thing("code", module, node, this=this)]
        return self._composed(module, node, this, deeper)

    def _composed(self, module: Module, node: Node, this: Thing | None, depth: int) -> list[Thing]:
        """Resolve an expression whose value is one of its parts, or built from one."""
        if node.type in _WAYS:
            return self._any(module, [node.child_by_field_name(field) for field in _WAYS[node.type]], this, depth)
        if node.type == "sequence_expression":
            return self.resolve(module, named(node)[-1], this, depth)
        if node.type == "new_expression":
            made = self._any(module, [node.child_by_field_name("constructor")], this, depth)
            return [instance_of(one) for thing in made for one in self.whole(thing, depth)]
        if node.type == "await_expression":
            imported = required(module, node)
            return (
                self._import(module, imported, depth) if imported else self.resolve(module, named(node)[0], this, depth)
            )
        return [VALUE]

    def _any(self, module: Module, nodes: Iterable[Node | None], this: Thing | None, depth: int) -> list[Thing]:
        things = [thing for node in nodes if node is not None for thing in self.resolve(module, node, this, depth)]
        return things if len(things) <= _MOST else [UNKNOWN]

    # Names

    def _name(self, module: Module, node: Node, this: Thing | None, depth: int) -> list[Thing]:
        name = identifier(module, node)
        bindings = self.scopes.declared(module, node, name)
        if bindings is None:
            if name in ("exports", "module") and not module.is_json:
                return [Thing("space", module, path=(name,) if name == "module" else ())]
            if name in (STRAPI, "global", "globalThis"):
                return [Thing(STRAPI, path=() if name == STRAPI else (name,))]
            return [Thing("outside", path=(name,), harmless=name in GLOBALS)]
        things: list[Thing] = []
        for binding in bindings:
            things += self._bound(module, binding, name, this, depth)
        for node_ in self.scopes.assigned(module).get((name,), ()):
            things += self.resolve(module, node_, this, depth)
        known = [thing for thing in things if thing is not VALUE] or [VALUE]
        return known if len(known) <= _MOST else [UNKNOWN]

    def _bound(self, module: Module, binding: Binding | None, name: str, this: Thing | None, depth: int) -> list[Thing]:
        """Return the value that a declaration assigns to a name; None declares a parameter."""
        if binding is None:
            return [Thing(STRAPI)] if name == STRAPI else [VALUE]
        if binding.imported is not None and binding.value is None:
            return self._import(module, binding.imported, depth)
        if binding.value is None:
            return [VALUE]
        things = self.resolve(module, binding.value, this, depth)
        for step in binding.taken or ():
            things = [taken for thing in things for taken in self.member(thing, step, depth)]
        return things if binding.taken is not None else [UNKNOWN if any(map(is_unknown, things)) else VALUE]

    # Files

    def _import(self, module: Module, found: Import, depth: int) -> list[Thing]:
        other = self._sources.module_of(module, found)
        if other is not None:
            space = Thing("space", other)
            return [space] if found.name is None else self.member(space, found.name, depth)
        names = () if found.name is None else (found.name,)
        return [Thing("outside", path=(found.specifier, *names), harmless=is_harmless_package(found.specifier, names))]

    def _exported(self, space: Thing, name: str, depth: int) -> list[Thing]:
        module = space.module
        if module is None or depth > _DEEPEST:
            return [UNKNOWN]
        if module.is_json:
            return [VALUE]
        exports = self.scopes.exports(module)
        if exports.uncertain is not None:
            return [UNKNOWN]
        if name in exports.names:
            return self.resolve(module, exports.names[name], space, depth)
        handed = self._handed_on(module, exports.again, name, depth)
        if handed:
            return handed
        if exports.value is not None:
            whole = self.resolve(module, exports.value, space, depth)
            if name == _DEFAULT:
                return whole
            return [value for thing in whole for value in self.member(thing, name, depth + 1)]
        if name == _DEFAULT and exports.names:
            return [space]
        paths = (("exports", ALL), ("module", "exports", ALL))
        return self._merged(module, paths, name, space, depth) or [UNKNOWN]

    def _handed_on(self, module: Module, again: Iterable[Import], name: str, depth: int) -> list[Thing]:
        """Return a name that a module re-exports: `export * from './x'`."""
        for one in again:
            inside = _named_again(module, one, name)
            if inside is not None:
                things = self._import(module, Import(one.specifier, one.node, inside or None), depth)
                if not inside or not all(thing is UNKNOWN for thing in things):
                    return things
        return []

    def _merged(
        self, module: Module, paths: Iterable[tuple[str, ...]], name: str, this: Thing, depth: int
    ) -> list[Thing]:
        """Return a member that `Object.assign(exports, ...)` adds."""
        nodes = [node for path in paths for node in self.scopes.assigned(module).get(path, ())]
        things = [
            whole for node in nodes for one in self.resolve(module, node, this, depth) for whole in self.whole(one)
        ]
        return [value for thing in things for value in self.member(thing, name, depth) if value is not UNKNOWN]

    def whole(self, thing: Thing, depth: int = 0) -> list[Thing]:
        """Return the value of a module for `require`; anything else is returned unchanged."""
        if thing.what != "space" or thing.module is None or thing.module.is_json:
            return [thing]
        exports = self.scopes.exports(thing.module)
        if exports.value is None or exports.uncertain is not None or depth > _DEEPEST:
            return [thing]
        things = self.resolve(thing.module, exports.value, thing, depth + 1)
        return [inner for one in things for inner in self.whole(one, depth + 1)]

    # Members

    def _member(self, module: Module, node: Node, this: Thing | None, depth: int) -> list[Thing]:
        found_import = required(module, node)
        if found_import is not None:
            return self._import(module, found_import, depth)
        below, name = node.child_by_field_name("object"), last_name(module, node)
        if below is None:
            return [UNKNOWN]
        things = self.resolve(module, below, this, depth)
        if name is None:
            return self._computed(things, depth)
        return [taken for thing in things for taken in self.member(thing, name, depth)]

    def _computed(self, found: list[Thing], depth: int) -> list[Thing]:
        """Return any member of an object: which one is known only at run time."""
        members: list[Thing] = []
        for thing in found:
            if thing.what == "code" and thing.module is not None and thing.node is not None:
                for value in properties(thing.module, thing.node).values() if thing.node.type == "object" else ():
                    members += self.resolve(thing.module, value, thing, depth)
            members.append(UNKNOWN if is_unknown(thing) or thing.what == "space" else VALUE)
        return members if len(members) <= _MOST else [UNKNOWN]

    def member(self, thing: Thing, name: str, depth: int = 0) -> list[Thing]:
        """Return what a member may refer to."""
        self._steps -= 1
        if depth > _DEEPEST or self._steps < 0:
            return [UNKNOWN]
        match thing.what:
            case "space":
                if thing.path == ("module",):
                    return [Thing("space", thing.module)] if name == "exports" else [VALUE]
                return self._exported(thing, name, depth + 1)
            case "strapi":
                is_whole = thing.path in (("global",), ("globalThis",))
                if is_whole and name != STRAPI:
                    return [Thing("outside", path=(name,), harmless=name in GLOBALS)]
                return [Thing(STRAPI, path=() if is_whole else (*thing.path, name))]
            case "outside":
                return [outside_member(thing, name)]
            case "value":
                return [Thing(STRAPI) if name == STRAPI else VALUE]
        return self._own_member(thing, name, depth + 1)

    def _own_member(self, thing: Thing, name: str, depth: int) -> list[Thing]:
        """Return a member of an object, a class or an instance of the project."""
        module, node = thing.module, thing.node
        if module is None or node is None:
            return [UNKNOWN]
        things = [
            value
            for path in paths_of(module, node, name, thing.what == "instance")
            for given in self.scopes.assigned(module).get(path, ())
            for value in self.resolve(module, given, thing, depth)
        ]
        merged = [(*path[:-1], ALL) for path in paths_of(module, node, name, is_instance=False)]
        things += self._merged(module, merged, name, thing, depth)
        if node.type == "object":
            return things + self._of_object(module, node, name, thing, depth) or [UNKNOWN]
        if node.type in CLASSES:
            for member, value in class_members(module, node, is_static=thing.what == "code"):
                if member == name:
                    things += self._given(module, value, thing, depth)
            if not things:
                parents = self._parent(thing, depth)
                things = [value for parent in parents for value in self.member(parent, name, depth)]
        return things or [UNKNOWN]

    def _given(self, module: Module, value: Node, thing: Thing, depth: int) -> list[Thing]:
        """Return the value of a member; for a getter (`get locked()`), its return value."""
        if value.type == "method_definition" and any(child.type == "get" for child in value.children):
            return self._any(module, returned(value), thing, depth)
        return self.resolve(module, value, thing, depth)

    def _of_object(self, module: Module, node: Node, name: str, thing: Thing, depth: int) -> list[Thing]:
        value = properties(module, node).get(name)
        if value is not None:
            return self._given(module, value, thing, depth)
        things: list[Thing] = []
        for item in named(node):
            if item.type == "spread_element":
                for spread in self.resolve(module, named(item)[0], thing, depth):
                    things += [one for one in self.member(spread, name, depth) if one is not VALUE]
        return things

    def _parent(self, this: Thing | None, depth: int) -> list[Thing]:
        """Return the base class of a class; `super` in an object is Strapi's own."""
        if this is None or this.module is None or this.node is None or this.node.type not in CLASSES:
            return [HARMLESS]
        heritage = next((child for child in this.node.children if child.type == "class_heritage"), None)
        if heritage is None:
            return []
        base = named(heritage)[0]
        if base.type == "extends_clause":
            base = base.child_by_field_name("value") or named(base)[0]
        parents = [one for value in self.resolve(this.module, base, None, depth) for one in self.whole(value, depth)]
        return [instance_of(parent) if this.what == "instance" else parent for parent in parents]

    # Calls

    def _called(self, module: Module, node: Node, this: Thing | None, depth: int) -> list[Thing]:
        """Return what a call may return."""
        found_import = required(module, node)
        if found_import is not None:
            return self._import(module, found_import, depth)
        function = node.child_by_field_name("function")
        if function is None or function.type == "import":
            return [UNKNOWN]
        below, name = function.child_by_field_name("object"), last_name(module, function)
        if below is not None and name == "bind":
            return self.resolve(module, below, this, depth)
        path = member_path(module, function)
        if path[-1:] in _FACTORIES:
            return self._any(module, arguments(node)[1:], this, depth) or [CORE]
        if path in (("Object", "assign"), ("Object", "freeze"), ("Object", "create")):
            return self._any(module, arguments(node), this, depth)
        things: list[Thing] = []
        for thing in (one for first in self.resolve(module, function, this, depth) for one in self.whole(first)):
            things += self._answer(module, node, thing, depth)
        return things if things and len(things) <= _MOST else [UNKNOWN]

    def _answer(self, module: Module, call: Node, thing: Thing, depth: int) -> list[Thing]:
        if thing.what == STRAPI:
            if not thing.path or thing.path[-1] not in CONNECTING:
                served = self.served(thing.path, depth + 1)
                return [answer for one in served for answer in self._answer(module, call, one, depth)]
            return [Thing(STRAPI, path=(*thing.path[:-1], f"{thing.path[-1]}()", self.said(module, call)))]
        if thing.what == "code" and thing.module is not None and thing.node is not None:
            if thing.node.type in FUNCTIONS:
                return self._any(thing.module, returned(thing.node), thing.this, depth) or [VALUE]
            return [UNKNOWN]
        is_of_package = thing.harmless and thing.path[:1] and thing.path[0] not in GLOBALS
        return [thing if is_of_package else VALUE if thing.harmless else UNKNOWN]

    def said(self, module: Module, call: Node) -> str:
        """Return the first argument of a call if it is a text literal."""
        given = arguments(call)
        try:
            said = self._sources.value(module, given[0]) if given else None
        except NotData:
            said = None
        return said if isinstance(said, str) else "?"

    def served(self, path: tuple[str, ...], depth: int = 0) -> list[Thing]:
        """Return the function that a path from `strapi` refers to."""
        raise NotImplementedError


def _named_again(module: Module, one: Import, name: str) -> str | None:
    """Return the name inside a module that is re-exported; empty for the whole module, None for other names."""
    if one.node.type == "export_specifier":
        alias = one.node.child_by_field_name("alias") or one.node.child_by_field_name("name")
        return one.name if alias is not None and module.text(alias) == name else None
    space = next((child for child in one.node.named_children if child.type == "namespace_export"), None)
    if space is not None:
        return "" if module.text(named(space)[0]) == name else None
    return name if name != _DEFAULT else None
