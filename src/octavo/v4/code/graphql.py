"""A project's changes of the GraphQL schema in JavaScript: switches and access rules as data, the rest as guards."""

from typing import Any, Final

from tree_sitter import Node

from octavo.project.routes import Access
from octavo.v4.code.code import FieldRule, Guard, Kind, State, Switch, UsedName
from octavo.v4.code.data import NotData
from octavo.v4.code.describing import called
from octavo.v4.code.effects import Describer
from octavo.v4.code.named_handlers import FAMILIES, NamedCode
from octavo.v4.code.sources import Sources, answered
from octavo.v4.javascript.parse import Module
from octavo.v4.javascript.source import Place
from octavo.v4.javascript.syntax import (
    FUNCTIONS,
    arguments,
    identifier,
    is_open,
    parameters,
    properties,
    string_value,
    unwrap,
    walk,
)

SHADOW: Final = "shadowCRUD"
DOOR: Final = "graphql"
"""The name of a guard that closes GraphQL completely."""

_TYPE_SWITCHES: Final = ("disable", "disableQueries", "disableMutations", "disableAction", "disableActions")
_FIELD_SWITCHES: Final = ("disable", "disableOutput", "disableInput", "disableFilters")
_MOST_LEVELS: Final = 40
_ROOTS: Final = ("Query", "Mutation")


