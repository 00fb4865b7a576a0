"""Joins the parts: settings and project, registry, database, services, doors. Starts and stops them in order."""

import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any

from octavo import options
from octavo.access.accounts import Accounts
from octavo.access.administrators import Administrators, ensure_first_administrator
from octavo.access.authenticator import Authenticator
from octavo.access.provider_accounts import ProviderAccounts
from octavo.access.provider_logins import ProviderLogins
from octavo.access.rate_limits import DatabaseStorage, RateLimits
from octavo.access.redis_counts import RedisCounts
from octavo.access.role_administration import RoleAdministration
from octavo.access.user_administration import UserAdministration
from octavo.access.user_sessions import UserSessions
from octavo.admin.sessions import AdminSessionEndpoints
from octavo.bootstrap import StartFailed, prepare_database
from octavo.content.entries import EntryWriter
from octavo.content.files import FileService
from octavo.content.locales import Locales
from octavo.content.reading import EntryReader, Signatures
from octavo.content.storage import Storage
from octavo.controllers import ContentController
from octavo.database.connection import Database
from octavo.errors import ApplicationError
from octavo.graphql.endpoint import GraphqlEndpoint
from octavo.graphql.extension import Extending, Extension
from octavo.graphql.options import GraphqlContent
from octavo.graphql.soundness import check_names
from octavo.handle.app import App, Plugin
from octavo.handle.hooks import run_bootstrap, run_register
from octavo.http.application import HttpApplication
from octavo.http.router import Router
from octavo.http.static import StaticFiles
from octavo.project import load_code
from octavo.resources import open_counts, open_mailer, open_media, open_project_database, open_storage
from octavo.rest.accounts import AccountEndpoints
from octavo.rest.definitions import DefinitionEndpoints
from octavo.rest.endpoints import ContentEndpoints, add_content_routes
from octavo.rest.plugins import add_plugin_routes
from octavo.rest.providers import ProviderEndpoints
from octavo.rest.query_string import parse_query_string
from octavo.rest.sessions import SessionAnswers
from octavo.rest.uploads import UploadEndpoints
from octavo.rest.users import RoleWriteEndpoints, UserWriteEndpoints
from octavo.schema.content_types import ContentType
from octavo.schema.loader import load_registry
from octavo.schema.registry import Registry
from octavo.settings import Settings

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Octavo:
    """A service, put together and not yet started. `asgi` is what a server runs; `register` is its first step."""

    settings: Settings
    registry: Registry
    database: Database
    services: "Services"
    register: Callable[[], Coroutine[Any, Any, None]]
    router: Router
    asgi: HttpApplication


@dataclass(frozen=True, slots=True)
class Services:
    """What the doors share."""

    authenticator: Authenticator
    controller: ContentController
    storage: Storage
    files: FileService
    accounts: Accounts
    logins: ProviderLogins
    sessions: UserSessions | None
    users: UserAdministration
    roles: RoleAdministration
    administrators: Administrators
    counts: RedisCounts | None


def build(settings: Settings) -> Octavo:
    """Put a service together. Raises InvalidDefinitions, InvalidCode when the project is unsound."""
    registry = load_registry(settings.project)
    for remark in registry.remarks:
        logger.warning("%s", remark)
    if options.makes_schema(settings):
        check_names(registry)
    database = open_project_database(settings)
    services = _services(settings, registry, database)
    extending = _extending(settings, registry, services)
    router = Router()
    graphql = _add_doors(router, settings, registry, services, extending)
    register = partial(run_register, extending, graphql.make_schema if graphql else _nothing)
    asgi = HttpApplication(
        router,
        options.http_options(settings),
        static=StaticFiles({"/": settings.project / "public"}),
        on_startup=(
            register,
            partial(_start, settings, registry, database, services.storage),
            partial(run_bootstrap, extending),
            *((graphql.prepare,) if graphql else ()),
        ),
        on_shutdown=(
            services.accounts.settle,
            services.authenticator.settle,
            *((graphql.settle,) if graphql else ()),
            *((services.counts.close,) if services.counts else ()),
            database.close,
        ),
    )
    return Octavo(settings, registry, database, services, register, router, asgi)


def _nothing() -> None:
    """No schema is made where GraphQL is switched off."""


async def _start(settings: Settings, registry: Registry, database: Database, storage: Storage) -> None:
    locale = settings.plugins.i18n.config.default_locale
    await prepare_database(database, registry, locale, options.own_tables(settings))
    await _make_first_administrator(settings, database)
    storage.workspace.sweep()


