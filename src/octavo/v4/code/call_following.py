"""Find out whether code that runs before an operation may reject it, by following its calls through a project's files.

Calls are relevant if they are awaited, are expression statements, or get the event as argument. If such a call
cannot be followed completely, the code may reject the operation, as far as is known.
"""

from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from octavo.core.values import dataclass
from octavo.v4.code.call_positions import Position, is_answer_caught, is_async, position, swallowed
from octavo.v4.code.context import uses_current_request
from octavo.v4.code.describing import refuses
from octavo.v4.code.harmless_calls import CALLBACKS, REFUSING, is_method
from octavo.v4.code.nested_writes import Nested, nested_of
from octavo.v4.code.references import CLASSES, Thing
from octavo.v4.code.resolving import Resolver
from octavo.v4.code.scopes import has_computed_fields
from octavo.v4.javascript.modules import names_in
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.syntax import (
    FUNCTIONS,
    arguments,
    callee,
    identifier,
    member_path,
    named,
    parameters,
    unwrap,
    walk,
)

_MOST_FUNCTIONS: Final = 200
_MOST_NODES: Final = 100_000
"""Maximum size of a function to read, in nodes of its syntax tree."""
_REBINDS: Final = ("bind", "call", "apply")
_CALLS: Final = ("call_expression", "new_expression")
_EVENT: Final = ("event",)
_DATA: Final = ("event", "params", "data")
_TEXTS: Final = (("event", "action"), ("event", "model"))
_READS: Final = frozenset(("console", "JSON"))
"""Globals that do not call their arguments."""

_Key = tuple[str, int, bool, bool, tuple[tuple[str, ...], ...]]
Paths = dict[str, tuple[str, ...]]
"""Which parts of the event names refer to: `{"where": ("event", "params", "where")}`."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why code may reject: a call or another node, with its module."""

    module: Module
    node: Node
    is_followed: bool = True
    """False for a call that could not be followed."""

    def __str__(self) -> str:
        place = self.module.place(self.node)
        if self.is_followed:
            return f"can reject at {place.file}:{place.line}"
        called = self.node.child_by_field_name("function") or self.node.child_by_field_name("constructor")
        what = "more functions" if called is None else self.module.excerpt(called)
        return f"calls {what} at {place.file}:{place.line}, which Octavo cannot follow"


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A function to examine: how its result is used, and which parts of the event its parameters are."""

    module: Module
    node: Node
    this: Thing | None
    answers: bool
    """Whether its promise is awaited, or it is an expression statement."""
    given: tuple[tuple[str, ...], ...]
    is_detached: bool = False
    """Whether its promise is dropped: then only a `throw` counts, which terminates the Node.js process."""

    @property
    def key(self) -> _Key:
        return self.module.file, self.node.id, self.answers, self.is_detached, self.given

    @property
    def has_event(self) -> bool:
        """Return whether a parameter is the event, or its subject."""
        return any(map(_is_event, self.given))


_Look = tuple[Refusal | None, tuple[Step, ...], tuple[Nested, ...]]
"""Why a function may reject, its calls, and its reads and writes."""


class Follower:
    """Follows the calls of one project's code. Reads each function once."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._known: dict[_Key, _Look] = {}

    def steps(self, module: Module, node: Node, this: Thing | None) -> Iterator[tuple[Step, Refusal | None]]:
        """Yield a hook and every function that it calls, each with the reason why it may reject.

        If these are too many to examine, it ends with a refusal.
        """
        first = Step(module, node, this, answers=True, given=(_EVENT,))
        waiting, seen = [first], {first.key}
        while waiting:
            step = waiting.pop()
            if len(seen) > _MOST_FUNCTIONS:
                yield step, Refusal(module, node, is_followed=False)
                return
            refusal, further, _ = self._look(step)
            yield step, refusal
            for one in further:
                if one.key not in seen:
                    seen.add(one.key)
                    waiting.append(one)

    def nested(self, module: Module, node: Node, this: Thing | None) -> tuple[Nested, ...]:
        """Return the reads and writes of a hook and its calls, where rejecting these rejects the hook."""
        steps = [step for step, _ in self.steps(module, node, this)]
        return tuple(one for step in steps if step.key in self._known for one in self._known[step.key][2])

    def _look(self, step: Step) -> _Look:
        if step.key not in self._known:
            self._known[step.key] = _Function(self._resolver, step).read()
        return self._known[step.key]


