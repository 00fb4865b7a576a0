"""The routes that a v4 project declares in JavaScript: core actions on them, and refusals where its own code stood."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from octavo.authentication.authenticator import Authenticator
from octavo.authorization.actor import ANONYMOUS, Actor, check
from octavo.cache import CacheScope
from octavo.controllers.content import ContentController
from octavo.errors import ClosedError, NotPortedError, UnauthorizedError
from octavo.http.request import Request
from octavo.http.response import Response
from octavo.http.router import Handler, Router
from octavo.project.v4 import Access, Code, Route, Shape
from octavo.rest.endpoints import ContentEndpoints
from octavo.rest.params import PageLimits
from octavo.schema.content_types import ContentType

_HANDLERS: Final = {
    "find": "find",
    "findOne": "find_one",
    "create": "create",
    "update": "update",
    "delete": "delete",
    "createLocalization": "create_localization",
}
_SINGLE_HANDLERS: Final = {
    "find": "find_single",
    "update": "update_single",
    "delete": "delete_single",
    "createLocalization": "create_single_localization",
}


class RouteEndpoints(ContentEndpoints):
    """The core actions of a content-type on a route that says itself who may, or what is asked."""

    def __init__(
        self,
        content_type: ContentType,
        controller: ContentController,
        authenticator: Authenticator,
        limits: PageLimits,
        caches: CacheScope,
        access: Access,
        shapes: tuple[Shape, ...],
    ) -> None:
        super().__init__(content_type, controller, authenticator, limits, caches)
        self._admit = admission(authenticator, access)
        self._shapes = shapes

    async def _actor(self, request: Request, action: str) -> Actor:
        return await self._admit(request)

    def _given(self, request: Request) -> dict[str, Any]:
        given = super()._given(request)
        for shape in self._shapes:
            given = shape.apply(given)
        return given


def admission(authenticator: Authenticator, access: Access) -> Callable[[Request], Awaitable[Actor]]:
    """Who asks, if they may use a route; on a public one nobody is asked who they are."""

    async def admit_anybody(_: Request) -> Actor:
        return ANONYMOUS

    async def admit(request: Request) -> Actor:
        actor = await authenticator.authenticate(request.header("authorization"))
        if not access.scopes and actor.kind == "anonymous":
            raise UnauthorizedError
        check(actor, *access.scopes)
        return actor

    return admit_anybody if access.public else admit


async def refuse(_: Request) -> Response:
    """What is closed: code guards it that is not run. Says nothing of it to the caller."""
    raise ClosedError


@dataclass(frozen=True, slots=True)
class ProjectRoutes:
    """Declares the routes of a project. `endpoints` makes those of a core route as it is generated."""

    controller: ContentController
    authenticator: Authenticator
    limits: PageLimits
    caches: CacheScope

    def add(self, router: Router, prefix: str, code: Code) -> None:
        """Declare them below the API's prefix, in v4's order."""
        plain: dict[str, ContentEndpoints] = {}
        for route in code.routes:
            router.add(route.method, f"{prefix}{route.path}", self._handler(route, plain))

    def _handler(self, route: Route, plain: dict[str, ContentEndpoints]) -> Handler:
        if route.guards:
            return refuse
        if route.core is None:
            return not_ported(route, self.authenticator)
        uid, action = route.core
        content_type = self.controller.registry.content_types[uid]
        shared = (content_type, self.controller, self.authenticator, self.limits, self.caches)
        if route.access != Access(scopes=(f"{uid}.{action}",)) or route.shapes:
            endpoints: ContentEndpoints = RouteEndpoints(*shared, route.access, route.shapes)
        elif uid in plain:
            endpoints = plain[uid]
        else:
            endpoints = plain[uid] = ContentEndpoints(*shared)
        handler: Handler = getattr(endpoints, (_SINGLE_HANDLERS if content_type.is_single else _HANDLERS)[action])
        return handler


def not_ported(route: Route, authenticator: Authenticator) -> Handler:
    """Says which handler is missing, to those who might use it."""
    admit = admission(authenticator, route.access)
    place = route.handled_at or route.place
    handler = route.handler or "a function"
    details = {"handler": handler, "file": place.file}
    message = f"{route.name} is answered by {handler} of {place.file}, which is not ported"

    async def not_ported(request: Request) -> Response:
        await admit(request)
        raise NotPortedError(message, details)

    return not_ported
