"""The core actions for a project's controllers: by full name, whatever the route of the request."""

from collections.abc import Callable

from octavo.api.http.operations import Endpoint
from octavo.api.rest.content_operations import content_operations
from octavo.api.rest.endpoints import ContentEndpoints
from octavo.api.rest.operations import RestOperation
from octavo.project.naming import did_you_mean
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry
from octavo.sdk.answers import Answer
from octavo.sdk.requests import Request
from octavo.sdk.service_endpoints import ServiceActions

NewEndpoints = Callable[[ContentType], ContentEndpoints]


class UnknownAction(LookupError):
    """A core action that does not exist."""


class CoreActions:
    """The endpoints of declared operations; those of other content types are created on demand."""

    def __init__(self, registry: Registry, new_endpoints: NewEndpoints, services: ServiceActions) -> None:
        self._registry = registry
        self._new_endpoints = new_endpoints
        self._services = services
        self._endpoints: dict[str, dict[str, Endpoint]] = {}
        self._served: set[str] = set()

    def register(self, operation: RestOperation, endpoint: Endpoint) -> None:
        """Register an operation by its action."""
        served = self._services.find(operation)
        if served is not None:
            self._served.add(operation.action)
        self._endpoints.setdefault(operation.action, {})[operation.name] = served or endpoint

    def is_served(self, action: str) -> bool:
        """Return whether a project's service handles a core action."""
        return action in self._served

    def find(self, action: str, route: str = "") -> Endpoint | None:
        """Return the endpoint of an action: that of the request's route, else the first."""
        if action not in self._endpoints:
            self._make(action.rpartition(".")[0])
        known = self._endpoints.get(action, {})
        return known.get(route) or next(iter(known.values()), None)

    def known(self) -> list[str]:
        """Return the names of all registered actions."""
        return list(self._endpoints)

    async def run(self, action: str, request: Request) -> Answer:
        """Run an action and return the response. Raises UnknownAction, and errors for clients."""
        endpoint = self.find(action, request.route)
        if endpoint is None:
            raise UnknownAction(f"unknown core action {action}{did_you_mean(action, self._endpoints)}")
        with request.clock.stopped():
            return Answer(await endpoint(request.for_core(), request.actor))

    def _make(self, uid: str) -> None:
        content_type = self._registry.content_types.get(uid)
        if content_type is None:
            return
        endpoints = self._new_endpoints(content_type)
        for operation in content_operations(content_type):
            self.register(operation, getattr(endpoints, operation.handler))
