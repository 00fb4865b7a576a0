"""Joins the parts: settings and project, registry, database, services, doors. Starts and stops them in order."""

import logging
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from octavo.access.accounts import AccountOptions, Accounts
from octavo.access.administrators import Administrators, AdminOptions, ensure_first_administrator
from octavo.access.authenticator import AccessOptions, Authenticator
from octavo.access.credentials import Secrets
from octavo.access.provider_accounts import ProviderAccounts
from octavo.access.provider_logins import ProviderLogins, ProviderOptions
from octavo.access.rate_limits import DatabaseStorage, RateLimitOptions, RateLimits
from octavo.access.redis_counts import RedisCounts, RedisMissing
from octavo.access.role_administration import RoleAdministration
from octavo.access.sanitize import Strictness
from octavo.access.token_versions import ensure_token_versions
from octavo.access.user_administration import UserAdministration
from octavo.access.user_sessions import SessionOptions, UserSessions
from octavo.admin.sessions import AdminSessionEndpoints
from octavo.bootstrap import StartFailed, prepare_database
from octavo.content.entries import EntryWriter
from octavo.content.files import FileService
from octavo.content.locales import Locales
from octavo.content.mail import FolderMailer, Mailer, NoMailer, Sender, SmtpMailer, SmtpServer
from octavo.content.media import MediaLibrary, MediaOptions
from octavo.content.reading import EntryReader, Signatures
from octavo.content.storage import Storage
from octavo.content.storage_local import LocalStorage
from octavo.content.storage_s3 import S3Missing, S3Options, S3Storage
from octavo.controllers import ContentController
from octavo.database import open_database
from octavo.database.connection import Database
from octavo.errors import ApplicationError
from octavo.graphql.endpoint import GraphqlEndpoint
from octavo.graphql.extension import Extending, Extension
from octavo.graphql.options import GraphqlContent, GraphqlOptions, Limits
from octavo.graphql.queries import ListLimits
from octavo.graphql.soundness import check_names
from octavo.graphql.texts import CacheLimits
from octavo.graphql.tracing import TraceClock
from octavo.handle.app import App, Plugin
from octavo.handle.hooks import run_bootstrap, run_register
from octavo.http.application import HttpApplication
from octavo.http.cookies import Cookie, SameSite
from octavo.http.options import DEFAULT_SECURITY_HEADERS, BodyLimits, CorsMode, CorsOptions, HttpOptions
from octavo.http.origins import origins_of
from octavo.http.router import Router
from octavo.http.static import StaticFiles
from octavo.project import load_code
from octavo.rest.accounts import AccountEndpoints
from octavo.rest.definitions import DefinitionEndpoints
from octavo.rest.endpoints import ContentEndpoints, add_content_routes
from octavo.rest.params import PageLimits
from octavo.rest.plugins import add_plugin_routes
from octavo.rest.providers import ProviderEndpoints
from octavo.rest.query_string import parse_query_string
from octavo.rest.sessions import COOKIE, SessionAnswers, SessionCookies
from octavo.rest.uploads import UploadEndpoints
from octavo.rest.users import RoleWriteEndpoints, UserWriteEndpoints
from octavo.schema.content_types import ContentType
from octavo.schema.loader import load_registry
from octavo.schema.registry import Registry
from octavo.settings import Settings, SettingsError, SettingsProblem
from octavo.settings.providers import read_provider

logger = logging.getLogger(__name__)

_SAME_SITE: Final[Mapping[str, SameSite]] = {"strict": "Strict", "lax": "Lax", "none": "None"}


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


def open_project_database(settings: Settings) -> Database:
    """The database that the settings name, not yet connected."""
    options = settings.database
    open_limited = partial(
        open_database,
        statement_timeout=options.statement_timeout / 1000,
        largest_answer=settings.api.largest_answer,
    )
    if options.client == "sqlite":
        return open_limited(f"sqlite:///{settings.database_file}")
    parameters = {
        "host": options.host,
        "port": options.port,
        "user": options.user,
        "password": options.password,
        "database": options.name,
        "ssl": options.ssl,
    }
    return open_limited(
        parameters=parameters,
        schema=options.schema,
        pool_minimum=options.pool.min,
        pool_maximum=options.pool.max,
    )


