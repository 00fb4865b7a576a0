"""Operations of the admin API as rows, from which routes and their description are built.

A row has the required permissions: none, any administrator, or certain actions. If permissions depend on the content
type in the path or on the entry, the handler checks the actor's ability.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from octavo.access.authorization.actor import ANONYMOUS, Actor, check
from octavo.accounts.administrators.audit import Audit
from octavo.accounts.administrators.sign_in import AdminSignIn
from octavo.api.http.operations import Endpoint, Operation
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.router import Handler
from octavo.core.values import dataclass


@dataclass(frozen=True, slots=True)
class AdminOperation(Operation):
    """An operation of the admin API.

    All `actions` are required. A `public` operation has no authentication. `body` and `answer` are the types of request
    body and response (`admin.schemas`), if declared.
    """

    actions: tuple[str, ...] = ()
    public: bool = False
    body: Any = None
    answer: Any = None


class Endpoints(Protocol):
    """Handlers of operations: each is a method with parameters `(request, actor)`, named in its row."""

    @property
    def operations(self) -> Sequence[AdminOperation]:
        """The rows."""


def admin_handlers(
    administrators: AdminSignIn,
) -> Callable[[AdminOperation, Endpoint], tuple[AdminOperation, Handler]]:
    """Return rows with handlers that check authentication and permissions first."""
    return lambda row, endpoint: (row, _guarded(row, endpoint, administrators))


def _guarded(row: AdminOperation, endpoint: Endpoint, administrators: AdminSignIn) -> Handler:
    """Return a route's handler.

    It raises UnauthorizedError for callers that are not administrators, and ForbiddenError without permission.
    """

    async def handle_anonymous(request: Request) -> Response:
        request.source = "admin"
        return await endpoint(request, ANONYMOUS)

    async def handle(request: Request) -> Response:
        request.source = "admin"
        actor = request.actor = (await administrators.signed_in(request.header("authorization"))).actor
        check(actor, *row.actions)
        if row.only_reads:
            return await endpoint(request, actor)
        return await _audited(endpoint, request, actor, row, administrators.audit)

    return handle_anonymous if row.public else handle


async def _audited(endpoint: Endpoint, request: Request, actor: Actor, row: AdminOperation, audit: Audit) -> Response:
    """Handle a request and write the audit log, unless changes of data have been logged already."""
    with audit.watching() as noted:
        answer = await endpoint(request, actor)
    if not noted and answer.status < 400:
        await audit.write_operation(actor, row.name)
    await audit.sweep()
    return answer