class _Function:
    """One function: what in it rejects, and what it calls."""

    def __init__(self, resolver: Resolver, step: Step) -> None:
        self._resolver = resolver
        self._step = step
        self._module = step.module
        self._paths = _paths(step)
        self._awaited = _awaited(step.module, step.node)
        self._further: list[Step] = []
        self._nested: list[Nested] = []

    def read(self) -> _Look:
        refusal = self._refusal()
        return refusal, () if refusal is not None else tuple(self._further), tuple(self._nested)

    def _refusal(self) -> Refusal | None:
        module, node = self._module, self._step.node
        if uses_current_request(module, node):
            return Refusal(module, node)
        for number, descendant in enumerate(walk(node)):
            if number > _MOST_NODES:
                return Refusal(module, node, is_followed=False)
            if refuses(module, descendant) and not self._swallowed(descendant, None):
                return Refusal(module, descendant)
            if descendant.type in _CALLS:
                refusal = self._call(descendant)
                if refusal is not None:
                    return refusal
        return None

    def _call(self, call: Node) -> Refusal | None:
        """Return why a call may reject. Calls of the project's functions are added to the ones to follow."""
        function = call.child_by_field_name("function") or call.child_by_field_name("constructor")
        if function is None or function.type == "import":
            return None
        used = position(self._module, call, self._step.node, self._awaited, self._step.answers)
        if self._swallowed(call, used):
            return None
        given = [self._path(argument) for argument in arguments(call)]
        if function.type == "super":
            self._construct(self._resolver.targets(self._module, function, self._step.this), tuple(given))
            return None
        counts = used is not None or any(map(_is_event, given))
        target, name = unwrap(function), _last_name(self._module, function)
        below = target.child_by_field_name("object")
        if below is not None and name in _REBINDS:
            if name == "bind":
                return None  # called elsewhere, or passed on
            rebinds, name = name, _last_name(self._module, below)
            target, given = below, given[1:] if rebinds == "call" else [_EVENT if any(map(_is_event, given)) else ()]
        if used is not None and not self._step.is_detached and not is_answer_caught(self._module, call):
            self._nest(call, target)
        things = self._resolver.targets(self._module, target, self._step.this)
        for thing in things or [Thing("outside")]:
            if not self._is_harmless(thing, call, name, tuple(given), used) and counts and not self._step.is_detached:
                return Refusal(self._module, call, is_followed=False)
            if ".".join(thing.path) in REFUSING and used is not None:
                return Refusal(self._module, call)
        return self._handed(call, things, name, used)

    def _nest(self, call: Node, target: Node) -> None:
        """Record what a call reads or writes."""
        for path in self._resolver.strapi_paths(self._module, target, self._step.this):
            nested = nested_of(path, self._resolver.said(self._module, call), self._module.place(call))
            if nested is not None:
                self._nested.append(nested)

    def _is_harmless(
        self, thing: Thing, call: Node, name: str | None, given: tuple[tuple[str, ...], ...], used: Position | None
    ) -> bool:
        """Return whether a called function cannot reject, or is followed."""
        match thing.what:
            case "code" | "instance" if thing.module is not None and thing.node is not None:
                return self._follow(thing, call, given, used)
            case "value":
                function = unwrap(_function(call))
                return is_method(name) if name is not None else self._is_given(function)
        return thing.harmless

    def _is_given(self, function: Node) -> bool:
        """Return whether the called function is a parameter of this one: its arguments are followed in the caller."""
        given = (found for pattern in parameters(self._step.node) for found in names_in(self._module, pattern))
        names = {name for name, way in given if way is not None}  # others have a default value
        return function.type == "identifier" and identifier(self._module, function) in names

    def _follow(self, thing: Thing, call: Node, given: tuple[tuple[str, ...], ...], used: Position | None) -> bool:
        module, node = thing.module, thing.node
        if module is None or node is None:
            return False
        if node.type in FUNCTIONS:
            detached = self._step.is_detached or (used is Position.ALONE and is_async(node))
            self._further.append(Step(module, node, thing.this, used is not None, given, detached))
            return True
        if node.type in CLASSES and call.type == "new_expression":
            self._construct([Thing("instance", module, node)], given)
            return not has_computed_fields(node)
        return False

    def _construct(self, instances: list[Thing], given: tuple[tuple[str, ...], ...]) -> None:
        """Follow the constructors of instances."""
        for instance in instances:
            for member in self._resolver.member(instance, "constructor"):
                if member.module is not None and member.node is not None:
                    self._further.append(Step(member.module, member.node, instance, True, given))

    def _swallowed(self, node: Node, used: Position | None) -> bool:
        return swallowed(self._module, node, self._step.node, used, self._awaited)

    def _handed(self, call: Node, things: list[Thing], name: str | None, used: Position | None) -> Refusal | None:
        """Return why a function that is passed on may reject: `ids.forEach(guard.locked)`."""
        if any(thing.path[:1] and thing.path[0] in _READS for thing in things):
            return None
        given = _EVENT if any(_is_event(self._path(argument)) for argument in arguments(call)) else ()
        expects = name in CALLBACKS and any(thing.what == "value" for thing in things)
        for node in _handed_on(call):
            for thing in self._resolver.targets(self._module, node, self._step.this):
                if thing.what == "code" and thing.node is not None and thing.node.type in FUNCTIONS:
                    if thing.module is not None and not _is_inside(thing.node, call):
                        every = (given,) * len(parameters(thing.node))
                        detached = self._step.is_detached
                        self._further.append(
                            Step(thing.module, thing.node, thing.this, used is not None, every, detached)
                        )
                elif used is not None and not self._step.is_detached and self._is_unknown(thing, node, expects):
                    return Refusal(self._module, call, is_followed=False)
        return None

    def _is_unknown(self, thing: Thing, node: Node, expects: bool) -> bool:
        """Return whether an argument may be an unknown function."""
        if thing.what == "value":
            return expects and node.type in ("member_expression", "subscript_expression")
        return thing.what == "outside" and not thing.harmless

    def _path(self, node: Node) -> tuple[str, ...]:
        """Return which part of the event an argument is or contains."""
        node = unwrap(node)
        path = self._named(node)
        if path:
            return path
        for descendant in walk(node):
            if descendant.type in ("identifier", "shorthand_property_identifier"):
                top = descendant
                while top.parent is not None and top.parent.type == "member_expression" and top != node:
                    if top.parent.child_by_field_name("object") != top:
                        break
                    top = top.parent
                if _is_event(self._named(top)):
                    return _EVENT
        return ()

    def _named(self, node: Node) -> tuple[str, ...]:
        path = member_path(self._module, node)
        start = self._paths.get(path[0]) if path else None
        return () if start is None else (*start, *path[1:])


