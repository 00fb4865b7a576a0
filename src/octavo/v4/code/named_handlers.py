"""Policies and middlewares: those of a project by name, and those defined inline."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal

from tree_sitter import Node

from octavo.access.authentication.route_limits import RATE_LIMIT
from octavo.core.values import dataclass
from octavo.schema.naming import kebab_case
from octavo.v4.code.code import Guard, Kind, Shape, State, UsedName
from octavo.v4.code.context import NotUnderstood
from octavo.v4.code.data import NotData
from octavo.v4.code.effects import Describer
from octavo.v4.code.flow import Flow, passes_always, read_middleware
from octavo.v4.code.porting import Places, Ported
from octavo.v4.code.root_redirects import acts_on_root_only
from octavo.v4.code.sources import Sources, answered
from octavo.v4.config.convert import Converter, interval, whole
from octavo.v4.javascript.modules import find_script
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.source import Place
from octavo.v4.javascript.syntax import FUNCTIONS, is_open, named, properties, returned, string_value, unwrap

Family = Literal["policies", "middlewares"]
FAMILIES: Final[tuple[Family, ...]] = ("policies", "middlewares")
_KINDS: Final = {"policies": Kind.POLICY, "middlewares": Kind.MIDDLEWARE}


@dataclass(frozen=True, slots=True)
class Judged:
    """A policy or middleware: its guard or, if it is not one, its changes of the query."""

    guard: Guard | None
    shape: Shape | None = None
    ported: str | None = None
    """Its full name, if it is ported to Python."""


_LIMIT: Final[Mapping[str, Converter]] = {"max": whole, "interval": interval}
_NO_LIMIT: Final = (
    "limits requests with %s, which Octavo does not support; limit them in your proxy, then allow this name"
)


class NamedCode:
    """The policies and middlewares of a project, by their full names (`global::x`, `api::a.x`, `plugin::p.x`)."""

    def __init__(self, sources: Sources, ported: Ported, describer: Describer) -> None:
        self._describer = describer
        self._sources = sources
        self._ported: dict[Family, Places] = {"policies": ported.policies, "middlewares": ported.middlewares}
        self._files: dict[Family, dict[str, Path]] = {"policies": {}, "middlewares": {}}
        self._judged: dict[tuple[Family, str], tuple[Judged, str]] = {}
        self._used: set[tuple[Family, str]] = set()
        self._members: dict[tuple[Family, str], tuple[Module, Node]] = {}

    def collect(self, folder: Path, prefix: str) -> None:
        """Collect the files in `policies` and `middlewares` of a folder. `prefix` is the prefix of their names."""
        for family in self._files:
            for path in self._sources.folder(folder / family):
                if prefix.startswith("plugin::") and path.stem == "index" and self._collect_index(family, path, prefix):
                    continue
                stem = path.stem if prefix == "global::" else kebab_case(path.stem)
                self._files[family][f"{prefix}{stem}"] = path

    def add(self, family: Family, name: str, module: Module, member: Node) -> None:
        """Add what an extension assigns: `plugin.policies.x` becomes `plugin::users-permissions.x`."""
        if module.path is not None:
            self._files[family][name] = module.path
            self._members[family, name] = module, member

    def _collect_index(self, family: Family, path: Path, prefix: str) -> bool:
        """Add the entries of an index file (`{ owner: require("./owner") }`); return False if it is no such list."""
        module = self._sources.module(path)
        value = None if module is None else self._sources.exported(module)
        if module is None or value is None:
            return False
        module, value = self._sources.resolved(module, value)
        if value.type != "object" or is_open(module, value):
            return False
        for name, member in properties(module, value).items():
            full = f"{prefix}{name}"
            self._files[family].setdefault(full, path)
            if self._files[family][full] == path:
                self._members[family, full] = module, member
        return True

    def tell(self) -> None:
        """Add a finding for each file, after it is known which of them are used."""
        for family, files in self._files.items():
            for name, path in files.items():
                judged, says = self._look(family, name, path)
                state = State.CLOSED if judged.guard else _state(judged)
                if (family, name) not in self._used and name not in self._ported[family]:
                    says, state = f"apparently unused: {says}", State.OPEN
                self._sources.find(_KINDS[family], name, self._sources.place(path), says, state)

    def full_name(self, family: Family, name: str, owner: str) -> str:
        """Return the full name for a short name in a route of `owner` (`api::article`)."""
        own = f"{owner}.{name}"
        is_own = own in self._files[family] or own in self._ported[family]
        return name if "::" in name else own if is_own else f"global::{name}"

    def name_of(self, family: Family, given: str) -> str:
        """Return the full name of a file that `resolve` names (`./src/middlewares/log`); other names unchanged.

        Like v4, a path without `./` is relative to the project, too. A file in any other folder gets the path as its
        name.
        """
        path = None if "::" in given else find_script(self._sources.project / given, self._sources.project)
        if path is None:
            return given
        files = self._files[family]
        known = next((name for name, file in files.items() if file == path), None)
        if known is None:
            known, files[given] = given, path
        return known

    def judge(self, family: Family, name: str, used_at: Place) -> Judged:
        """Judge a used policy or middleware by its full name. Without a file, it is a guard."""
        path = self._files[family].get(name)
        self._used.add((family, name))
        if name in self._ported[family] or (family == "middlewares" and name == RATE_LIMIT):
            return Judged(None, ported=name)
        if path is None:
            return Judged(Guard(name, used_at, "not found in the project"))
        return self._look(family, name, path)[0]

    def _look(self, family: Family, name: str, path: Path) -> tuple[Judged, str]:
        key = (family, name)
        if key not in self._judged:
            self._judged[key] = self._read(family, name, path)
        return self._judged[key]

    def _read(self, family: Family, name: str, path: Path) -> tuple[Judged, str]:
        place = self._sources.place(path)
        if (family, name) in self._members:
            return self._judge(family, *self._sources.resolved(*self._members[family, name]), name, place)
        module = self._sources.module(path)
        if module is None:
            return Judged(Guard(name, place, "cannot be read")), "cannot be read"
        value = self._sources.exported(module)
        if value is None:
            says = self._describer.describe(module, module.root, "its export is not a function")
            return Judged(Guard(name, place, says)), says
        return self._judge(family, *self._sources.resolved(module, value), name, place)

    def used(
        self, family: Family, module: Module, node: Node, owner: str, route: str
    ) -> Iterator[tuple[Judged, UsedName | None]]:
        """Read a list in the `config` of a route, such as `policies: ["is-owner", (ctx) => ...]`; ported ones include
        their configuration."""
        module, node = self._sources.resolved(module, node)
        if node.type != "array":
            yield Judged(Guard(route, module.place(node), f"computed {family}")), None
            return
        for item in named(node):
            other, value = self._sources.resolved(module, item)
            judged = self._one(family, other, value, owner, route)
            yield self.configured(judged, other, value)

    def configured(self, judged: Judged, module: Module, item: Node) -> tuple[Judged, UsedName | None]:
        """Add the configuration to a ported handler. If it is not data, the handler is a guard."""
        if judged.ported is None:
            return judged, None
        members = properties(module, item) if item.type == "object" else {}
        try:
            config = self._sources.value(module, members["config"]) if "config" in members else {}
        except NotData:
            place = module.place(item)
            says = "its config is computed" if judged.ported == RATE_LIMIT else "is ported, but its config is computed"
            return Judged(Guard(judged.ported, place, says)), None
        if judged.ported == RATE_LIMIT:
            config, unsupported = _limit(config)
            if unsupported:
                return Judged(Guard(RATE_LIMIT, module.place(item), _NO_LIMIT % unsupported)), None
        return judged, (judged.ported, config)

    def _one(self, family: Family, module: Module, item: Node, owner: str, route: str) -> Judged:
        place = module.place(item)
        members = properties(module, item) if item.type == "object" else {}
        name = string_value(*self._sources.resolved(module, members.get("name") or members.get("resolve") or item))
        if name is not None:
            return self.judge(family, self.full_name(family, name, owner), place)
        self._used |= {(family, known) for known, path in self._files[family].items() if path == module.path}
        judged, says = self._judge(family, module, item, route, place, is_inner=True)
        word = "policy" if family == "policies" else "middleware"
        state = State.CLOSED if judged.guard else _state(judged)
        self._sources.find(_KINDS[family], route, place, f"inline {word}: {says}", state)
        return judged

    def _judge(
        self, family: Family, module: Module, value: Node, name: str, place: Place, *, is_inner: bool = False
    ) -> tuple[Judged, str]:
        """Return the judgment and a description. A function returns a middleware, unless it is inline in a route."""
        says = self._describer.describe(module, value)
        if family == "policies":
            if passes_always(module, value):
                return Judged(None), "allows every request"
            return Judged(Guard(name, place, says)), says
        if not is_inner and value.type in FUNCTIONS and _answers_nothing(value):
            return Judged(None, Shape()), says
        inner = value if is_inner else answered(module, value)
        if inner is not None and acts_on_root_only(module, inner):
            return Judged(None, Shape()), f"acts on the root of the site only: {says}"
        try:
            flow = read_middleware(module, inner if inner is not None and inner.type in FUNCTIONS else unwrap(value))
        except NotUnderstood:
            return Judged(Guard(name, place, says)), says
        return Judged(None, flow.shape), describe_effects(flow)


def _state(judged: Judged) -> State:
    if judged.shape is None:
        return State.NOTHING
    return State.TAKEN if judged.shape != Shape() else State.OPEN


def _limit(config: Any) -> tuple[dict[str, int], str]:
    """Return the `max` and `interval` of a limit, in seconds, and the options that are not supported."""
    given = config if isinstance(config, Mapping) else {}
    converted, unsupported = {}, []
    for name, value in given.items():
        try:
            converted[name] = _LIMIT[name](value)
            if converted[name] < 1:
                raise ValueError
        except (KeyError, ValueError):
            unsupported.append(f"`{name}`")
    return converted, ", ".join(unsupported)


def describe_effects(flow: Flow) -> str:
    """Describe the effects in one line."""
    parts = (
        [f"sets {', '.join(dict.fromkeys(change.key for change in flow.shape.changes))}"] if flow.shape.changes else []
    )
    if flow.undone:
        parts.append(f"not applied: {', '.join(flow.undone)}")
    return "; ".join(parts) or "changes nothing"


def _answers_nothing(function: Node) -> bool:
    """Return whether a middleware factory returns nothing: v4 ignores it then."""
    body = function.child_by_field_name("body")
    return body is not None and body.type == "statement_block" and not returned(function)
