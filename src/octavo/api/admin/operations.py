"""Operations of the admin API as rows, from which routes and their description are built.

A row has the required permissions: none, any administrator, or certain actions. If permissions depend on the content
type in the path or on the entry, the handler checks the actor's ability.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Protocol

from octavo.access.authorization.actor import ANONYMOUS, Actor, check
from octavo.accounts.administrators.accounts import Administrators
from octavo.accounts.administrators.audit import Audit
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.router import Handler, Router
from octavo.core.values import dataclass

Endpoint = Callable[[Request, Actor], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class AdminOperation:
    """A method and path.

    `handler` is the name of the endpoint's method. All `actions` are required. A `public` operation has no
    authentication. An operation that `asks` changes nothing, even if its method is not GET. `answers` and `takes` are
    the types of response and request body (`admin.schemas`), if declared.
    """

    method: str
    path: str
    handler: str
    summary: str
    actions: tuple[str, ...] = ()
    public: bool = False
    asks: bool = False
    answers: Any = None
    takes: Any = None

    @property
    def only_reads(self) -> bool:
        """Whether the operation changes nothing."""
        return self.asks or self.method in ("GET", "HEAD")

    @property
    def name(self) -> str:
        """`GET /admin/roles/:id`"""
        return f"{self.method} {self.path}"


class Endpoints(Protocol):
    """Handlers of operations: each is a method with parameters `(request, actor)`, named in its row."""

    @property
    def operations(self) -> Sequence[AdminOperation]:
        """The rows."""


def declare(router: Router, administrators: Administrators, all_endpoints: Iterable[Endpoints]) -> None:
    """Add the routes of all rows."""
    for endpoints in all_endpoints:
        for row in endpoints.operations:
            endpoint: Any = getattr(endpoints, row.handler)
            router.add(row.method, row.path, admitting(endpoint, row, administrators), row)


def admitting(endpoint: Endpoint, row: AdminOperation, administrators: Administrators) -> Handler:
    """Return a route's handler, which checks authentication and permissions first.

    It raises UnauthorizedError for callers that are not administrators, and ForbiddenError without permission.
    """

    async def handle_anybody(request: Request) -> Response:
        request.source = "admin"
        return await endpoint(request, ANONYMOUS)

    async def handle(request: Request) -> Response:
        request.source = "admin"
        actor = request.actor = (await administrators.signed_in(request.header("authorization"))).actor
        check(actor, *row.actions)
        if row.only_reads:
            return await endpoint(request, actor)
        return await _audited(endpoint, request, actor, row, administrators.audit)

    return handle_anybody if row.public else handle


async def _audited(endpoint: Endpoint, request: Request, actor: Actor, row: AdminOperation, audit: Audit) -> Response:
    """Handle a request and write the audit log, unless changes of data have been logged already."""
    with audit.watching() as noted:
        answer = await endpoint(request, actor)
    if not noted and answer.status < 400:
        await audit.write_operation(actor, row.name)
    await audit.sweep()
    return answer
