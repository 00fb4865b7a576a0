"""The routes that a v4 project declares in JavaScript: core actions, and errors for its own handlers."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from octavo.access.authorization.actor import Actor
from octavo.api.http.operations import Endpoint
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.router import Router
from octavo.api.rest.content_operations import content_operation, content_operations
from octavo.api.rest.endpoints import ContentEndpoints
from octavo.api.rest.operations import Declared, Handlers, RestOperation, refuse
from octavo.content.controllers.content import ContentController
from octavo.core.cache import CacheScope
from octavo.core.errors import NotPortedError
from octavo.core.values import dataclass
from octavo.query.params import PageLimits
from octavo.schema.content_types import ContentType
from octavo.v4.code import Code, Route, Shape


class ShapedEndpoints(ContentEndpoints):
    """The core actions of a content type on a route with predefined query changes."""

    def __init__(
        self,
        content_type: ContentType,
        controller: ContentController,
        limits: PageLimits,
        caches: CacheScope,
        shapes: tuple[Shape, ...],
    ) -> None:
        super().__init__(content_type, controller, limits, caches)
        self._shapes = shapes

    def _given(self, request: Request) -> dict[str, Any]:
        given = super()._given(request)
        for shape in self._shapes:
            given = shape.apply(given)
        return given


async def _refuse(request: Request, _: Actor) -> Response:
    return await refuse(request)


@dataclass(frozen=True, slots=True)
class ProjectRoutes:
    """Adds the routes of a project. `endpoints` creates the generated ones of a core route."""

    controller: ContentController
    handlers: Handlers
    limits: PageLimits
    caches: CacheScope

    def add(self, router: Router, prefix: str, code: Code, types: Iterable[str] = ()) -> None:
        """Add the routes below the API's prefix, in v4's order; then the core routes of `types`, which have a core
        router in Python."""
        plain: dict[str, ContentEndpoints] = {}
        core = (code.core[row.action] for uid in types for row in content_operations(self._types[uid]))
        for route in (*code.routes, *core):
            declared = self._declared(route, self._operation(route), plain)
            if declared is not None:
                operation, handler = declared
                path = operation.path if route.at_root else prefix + operation.path
                router.add(operation.method, path, handler, operation)

    def _operation(self, route: Route) -> RestOperation:
        """Return the operation of a route: the content type's, or one derived from the route."""
        if route.core is None:
            owner = route.action.partition("::")[2].partition(".")[0]
            operation = RestOperation(route.method, route.path, "", "", action=route.action, tag=owner)
        else:
            uid, action = route.core
            operation = content_operation(self.controller.registry.content_types[uid], action)
        return replace(
            operation,
            method=route.method,
            path=route.path,
            access=route.access,
            policies=route.policies,
            middlewares=route.middlewares,
        )

    @property
    def _types(self) -> Mapping[str, ContentType]:
        return self.controller.registry.content_types

    def _declared(self, route: Route, operation: RestOperation, plain: dict[str, ContentEndpoints]) -> Declared | None:
        if route.guards:
            declared = self.handlers(operation, _refuse)
            return declared and (declared[0], refuse)
        if route.core is None:
            return self.handlers(operation, not_ported(route))
        content_type = self.controller.registry.content_types[operation.uid]
        shared = (content_type, self.controller, self.limits, self.caches)
        if route.shapes:
            endpoints: ContentEndpoints = ShapedEndpoints(*shared, route.shapes)
        elif operation.uid in plain:
            endpoints = plain[operation.uid]
        else:
            endpoints = plain[operation.uid] = ContentEndpoints(*shared)
        return self.handlers(operation, getattr(endpoints, operation.handler))


def not_ported(route: Route) -> Endpoint:
    """Return an endpoint that reports the missing handler to callers with access."""
    place = route.handled_at or route.place
    handler = route.handler or "a function"
    details = {"handler": handler, "file": place.file}
    message = f"{route.name} is handled by {handler} in {place.file}, which is not ported to Python"

    async def not_ported(_: Request, __: Actor) -> Response:
        raise NotPortedError(message, details)

    return not_ported
