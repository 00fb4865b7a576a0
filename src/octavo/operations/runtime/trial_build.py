"""Builds on trial what a site builds of its definitions alone, before their files are written.

The project's code is left out: files of the change belong to it, and loading it has effects.
"""

from octavo.api.graphql.customization.extension import Extension
from octavo.api.graphql.schema.builder import build_schema
from octavo.api.http.router import Router
from octavo.api.rest.content_operations import content_operations
from octavo.api.rest.operations import declare, plain_handlers
from octavo.core.cache import CacheScope
from octavo.operations.runtime import definitions, options
from octavo.operations.runtime.admin_endpoints import declare_endpoints
from octavo.operations.runtime.build_services import build_services, content_endpoints, no_hooks_yet
from octavo.operations.runtime.infrastructure import Infrastructure
from octavo.schema.registry import Registry


def try_definitions(shared: Infrastructure, planned: Registry) -> None:
    """Raise what building services, routes, administrators' endpoints or the GraphQL schema raises."""
    settings = shared.settings
    registry = definitions.served_registry(settings, planned)
    caches = CacheScope(shared.caches)
    try:
        services = build_services(shared, registry, caches, no_hooks_yet(settings, registry))
        endpoints, handlers = content_endpoints(shared, services, caches), plain_handlers(shared.authenticator)
        router = Router()
        for content_type in registry.api_types():
            operations = content_operations(content_type)
            declare(router, settings.api.rest.prefix, operations, endpoints(content_type), handlers)
        if settings.secrets.admin_jwt_secret:
            declare_endpoints(router, shared, services)
        if settings.plugins.graphql.enabled:
            _build_schema(shared, registry)
    finally:
        caches.close()


def _build_schema(shared: Infrastructure, registry: Registry) -> None:
    said = options.graphql_options(shared.settings)
    build_schema(
        registry,
        Extension(registry).exclusions(),
        generate=said.generate,
        schedules=said.schedules,
        cursors=said.cursors,
    )
