"""The code of a v4 project as values: findings for the report, routes and guards for the service."""

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
    """What happens to a piece of code in Octavo."""

    NOTHING = "nothing to do"
    TAKEN = "applied"
    OPEN = "to port"
    """It does not run, and nothing is closed because of it."""
    CLOSED = "closed until ported"
    PORTED = "ported"
    """Python with the same name replaces it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One piece of code: its kind, its location, and a one-line description.

    `name` is its name in v4, such as `api::article.article.find`, `global::ip-filter` or `GET /articles`. `folder` is
    that of a plugin.
    """

    kind: Kind
    name: str
    place: Place
    says: str
    state: State
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Guard:
    """Code that decides on access, or may do so as far as is known. `name` is the name for `allow`."""

    name: str
    place: Place
    says: str


UsedName = tuple[str, Any]
"""The full name of a ported policy or middleware, and its configuration."""


@dataclass(frozen=True, slots=True)
class QueryChange:
    """A change of a query parameter before the core action reads it. `value` has the form of a query string."""

    key: str
    value: Any
    only_if_absent: bool = False


@dataclass(frozen=True, slots=True)
class Shape:
    """The changes of the query, in order. With `replaces`, the caller's parameters are discarded first."""

    changes: tuple[QueryChange, ...] = ()
    replaces: bool = False

    def apply(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters that the core action reads."""
        query = {} if self.replaces else dict(given)
        for change in self.changes:
            if not (change.only_if_absent and change.key in query):
                query[change.key] = change.value
        return query


@dataclass(frozen=True, slots=True)
class Route:
    """A route of the content API, below its prefix, or with `at_root` a public one of a plugin's admin router.

    `handler` as written, `action` as full name (`api::article.article.find`). `core` is the content type and action of
    Octavo's handler; None if the handler is the project's own.
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
    """The location of the project's own handler, if it is known."""
    policies: tuple[UsedName, ...] = ()
    middlewares: tuple[UsedName, ...] = ()
    """Ported middlewares, in order."""
    at_root: bool = False

    @property
    def name(self) -> str:
        """The route's name: `GET /articles/:id`."""
        return f"{self.method} {self.path}"


Event = Literal["find", "findOne", "create", "update", "delete"]


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook that may reject or restrict operations of one content type, or of all if `uid` is empty."""

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
    """A project's rule for a field of the GraphQL schema (`Query.articles`), and its guards."""

    field: str
    place: Place
    access: Access | None = None
    guards: tuple[Guard, ...] = ()
    policies: tuple[UsedName, ...] = ()
    """Ported policies."""
    named_at: str = ""
    """The location in Python that configures the field, which replaces this rule, including its guards."""


@dataclass(frozen=True)
class Code:
    """All code of a project. `routes` are in the order in which v4 matches them; `everywhere` guards every request."""

    findings: tuple[Finding, ...] = ()
    routes: tuple[Route, ...] = ()
    everywhere: tuple[Guard, ...] = ()
    hooks: tuple[Hook, ...] = ()
    plugin_actions: Mapping[str, Guard] = field(default_factory=dict)
    """Actions of plugins that the project replaces: `plugin::users-permissions.user.find`."""
    plugin_routes: tuple[Guard, ...] = ()
    """Changes of a plugin's routes that are not understood; `name` is the plugin's."""
    switches: tuple[Switch, ...] = ()
    fields: tuple[FieldRule, ...] = ()
    core: Mapping[str, Route] = field(default_factory=dict)
    """Each generated core action of each content type, with its guards and query changes."""
    around: tuple[UsedName, ...] = ()
    """The ported middlewares of all requests, in order."""
    ported: frozenset[str] = frozenset()
    """The actions that are ported to Python."""
    graphql: tuple[Guard, ...] = ()
    """Guards that close GraphQL completely: extensions of the schema that are not data."""

    @cached_property
    def guards(self) -> dict[str, Guard]:
        """Return every guard by its name."""
        guards = [*self.everywhere, *(hook.guard for hook in self.hooks), *self.plugin_actions.values()]
        guards += [*self.graphql, *self.plugin_routes, *(guard for route in self.routes for guard in route.guards)]
        guards += [guard for rule in self.fields for guard in rule.guards]
        return {guard.name: guard for guard in guards}