async def _make_first_administrator(settings: Settings, database: Database) -> None:
    first = settings.admin.first
    if first.email is None or first.password is None:
        return
    try:
        if await ensure_first_administrator(database, first.email, first.password):
            logger.info("Made the first administrator, %s", first.email)
    except ApplicationError as error:
        raise StartFailed(f"The first administrator cannot be made: {error}") from error


def _services(settings: Settings, registry: Registry, database: Database) -> Services:
    locales = Locales(database)
    storage = open_storage(settings)
    signatures = Signatures(storage.sign) if storage.signs else None
    reader, writer = EntryReader(database, registry, signatures), EntryWriter(database, registry, locales)
    media = open_media(settings, database, storage)
    controller = ContentController(
        registry,
        reader,
        writer,
        media,
        locales,
        options.strictness(settings),
        drafts_by_id=settings.api.compat.drafts_by_id == "visible",
    )
    authenticator = Authenticator(database, options.secrets(settings), options.access_options(settings))
    attempts = DatabaseStorage(database) if options.counts_in_database(settings) else None
    counts = open_counts(settings)
    limits = RateLimits(options.rate_limit_options(settings), counts.storage if counts else attempts)
    mailer = open_mailer(settings)
    accounts = Accounts(reader, writer, authenticator, limits, mailer, options.account_options(settings))
    administrators = Administrators(database, authenticator, limits, options.admin_options(settings))
    people = ProviderAccounts(
        accounts.rows,
        writer,
        authenticator.invalidate,
        refuse_unverified=settings.api.compat.unverified_emails == "refuse",
    )
    logins = ProviderLogins(database, accounts, people, limits, options.provider_options(settings))
    sessions = UserSessions(database, options.session_options(settings)) if options.renews(settings) else None
    users = UserAdministration(reader, writer, accounts.rows, authenticator.invalidate)
    roles = RoleAdministration(writer, authenticator.invalidate)
    files = FileService(writer, reader, media)
    return Services(
        authenticator,
        controller,
        storage,
        files,
        accounts,
        logins,
        sessions,
        users,
        roles,
        administrators,
        counts,
    )


def _extending(settings: Settings, registry: Registry, services: Services) -> Extending:
    """The project's code, loaded, and what it will say of the GraphQL schema. Raises InvalidCode."""
    extension = Extension(registry)
    plugins = {"graphql": Plugin("graphql", {"extension": extension})}
    return Extending(extension, load_code(settings.project), App(settings, registry, services.controller, plugins))


def _add_doors(
    router: Router, settings: Settings, registry: Registry, services: Services, extending: Extending
) -> GraphqlEndpoint | None:
    prefix, limits = settings.api.rest.prefix, options.page_limits(settings)

    def endpoints(content_type: ContentType) -> ContentEndpoints:
        return ContentEndpoints(content_type, services.controller, services.authenticator, limits)

    add_plugin_routes(router, prefix, services.controller, services.authenticator)
    answers = SessionAnswers(services.accounts, services.sessions, options.session_cookies(settings))
    for plugin in (
        UploadEndpoints(services.files, services.controller, services.authenticator),
        answers,
        AccountEndpoints(services.accounts, services.authenticator, answers),
        ProviderEndpoints(services.logins, services.accounts, services.authenticator, answers),
        UserWriteEndpoints(services.users, services.authenticator),
        RoleWriteEndpoints(services.roles, services.authenticator, registry),
        DefinitionEndpoints(registry, services.authenticator),
    ):
        plugin.add_routes(router, prefix)
    add_content_routes(router, prefix, registry.api_types(), endpoints)
    if settings.secrets.admin_jwt_secret:
        secure = options.admin_cookie_secure(settings)
        origins = options.admin_origins(settings)
        AdminSessionEndpoints(services.administrators, origins, secure=secure).add_routes(router)
    else:
        logger.warning("ADMIN_JWT_SECRET is not set: administrators cannot log in")
    return _add_graphql(router, settings, services, extending) if settings.plugins.graphql.enabled else None


def _add_graphql(router: Router, settings: Settings, services: Services, extending: Extending) -> GraphqlEndpoint:
    content = GraphqlContent(
        authenticator=services.authenticator,
        controller=services.controller,
        accounts=services.accounts,
        users=services.users,
        roles=services.roles,
        files=services.files,
        extending=extending,
    )
    endpoint = GraphqlEndpoint(content, parse_query_string, options.graphql_options(settings))
    endpoint.add_routes(router, settings.plugins.graphql.config.endpoint)
    return endpoint
