"""Operations: what can be asked over REST, as rows. Routes, lists of routes and the OpenAPI document are made of them.

A row says which action is asked for; whoever may not take it is turned away before the handler is called.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from enum import Enum
from typing import Any, Final

from octavo.access.authentication.authenticator import Authenticator
from octavo.access.authorization.actor import ANONYMOUS, Actor, check
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.router import Handler, Router
from octavo.core.errors import ClosedError, UnauthorizedError
from octavo.core.values import dataclass
from octavo.project.routes import Access

Endpoint = Callable[[Request, Actor], Awaitable[Response]]
"""What handles an operation for somebody who may."""

EVERYBODY: Final = Access(public=True)


class Grammar(Enum):
    """What a query string may say of the content-type that is read."""

    NOTHING = "nothing"
    LIST = "list"
    """`filters`, `sort`, `pagination`, `fields`, `populate`, `publicationState`, `locale`"""
    ENTRY = "entry"
    """`fields`, `populate`"""
    SINGLE = "single"
    """`fields`, `populate`, `publicationState`, `locale`"""
    PLAIN_LIST = "plain list"
    """`filters`, `sort`, `start`, `limit`, `fields`, `populate`: the lists of plugins"""
    PLAIN_COUNT = "plain count"
    """`filters`"""


class EntryForm(Enum):
    """How entries of a content-type stand in a body or in an answer."""

    ENTRY = "entry"
    """`{data: {id, attributes}, meta}`; in a body `{data: {...}}`, or a form with files"""
    ENTRIES = "entries"
    """`{data: [{id, attributes}], meta: {pagination}}`"""
    FLAT = "flat"
    """The attributes beside the id"""
    FLAT_LIST = "flat list"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the query string besides the grammar; `schema` is JSON Schema."""

    name: str
    description: str
    schema: Mapping[str, Any]
    required: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path.

    `path` is a template below the API's prefix, `action` the full name of what is done, `handler` the method of the
    endpoints that does it. `uid` is the content-type that query, body and answer are of. A body or an answer is an
    EntryForm of it, or has a name: the schemas of those are in `api.rest.openapi`. `refuses` are statuses that this
    operation alone explains; those of missing rights, unsound queries and bodies follow from the rest of the row.
    """

    method: str
    path: str
    action: str
    handler: str
    summary: str
    tag: str
    uid: str = ""
    query: Grammar = Grammar.NOTHING
    parameters: tuple[Parameter, ...] = ()
    body: EntryForm | str | None = None
    answer: EntryForm | str | None = None
    status: int = 200
    may_be_empty: bool = False
    """Whether 204 is another answer."""
    refuses: tuple[int, ...] = ()
    access: Access | None = None
    """Who may, where it is not those who may take the action."""
    policies: tuple[tuple[str, Any], ...] = ()
    middlewares: tuple[tuple[str, Any], ...] = ()
    """Those of the project's own, by full name and config."""

    @property
    def admits(self) -> Access:
        """Who may."""
        return self.access or Access(scopes=(self.action,))

    @property
    def is_own(self) -> bool:
        """Whether it is a project's own: nothing is known of what it takes and answers."""
        return not self.handler

    @property
    def name(self) -> str:
        """`GET /articles/:id`"""
        return f"{self.method} {self.path}"

    @property
    def controller(self) -> str:
        """The controller of the action: `api::article.article`, `plugin::users-permissions.auth`."""
        return self.action.rpartition(".")[0]

    @property
    def owner(self) -> str:
        """The API or the plugin: `api::article`, `plugin::upload`."""
        kind, _, name = self.action.partition("::")
        return f"{kind}::{name.partition('.')[0]}"


Declared = tuple[Operation, Handler]
Handlers = Callable[[Operation, Endpoint], Declared | None]
"""Says how a row is declared: as it is or otherwise, by which handler; None for one that is not."""


async def refuse(_: Request) -> Response:
    """Answer for a closed operation, without details. Raises ClosedError."""
    raise ClosedError


def plain_handlers(authenticator: Authenticator) -> Handlers:
    """Rows as they are, each open to those who may take its action."""

    def handle(operation: Operation, endpoint: Endpoint) -> Declared:
        return operation, Guarded(endpoint, Admission(authenticator, operation.admits))

    return handle


def declare(
    router: Router, prefix: str, operations: Iterable[Operation], endpoints: object, handlers: Handlers
) -> None:
    """Declare the routes of rows below the API's prefix; `endpoints` has what handles them."""
    for operation in operations:
        declared = handlers(operation, getattr(endpoints, operation.handler))
        if declared is not None:
            row, handler = declared
            router.add(row.method, prefix + row.path, handler, row)


class Admission:
    """Who asks, if they may use a route; on a public one nobody is asked who they are. Raises UnauthorizedError,
    ForbiddenError."""

    def __init__(self, authenticator: Authenticator, access: Access) -> None:
        self._authenticator = authenticator
        self._scopes = access.scopes
        self._is_public = access.public

    async def __call__(self, request: Request) -> Actor:
        """Who asks."""
        actor = self.at_once(request)
        if actor is None:
            actor = await self._authenticator.authenticate(request.header("authorization"))
            self._admit(request, actor)
        return actor

    def at_once(self, request: Request) -> Actor | None:
        """The same where what is known is fresh; None where something has to be asked first."""
        if self._is_public:
            return ANONYMOUS
        if request.is_followed:
            return None  # who follows is told the other way
        actor = self._authenticator.at_once(request.header("authorization"))
        if actor is not None:
            self._admit(request, actor)
        return actor

    def _admit(self, request: Request, actor: Actor) -> None:
        request.actor = actor
        if not self._scopes and actor.kind == "anonymous":
            raise UnauthorizedError
        check(actor, *self._scopes)


@dataclass(frozen=True, slots=True)
class Guarded:
    """The handler of a route as it is without code of a project: asks who it is, then answers."""

    endpoint: Endpoint
    admit: Admission

    def __call__(self, request: Request) -> Awaitable[Response]:
        actor = self.admit.at_once(request)
        return self._ask(request) if actor is None else self.endpoint(request, actor)

    async def _ask(self, request: Request) -> Response:
        return await self.endpoint(request, await self.admit(request))
