"""Controllers and services: which core actions they keep, change or replace, and which actions they add."""

import re
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Final

from tree_sitter import Node

from octavo.core.values import dataclass
from octavo.schema.naming import kebab_case
from octavo.schema.registry import Registry
from octavo.v4.code.code import Guard, Kind, Shape, State
from octavo.v4.code.context import NotUnderstood
from octavo.v4.code.describing import called
from octavo.v4.code.effects import Describer
from octavo.v4.code.flow import read_action
from octavo.v4.code.named_handlers import describe_effects
from octavo.v4.code.porting import Ported
from octavo.v4.code.slug_lookups import finds_by_slug
from octavo.v4.code.sources import Sources, answered
from octavo.v4.javascript.modules import bindings_of, follow
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.source import Place
from octavo.v4.javascript.syntax import FUNCTIONS, arguments, is_open, properties, string_value, unwrap

CORE_ACTIONS: Final = ("find", "findOne", "create", "update", "delete")
_STEPS: Final = frozenset(
    ("sanitizeOutput", "sanitizeInput", "sanitizeQuery", "validateQuery", "validateInput", "transformResponse")
)
"""Methods of the controller that core actions call: replacing one changes all of them."""
_BEHIND: Final[Mapping[str, tuple[str, ...]]] = {
    **{name: (name,) for name in CORE_ACTIONS},
    "createOrUpdate": ("update",),
    "getFetchParams": ("find", "findOne"),
}
"""The core actions that use each function of a core service."""

_GENERATED: Final = re.compile(
    rb"""^(?:
      \s | /\*(?:[^*]|\*(?!/))*\*/ | //[^\n]* | ["']use[ ]strict["'];?
      | const\s*\{[\s\w,]*\}\s*=\s*require\(['"]@strapi/strapi['"]\)\.factories;?
      | import\s*\{[\s\w,]*\}\s*from\s*['"]@strapi/strapi['"];?
    )*
    (?:module\.exports\s*=|export\s+default)\s*(?:require\(['"]@strapi/strapi['"]\)\.)?(?:factories\.)?createCore(?:Controller|Service|Router)
    \(\s*['"]([\w:.-]+)['"]\s*\)\s*;?\s*$""",
    re.DOTALL | re.VERBOSE,
)
"""The pattern of a generated file. Anything else in the file prevents a match."""


@dataclass(frozen=True, slots=True)
class Controller:
    """A controller by its actions. `core` is the content type of its core actions; `whole` guards all of them."""

    core: str | None = None
    own: Mapping[str, Place] = field(default_factory=dict)
    guards: Mapping[str, Guard] = field(default_factory=dict)
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    whole: Guard | None = None
    ported: frozenset[str] = frozenset()
    """The actions that are ported to Python, for which JavaScript does not matter."""

    def guard(self, action: str) -> Guard | None:
        """Return the guard of a core action, if any."""
        return None if action in self.ported else self.guards.get(action) or self.whole

    def shape(self, action: str) -> Shape | None:
        """Return a core action's changes of the query, if any."""
        return None if action in self.ported else self.shapes.get(action)


def generated_uid(path: Path) -> str | None:
    """Return the content type of a generated file, which consists of one call of a factory."""
    try:
        if path.stat().st_size > 1024:
            return None
        match = _GENERATED.match(path.read_bytes())
    except OSError:
        return None
    return None if match is None else match[1].decode()


def factory_call(module: Module, node: Node, factory: str) -> tuple[str, Node | None] | None:
    """Return the content type and the second argument of `factories.createCoreX(uid, ...)`."""
    node = unwrap(node)
    if node.type != "call_expression" or called(module, node)[-1:] != (factory,):
        return None
    given = arguments(node)
    uid = string_value(module, follow(module, given[0], bindings_of(module))) if given else None
    return None if uid is None else (uid, given[1] if len(given) > 1 else None)


