"""Operations of administrators: what their pages ask for over HTTP, as rows. Routes and their description are made of
them.

A row says who may: everybody, whoever is logged in as an administrator, or those who may take certain actions. What
depends on the content-type in the path, or on the entry, its handler asks the actor's ability.
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
    """One method of one path. `handler` names the method of the endpoints that does it; `actions` have all to be
    allowed. On a `public` one nobody is asked who they are. One that `asks` changes nothing, whatever its method.
    `answers` and `takes` are the shapes of the bodies (`admin.shapes`), where they are declared."""

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
        """Whether nothing is changed by it."""
        return self.asks or self.method in ("GET", "HEAD")

    @property
    def name(self) -> str:
        """`GET /admin/roles/:id`"""
        return f"{self.method} {self.path}"


class Endpoints(Protocol):
    """What handles operations: each by a method of `(request, actor)`, named by its row."""

    @property
    def operations(self) -> Sequence[AdminOperation]:
        """The rows."""


def declare(router: Router, administrators: Administrators, all_endpoints: Iterable[Endpoints]) -> None:
    """Declare the routes of all rows."""
    for endpoints in all_endpoints:
        for row in endpoints.operations:
            endpoint: Any = getattr(endpoints, row.handler)
            router.add(row.method, row.path, admitting(endpoint, row, administrators), row)


def admitting(endpoint: Endpoint, row: AdminOperation, administrators: Administrators) -> Handler:
    """The handler of a route: asks who it is, whether they may, then answers.

    It raises UnauthorizedError for all but administrators, ForbiddenError for those who may not.
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
    """Answer, and write down what was done, unless that was a change of data that has been written down already."""
    with audit.watching() as noted:
        answer = await endpoint(request, actor)
    if not noted and answer.status < 400:
        await audit.write_operation(actor, row.name)
    await audit.sweep()
    return answer
