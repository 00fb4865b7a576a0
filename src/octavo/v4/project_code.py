"""The code of a v4 project for a site: implements `octavo.operations.runtime.v4_code.V4Code`."""

from collections.abc import Iterable, Sequence
from typing import Self

from octavo.access.authentication.route_limits import RATE_LIMIT
from octavo.api.graphql.customization.extension import Extension
from octavo.api.http.router import Router
from octavo.api.rest.operations import Handlers
from octavo.content.controllers.content import ContentController
from octavo.core.cache import CacheScope
from octavo.core.values import dataclass
from octavo.query.params import PageLimits
from octavo.schema.registry import Registry
from octavo.settings import Settings
from octavo.v4.closed_operations import (
    close_routes,
    find_closed_operations,
    log_closed_operations,
    read_project_code,
    restrict_schema,
)
from octavo.v4.code import Code
from octavo.v4.code.code import UsedName
from octavo.v4.routes import ProjectRoutes


@dataclass(frozen=True)
class ProjectCode:
    """The code of one project."""

    code: Code

    @classmethod
    def read(cls, settings: Settings, registry: Registry) -> Self:
        """Read and classify the code, without what `adoption.allow` lists. Raises InvalidCode."""
        return cls(read_project_code(settings, registry))

    @property
    def around(self) -> Sequence[UsedName]:
        """The ported middlewares of all requests, in order."""
        return self.code.around

    @property
    def limits_requests(self) -> bool:
        """Whether a route uses the middleware `plugin::users-permissions.rateLimit`."""
        routes = (*self.code.routes, *self.code.core.values())
        return any(name == RATE_LIMIT for route in routes for name, _ in route.middlewares)

    def add_routes(
        self,
        router: Router,
        prefix: str,
        controller: ContentController,
        handlers: Handlers,
        limits: PageLimits,
        caches: CacheScope,
        core_types: Iterable[str],
    ) -> None:
        """Add the project's routes, and the core routes of `core_types`."""
        ProjectRoutes(controller, handlers, limits, caches).add(router, prefix, self.code, core_types)

    def close(self, router: Router, extension: Extension, registry: Registry, settings: Settings) -> None:
        """Close the routes and GraphQL fields that code guards which does not run, and log them."""
        graphql = settings.plugins.graphql
        closing = find_closed_operations(self.code, registry, has_graphql=graphql.enabled)
        log_closed_operations(self.code, closing)
        restrict_schema(extension, self.code, closing, registry)
        close_routes(router, settings.api.rest.prefix, graphql.config.endpoint, self.code, closing)