class Controllers:
    """The controllers and services of a project, by their full names."""

    def __init__(self, sources: Sources, registry: Registry, ported: Ported, describer: Describer) -> None:
        self._describer = describer
        self._sources = sources
        self._ported = ported
        self._types = registry.content_types
        self.controllers: dict[str, Controller] = {}
        self.services: dict[str, Mapping[str, Guard]] = {}

    def collect(self, api: Path, owner: str) -> None:
        """Read the controllers and services of one API."""
        for path in self._sources.folder(api / "controllers"):
            name = f"{owner}.{kebab_case(path.stem)}"
            self.controllers[name] = replace(self._controller(path, name), ported=self._actions(name))
        for name in self._ported.controllers:
            if name.startswith(f"{owner}.") and name not in self.controllers:
                self.controllers[name] = Controller(name if name in self._types else None, ported=self._actions(name))
        for path in self._sources.folder(api / "services"):
            self.services[f"{owner}.{kebab_case(path.stem)}"] = self._service(path, f"{owner}.{kebab_case(path.stem)}")

    def _actions(self, controller: str) -> frozenset[str]:
        """Return the actions of a controller that are ported to Python."""
        names = (name.rpartition(".") for name in self._ported.actions)
        return frozenset(action for owner, _, action in names if owner == controller)

    def guards(self, controller: Controller, action: str) -> list[Guard]:
        """Return the guards of a core action: the controller itself, or the service that it uses."""
        uid = controller.core or ""
        is_ported = action in controller.ported or f"{uid}.{action}" in self._ported.services
        behind = None if is_ported else self.services.get(uid, {}).get(action)
        return [guard for guard in (controller.guard(action), behind) if guard is not None]

    def _controller(self, path: Path, name: str) -> Controller:
        place = self._sources.place(path)
        if (uid := generated_uid(path)) is not None:
            self._sources.find(Kind.CONTROLLER, name, place, "generated", State.NOTHING)
            return Controller(uid)
        module = self._sources.module(path)
        value = None if module is None else self._sources.exported(module)
        if module is None or value is None:
            return self._unclear(name, place, None)
        made = factory_call(module, value, "createCoreController")
        if made is None:
            uid, members = None, answered(module, value)
        else:
            uid, members = made[0], None if made[1] is None else answered(module, made[1])
            if made[1] is None:
                self._sources.find(Kind.CONTROLLER, name, place, "generated", State.NOTHING)
                return Controller(uid)
        if members is None or members.type != "object":
            return self._unclear(name, place, uid)
        return self._read(module, members, name, place, uid)

    def _unclear(self, name: str, place: Place, uid: str | None) -> Controller:
        guard = Guard(name, place, "its actions are computed")
        self._sources.find(Kind.CONTROLLER, name, place, guard.says, State.CLOSED)
        return Controller(uid, whole=guard)

    def _read(self, module: Module, members: Node, name: str, place: Place, uid: str | None) -> Controller:
        own: dict[str, Place] = {}
        guards: dict[str, Guard] = {}
        shapes: dict[str, Shape] = {}
        whole = (
            Guard(name, module.place(members), "some of its actions are computed") if is_open(module, members) else None
        )
        members_by_name = properties(module, members)
        if not members_by_name and whole is None:
            self._sources.find(Kind.CONTROLLER, name, place, "empty", State.NOTHING)
        for action, node in members_by_name.items():
            at = module.place(node)
            full = f"{name}.{action}"
            if action in _STEPS:
                whole = Guard(full, at, f"replaces {action}, which all core actions use")
                self._sources.find(Kind.ACTION, full, at, whole.says, State.CLOSED)
            elif uid is None or action not in CORE_ACTIONS:
                own[action] = at
                self._sources.find(
                    Kind.ACTION, full, at, f"custom action: {self._describer.describe(module, node)}", State.OPEN
                )
            else:
                self._override(module, node, uid, full, action, guards, shapes)
        if whole is not None and whole.name == name:
            self._sources.find(Kind.CONTROLLER, name, whole.place, whole.says, State.CLOSED)
        return Controller(uid, own, guards, shapes, whole)

    def _override(
        self,
        module: Module,
        node: Node,
        uid: str,
        full: str,
        action: str,
        guards: dict[str, Guard],
        shapes: dict[str, Shape],
    ) -> None:
        at, says = module.place(node), f"overridden: {self._describer.describe(module, node)}"
        other, function = (module, node) if node.type in FUNCTIONS else self._sources.resolved(module, node)
        try:
            flow = read_action(other, function, action)
        except NotUnderstood:
            content_type = self._types.get(uid)
            if action == "findOne" and content_type is not None and finds_by_slug(other, function, content_type):
                by_slug = "overridden: finds by a value in the path; Octavo finds by ID only"
                self._sources.find(Kind.ACTION, full, at, by_slug, State.OPEN)
                return
            guards[action] = Guard(full, at, says)
            self._sources.find(Kind.ACTION, full, at, says, State.CLOSED)
            return
        shapes[action] = flow.shape
        state = State.OPEN if flow.undone else State.TAKEN
        self._sources.find(Kind.ACTION, full, at, f"overridden: {describe_effects(flow)}, then the core action", state)

    def _service(self, path: Path, name: str) -> Mapping[str, Guard]:
        place = self._sources.place(path)
        if generated_uid(path) is not None:
            self._sources.find(Kind.SERVICE, name, place, "generated", State.NOTHING)
            return {}
        module = self._sources.module(path)
        value = None if module is None else self._sources.exported(module)
        if module is None or value is None:
            return self._whole_service(name, place)
        made = factory_call(module, value, "createCoreService")
        if made is not None and made[1] is None:
            self._sources.find(Kind.SERVICE, name, place, "generated", State.NOTHING)
            return {}
        if name not in self._types and made is None:
            return self._own_service(module, value, name, place)
        members = answered(module, value if made is None or made[1] is None else made[1])
        if members is None or members.type != "object" or is_open(module, members):
            return self._whole_service(name, place)
        found: dict[str, Guard] = {}
        if not properties(module, members):
            self._sources.find(Kind.SERVICE, name, place, "empty", State.NOTHING)
        for function, node in properties(module, members).items():
            at, does = module.place(node), self._describer.describe(module, node)
            actions = _BEHIND.get(function, ())
            says = f"replaces the service function {function}: {does}" if actions else f"custom function: {does}"
            for action in actions:
                found[action] = Guard(f"{name}.{action}", at, says)
            state = State.CLOSED if actions else State.OPEN
            self._sources.find(Kind.SERVICE, f"{name}.{function}", at, says, state)
        return found

    def _own_service(self, module: Module, value: Node, name: str, place: Place) -> Mapping[str, Guard]:
        """Read a service that no core action uses."""
        members = answered(module, value)
        if members is None or members.type != "object":
            self._sources.find(Kind.SERVICE, name, place, self._describer.describe(module, module.root), State.OPEN)
            return {}
        if not properties(module, members):
            self._sources.find(Kind.SERVICE, name, place, "empty", State.NOTHING)
        for function, node in properties(module, members).items():
            says = f"custom function: {self._describer.describe(module, node)}"
            self._sources.find(Kind.SERVICE, f"{name}.{function}", module.place(node), says, State.OPEN)
        return {}

    def _whole_service(self, name: str, place: Place) -> Mapping[str, Guard]:
        says = "its functions are computed"
        self._sources.find(Kind.SERVICE, name, place, says, State.CLOSED)
        return {action: Guard(f"{name}.{action}", place, says) for action in CORE_ACTIONS}
