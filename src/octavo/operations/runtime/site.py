"""The site: everything built from one registry: project code, readers, writers, services, routes, GraphQL schema.

It uses an `Infrastructure` and is immutable. When the definitions change, a new site is built beside it.
"""

import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Final

from octavo.access.authentication.route_limits import RATE_LIMIT
from octavo.api.graphql.customization.extension import Extending, Extension, FieldAccess
from octavo.api.graphql.options import GraphqlContent
from octavo.api.graphql.schema import names
from octavo.api.graphql.transport.endpoint import GraphqlEndpoint
from octavo.api.http.dispatcher import Around
from octavo.api.http.operations import declare
from octavo.api.http.query_string import parse_query_string
from octavo.api.http.router import Later, Router
from octavo.api.rest.accounts import AccountEndpoints, ProviderEndpoints, SessionAnswers
from octavo.api.rest.caching import add_caching_headers
from octavo.api.rest.content_operations import content_operations
from octavo.api.rest.definitions import DefinitionEndpoints
from octavo.api.rest.documentation import Documentation
from octavo.api.rest.feed.endpoint import FeedEndpoint
from octavo.api.rest.operations import Handlers, plain_handlers
from octavo.api.rest.plugin_operations import (
    PROVIDERS,
    READ_DEFINITIONS,
    SIGN_IN,
    WRITE_FILES,
    WRITE_ROLES,
    WRITE_USERS,
)
from octavo.api.rest.plugins import declare_plugin_reads
from octavo.api.rest.schedules import add_schedules
from octavo.api.rest.uploads import UploadEndpoints
from octavo.api.rest.users import RoleWriteEndpoints, UserWriteEndpoints
from octavo.content import schedules
from octavo.content.controllers.content import ContentController
from octavo.content.controllers.reading import ContentReads
from octavo.core.cache import CacheScope
from octavo.core.values import dataclass
from octavo.events.hooks import Hooks
from octavo.events.messages import Topic
from octavo.operations.runtime import definitions, options
from octavo.operations.runtime.build_services import (
    Services,
    build_services,
    content_endpoints,
    no_hooks_yet,
    use_response_cache,
)
from octavo.operations.runtime.field_guards import FieldGuards, close_plugin_fields, guard_fields
from octavo.operations.runtime.infrastructure import Infrastructure
from octavo.operations.runtime.outbox_topics import make_jobs, schedule_topic, site_topics
from octavo.operations.runtime.prepare_database import StartFailed
from octavo.operations.runtime.read_your_writes import ReadYourWrites
from octavo.operations.runtime.settings_remarks import log_settings_warnings
from octavo.operations.runtime.v4_code import V4Code, read_v4_code
from octavo.project import CodeProblem, InvalidCode, load_code
from octavo.project.code import REQUEST_MIDDLEWARE
from octavo.project.execution import Runner
from octavo.project.named_handlers import UsedReader
from octavo.project.plugins import plugins_in_use, read_configs
from octavo.query.params import read_query
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry
from octavo.sdk.app import App, Plugin, make_facilities
from octavo.sdk.builtin_rules import BuiltinRules
from octavo.sdk.core_actions import NewEndpoints
from octavo.sdk.hooks import run_bootstrap, run_destroy, run_register
from octavo.sdk.rate_limit import rate_limit_function
from octavo.sdk.request_pipeline import GlobalMiddlewares
from octavo.sdk.routing import RestCode
from octavo.sdk.services import ServiceTable
from octavo.settings.files.api import FEED_PATH

logger = logging.getLogger(__name__)

_MOST_NAMED: Final = 5
OTHER_FEED_PATH: Final = "/_events"
"""The fallback path of the change feed. Names of content types have no underscores, so none can use it."""


def add_schedules_api(router: Router, prefix: str, controller: ContentController, extension: Extension | None) -> None:
    """Add the routes of scheduled publishing, except for types whose code could reject an update.

    For those types, the GraphQL fields are closed too. `extension` is None without GraphQL.
    """
    if controller.schedules is not None:
        left_out = list(add_schedules(router, prefix, controller.schedules))
        if extension is not None:
            _close_fields(extension, [controller.registry.content_types[uid] for uid in left_out])
        if left_out:
            message = "Scheduling over REST is off for types that project code guards: %s%s"
            more = f" and {len(left_out) - _MOST_NAMED} more" if len(left_out) > _MOST_NAMED else ""
            logger.warning(message, ", ".join(left_out[:_MOST_NAMED]), more)


def _close_fields(extension: Extension, content_types: Iterable[ContentType]) -> None:
    for one in content_types:
        for key in (("Query", names.schedule_field(one)), ("Mutation", names.schedule_mutation(one))):
            extension.access.setdefault(key, FieldAccess(closed=True, unless_named=True))