class GraphqlReader:
    """Reads the GraphQL code of one project."""

    def __init__(self, sources: Sources, names: NamedCode, describer: Describer) -> None:
        self._describer = describer
        self._sources = sources
        self._named = names
        self.switches: list[Switch] = []
        self.rules: list[FieldRule] = []
        self.door: list[Guard] = []

    def read(self, module: Module) -> None:
        """Read all changes of the schema in a file."""
        for descendant in walk(module.root):
            chain = called(module, descendant) if descendant.type == "call_expression" else ()
            if SHADOW in chain[:-1]:
                self._switch(module, descendant, chain[-1])
            elif chain[-1:] == ("use",) and _is_extension(chain):
                self._use(module, descendant)

    # Switches

    def _switch(self, module: Module, call: Node, method: str) -> None:
        if method not in (*_TYPE_SWITCHES, *_FIELD_SWITCHES):
            return
        place = module.place(call)
        try:
            uids, field = self._subject(module, call)
            given = tuple(self._sources.value(module, item) for item in arguments(call))
        except NotData:
            self._close(place, f"{method} with computed arguments")
            return
        for uid in uids:
            self.switches.append(Switch(uid, method, given, place, field))
            name = f"{SHADOW}({uid}){f'.field({field})' if field else ''}.{method}"
            self._sources.find(Kind.GRAPHQL, name, place, "configures the schema", State.TAKEN)

    def _subject(self, module: Module, call: Node) -> tuple[list[str], str | None]:
        """Return the content types of a chain of calls, and the field. Raises NotData."""
        field: str | None = None
        current = call
        while True:
            function = current.child_by_field_name("function")
            below = None if function is None else function.child_by_field_name("object")
            name = None if function is None else function.child_by_field_name("property")
            word = "" if name is None else module.text(name)
            if word == SHADOW:
                return self._uids(module, arguments(current)), field
            if word == "field" and field is None:
                field = str(self._one(module, arguments(current)))
            if below is None or unwrap(below).type != "call_expression":
                raise NotData
            current = unwrap(below)

    def _one(self, module: Module, given: list[Node]) -> Any:
        if not given:
            raise NotData
        return self._sources.value(module, given[0])

    def _uids(self, module: Module, given: list[Node]) -> list[str]:
        try:
            return [str(self._one(module, given))]
        except NotData:
            return [str(item) for item in self._looped(module, given)]

    def _looped(self, module: Module, given: list[Node]) -> list[Any]:
        """Return the values of a name in `[...].forEach((name) => ...)`. Raises NotData."""
        if not given or given[0].type != "identifier":
            raise NotData
        name, current = identifier(module, given[0]), given[0].parent
        for _ in range(_MOST_LEVELS):
            if current is None:
                break
            first = parameters(current)[:1] if current.type in FUNCTIONS else []
            if first and first[0].type == "identifier" and identifier(module, first[0]) == name:
                call = current.parent and current.parent.parent
                function = None if call is None else call.child_by_field_name("function")
                below = None if function is None else function.child_by_field_name("object")
                if call is None or below is None or called(module, call)[-1:] != ("forEach",):
                    raise NotData
                values = self._sources.value(module, below)
                if not isinstance(values, list):
                    raise NotData
                return values
            current = current.parent
        raise NotData

    # Extensions

    def _use(self, module: Module, call: Node) -> None:
        given = arguments(call)
        place = module.place(call)
        other, node = self._sources.resolved(module, given[0]) if given else (module, call)
        results = answered(other, node)
        if results is None or results.type != "object" or is_open(other, results):
            self._close(place, "a computed extension")
            return
        members = properties(other, results)
        for key in ("typeDefs", "types", "plugins"):
            if key in members:
                self._added(*self._sources.resolved(other, members[key]), key)
        if "resolvers" in members:
            self._resolvers(*self._sources.resolved(other, members["resolvers"]))
        if "resolversConfig" in members:
            self._configs(*self._sources.resolved(other, members["resolversConfig"]))

    def _added(self, module: Module, node: Node, key: str) -> None:
        says = f"custom {key}: not in the schema"
        self._sources.find(Kind.GRAPHQL, key, module.place(node), says, State.OPEN)
        for descendant in walk(node):  # an existing field would be replaced
            chain = called(module, descendant) if descendant.type == "call_expression" else ()
            given = arguments(descendant) if chain[-1:] == ("field",) else []
            name = string_value(module, given[0]) if given else None
            if name is not None:
                for kind in self._extended(module, descendant):
                    key_ = f"{kind}.{name}"
                    self.rules.append(
                        FieldRule(key_, module.place(descendant), None, (self._guard(key_, module, descendant),))
                    )

    def _extended(self, module: Module, field: Node) -> tuple[str, ...]:
        """Return the type whose `definition(t)` contains a `t.field(...)`, or each root type if it is unknown."""
        current = field.parent
        for _ in range(_MOST_LEVELS):
            members = properties(module, current) if current is not None and current.type == "object" else {}
            if "definition" in members:
                named = members.get("type") or members.get("name")
                kind = string_value(module, named) if named is not None else None
                return _ROOTS if kind is None else (kind,)
            current = None if current is None else current.parent
        return _ROOTS

    def _guard(self, name: str, module: Module, node: Node) -> Guard:
        return Guard(name, module.place(node), f"replaced: {self._describer.describe(module, node)}")

    def _resolvers(self, module: Module, node: Node) -> None:
        if node.type != "object" or is_open(module, node):
            self._close(module.place(node), "computed resolvers")
            return
        for kind, fields in properties(module, node).items():
            other, value = self._sources.resolved(module, fields)
            if value.type != "object" or is_open(other, value):
                self._close(other.place(value), f"computed resolvers of {kind}")
                continue
            for field, resolver in properties(other, value).items():
                key, place = f"{kind}.{field}", other.place(resolver)
                says = f"custom resolver: {self._describer.describe(other, resolver)}"
                self._sources.find(Kind.GRAPHQL, key, place, says, State.CLOSED)
                self.rules.append(FieldRule(key, place, None, (Guard(key, place, says),)))

    def _configs(self, module: Module, node: Node) -> None:
        if node.type != "object" or is_open(module, node):
            self._close(module.place(node), "a computed resolversConfig")
            return
        for key, config in properties(module, node).items():
            rule = self._config(*self._sources.resolved(module, config), key)
            self.rules.append(rule)
            state = State.CLOSED if rule.guards else State.TAKEN
            guards = f", closed because of {', '.join(guard.name for guard in rule.guards)}" if rule.guards else ""
            self._sources.find(Kind.GRAPHQL, key, rule.place, f"access to a field{guards}", state)

    def _config(self, module: Module, node: Node, key: str) -> FieldRule:
        place = module.place(node)
        members = properties(module, node) if node.type == "object" else {}
        guards: list[Guard] = []
        policies: list[UsedName] = []
        if node.type != "object" or is_open(module, node):
            guards.append(Guard(key, place, "its config is computed"))
        access = None
        if "auth" in members:
            try:
                access = _access(self._sources.value(module, members["auth"]))
            except NotData:
                guards.append(Guard(key, place, "its auth is computed"))
        for family in FAMILIES:
            listed = members.get(family)
            used = self._named.used(family, module, listed, "global", key) if listed is not None else ()
            for judged, ported in used:
                if family == FAMILIES[1]:  # GraphQL middlewares have a different signature than those of routes
                    guards.append(judged.guard or Guard(key, place, "a GraphQL middleware"))
                elif judged.guard is not None:
                    guards.append(judged.guard)
                elif ported is not None:
                    policies.append(ported)
        return FieldRule(key, place, access, tuple(guards), tuple(policies))

    def _close(self, place: Place, says: str) -> None:
        self.door.append(Guard(DOOR, place, says))
        self._sources.find(Kind.GRAPHQL, DOOR, place, f"{says}: all of GraphQL is closed", State.CLOSED)


def _is_extension(chain: tuple[str, ...]) -> bool:
    """Return whether `x.use(...)` is the extension service's: `strapi.plugin('graphql').service('extension').use`."""
    words = "".join(chain[:-1]).lower()
    return "extension" in words or ("plugin" in words and "service" in words)


def _access(auth: Any) -> Access | None:
    """Return the access rule for `auth`. Raises NotData for other values."""
    match auth:
        case False:
            return Access(public=True)
        case True | None:
            return None
        case {"scope": list(scopes), **rest} if not rest and all(isinstance(item, str) for item in scopes):
            return Access(scopes=tuple(scopes))
    raise NotData
