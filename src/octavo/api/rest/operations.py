"""REST operations as rows, from which routes, lists of routes and the OpenAPI document are built.

A row has the required action. Callers without permission are rejected before the handler is called.
"""

from collections.abc import Awaitable, Callable, Mapping
from enum import Enum
from typing import Any, Final

from octavo.access.authentication.authenticator import Authenticator
from octavo.access.authorization.actor import ANONYMOUS, Actor, check
from octavo.access.authorization.preview_ability import PreviewAbility
from octavo.api.http.operations import Endpoint, Operation
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.router import Handler
from octavo.core.errors import ClosedError, ForbiddenError, UnauthorizedError
from octavo.core.values import dataclass
from octavo.project.routes import Access

EVERYBODY: Final = Access(public=True)


class Grammar(Enum):
    """The query parameters that an operation accepts."""

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
    """The form of a content type's entries in a body or a response."""

    ENTRY = "entry"
    """`{data: {id, attributes}, meta}`; in a body `{data: {...}}`, or a form with files"""
    ENTRIES = "entries"
    """`{data: [{id, attributes}], meta: {pagination}}`"""
    FLAT = "flat"
    """The id and the attributes at one level, without an envelope"""
    FLAT_LIST = "flat list"


@dataclass(frozen=True, slots=True)
class Parameter:
    """Another query parameter. `schema` is JSON Schema."""

    name: str
    description: str
    schema: Mapping[str, Any]
    required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RestOperation(Operation):
    """An operation of the REST API.

    `action` is the full name of the action, `uid` the content type of query, body and response. Body and response are
    an EntryForm of it, or a name whose schema is in `api.rest.openapi`. `refuses` are error statuses specific to this
    operation; those of missing permissions and invalid queries and bodies are derived from the other fields.
    """

    action: str
    tag: str
    uid: str = ""
    query: Grammar = Grammar.NOTHING
    parameters: tuple[Parameter, ...] = ()
    body: EntryForm | str | None = None
    answer: EntryForm | str | None = None
    status: int = 200
    may_be_empty: bool = False
    """Whether the response can be 204, too."""
    refuses: tuple[int, ...] = ()
    access: Access | None = None
    """The required permissions, if they differ from the action."""
    policies: tuple[tuple[str, Any], ...] = ()
    middlewares: tuple[tuple[str, Any], ...] = ()
    """The project's policies and middlewares, by full name and config."""

    @property
    def admits(self) -> Access:
        """The required permissions."""
        return self.access or Access(scopes=(self.action,))

    @property
    def is_own(self) -> bool:
        """Whether it is a project's custom route, whose parameters and responses are unknown."""
        return not self.handler

    @property
    def controller(self) -> str:
        """The controller of the action: `api::article.article`, `plugin::users-permissions.auth`."""
        return self.action.rpartition(".")[0]

    @property
    def owner(self) -> str:
        """The API or the plugin: `api::article`, `plugin::upload`."""
        kind, _, name = self.action.partition("::")
        return f"{kind}::{name.partition('.')[0]}"


Declared = tuple[RestOperation, Handler]
Handlers = Callable[[RestOperation, Endpoint], Declared | None]
"""Returns the row to add, possibly changed, with its handler, or None to omit it."""


async def refuse(_: Request) -> Response:
    """Reject a closed operation, without details. Raises ClosedError."""
    raise ClosedError


def plain_handlers(authenticator: Authenticator) -> Handlers:
    """Return rows unchanged, with handlers that require their action."""

    def handle(operation: RestOperation, endpoint: Endpoint) -> Declared:
        return operation, Guarded(endpoint, Admission(authenticator, operation.admits))

    return handle


class Admission:
    """Authenticates the caller and checks permissions, except on public routes.

    Raises UnauthorizedError and ForbiddenError.
    """

    def __init__(self, authenticator: Authenticator, access: Access) -> None:
        self._authenticator = authenticator
        self._scopes = access.scopes
        self._is_public = access.public

    async def __call__(self, request: Request) -> Actor:
        """Return the actor."""
        actor = self.at_once(request)
        if actor is None:
            actor = await self._authenticator.authenticate(request.header("authorization"))
            self._admit(request, actor)
        return actor

    def at_once(self, request: Request) -> Actor | None:
        """Return the actor without awaiting, or None if authentication needs the database."""
        if self._is_public:
            return ANONYMOUS
        if request.is_followed:
            return None  # tracing only sees the asynchronous path
        actor = self._authenticator.at_once(request.header("authorization"))
        if actor is not None:
            self._admit(request, actor)
        return actor

    def _admit(self, request: Request, actor: Actor) -> None:
        request.actor = actor
        if not self._scopes:
            self._check_any(actor)
        check(actor, *self._scopes)

    @staticmethod
    def _check_any(actor: Actor) -> None:
        """Check the caller of a route that any user or API token can call."""
        if actor.kind == "anonymous":
            raise UnauthorizedError
        if isinstance(actor.ability, PreviewAbility):
            raise ForbiddenError


@dataclass(frozen=True, slots=True)
class Guarded:
    """The handler of a route without project code: authenticates the caller, then calls the endpoint."""

    endpoint: Endpoint
    admit: Admission

    def __call__(self, request: Request) -> Awaitable[Response]:
        actor = self.admit.at_once(request)
        return self._authenticate_first(request) if actor is None else self.endpoint(request, actor)

    async def _authenticate_first(self, request: Request) -> Response:
        return await self.endpoint(request, await self.admit(request))