def open_storage(settings: Settings) -> Storage:
    """Where the settings have uploaded files kept. Raises SettingsError when the library for it is missing."""
    upload = settings.plugins.upload.config
    if upload.provider == "local":
        return LocalStorage(settings.project / "public" / "uploads")
    given, service = upload.provider_options, upload.provider_options.s3_options
    options = S3Options(
        bucket=service.params.bucket,
        folder=settings.project / ".octavo" / "uploads",
        region=service.region,
        endpoint=service.endpoint,
        path_style=service.force_path_style,
        access_key_id=service.credentials.access_key_id,
        secret_access_key=service.credentials.secret_access_key,
        session_token=service.credentials.session_token,
        acl=service.params.acl,
        root_path=given.root_path,
        base_url=given.base_url,
        signed_seconds=service.params.signed_url_expires,
    )
    try:
        return S3Storage(options)
    except S3Missing as error:
        raise SettingsError([SettingsProblem("config/plugins.toml", "upload.config.provider", str(error))]) from error


def open_media(settings: Settings, database: Database, storage: Storage) -> MediaLibrary:
    """What stores uploaded files, as the settings have it."""
    upload = settings.plugins.upload.config
    return MediaLibrary(database, storage, MediaOptions(upload.size_limit, upload.breakpoints, upload.keep_metadata))


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
    attempts: DatabaseStorage | None
    counts: RedisCounts | None


def build(settings: Settings) -> Octavo:
    """Put a service together. Raises InvalidDefinitions, InvalidCode when the project is unsound."""
    registry = load_registry(settings.project)
    for remark in registry.remarks:
        logger.warning("%s", remark)
    if makes_schema(settings):
        check_names(registry)
    database = open_project_database(settings)
    services = _services(settings, registry, database)
    extending = _extending(settings, registry, services)
    router = Router()
    graphql = _add_doors(router, settings, registry, services, extending)
    register = partial(run_register, extending, graphql.make_schema if graphql else _nothing)
    asgi = HttpApplication(
        router,
        _http_options(settings),
        static=StaticFiles({"/": settings.project / "public"}),
        on_startup=(
            register,
            partial(_start, settings, registry, database, services),
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


def makes_schema(settings: Settings) -> bool:
    """Whether a GraphQL schema is made of the definitions."""
    graphql = settings.plugins.graphql
    return graphql.enabled and graphql.config.shadow_crud


def _nothing() -> None:
    """No schema is made where GraphQL is switched off."""


async def _start(settings: Settings, registry: Registry, database: Database, services: Services) -> None:
    await prepare_database(database, registry, settings.plugins.i18n.config.default_locale)
    if settings.api.compat.tokens_after_password_change == "invalid":
        await ensure_token_versions(database)
    await services.administrators.sessions.ensure_table()
    await _make_first_administrator(settings, database)
    await services.logins.ensure_tables()
    if services.sessions is not None:
        await services.sessions.ensure_table()
    if services.attempts is not None:
        await services.attempts.ensure_table()
    services.storage.workspace.sweep()


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
    compat = settings.api.compat
    secrets = Secrets(
        settings.secrets.jwt_secret or "",
        settings.secrets.api_token_salt or "",
        settings.secrets.admin_jwt_secret or "",
    )
    access = AccessOptions(
        require_expiry=compat.profile == "safe",
        refuse_revoked=compat.tokens_after_password_change == "invalid",
    )
    strictness = Strictness(
        refuse_operators=compat.unknown_operators == "refuse", refuse_populate=compat.unknown_populate == "refuse"
    )
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
        strictness,
        drafts_by_id=compat.drafts_by_id == "visible",
    )
    authenticator = Authenticator(database, secrets, access)
    attempts = DatabaseStorage(database) if _counts_together(settings) else None
    counts = open_counts(settings)
    limits = _rate_limits(settings, attempts, counts)
    accounts = Accounts(reader, writer, authenticator, limits, _mailer(settings), _account_options(settings))
    administrators = Administrators(database, authenticator, limits, _admin_options(settings))
    people = ProviderAccounts(
        accounts.rows,
        writer,
        authenticator.invalidate,
        refuse_unverified=compat.unverified_emails == "refuse",
    )
    logins = ProviderLogins(database, accounts, people, limits, _provider_options(settings))
    sessions = UserSessions(database, _session_options(settings)) if _renews(settings) else None
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
        attempts,
        counts,
    )