def add_feed(router: Router, shared: Infrastructure, reads: ContentReads, hooks: Hooks) -> FeedEndpoint | None:
    """Add the change feed, if it is enabled. Raises StartFailed if its path is taken."""
    if shared.journal is None:
        return None
    settings = shared.settings.api
    path = free_path(router, settings.rest.prefix, settings.events.path)
    limits = options.feed_options(shared.settings)
    feed = FeedEndpoint(reads, router, hooks, shared.journal, shared.authenticator, limits)
    feed.add(router, settings.rest.prefix, path)
    return feed


def free_path(router: Router, prefix: str, wanted: str) -> str:
    """Return the path of the change feed: `wanted`, if it is free.

    If the default path is taken by a content type, the feed moves to another path and a warning is logged. Raises
    StartFailed if the path is taken otherwise.
    """
    if not _is_taken(router, prefix + wanted):
        return wanted
    if wanted == FEED_PATH and not _is_taken(router, prefix + OTHER_FEED_PATH):
        message = "GET %s is in use: the event stream is at %s. To change its path, set `events.path` in api.toml"
        logger.warning(message, prefix + wanted, prefix + OTHER_FEED_PATH)
        return OTHER_FEED_PATH
    message = f"GET {prefix + wanted} is in use. Set another path for the event stream: `events.path` in api.toml"
    raise StartFailed(message)


def _is_taken(router: Router, path: str) -> bool:
    there = router.find("GET", path)
    return there is not None and ":" not in there[0].template


def around_requests(shared: Infrastructure, extending: Extending, v4: V4Code | None) -> Around | None:
    """Return all outer middlewares as one, or None if there are none. Raises InvalidCode."""
    own, settings = _middlewares(shared, extending, v4), shared.settings
    if not shared.database.servers():
        return own
    remembers = settings.database.replica_readers == "process"
    graphql = settings.plugins.graphql.config.endpoint
    path = settings.server.base_path or "/"
    return ReadYourWrites(own, graphql, shared.database.position, remembers=remembers, path=path)


def _middlewares(shared: Infrastructure, extending: Extending, v4: V4Code | None) -> Around | None:
    """Return the project's middlewares around every request, or None. Raises InvalidCode."""
    code, problems = extending.code, list[CodeProblem]()
    reader = UsedReader(code.folder, problems)
    place = "config/middlewares.toml: use"
    named = shared.settings.middlewares.use or (v4.around if v4 else ())
    used = reader.read(named, code.request_middlewares, REQUEST_MIDDLEWARE, place)
    if problems:
        raise InvalidCode(problems)
    return GlobalMiddlewares(extending.app, extending.runner, used) if used else None


ADMIN_SEGMENTS: Final = frozenset(
    ("admin", "content-manager", "content-type-builder", "email", "i18n", "octavo", "upload", "users-permissions")
)
"""The first path segments of all routes of the admin API."""


def add_admin_api(router: Router, shared: Infrastructure, services: Services) -> None:
    """Register the admin routes for lazy loading, unless ADMIN_JWT_SECRET is missing."""
    if not shared.settings.secrets.admin_jwt_secret:
        logger.warning("ADMIN_JWT_SECRET is not set: administrators cannot sign in")
        return

    def load() -> Callable[[], None]:
        from octavo.operations.runtime.admin_endpoints import declare_endpoints

        return partial(declare_endpoints, router, shared, services)

    router.add_later(Later(ADMIN_SEGMENTS, load))


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Site:
    """Everything built from one registry. The methods are the steps of its life cycle, in order."""

    registry: Registry
    services: Services
    extending: Extending
    router: Router
    graphql: GraphqlEndpoint | None
    caches: CacheScope
    around: Around | None
    """The project's middlewares around every request."""
    code: V4Code | None
    """The code of a v4 project, without what `adoption.allow` lists."""
    hooks: Hooks
    feed: FeedEndpoint | None
    topics: dict[str, Topic]
    """The handlers of outbox messages, by topic."""
    guards: FieldGuards | None

    async def register(self) -> None:
        """Call the project's `register(app)`, and build the schema if the project customizes it. Raises InvalidCode."""
        await run_register(self.extending, self._make_schema)
        self.hooks.close()
        for remark in (*self.hooks.closed_to_graphql(),) if self.graphql else ():
            logger.warning("%s", remark)
        if self.guards is not None:
            self.guards.log_warnings(self.graphql)
        for remark in self.feed.close() if self.feed else ():
            logger.warning("%s; name it in `events.types` of api.toml", remark)

    async def bootstrap(self) -> None:
        """Call the project's `bootstrap(app)`, after the database is ready. Raises InvalidCode."""
        await run_bootstrap(self.extending)

    async def prepare(self) -> None:
        """Start background work that the first requests would otherwise wait for."""
        if self.graphql is not None:
            await self.graphql.prepare()

    async def complete(self) -> None:
        """Do this work now, in threads, and wait for it. Raises InvalidCode."""
        await self._make_schema()

    async def close(self) -> None:
        """Call the project's `destroy(app)`, wait for background work, and unload the project's modules.

        Call it after the site's last request.
        """
        await run_destroy(self.extending)
        await self.services.accounts.drain()
        if self.graphql is not None:
            await self.graphql.drain()
        self.extending.code.unload()
        self.caches.close()

    @property
    def _make_schema(self) -> Callable[[], Awaitable[object]]:
        return self.graphql.make_schema if self.graphql else _nothing


