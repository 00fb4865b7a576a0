"""The interface of a v4 project's code. `octavo.v4` implements it and is loaded only for v4 projects."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from octavo.api.graphql.customization.extension import Extension
from octavo.api.http.router import Router
from octavo.api.rest.operations import Handlers
from octavo.content.controllers.content import ContentController
from octavo.core.cache import CacheScope
from octavo.query.params import PageLimits
from octavo.schema.registry import Registry
from octavo.settings import Settings
from octavo.settings.v4_package import load_v4


class V4Code(Protocol):
    """What a v4 project's code means for a site: its routes, its middlewares, and the operations it closes."""

    @property
    def around(self) -> Sequence[tuple[str, Any]]:
        """The ported middlewares of all requests, in order: names with their configs."""

    @property
    def limits_requests(self) -> bool:
        """Whether a route uses the middleware `plugin::users-permissions.rateLimit`."""

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

    def close(self, router: Router, extension: Extension, registry: Registry, settings: Settings) -> None:
        """Close the routes and GraphQL fields that code guards which does not run, and log them."""


def read_v4_code(settings: Settings, registry: Registry) -> V4Code | None:
    """Return the code of a v4 project, without what `adoption.allow` lists; None for any other. Raises InvalidCode."""
    if not settings.is_v4:
        return None
    code: V4Code = load_v4("project_code").ProjectCode.read(settings, registry)
    return code
