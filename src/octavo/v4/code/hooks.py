"""Lifecycle hooks: in `lifecycles` files of content types, and subscriptions in code."""

from collections.abc import Collection, Iterator, Set
from dataclasses import replace
from pathlib import Path
from typing import Final

from tree_sitter import Node

from octavo.schema.registry import Registry
from octavo.v4.code.call_following import Follower
from octavo.v4.code.code import Guard, Hook, Kind, State
from octavo.v4.code.controllers import CORE_ACTIONS
from octavo.v4.code.data import NotData
from octavo.v4.code.describing import called, throws
from octavo.v4.code.effects import Describer
from octavo.v4.code.nested_writes import UNKNOWN, Nested, NestedHook, refused_by_others
from octavo.v4.code.references import Thing
from octavo.v4.code.services import ServiceResolver
from octavo.v4.code.sources import Sources
from octavo.v4.javascript.modules import names_in
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.source import Place
from octavo.v4.javascript.syntax import (
    FUNCTIONS,
    arguments,
    callee,
    identifier,
    is_open,
    member_path,
    named,
    properties,
    string_value,
    unwrap,
    walk,
)
from octavo.v4.javascript.values import Function, Record, Value

_NAMES: Final = ("identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern")
_ASSIGNMENT: Final = "assignment_expression"
_BRANCHES: Final = ("binary_expression", "switch_case", "catch_clause", *FUNCTIONS)
_LITERALS: Final = ("string", "number", "true", "false", "null", "undefined")


def overwrites(module: Module, function: Node, attributes: Collection[str]) -> bool:
    """Return whether a field is set to a value that does not depend on the sent data alone: `data.approved = false`.

    A default (`if (!data.slug)`, `data.slug || ...`) leaves the choice to the caller; so does `slugify(data.title)`. An
    awaited value comes from elsewhere.
    """
    return any(True for _ in _chosen(module, function, attributes))


def forces(module: Module, function: Node, attributes: Collection[str]) -> bool:
    """Return whether a field is set to a literal value, whatever is sent: `data.approved = false`."""
    chosen = _chosen(module, function, attributes)
    return any(value.type in _LITERALS and not _is_conditional(value, function) for value in chosen)


def _is_conditional(node: Node, function: Node) -> bool:
    """Return whether a node runs conditionally."""
    while node.parent is not None and node.parent != function:
        node = node.parent
        if node.child_by_field_name("condition") is not None or node.type in _BRANCHES:
            return True
    return False


def _chosen(module: Module, function: Node, attributes: Collection[str]) -> Iterator[Node]:
    """Yield the values that fields are set to, if they do not depend on the sent data alone."""
    sent = set(_parameters(module, function))
    for descendant in walk(function):
        if descendant.type == "variable_declarator":
            name, value = descendant.child_by_field_name("name"), descendant.child_by_field_name("value")
            if name is not None and value is not None and _is_made_of(module, value, sent):
                sent.update(_names(module, name))
        elif descendant.type == _ASSIGNMENT:
            left, right = descendant.child_by_field_name("left"), descendant.child_by_field_name("right")
            path = member_path(module, left) if left is not None else ()
            if right is None or len(path) < 2 or path[0] not in sent or path[-1] not in attributes:
                continue
            if not (_is_made_of(module, right, sent) or _is_default(module, descendant, function, path)):
                yield unwrap(right)


def _parameters(module: Module, function: Node) -> Iterator[str]:
    for field in ("parameters", "parameter"):
        given = function.child_by_field_name(field)
        if given is not None:
            yield from _names(module, given)


def _names(module: Module, node: Node) -> Iterator[str]:
    return (identifier(module, descendant) for descendant in walk(node) if descendant.type in _NAMES)


def _is_made_of(module: Module, node: Node, sent: Set[str]) -> bool:
    awaits = any(descendant.type == "await_expression" for descendant in walk(node))
    return not awaits and any(name in sent for name in _names(module, node))


def _is_default(module: Module, assignment: Node, function: Node, path: tuple[str, ...]) -> bool:
    """Return whether a field is set only if a condition finds it missing."""
    node = assignment
    while node.parent is not None and node.parent != function:
        child, node = node, node.parent
        condition = node.child_by_field_name("condition")
        if node.type == "binary_expression":
            condition = node.child_by_field_name("left")
        if node.type in FUNCTIONS or condition is None or condition == child:
            continue
        if member_path(module, condition) != path and any(
            member_path(module, descendant)[-1:] == path[-1:] for descendant in walk(unwrap(condition))
        ):
            return True
    return False