async def _nothing() -> None:
    """Do nothing: without GraphQL there is no schema to build."""


def build_site(infrastructure: Infrastructure, before: Registry | None = None) -> Site:
    """Read definitions and code and build a site. `before` is the registry that was served until then.

    Raises InvalidDefinitions and InvalidCode.
    """
    settings = infrastructure.settings
    registry = definitions.project_registry(settings)
    definitions.log_warnings(definitions.warnings_of(registry, settings))
    log_settings_warnings(settings, registry)
    caches = CacheScope(infrastructure.caches)
    try:
        return _join(infrastructure, registry, caches, _new_components(registry, before))
    except BaseException:
        caches.close()
        raise


async def register_code(infrastructure: Infrastructure, registry: Registry) -> Extending:
    """Load only the project's code, for commands, so that its hooks run. Raises the errors of `build_site`."""
    settings = infrastructure.settings
    hooks = no_hooks_yet(settings, registry)
    caches = CacheScope(infrastructure.caches)
    services = build_services(infrastructure, registry, caches, hooks)
    extending = _extending(infrastructure, registry, services, hooks, caches)
    await run_register(extending, _nothing)
    hooks.close()
    return extending


def _new_components(registry: Registry, before: Registry | None) -> frozenset[str]:
    return frozenset() if before is None else frozenset(registry.components.keys() - before.components.keys())


def _join(
    infrastructure: Infrastructure, registry: Registry, caches: CacheScope, new_components: frozenset[str]
) -> Site:
    settings = infrastructure.settings
    code = read_v4_code(settings, registry)
    hooks = no_hooks_yet(settings, registry)
    services = build_services(infrastructure, registry, caches, hooks, new_components)
    extending = _extending(infrastructure, registry, services, hooks, caches)
    router = Router(keeps_first=code is not None)
    try:
        endpoints = content_endpoints(infrastructure, services, caches)
        rest = _rest_code(infrastructure, services, extending, endpoints, code)
        handlers = rest.handlers if rest else plain_handlers(infrastructure.authenticator)
        _add_content(router, infrastructure, services, code, rest, handlers, endpoints, caches)
        graphql = _add_doors(router, infrastructure, registry, services, extending, handlers, caches)
        if rest is not None:
            rest.check()
            close_plugin_fields(extending.extension, rest.plugin_actions())
        around = around_requests(infrastructure, extending, code)
        if code is not None:
            code.close(router, extending.extension, registry, settings)
        guards = guard_fields(router, extending.app, extending.extension) if rest or code else None
        planned_by = extending.extension if settings.plugins.graphql.config.schedules else None
        add_schedules_api(router, settings.api.rest.prefix, services.controller, planned_by)
        add_caching_headers(router, options.caching_options(settings))
        use_response_cache(router, infrastructure, services.controller, caches)
        feed = add_feed(router, infrastructure, services.controller.reads, hooks)
    except BaseException:
        extending.code.unload()
        raise
    topics = site_topics(infrastructure, hooks, extending.app.jobs, services.files.privacy)
    if services.controller.schedules is not None:
        topics[schedules.TOPIC] = schedule_topic(infrastructure, services.controller.schedules)
    return Site(registry, services, extending, router, graphql, caches, around, code, hooks, feed, topics, guards)


