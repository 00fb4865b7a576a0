"""Load the admin API on its first request. Many services never get one, and the admin API is a tenth of all code."""

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
"""The first path segments of all routes of the admin API."""


def add_admin_door(router: Router, shared: Infrastructure, services: Services) -> None:
    """Register the admin routes for lazy loading, unless ADMIN_JWT_SECRET is missing."""
    if not shared.settings.secrets.admin_jwt_secret:
        logger.warning("ADMIN_JWT_SECRET is not set: administrators cannot sign in")
        return

    def load() -> Callable[[], None]:
        from octavo.operations.runtime.admin_endpoints import declare_endpoints

        return partial(declare_endpoints, router, shared, services)

    router.add_later(Later(BELOW, load))