LIFECYCLES: Final = "lifecycles"
EXTENSIONS: Final = "extensions"
ALL_ACTIONS: Final = (*CORE_ACTIONS, "createLocalization")
_WRITES: Final = {"Create": ("create", "createLocalization"), "Update": ("update",), "Delete": ("delete",)}
_WORDS: Final = (
    *("Create", "CreateMany", "Update", "UpdateMany", "Delete", "DeleteMany"),
    *("FindOne", "FindMany", "Count"),
)
_EVENTS: Final = frozenset(f"{moment}{what}" for moment in ("before", "after") for what in _WORDS)
_ALLOW: Final = "{says}; {reason}; if it rejects nothing, allow {name}"
_RESULT: Final = "result"
_REMOVALS: Final = (("splice",), ("pop",), ("shift",), ("unset",))
_CHANGES: Final = ("assignment_expression", "augmented_assignment_expression")


class HookReader:
    """Reads the hooks of one project."""

    def __init__(self, sources: Sources, registry: Registry, describer: Describer) -> None:
        self._describer = describer
        self._sources = sources
        definitions = (*registry.content_types.values(), *registry.components.values())
        self._attributes = frozenset(name for definition in definitions for name in definition.attributes)
        self.hooks: list[Hook] = []
        self._met: list[NestedHook] = []
        resolver = ServiceResolver(sources)
        self._scopes = resolver.scopes
        self._follower = Follower(resolver)

    def read_file(self, path: Path, uid: str) -> None:
        """Read `lifecycles.js` of a content type."""
        module = self._sources.module(path)
        value = None if module is None else self._sources.exported(module)
        if module is not None and not named(module.root):
            return
        if module is not None and value is not None:
            module, value = self._sources.resolved(module, value)
        if module is None or value is None or value.type != "object":
            names = {} if module is None else self._sources.exported_names(module)
            if module is not None and names:
                self._read_all(module, names, uid, Thing("space", module))
            else:
                self.close(uid, self._sources.place(path))
            return
        self.read_object(module, value, uid)

    def read_object(self, module: Module, node: Node, uid: str) -> None:
        """Read an object literal with hooks by event."""
        if node.type != "object":
            self.close(uid, module.place(node))
            return
        if is_open(module, node):
            self.close(uid, module.place(node))
        members = properties(module, node) | self._scopes.members_set(module, node)
        self._read_all(module, members, uid, Thing("code", module, node))

    def read_one(self, module: Module, node: Node, uid: str, event: str) -> None:
        """Read a single assigned hook: `contentType.lifecycles.beforeDelete = ...`."""
        if event in _EVENTS:
            self._read(*self._sources.resolved(module, node), uid, event, Thing("value"))
        else:
            self.close(uid, module.place(node))

    def read_value(self, hooks: Value, uid: str) -> None:
        """Read evaluated hooks by event, for example of an object with spreads."""
        if not isinstance(hooks.data, Record) or hooks.rest is not None:
            self.close(uid, hooks.place)
        for event, value in hooks.items():
            if isinstance(value.data, Function):
                self.read_one(value.data.module, value.data.node, uid, event)
            elif value.is_given:
                self.close(uid, value.place)

    def subscribe(self, module: Module, call: Node, only: Collection[str] | None = None) -> None:
        """Read `strapi.db.lifecycles.subscribe({ models: [...], beforeCreate(event) {} })`; for types in `only`."""
        given = arguments(call)
        other, node = self._sources.resolved(module, given[0]) if given else (module, call)
        if node.type != "object":
            if only is None:
                self.close("", module.place(call))
            return
        members = properties(other, node) | self._scopes.members_set(other, node)
        models = members.pop("models", None)
        try:
            uids = [""] if models is None else [str(uid) for uid in self._sources.value(other, models)]
        except (NotData, TypeError):
            uids = [""]
        for uid in uids if only is None else [uid for uid in uids if uid in only]:
            if is_open(other, node):
                self.close(uid, other.place(node))
            self._read_all(other, members, uid, Thing("code", other, node))

    def close(self, uid: str, place: Place) -> None:
        """Close all operations of a content type, because its hooks are computed."""
        name = f"{uid or 'all content types'}: hooks"
        guard = Guard(name, place, "computed hooks")
        self.hooks.append(Hook(uid, ALL_ACTIONS, guard))
        position = len(self._sources.findings)
        self._met += [NestedHook(uid, f"before{what}", guard, (), True, position) for what in _WORDS]
        self._sources.find(Kind.HOOK, name, place, guard.says, State.CLOSED)

    def _read_all(self, module: Module, members: dict[str, Node], uid: str, owner: Thing) -> None:
        for event, node in members.items():
            if event in _EVENTS:
                self._read(*self._sources.resolved(module, node), uid, event, owner)

    def _read(self, module: Module, node: Node, uid: str, event: str, owner: Thing) -> None:
        name = f"{uid or 'all content types'}.{event}"
        place = module.place(node)
        says = self._describer.describe(module, node)
        reason = self._reason(module, node, event, owner)
        if reason is not None:
            says = _ALLOW.format(says=says, reason=reason, name=name) if reason else says
            self.hooks.append(Hook(uid, _actions(event), Guard(name, place, says)))
        refuses, nested = self._nested(module, node, event, owner)
        position = len(self._sources.findings)
        self._met.append(NestedHook(uid, event, Guard(name, place, says), nested, refuses, position))
        self._sources.find(Kind.HOOK, name, place, says, State.OPEN if reason is None else State.CLOSED)

    def close_nested(self) -> None:
        """Close the hooks whose reads or writes other hooks may reject. To be called after all hooks are read."""
        for hook, nested, other in refused_by_others(self._met):
            if hook.is_before and self._sources.findings[hook.position].state is State.OPEN:
                uid = "entries" if nested.uid == UNKNOWN else nested.uid
                place = f"{nested.place.file}:{nested.place.line}"
                reason = f"reads or writes {uid} at {place}, which {other.guard.name} can reject"
                guard = hook.guard
                says = _ALLOW.format(says=guard.says, reason=reason, name=guard.name)
                self.hooks.append(Hook(hook.uid, _actions(hook.event), replace(guard, says=says)))
                findings = self._sources.findings[hook.position]
                self._sources.findings[hook.position] = replace(findings, says=says, state=State.CLOSED)

    def _nested(self, module: Module, node: Node, event: str, owner: Thing) -> tuple[bool, tuple[Nested, ...]]:
        """Return whether a hook itself may reject, and its reads and writes. A hook after an operation whose calls
        cannot be followed counts as harmless."""
        is_before = event.startswith("before")
        if node.type not in FUNCTIONS:
            return is_before, ()
        refusals = (refusal for _, refusal in self._follower.steps(module, node, owner))
        refuses = any(one is not None and (one.is_followed or is_before) for one in refusals)
        return refuses, () if refuses else self._follower.nested(module, node, owner)

    def _reason(self, module: Module, node: Node, event: str, owner: Thing) -> str | None:
        """Return why a hook may reject, or change what is found or written; empty if its description contains the
        reason, None if it does neither. Hooks after a write do not."""
        if node.type not in FUNCTIONS:
            return None if event.startswith("after") and "Find" not in event else ""
        if "Find" in event or "Count" in event:
            is_after = event.startswith("after")
            hides = _may_mask(module, node, self._attributes) if is_after else _changes_or_calls(module, node)
            return "" if hides else self._refusal(module, node, owner, only_followed=is_after)
        if event.startswith("after"):
            return None
        if _narrows(module, node) or overwrites(module, node, self._attributes):
            return ""
        return self._refusal(module, node, owner)

    def _refusal(self, module: Module, node: Node, owner: Thing, *, only_followed: bool = False) -> str | None:
        """Return why a hook, or a function that it calls, may reject, or changes the subject of the hook.

        Code that uses the caller counts: it writes the caller's data, and fails for anonymous callers. With
        `only_followed`, calls that cannot be followed do not count.
        """
        for step, refusal in self._follower.steps(module, node, owner):
            if refusal is not None and (refusal.is_followed or not only_followed):
                return "" if refusal.is_followed and step.node == node else str(refusal)
            is_helper = step.node != node and step.has_event
            if is_helper and (_narrows(step.module, step.node) or forces(step.module, step.node, self._attributes)):
                place = step.module.place(step.node)
                return f"changes the data or the filters at {place.file}:{place.line}"
        return None