def _extending(
    shared: Infrastructure, registry: Registry, services: Services, hooks: Hooks, caches: CacheScope
) -> Extending:
    """Load the project's code, with its GraphQL extension and hooks. Raises InvalidCode."""
    extension = Extension(registry)
    tables = shared.settings.plugins.others
    packages = plugins_in_use(tables)
    code = load_code(shared.settings.project, [plugin.source for plugin in packages])
    limiting = rate_limit_function(shared.route_limits)
    code = replace(code, request_middlewares={**code.request_middlewares, **limiting})
    try:
        hooks.add_files(code.lifecycles)
        configs = read_configs(packages, tables, code.settings)
        jobs = make_jobs(shared, code)
    except InvalidCode:
        code.unload()
        raise
    hooks.outbox, hooks.parse_query = shared.outbox, read_query
    plugins = {name: Plugin(name, {}, config) for name, config in configs.items()}
    plugins["graphql"] = Plugin("graphql", {"extension": extension})
    table = ServiceTable(code, options.page_limits(shared.settings))
    rules = BuiltinRules(services.files, services.roles)
    facilities = make_facilities(shared.settings, shared.mailer, caches.cache("project code"), rules, services.rights)
    said = (registry, services.controller, plugins, hooks, table, facilities, shared.webhooks, jobs)
    hooks.app = jobs.app = App(shared.settings, *said)
    return Extending(extension, code, hooks.app, Runner(code.folder, shared.settings.server.code_timeout))


def _rest_code(
    shared: Infrastructure, services: Services, extending: Extending, endpoints: NewEndpoints, v4: V4Code | None
) -> RestCode | None:
    """Return the project's REST code, or None if it has none."""
    code = extending.code
    middlewares = (v4 is not None and v4.limits_requests) or code.request_middlewares.keys() - {RATE_LIMIT}
    if not (code.routes or code.controllers or code.services or code.policies or middlewares):
        return None
    rest = RestCode(code, extending.app, extending.app.services, extending.runner, shared.authenticator, endpoints)
    services.controller.own_actions = (*services.controller.own_actions, *rest.own_actions())
    return rest


def _add_content(
    router: Router,
    shared: Infrastructure,
    services: Services,
    code: V4Code | None,
    rest: RestCode | None,
    handlers: Handlers,
    endpoints: NewEndpoints,
    caches: CacheScope,
) -> None:
    """Add the routes of content types: all of them, or those that a v4 project declares.

    As in v4, they come before the routes of plugins.
    """
    prefix, limits = shared.settings.api.rest.prefix, options.page_limits(shared.settings)
    for operation, handler in rest.own_routes() if rest else ():
        router.add(operation.method, prefix + operation.path, handler, operation)
    controller = services.controller
    if code is not None:
        core_types = rest.core_types() if rest else ()
        code.add_routes(router, prefix, controller, handlers, limits, caches, core_types)
        return
    for content_type in controller.registry.api_types():
        declare(router, prefix, content_operations(content_type), endpoints(content_type), handlers)


def _add_doors(
    router: Router,
    shared: Infrastructure,
    registry: Registry,
    services: Services,
    extending: Extending,
    handlers: Handlers,
    caches: CacheScope,
) -> GraphqlEndpoint | None:
    settings = shared.settings
    prefix, plugins = settings.api.rest.prefix, options.plugins_in_use(settings)
    declare_plugin_reads(router, prefix, services.controller, handlers, caches, plugins)
    answers = SessionAnswers(services.accounts, shared.sessions, options.session_cookies(settings))
    for name, operations, endpoints in (
        ("upload", WRITE_FILES, UploadEndpoints(services.files, services.controller)),
        ("users-permissions", answers.operations, answers),
        ("users-permissions", SIGN_IN, AccountEndpoints(services.accounts, answers)),
        ("users-permissions", PROVIDERS, ProviderEndpoints(services.logins, services.accounts, answers)),
        ("users-permissions", WRITE_USERS, UserWriteEndpoints(services.users)),
        ("users-permissions", WRITE_ROLES, RoleWriteEndpoints(services.roles, router)),
    ):
        if name in plugins:
            declare(router, prefix, operations, endpoints, handlers)
    declare(router, prefix, READ_DEFINITIONS, DefinitionEndpoints(registry), handlers)
    shown = options.documentation_options(settings)
    if shown is not None:
        described = options.described_api(settings, registry, router)
        Documentation(described, shared.authenticator, shown).add_routes(router)
    add_admin_api(router, shared, services)
    return _add_graphql(router, shared, services, extending, caches) if settings.plugins.graphql.enabled else None


def _add_graphql(
    router: Router, shared: Infrastructure, services: Services, extending: Extending, caches: CacheScope
) -> GraphqlEndpoint:
    content = GraphqlContent(
        authenticator=shared.authenticator,
        controller=services.controller,
        accounts=services.accounts,
        users=services.users,
        roles=services.roles,
        files=services.files,
        extending=extending,
        caches=caches,
    )
    endpoint = GraphqlEndpoint(content, parse_query_string, options.graphql_options(shared.settings))
    endpoint.add_routes(router, shared.settings.plugins.graphql.config.endpoint)
    return endpoint