def _paths(step: Step) -> Paths:
    """Return the names in a function that refer to the event: its parameters, and what is assigned from them."""
    paths: Paths = {}
    for pattern, given in zip(parameters(step.node), step.given, strict=False):
        if given:
            for name, way in names_in(step.module, pattern):
                paths[name] = (*given, *(way or ()))
    for node in walk(step.node):
        name_, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if node.type == "variable_declarator" and name_ is not None and value is not None:
            path = member_path(step.module, unwrap(value))
            if path and path[0] in paths:
                for name, way in names_in(step.module, name_):
                    paths[name] = (*paths[path[0]], *path[1:], *(way or ()))
    return paths


def _is_event(path: tuple[str, ...]) -> bool:
    """Return whether a path is the event or its subject, not a single field of the written data."""
    is_field = path[: len(_DATA)] == _DATA and len(path) > len(_DATA)
    return path[:1] == _EVENT and not is_field and path[:2] not in _TEXTS


def _awaited(module: Module, function: Node) -> frozenset[str]:
    """Return the names that a function awaits or returns: calls assigned to them count as awaited."""
    awaited = set()
    for node in walk(function):
        if node.type in ("await_expression", "return_statement"):
            value = unwrap(named(node)[0]) if named(node) else node
            listed = [value]
            if value.type == "call_expression" and callee(module, value)[:1] == ("Promise",):
                listed = [inner for argument in arguments(value) for inner in (argument, *named(argument))]
            awaited |= {identifier(module, unwrap(one)) for one in listed if unwrap(one).type == "identifier"}
    return frozenset(awaited)


def _handed_on(call: Node) -> Iterator[Node]:
    """Yield the arguments of a call that may be functions: names, members, bound ones, and these within literals."""
    waiting = list(arguments(call))
    while waiting:
        node = unwrap(waiting.pop())
        match node.type:
            case "identifier" | "member_expression" | "subscript_expression" | "shorthand_property_identifier":
                yield node
            case "call_expression" if (function := node.child_by_field_name("function")) is not None:
                if function.type == "member_expression":
                    yield node
            case "object" | "array" | "spread_element":
                waiting += named(node)
            case "pair" if (value := node.child_by_field_name("value")) is not None:
                waiting.append(value)


def _is_inside(node: Node, call: Node) -> bool:
    return call.start_byte <= node.start_byte and node.end_byte <= call.end_byte


def _function(call: Node) -> Node:
    return call.child_by_field_name("function") or call.child_by_field_name("constructor") or call


def _last_name(module: Module, node: Node) -> str | None:
    path = unwrap(node)
    name_node = path.child_by_field_name("property")
    return identifier(module, name_node) if name_node is not None else None