def _counts_together(settings: Settings) -> bool:
    """Whether attempts at logins are counted in the database: workers share no memory."""
    store = settings.plugins.users_permissions.config.ratelimit.store
    return store == "database" or (store == "auto" and settings.server.workers > 1)


def open_counts(settings: Settings) -> RedisCounts | None:
    """Redis, if attempts are counted there. Raises SettingsError."""
    given = settings.plugins.users_permissions.config.ratelimit
    if given.store != "redis":
        return None
    try:
        return RedisCounts(given.url or "")
    except RedisMissing as error:
        place = "users-permissions.config.ratelimit.url"
        raise SettingsError([SettingsProblem("config/plugins.toml", place, str(error))]) from error


def _rate_limits(settings: Settings, attempts: DatabaseStorage | None, counts: RedisCounts | None) -> RateLimits:
    given = settings.plugins.users_permissions.config.ratelimit
    options = RateLimitOptions(given.enabled, given.interval, given.max, given.max_by_address)
    return RateLimits(options, counts.storage if counts else attempts)


def _account_options(settings: Settings) -> AccountOptions:
    config, compat = settings.plugins.users_permissions.config, settings.api.compat
    return AccountOptions(
        jwt_secret=settings.secrets.jwt_secret or "",
        jwt_seconds=config.sessions.access_token_lifespan if _renews(settings) else config.jwt.expires_in,
        revoke=compat.tokens_after_password_change == "invalid",
        discreet=compat.profile == "safe",
        allowed_fields=config.register.allowed_fields,
        public_url=_public_url(settings),
        api_prefix=settings.api.rest.prefix,
        project=settings.project,
    )


def _admin_options(settings: Settings) -> AdminOptions:
    auth = settings.admin.auth
    return AdminOptions(settings.secrets.admin_jwt_secret or "", auth.access_lifespan, auth.session_lifespan)


def _renews(settings: Settings) -> bool:
    """Whether users get refresh tokens."""
    return settings.plugins.users_permissions.config.jwt_management == "refresh"


def _session_options(settings: Settings) -> SessionOptions:
    given = settings.plugins.users_permissions.config.sessions
    return SessionOptions(given.idle_refresh_token_lifespan, given.max_refresh_token_lifespan)


def _session_cookies(settings: Settings) -> SessionCookies | None:
    given = settings.plugins.users_permissions.config.sessions
    if not given.http_only:
        return None
    secure = settings.mode != "development" or given.same_site == "none"
    origins = {_public_url(settings), *settings.middlewares.cors.origins} - {"*"}
    cookie = Cookie(COOKIE, secure, f"{settings.api.rest.prefix}/auth", _SAME_SITE[given.same_site])
    return SessionCookies(cookie, origins_of(origins))


def _provider_options(settings: Settings) -> ProviderOptions:
    config = settings.plugins.users_permissions.config
    return ProviderOptions(
        given={name: read_provider(given) for name, given in config.providers.items()},
        exempt=frozenset(config.private_hosts),
        public_url=_public_url(settings),
        api_prefix=settings.api.rest.prefix,
    )


def _public_url(settings: Settings) -> str:
    return settings.server.url.rstrip("/") or f"http://{settings.server.host}:{settings.server.port}"


def _mailer(settings: Settings) -> Mailer:
    """Over SMTP where a server is set; else into a folder, but not in production, where nobody would look."""
    email = settings.plugins.email.config
    options, sender = email.provider_options, Sender(email.settings.default_from, email.settings.default_reply_to)
    if options.host is not None:
        server = SmtpServer(options.host, options.port, options.security, options.user, options.password)
        return SmtpMailer(server, sender)
    return NoMailer() if settings.mode == "production" else FolderMailer(settings.project / ".octavo" / "mail", sender)


def _extending(settings: Settings, registry: Registry, services: Services) -> Extending:
    """The project's code, loaded, and what it will say of the GraphQL schema. Raises InvalidCode."""
    extension = Extension(registry)
    plugins = {"graphql": Plugin("graphql", {"extension": extension})}
    return Extending(extension, load_code(settings.project), App(settings, registry, services.controller, plugins))


