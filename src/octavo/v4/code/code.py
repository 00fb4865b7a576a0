"""What the code of a v4 project says, as values: findings for a report, routes and guards for the service."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal

from octavo.core.values import dataclass
from octavo.project.routes import Access
from octavo.v4.javascript.source import Place


class Kind(StrEnum):
    """What a piece of code is in v4."""

    ROUTE = "route"
    CONTROLLER = "controller"
    ACTION = "action"
    SERVICE = "service"
    POLICY = "policy"
    MIDDLEWARE = "middleware"
    HOOK = "hook"
    CRON = "cron"
    START = "start"
    """`register`, `bootstrap` and `destroy`."""
    GRAPHQL = "graphql"
    EXTENSION = "extension"
    PLUGIN = "plugin"
    MIGRATION = "migration"
    PACKAGE = "package"
    MODULE = "module"
    """A file that other files import."""
    UNREADABLE = "unreadable"


class State(StrEnum):
    """What becomes of it."""

    NOTHING = "nothing to do"
    TAKEN = "taken over"
    OPEN = "to port"
    """It does not happen; nothing is closed because of it."""
    CLOSED = "closed until ported"
    PORTED = "ported"
    """Python of its name does it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One piece of code: what it is, where it stands, and in one line what it does.

    `name` is the one that v4 knows it by, such as `api::article.article.find`, `global::ip-filter` or `GET /articles`.
    """

    kind: Kind
    name: str
    place: Place
    says: str
    state: State


@dataclass(frozen=True, slots=True)
class Guard:
    """Code that decides who passes, or that may do so for all we know. `name` is what an owner allows it by."""

    name: str
    place: Place
    says: str


UsedName = tuple[str, Any]
"""The full name of a policy or a middleware that is ported, and what it is configured with."""


@dataclass(frozen=True, slots=True)
class QueryChange:
    """What code does to a parameter of the query before the core action reads it. `value` as a query string has it."""

    key: str
    value: Any
    only_if_absent: bool = False


@dataclass(frozen=True, slots=True)
class Shape:
    """What code does to the query: where `replaces`, nothing of the caller's is left; then the changes in order."""

    changes: tuple[QueryChange, ...] = ()
    replaces: bool = False

    def apply(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters that the core action reads."""
        query = {} if self.replaces else dict(given)
        for change in self.changes:
            if not (change.only_if_absent and change.key in query):
                query[change.key] = change.value
        return query


@dataclass(frozen=True, slots=True)
class Route:
    """A route of the content API, below its prefix.

    `handler` as it is written, `action` in full (`api::article.article.find`). `core` is the content-type and the
    action that Octavo has for it; None where the handler is the project's own.
    """

    method: str
    path: str
    handler: str
    action: str
    place: Place
    access: Access
    core: tuple[str, str] | None = None
    guards: tuple[Guard, ...] = ()
    shapes: tuple[Shape, ...] = ()
    handled_at: Place | None = None
    """Where an own handler stands, as far as it is known."""
    policies: tuple[UsedName, ...] = ()
    middlewares: tuple[UsedName, ...] = ()
    """Those that are ported, in their order."""

    @property
    def name(self) -> str:
        """`GET /articles/:id`"""
        return f"{self.method} {self.path}"


Event = Literal["find", "findOne", "create", "update", "delete"]


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook that guards: what it may refuse or narrow, of one content-type, or of all where `uid` is empty."""

    uid: str
    actions: tuple[str, ...]
    guard: Guard


@dataclass(frozen=True, slots=True)
class Switch:
    """A call of the GraphQL extension service that is data: `shadowCRUD(uid).field(name).method(*arguments)`."""

    uid: str
    method: str
    arguments: tuple[Any, ...]
    place: Place
    field: str | None = None


@dataclass(frozen=True, slots=True)
class FieldRule:
    """What a project puts on a field of the GraphQL schema (`Query.articles`), and what guards it."""

    field: str
    place: Place
    access: Access | None = None
    guards: tuple[Guard, ...] = ()
    policies: tuple[UsedName, ...] = ()
    """Those that are ported."""
    named_at: str = ""
    """Where Python names the field. What it says there takes the place of all of this, guards included."""


@dataclass(frozen=True)
class Code:
    """All code of a project. `routes` in the order in which v4 tries them; `everywhere` guards every address."""

    findings: tuple[Finding, ...] = ()
    routes: tuple[Route, ...] = ()
    everywhere: tuple[Guard, ...] = ()
    hooks: tuple[Hook, ...] = ()
    plugin_actions: Mapping[str, Guard] = field(default_factory=dict)
    """Actions of plugins that the project replaces: `plugin::users-permissions.user.find`."""
    plugin_routes: tuple[Guard, ...] = ()
    """Where the routes of a plugin are changed in a way that is not understood; `name` is the plugin's."""
    switches: tuple[Switch, ...] = ()
    fields: tuple[FieldRule, ...] = ()
    core: Mapping[str, Route] = field(default_factory=dict)
    """Each core action of each content-type as it is generated, with what guards and shapes it."""
    around: tuple[UsedName, ...] = ()
    """The middlewares of all addresses that are ported, in their order."""
    ported: frozenset[str] = frozenset()
    """The actions that Python has."""
    graphql: tuple[Guard, ...] = ()
    """What closes GraphQL as a whole: extensions of the schema that are not written out."""

    @cached_property
    def guards(self) -> dict[str, Guard]:
        """Every guard by its name."""
        found = [*self.everywhere, *(hook.guard for hook in self.hooks), *self.plugin_actions.values()]
        found += [*self.graphql, *self.plugin_routes, *(guard for route in self.routes for guard in route.guards)]
        found += [guard for rule in self.fields for guard in rule.guards]
        return {guard.name: guard for guard in found}
