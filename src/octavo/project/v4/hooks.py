"""Lifecycle hooks: in `lifecycles` of content-types, and where code subscribes to them."""

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from tree_sitter import Node

from octavo.javascript.parse import Module
from octavo.javascript.source import Place
from octavo.javascript.syntax import (
    FUNCTIONS,
    arguments,
    callee,
    is_open,
    member_path,
    named,
    properties,
    string_value,
    unwrap,
    walk,
)
from octavo.project.v4.code import Guard, Hook, Kind, State
from octavo.project.v4.context import asks_request
from octavo.project.v4.controllers import CORE_ACTIONS
from octavo.project.v4.data import NotData
from octavo.project.v4.describing import called, describe, throws
from octavo.project.v4.overwriting import overwrites
from octavo.project.v4.sources import Sources
from octavo.schema.registry import Registry

LIFECYCLES: Final = "lifecycles"
ALL_ACTIONS: Final = (*CORE_ACTIONS, "createLocalization")
_WRITES: Final = {"Create": ("create", "createLocalization"), "Update": ("update",), "Delete": ("delete",)}
_EVENTS: Final = frozenset(
    f"{moment}{what}"
    for moment in ("before", "after")
    for what in (
        *("Create", "CreateMany", "Update", "UpdateMany", "Delete", "DeleteMany"),
        *("FindOne", "FindMany", "Count"),
    )
)
_RESULT: Final = "result"
_REMOVALS: Final = (("splice",), ("pop",), ("shift",), ("unset",))
_MOST_FUNCTIONS: Final = 50
_NAME: Final = re.compile(r"[\w-]+\.[\w-]+")
_CHANGES: Final = ("assignment_expression", "augmented_assignment_expression")


class HookReader:
    """Reads the hooks of one project."""

    def __init__(self, sources: Sources, registry: Registry) -> None:
        self._sources = sources
        definitions = (*registry.content_types.values(), *registry.components.values())
        self._attributes = frozenset(name for definition in definitions for name in definition.attributes)
        self.hooks: list[Hook] = []

    def read_file(self, path: Path, uid: str) -> None:
        """`lifecycles.js` of a content-type."""
        module = self._sources.module(path)
        value = None if module is None else self._sources.exported(module)
        if module is not None and not named(module.root):
            return
        if module is None or value is None or unwrap(value).type != "object":
            names = {} if module is None else self._sources.exported_names(module)
            if module is not None and names:
                self._read_all(module, names, uid)
            else:
                self._unclear(uid, self._sources.place(path))
            return
        self.read_object(module, value, uid)

    def read_object(self, module: Module, node: Node, uid: str) -> None:
        """Hooks that are written out as an object, by event."""
        if node.type != "object":
            self._unclear(uid, module.place(node))
            return
        if is_open(module, node):
            self._unclear(uid, module.place(node))
        self._read_all(module, properties(module, node), uid)

    def subscribe(self, module: Module, call: Node) -> None:
        """`strapi.db.lifecycles.subscribe({ models: [...], beforeCreate(event) {} })`"""
        given = arguments(call)
        other, node = self._sources.resolved(module, given[0]) if given else (module, call)
        if node.type != "object":
            self._unclear("", module.place(call))
            return
        members = properties(other, node)
        models = members.pop("models", None)
        try:
            uids = [""] if models is None else [str(uid) for uid in self._sources.value(other, models)]
        except (NotData, TypeError):
            uids = [""]
        for uid in uids:
            if is_open(other, node):
                self._unclear(uid, other.place(node))
            self._read_all(other, members, uid)

    def _unclear(self, uid: str, place: Place) -> None:
        name = f"{uid or 'all content-types'}: hooks"
        guard = Guard(name, place, "hooks that are not written out")
        self.hooks.append(Hook(uid, ALL_ACTIONS, guard))
        self._sources.find(Kind.HOOK, name, place, guard.says, State.CLOSED)

    def _read_all(self, module: Module, members: dict[str, Node], uid: str) -> None:
        for event, node in members.items():
            if event in _EVENTS:
                self._read(*self._sources.resolved(module, node), uid, event)

    def _read(self, module: Module, node: Node, uid: str, event: str) -> None:
        name = f"{uid or 'all content-types'}.{event}"
        place = module.place(node)
        says = describe(module, node)
        guards = self._guards(module, node, event)
        if guards:
            self.hooks.append(Hook(uid, _actions(event), Guard(name, place, says)))
        self._sources.find(Kind.HOOK, name, place, says, State.CLOSED if guards else State.OPEN)

    def _guards(self, module: Module, node: Node, event: str) -> bool:
        """Whether a hook may refuse, or change what is found or may be written. What follows a write does not."""
        if event.startswith("after"):
            return "Find" in event and _takes_away(module, node, self._attributes)
        if node.type not in FUNCTIONS:
            return True
        if "Find" in event or "Count" in event:
            return any(
                found.type in (*_CHANGES, "call_expression") and not _logs(module, found) for found in walk(node)
            )
        return _narrows(module, node) or overwrites(module, node, self._attributes) or self._refuses(module, node)

    def _refuses(self, module: Module, node: Node) -> bool:
        """Whether it throws, or something of the project that it calls does. What is too much to look at, may.

        So does what looks at who is asking: it writes what is theirs, and fails for those who are nobody.
        """
        seen: set[tuple[str, int]] = set()
        waiting = [(module, node)]
        while waiting:
            current, function = waiting.pop()
            if throws(current, function) or asks_request(current, function) or len(seen) > _MOST_FUNCTIONS:
                return True
            for found in self._called(current, function):
                key = (found[0].file, found[1].start_byte)
                if key not in seen:
                    seen.add(key)
                    waiting.append(found)
        return False

    def _called(self, module: Module, node: Node) -> Iterator[tuple[Module, Node]]:
        for found in walk(node):
            chain = callee(module, found) if found.type == "call_expression" else ()
            function = found.child_by_field_name("function")
            if len(chain) == 1 and function is not None:
                other, value = self._sources.resolved(module, function)
                if value.type in FUNCTIONS and value != node:
                    yield other, value
            elif not chain and function is not None and called(module, found)[:2] == ("strapi", "service"):
                yield from self._served(module, function)

    def _served(self, module: Module, function: Node) -> Iterator[tuple[Module, Node]]:
        """What `strapi.service('api::article.article').check` is: what has that name in the file of the service."""
        uids = (string_value(module, node) for node in walk(function) if node.type == "string")
        api, _, name = next(filter(None, uids), "").removeprefix("api::").partition(".")
        path = (
            self._sources.one(self._sources.source / "api" / api / "services" / name)
            if _NAME.fullmatch(f"{api}.{name}")
            else None
        )
        served = None if path is None else self._sources.module(path)
        if served is None:
            return
        wanted = called(module, function)[-1]
        for found in walk(served.root):
            key = found.child_by_field_name("key") or found.child_by_field_name("name")
            value = found.child_by_field_name("value") if found.type == "pair" else found
            if key is not None and value is not None and value.type in FUNCTIONS and served.text(key) == wanted:
                yield served, value