def subscriptions(module: Module) -> Iterator[Node]:
    """Yield the calls that subscribe hooks, also by another name of `strapi.db.lifecycles`."""
    is_known = LIFECYCLES.encode() in module.source.text
    for descendant in walk(module.root):
        chain = called(module, descendant) if descendant.type == "call_expression" else ()
        if is_known and chain[-1:] == ("subscribe",) and "eventHub" not in chain:
            yield descendant


def assigned_hooks(module: Module) -> Iterator[tuple[str, str, Node]]:
    """Yield `strapi.contentType(uid).lifecycles = {...}`: the content type, empty if it is unknown; the event, empty if
    it is all of them; and the value. `ExtensionReader` reads those of extended plugins."""
    is_extension = f"/{EXTENSIONS}/" in f"/{module.file}"
    for descendant in walk(module.root):
        left, right = descendant.child_by_field_name("left"), descendant.child_by_field_name("right")
        if descendant.type != "assignment_expression" or left is None or right is None:
            continue
        chain = called(module, left)
        if len(chain) > 1 and LIFECYCLES in chain[-2:] and not _is_empty(right):
            start = _declared_as(module, chain[0])
            words = (string_value(module, node) for part in (left, start) if part for node in walk(part))
            whole = (*(called(module, start) if start is not None else ()), *chain)
            if not (is_extension and whole[1:2] == ("contentTypes",)):
                event = "" if chain[-1] == LIFECYCLES else chain[-1]
                yield next((word for word in words if word and "::" in word), ""), event, right


