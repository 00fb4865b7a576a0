"""The entry reader of a site, with the response cache if it is enabled."""

from octavo.api.http.router import Router
from octavo.api.rest.response_cache import ResponseCache, add_response_cache
from octavo.content.controllers.content import ContentController
from octavo.content.reader import EntryReader, UrlSigner
from octavo.content.result_cache import CachingReader
from octavo.core.cache import CacheScope
from octavo.operations.runtime import options
from octavo.operations.runtime.infrastructure import Infrastructure
from octavo.schema.registry import Registry


def open_reader(shared: Infrastructure, registry: Registry, caches: CacheScope) -> EntryReader:
    """Return the entry reader of a registry."""
    settings, storage = shared.settings, shared.storage
    reader = shared.new_reader(
        shared.database,
        registry,
        UrlSigner(storage.sign) if storage.signs else None,
        statements=caches.cache("statements"),
        limits=options.read_limits(settings),
        keeps_totals=options.maintains_counts(settings),
        keeps_parts=not settings.server.performance.simple,
    )
    if isinstance(reader, CachingReader):
        reader.keep(caches.cache("answers"))
    return reader


def use_response_cache(
    router: Router, shared: Infrastructure, controller: ContentController, caches: CacheScope
) -> None:
    """Answer repeated requests from the response cache, if it is enabled. Call it last on a router."""
    reader = controller.reader
    if isinstance(reader, CachingReader):
        ready = caches.cache("quick answers")
        add_response_cache(router, ResponseCache(shared.authenticator, controller, reader, ready))
