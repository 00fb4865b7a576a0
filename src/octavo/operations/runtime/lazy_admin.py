"""The administrators' door: open from the first request that knocks. A service may never see one, and what is behind it
is a tenth of all code."""

import logging
from collections.abc import Callable
from functools import partial
from typing import Final

from octavo.api.http.router import Later, Router
from octavo.operations.runtime.infrastructure import Infrastructure
from octavo.operations.runtime.services import Services

logger = logging.getLogger(__name__)

BELOW: Final = frozenset(
    ("admin", "content-manager", "content-type-builder", "email", "i18n", "octavo", "upload", "users-permissions")
)
"""The first segments of all paths behind it."""


def add_admin_door(router: Router, shared: Infrastructure, services: Services) -> None:
    """Let the routes of administrators be declared, who can log in only where there is a secret for it."""
    if not shared.settings.secrets.admin_jwt_secret:
        logger.warning("ADMIN_JWT_SECRET is not set: administrators cannot log in")
        return

    def load() -> Callable[[], None]:
        from octavo.operations.runtime.admin_endpoints import declare_endpoints

        return partial(declare_endpoints, router, shared, services)

    router.add_later(Later(BELOW, load))