def _is_empty(node: Node) -> bool:
    return node.type == "object" and not named(node)


def _declared_as(module: Module, name: str) -> Node | None:
    """Return the value in a name's declaration, anywhere in a file."""
    for descendant in walk(module.root):
        own, value = descendant.child_by_field_name("name"), descendant.child_by_field_name("value")
        if descendant.type == "variable_declarator" and own is not None and name in dict(names_in(module, own)):
            return value
    return None


def _changes_or_calls(module: Module, node: Node) -> bool:
    """Return whether a hook before a read does anything but log."""
    return any(
        descendant.type in (*_CHANGES, "call_expression") and not _logs(module, descendant) for descendant in walk(node)
    )


def _actions(event: str) -> tuple[str, ...]:
    """Return the actions that trigger an event. v4 reads an entry whenever it writes one, so reads occur in all."""
    return next((actions for word, actions in _WRITES.items() if word in event), ALL_ACTIONS)


def _narrows(module: Module, node: Node) -> bool:
    """Return whether a hook changes which entries are selected, or removes data that the caller wants to write."""
    for descendant in walk(node):
        if descendant.type in _CHANGES:
            left = descendant.child_by_field_name("left")
            path = member_path(module, left) if left is not None else ()
            if {"where", "filters"} & set(path) or path[-1:] == ("params",):
                return True
        if _deletes(module, descendant) or _assigns_where(module, descendant):
            return True
    return False


def _assigns_where(module: Module, node: Node) -> bool:
    """Return whether a node is `Object.assign(event.params.where, ...)`."""
    given = arguments(node) if node.type == "call_expression" and callee(module, node) == ("Object", "assign") else []
    return bool(given) and bool({"where", "filters", "params"} & set(member_path(module, given[0])[-2:]))


def _may_mask(module: Module, node: Node, attributes: Collection[str]) -> bool:
    """Return whether a hook after a read may remove or mask data: it sets anything that is an attribute somewhere, or
    passes the result to other code. Additions hide nothing."""
    if node.type not in FUNCTIONS or throws(module, node):
        return True
    for descendant in walk(node):
        if descendant.type in _CHANGES:
            left = descendant.child_by_field_name("left")
            path = member_path(module, left) if left is not None else ()
            if not path or path[-1] == _RESULT or path[-1] in attributes:
                return True
        if _deletes(module, descendant) or (descendant.type == "call_expression" and _hands_on(module, descendant)):
            return True
    return False


def _hands_on(module: Module, call: Node) -> bool:
    """Return whether a call gets the result unchanged, or changes a list in place."""
    if _logs(module, call):
        return False
    chain = called(module, call)
    given = (member_path(module, item) for item in arguments(call))
    return chain[-1:] in _REMOVALS or any(path[-1:] == (_RESULT,) or path == ("event",) for path in given)


def _deletes(module: Module, node: Node) -> bool:
    return node.type == "unary_expression" and module.text(node).startswith("delete")


def _logs(module: Module, node: Node) -> bool:
    return node.type == "call_expression" and called(module, node)[:1] in (("console",),)