def _add_doors(
    router: Router, settings: Settings, registry: Registry, services: Services, extending: Extending
) -> GraphqlEndpoint | None:
    rest = settings.api.rest
    limits = PageLimits(rest.default_limit, rest.max_limit, rest.with_count)

    def endpoints(content_type: ContentType) -> ContentEndpoints:
        return ContentEndpoints(content_type, services.controller, services.authenticator, limits)

    add_plugin_routes(router, rest.prefix, services.controller, services.authenticator)
    answers = SessionAnswers(services.accounts, services.sessions, _session_cookies(settings))
    for plugin in (
        UploadEndpoints(services.files, services.controller, services.authenticator),
        answers,
        AccountEndpoints(services.accounts, services.authenticator, answers),
        ProviderEndpoints(services.logins, services.accounts, services.authenticator, answers),
        UserWriteEndpoints(services.users, services.authenticator),
        RoleWriteEndpoints(services.roles, services.authenticator, registry),
        DefinitionEndpoints(registry, services.authenticator),
    ):
        plugin.add_routes(router, rest.prefix)
    add_content_routes(router, rest.prefix, registry.api_types(), endpoints)
    if settings.secrets.admin_jwt_secret:
        _admin_endpoints(settings, services).add_routes(router)
    else:
        logger.warning("ADMIN_JWT_SECRET is not set: administrators cannot log in")
    return _add_graphql(router, settings, services, extending) if settings.plugins.graphql.enabled else None


def _admin_endpoints(settings: Settings, services: Services) -> AdminSessionEndpoints:
    cookie = settings.admin.auth.secure_cookie
    secure = cookie == "always" or (cookie == "auto" and settings.mode != "development")
    origins = {settings.server.url, *settings.middlewares.cors.origins} - {"", "*"}
    return AdminSessionEndpoints(services.administrators, origins_of(origins), secure=secure)


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
    endpoint = GraphqlEndpoint(content, parse_query_string, _graphql_options(settings))
    endpoint.add_routes(router, settings.plugins.graphql.config.endpoint)
    return endpoint


def _graphql_options(settings: Settings) -> GraphqlOptions:
    config = settings.plugins.graphql.config
    most = config.limits
    limits = Limits(
        depth=config.depth_limit,
        tokens=most.tokens,
        fields=most.fields,
        root_fields=most.root_fields,
        aliases=most.aliases,
        introspection=config.introspection,
    )
    return GraphqlOptions(
        limits=limits,
        lists=ListLimits(config.default_limit, config.most_items, most.values),
        cache=CacheLimits(config.cache.documents, config.cache.size),
        generate=config.shadow_crud,
        playground=settings.mode != "production" or config.playground_always,
        persisted=config.persisted_queries,
        batch=most.batch,
        simple_forms=settings.api.compat.graphql_forms == "accept",
        trace_clock=TraceClock() if config.tracing else None,
    )


def _http_options(settings: Settings) -> HttpOptions:
    limits = settings.middlewares
    headers = dict(DEFAULT_SECURITY_HEADERS) | {name.lower(): value for name, value in limits.headers.items()}
    return HttpOptions(
        cors=_cors_options(settings),
        body=BodyLimits(
            json=limits.body.json,
            form=limits.body.form,
            file=settings.plugins.upload.config.size_limit,
            upload=limits.body.upload,
            parts=limits.body.parts,
            json_depth=limits.body.json_depth,
        ),
        security_headers=tuple(headers.items()),
        api_prefix=settings.api.rest.prefix,
        max_url_length=limits.requests.url_length,
        max_headers=limits.requests.header_count,
        max_requests=limits.requests.queue,
        request_seconds=limits.requests.timeout,
        shutdown_seconds=settings.server.shutdown,
        trusted_proxies=frozenset(settings.server.trusted_proxies),
    )


def _cors_options(settings: Settings) -> CorsOptions:
    cors = settings.middlewares.cors
    return CorsOptions(
        mode=CorsMode.REFLECT if settings.api.compat.cors == "reflect" else CorsMode.ALLOW_LIST,
        origins=frozenset(cors.origins),
        methods=cors.methods,
        headers=cors.headers,
        max_age=cors.max_age,
        credentials=cors.credentials,
    )