def subscriptions(module: Module) -> Iterator[Node]:
    """The calls that subscribe to hooks."""
    for found in walk(module.root):
        if found.type == "call_expression" and called(module, found)[-2:] == (LIFECYCLES, "subscribe"):
            yield found


def assigned_hooks(module: Module) -> Iterator[tuple[str, Node]]:
    """`strapi.contentType(uid).lifecycles = {...}`: the content-type, empty where it is not known, and the value."""
    for found in walk(module.root):
        left, right = found.child_by_field_name("left"), found.child_by_field_name("right")
        if found.type != "assignment_expression" or left is None or right is None:
            continue
        if called(module, left)[:1] == ("strapi",) and called(module, left)[-1] == LIFECYCLES:
            words = (string_value(module, node) for node in walk(left) if node.type == "string")
            yield next((word for word in words if word and "::" in word), ""), right


def _actions(event: str) -> tuple[str, ...]:
    """What stands behind an event. v4 reads an entry whenever it writes one, so reads stand behind everything."""
    return next((actions for word, actions in _WRITES.items() if word in event), ALL_ACTIONS)


def _narrows(module: Module, node: Node) -> bool:
    """Whether it changes which entries are meant, or takes away what the caller wants to write."""
    for found in walk(node):
        if found.type in _CHANGES:
            left = found.child_by_field_name("left")
            path = member_path(module, left) if left is not None else ()
            if {"where", "filters"} & set(path) or path[-1:] == ("params",):
                return True
        if _deletes(module, found) or _assigns_where(module, found):
            return True
    return False


def _assigns_where(module: Module, node: Node) -> bool:
    """`Object.assign(event.params.where, ...)`"""
    given = arguments(node) if node.type == "call_expression" and callee(module, node) == ("Object", "assign") else []
    return bool(given) and bool({"where", "filters", "params"} & set(member_path(module, given[0])[-2:]))


def _takes_away(module: Module, node: Node, attributes: Collection[str]) -> bool:
    """Whether a hook after a read may leave out, or mask, something of what was read: it sets anything that is an
    attribute somewhere, or hands the result to other code. What it only adds hides nothing."""
    if node.type not in FUNCTIONS or throws(module, node):
        return True
    for found in walk(node):
        if found.type in _CHANGES:
            left = found.child_by_field_name("left")
            path = member_path(module, left) if left is not None else ()
            if not path or path[-1] == _RESULT or path[-1] in attributes:
                return True
        if _deletes(module, found) or (found.type == "call_expression" and _hands_on(module, found)):
            return True
    return False


def _hands_on(module: Module, call: Node) -> bool:
    """Whether a call gets the result as it is, or changes a list in place."""
    if _logs(module, call):
        return False
    chain = called(module, call)
    given = (member_path(module, item) for item in arguments(call))
    return chain[-1:] in _REMOVALS or any(path[-1:] == (_RESULT,) or path == ("event",) for path in given)


def _deletes(module: Module, node: Node) -> bool:
    return node.type == "unary_expression" and module.text(node).startswith("delete")


def _logs(module: Module, node: Node) -> bool:
    return node.type == "call_expression" and called(module, node)[:1] in (("console",),)
