"""Operations: methods and paths as rows, from which routes and their descriptions are built."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import field
from typing import TypeVar

from octavo.access.authorization.actor import Actor
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.router import Handler, Router
from octavo.core.values import dataclass

Endpoint = Callable[[Request, Actor], Awaitable[Response]]
"""Handles an operation for an actor with permission."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A method and path, as the operations of all APIs have.

    `path` is a template below the API's prefix, `handler` the name of the endpoint's method. `safe`: whether the
    operation changes nothing, if its method does not tell.
    """

    method: str
    path: str
    handler: str
    summary: str
    safe: bool | None = field(default=None, kw_only=True)

    @property
    def only_reads(self) -> bool:
        """Whether the operation changes nothing."""
        return self.method in ("GET", "HEAD") if self.safe is None else self.safe

    @property
    def name(self) -> str:
        """The method and path: `GET /articles/:id`."""
        return f"{self.method} {self.path}"


OperationT = TypeVar("OperationT", bound=Operation)


def declare(
    router: Router,
    prefix: str,
    operations: Iterable[OperationT],
    endpoints: object,
    handlers: Callable[[OperationT, Endpoint], tuple[OperationT, Handler] | None],
) -> None:
    """Add the routes of rows below the API's prefix. `endpoints` has a method for each row.

    `handlers` returns the row to add, possibly changed, with its handler, or None to omit it.
    """
    for operation in operations:
        declared = handlers(operation, getattr(endpoints, operation.handler))
        if declared is not None:
            row, handler = declared
            router.add(row.method, prefix + row.path, handler, row)
