"""Translate settings to the options of each component, and to those of HTTP. Opens no resources.

Settings are organized by file and key, which components do not know. The mapping is defined here.
"""

from collections.abc import Mapping
from typing import Final, cast

from octavo.access.authentication import admin_sessions, one_time_secrets, sign_in_limits, user_token_versions
from octavo.access.authentication.authenticator import AccessOptions
from octavo.access.authentication.credentials import Secrets
from octavo.access.authentication.route_limits import RouteLimitOptions
from octavo.access.authentication.sign_in_limits import SignInLimitOptions
from octavo.access.authorization.strictness import Strictness
from octavo.accounts.administrators import audit, live_settings, shared_views
from octavo.accounts.administrators.audit import AuditOptions
from octavo.accounts.administrators.sign_in import AdminOptions
from octavo.accounts.users import sessions as user_sessions
from octavo.accounts.users.accounts import AccountOptions
from octavo.accounts.users.providers import links as provider_accounts
from octavo.accounts.users.providers.logins import ProviderOptions
from octavo.accounts.users.sessions import SessionOptions
from octavo.api.graphql.execution.argument_parser import ListLimits
from octavo.api.graphql.options import MOST_LOGINS, GraphqlOptions, Limits
from octavo.api.graphql.tracing import TraceClock
from octavo.api.http.cookies import Cookie, SameSite
from octavo.api.http.cors import origins_of
from octavo.api.http.hosts import AllowedHosts, allowed_hosts
from octavo.api.http.image_parameters import ImageOptions
from octavo.api.http.options import DEFAULT_SECURITY_HEADERS, BodyLimits, CorsMode, CorsOptions, HttpOptions
from octavo.api.http.proxies import TrustedProxies
from octavo.api.http.router import Router
from octavo.api.rest.accounts import COOKIE, SessionCookies
from octavo.api.rest.caching import CachingOptions
from octavo.api.rest.documentation import DocumentationOptions
from octavo.api.rest.feed.hub import FeedOptions
from octavo.api.rest.openapi.document import Described
from octavo.api.rest.surrogate_keys import KeyOptions
from octavo.content import schedules
from octavo.content.input.body_check import WriteRules
from octavo.content.media.tables import MEDIA_TABLES
from octavo.content.media.transformations import ImageFormat, Transformation
from octavo.core.host_names import ANY
from octavo.database import leases
from octavo.events import dead_letters, journal, outbox
from octavo.events.jobs import backup_records as backup_record
from octavo.events.jobs import scheduler
from octavo.events.webhooks import delivery_log
from octavo.events.webhooks import rows as webhook_rows
from octavo.operations.runtime import definition_sync
from octavo.query.params import PageLimits
from octavo.query.plan.planning import ReadLimits, limits_by_cost
from octavo.query.sql.ddl.tables import SystemTable
from octavo.schema.registry import Registry
from octavo.settings import Settings
from octavo.settings.sign_in_providers import read_provider

_SAME_SITE: Final[Mapping[str, SameSite]] = {"strict": "Strict", "lax": "Lax", "none": "None"}


def own_tables(settings: Settings) -> tuple[SystemTable, ...]:
    """Return Octavo's own tables, in addition to those of v4, that the configured services need."""
    return (
        admin_sessions.TABLE,
        admin_sessions.PASSWORDS,
        audit.TABLE,
        live_settings.TABLE,
        shared_views.TABLE,
        leases.TABLE,
        outbox.TABLE,
        dead_letters.TABLE,
        scheduler.TABLE,
        schedules.TABLE,
        schedules.FAILURES_TABLE,
        *MEDIA_TABLES,
        *((journal.TABLE,) if settings.api.events.enabled else ()),
        webhook_rows.TABLE,
        delivery_log.TABLE,
        one_time_secrets.TABLE,
        provider_accounts.TABLE,
        user_token_versions.TABLE,
        user_token_versions.BLOCKS,
        *((user_sessions.TABLE,) if renews(settings) else ()),
        *((sign_in_limits.TABLE,) if counts_in_database(settings) else ()),
        *((backup_record.TABLE,) if settings.database.backups.schedule else ()),
        *((definition_sync.TABLE,) if settings.server.follow_definitions else ()),
    )


def image_options(settings: Settings) -> ImageOptions:
    """Return the options of transformed images."""
    images = settings.api.images
    return ImageOptions(
        presets={name: Transformation(**preset) for name, preset in images.presets.items()},
        auto_formats=cast("tuple[ImageFormat, ...]", images.auto_formats),
        max_age=settings.middlewares.public.uploads_max_age,
        refuses=settings.api.compat.image_parameters == "refuse",
        sizes=images.sizes,
        secret=images.secret,
    )


def secrets(settings: Settings) -> Secrets:
    """Return the secrets to sign and hash tokens. A project can omit some."""
    given = settings.secrets
    return Secrets(
        given.jwt_secret or "",
        given.api_token_salt or "",
        given.admin_jwt_secret or "",
        given.accepted_jwt_secrets,
        given.accepted_admin_jwt_secrets,
        given.accepted_api_token_salts,
    )


def revokes_tokens(settings: Settings) -> bool:
    """Return whether a password change invalidates earlier tokens."""
    return settings.api.compat.tokens_after_password_change == "invalid"


def access_options(settings: Settings) -> AccessOptions:
    """Return the options of authentication."""
    return AccessOptions(
        require_expiry=settings.api.compat.token_expiry == "required",
        refuse_malformed=settings.api.compat.malformed_authorization == "refuse",
        takes_v4_admins=has_long_admin_tokens(settings) and not _has_one_secret(settings),
    )


def strictness(settings: Settings) -> Strictness:
    """Return which invalid parameters of a request are rejected and which are dropped."""
    compat = settings.api.compat
    return Strictness(
        refuse_operators=compat.unknown_operators == "refuse",
        refuse_populate=compat.unknown_populate == "refuse",
        drop_below=compat.populate_parameters == "drop",
        drop_top=compat.unknown_parameters == "drop",
    )


def feed_options(settings: Settings) -> FeedOptions:
    """Return the options of the change feed."""
    events = settings.api.events
    return FeedOptions(events.listeners, events.listeners_by_address, types=events.types)


def hides_future(settings: Settings) -> bool:
    """Return whether entries with a future publication date are hidden until then."""
    return settings.api.compat.future_publication == "hidden"


def maintains_counts(settings: Settings) -> bool:
    """Return whether the totals of lists may come from maintained counts."""
    return settings.database.totals != "counted" and not settings.server.performance.simple


def write_rules(settings: Settings) -> WriteRules:
    """Return the validation rules for writes."""
    compat = settings.api.compat
    return WriteRules(
        place_relations=compat.relation_errors == "withPath",
        listed_only=compat.zone_components == "allowed",
        find_files=compat.linked_files == "permitted",
        destroy_replaced=compat.replaced_files == "destroy",
        hides_future=hides_future(settings),
        share_always=compat.shared_values == "always",
        strict=compat.validation == "strict",
    )


def account_options(settings: Settings) -> AccountOptions:
    """Return the options of user accounts."""
    config = settings.plugins.users_permissions.config
    return AccountOptions(
        jwt_secret=settings.secrets.jwt_secret or "",
        jwt_seconds=config.sessions.access_token_lifespan if renews(settings) else config.jwt.expires_in,
        hide_states=settings.api.compat.account_states == "hidden",
        plain_codes=settings.api.compat.mailed_codes == "plain",
        allowed_fields=config.register.allowed_fields,
        listed_only=settings.api.compat.registration_fields == "listed",
        public_url=_public_url(settings),
        api_prefix=settings.api.rest.prefix,
        project=settings.project,
    )


def renews(settings: Settings) -> bool:
    """Return whether users get refresh tokens."""
    return settings.plugins.users_permissions.config.jwt_management == "refresh"


def session_options(settings: Settings) -> SessionOptions:
    """Return the options of user sessions with refresh tokens."""
    given = settings.plugins.users_permissions.config.sessions
    return SessionOptions(given.idle_refresh_token_lifespan, given.max_refresh_token_lifespan)


def session_cookies(settings: Settings) -> SessionCookies | None:
    """Return the cookie for refresh tokens, or None if they are sent in bodies."""
    given = settings.plugins.users_permissions.config.sessions
    if not given.http_only:
        return None
    secure = settings.mode != "development" or given.same_site == "none"
    path = f"{settings.server.base_path}{settings.api.rest.prefix}/auth"
    cookie = Cookie(COOKIE, secure, path, _SAME_SITE[given.same_site])
    return SessionCookies(cookie, _front_ends(settings, _public_url(settings)))


def provider_options(settings: Settings) -> ProviderOptions:
    """Return the options of sign-in providers."""
    config = settings.plugins.users_permissions.config
    return ProviderOptions(
        given={name: read_provider(given) for name, given in config.providers.items()},
        exempt=frozenset(config.private_hosts),
        public_url=_public_url(settings),
        api_prefix=settings.api.rest.prefix,
    )


def rate_limit_options(settings: Settings) -> SignInLimitOptions:
    """Return the rate limits for user sign-ins."""
    given = settings.plugins.users_permissions.config.ratelimit
    return SignInLimitOptions(given.enabled, given.interval, given.max, given.max_by_address)


_RATE_LIMIT: Final = ("plugins", "users_permissions", "config", "ratelimit")


def route_limit_options(settings: Settings) -> RouteLimitOptions:
    """Return the options of the middleware that limits requests. As in v4, explicit limits for sign-ins apply to it."""
    given, standard = settings.plugins.users_permissions.config.ratelimit, RouteLimitOptions()
    interval = given.interval if (*_RATE_LIMIT, "interval") in settings.sources else standard.interval
    most = given.max if (*_RATE_LIMIT, "max") in settings.sources else standard.most
    return RouteLimitOptions(given.enabled, interval, most)


def counts_in_database(settings: Settings) -> bool:
    """Return whether attempts are counted in the database, because several processes share no memory."""
    store = settings.plugins.users_permissions.config.ratelimit.store
    return store == "database" or (store == "auto" and settings.may_be_several)


def admin_options(settings: Settings) -> AdminOptions:
    """Return the options of administrators' authentication."""
    auth, compat = settings.admin.auth, settings.api.compat
    return AdminOptions(
        secret=settings.secrets.admin_jwt_secret or "",
        access_seconds=auth.access_lifespan,
        session_seconds=auth.session_lifespan,
        reset_seconds=auth.reset_lifespan,
        invitation_seconds=auth.invitation_lifespan,
        long_tokens=has_long_admin_tokens(settings),
        plain_tokens=compat.mailed_codes == "plain",
        sealed_first=compat.first_administrator == "code",
        public_url=f"{_public_url(settings)}{settings.admin.path}",
        project=settings.project,
    )


def has_long_admin_tokens(settings: Settings) -> bool:
    """Return whether administrators' access tokens are long-lived and renewed automatically, as in v4."""
    return settings.api.compat.admin_tokens == "long"


def _has_one_secret(settings: Settings) -> bool:
    """Return whether v4 signed tokens of users and administrators with one secret, so they cannot be told apart."""
    given = settings.secrets
    of_users = {given.jwt_secret, *(one.text for one in given.accepted_jwt_secrets)}
    return not of_users.isdisjoint({given.admin_jwt_secret, *(one.text for one in given.accepted_admin_jwt_secrets)})


def audit_options(settings: Settings) -> AuditOptions:
    """Return the retention of the audit log."""
    return AuditOptions(settings.admin.audit.keep, settings.admin.audit.rows)


def admin_rate_limits(settings: Settings) -> SignInLimitOptions:
    """Return the rate limits for administrator sign-ins."""
    given = settings.admin.rate_limit
    return SignInLimitOptions(given.enabled, given.interval, given.max, given.max_by_address)


def admin_origins(settings: Settings) -> frozenset[str]:
    """Return the other origins of pages where administrators sign in."""
    return _front_ends(settings, settings.server.url)


def admin_cookie_secure(settings: Settings) -> bool:
    """Return whether the administrators' cookie requires HTTPS."""
    cookie = settings.admin.auth.secure_cookie
    return cookie == "always" or (cookie == "auto" and settings.mode != "development")


def read_limits(settings: Settings) -> ReadLimits:
    """Return the limits of all reads."""
    reads = settings.api.reads
    return limits_by_cost(reads.max_cost, reads.timeout / 1000)


def page_limits(settings: Settings) -> PageLimits:
    """Return the page limits of REST."""
    rest = settings.api.rest
    return PageLimits(rest.default_limit, rest.max_limit if rest.max_limit > 0 else None, rest.with_count)


def plugins_in_use(settings: Settings) -> frozenset[str]:
    """Return the built-in plugins that are enabled, by their names in v4."""
    plugins = settings.plugins
    switched = {
        "users-permissions": plugins.users_permissions.enabled,
        "upload": plugins.upload.enabled,
        "i18n": plugins.i18n.enabled,
    }
    return frozenset(name for name, is_on in switched.items() if is_on)


def makes_schema(settings: Settings) -> bool:
    """Return whether a GraphQL schema is built from the definitions."""
    graphql = settings.plugins.graphql
    return graphql.enabled and graphql.config.shadow_crud


def graphql_options(settings: Settings) -> GraphqlOptions:
    """Return the options of GraphQL."""
    config, compat = settings.plugins.graphql.config, settings.api.compat
    most = config.limits
    limits = Limits(
        depth=config.depth_limit,
        aliases=most.aliases,
        introspection=config.introspection,
    )
    return GraphqlOptions(
        limits=limits,
        lists=ListLimits(config.default_limit, config.most_items, most.values, config.largest_page),
        generate=config.shadow_crud,
        playground=settings.mode != "production" or config.playground_always,
        persisted=config.persisted_queries,
        schedules=config.schedules,
        cursors=config.cursors,
        batch=most.batch,
        simple_forms=compat.graphql_forms == "accept",
        url_encoded=compat.graphql_url_encoded == "accept",
        json_errors=compat.error_bodies == "json",
        digit_ids=compat.ids == "digits",
        logins=MOST_LOGINS if compat.graphql_logins == "limited" else None,
        base_path=settings.server.base_path,
        trace_clock=TraceClock() if config.tracing else None,
        unkept=uses_http_caches(settings),
    )


def uses_http_caches(settings: Settings) -> bool:
    """Return whether responses have surrogate keys for CDNs and reverse proxies."""
    return bool(settings.api.caching.surrogate_keys.headers)


def described_api(settings: Settings, registry: Registry, router: Router) -> Described:
    """Return the input for the API documentation."""
    config = settings.plugins.documentation.config
    return Described(
        router=router,
        registry=registry,
        limits=page_limits(settings),
        title=config.title,
        version=config.version,
        url=settings.server.url,
        wraps_morphs=settings.api.compat.morph_relations == "wrapped",
    )


def documentation_options(settings: Settings) -> DocumentationOptions | None:
    """Return the options of the API documentation, or None if it is disabled."""
    plugin = settings.plugins.documentation
    if not plugin.enabled or (settings.mode == "production" and not plugin.config.always):
        return None
    return DocumentationOptions(plugin.config.path, plugin.config.access, settings.server.base_path)


def caching_options(settings: Settings) -> CachingOptions:
    """Return the cache headers of reads."""
    said, compat = settings.api.caching, settings.api.compat
    tags = compat.profile == "safe" if said.etags is None else said.etags
    keys = said.surrogate_keys
    named = KeyOptions(keys.headers, keys.prefix, keys.max_size) if keys.headers else None
    return CachingOptions(tags, said.control, compat.cache_control == "private", named)


def _public_url(settings: Settings) -> str:
    host = "localhost" if settings.server.unix_socket else settings.server.host
    return settings.server.url.rstrip("/") or f"http://{host}:{settings.server.port}"


def _front_ends(settings: Settings, url: str) -> frozenset[str]:
    """Return the origins of a URL and of the configured CORS origins."""
    return origins_of({url, *settings.middlewares.cors.origins} - {"", "*"})


_LEAST_RECEIVING: Final = 64
"""Minimum limit of the requests of one client whose bodies arrive at a time."""


def http_options(settings: Settings) -> HttpOptions:
    """Return the options of requests and responses, for all APIs."""
    limits, requests = settings.middlewares, settings.middlewares.requests
    each = requests.concurrency_per_client or max(1, requests.concurrency // 4)
    headers = dict(DEFAULT_SECURITY_HEADERS) | {name.lower(): value for name, value in limits.headers.items()}
    return HttpOptions(
        cors=_cors_options(settings),
        body=BodyLimits(
            json=limits.body.json,
            form=limits.body.form,
            text=limits.body.text,
            file=settings.plugins.upload.config.size_limit,
            upload=limits.body.upload,
            json_depth=limits.body.json_depth,
        ),
        security_headers=tuple((name, value) for name, value in headers.items() if value),
        content_security_policy=limits.security.content_security_policy,
        api_prefix=settings.api.rest.prefix,
        base_path=settings.server.base_path,
        kept_path=settings.server.kept_path,
        max_url_length=requests.url_length,
        max_requests=requests.concurrency,
        max_requests_each=each,
        max_receiving=requests.concurrency,
        max_receiving_each=max(_LEAST_RECEIVING, each // 4),
        max_received_bytes=requests.buffer_memory,
        max_unsent=requests.buffer_memory,
        body_seconds=requests.body_timeout,
        request_seconds=requests.timeout,
        shutdown_seconds=settings.server.shutdown,
        trusted_proxies=TrustedProxies(settings.server.trusted_proxies, unix=settings.server.unix_socket is not None),
        allowed_hosts=_allowed_hosts(settings),
        digit_ids=settings.api.compat.ids == "digits",
        merged_queries=settings.api.compat.query_strings == "merged",
        shows_own_role=settings.api.compat.own_role == "shown",
        split_fields=settings.api.compat.field_lists == "split",
        json_errors=settings.api.compat.error_bodies == "json",
        unkept_errors=uses_http_caches(settings),
        server_timing=settings.mode == "development",
    )


def _allowed_hosts(settings: Settings) -> AllowedHosts | None:
    """Return the allowed hosts. Under the profile `v4`, any host is allowed unless some are configured."""
    server = settings.server
    if ANY in server.allowed_hosts or (settings.api.compat.profile != "safe" and not server.allowed_hosts):
        return None
    return allowed_hosts(server.url, server.allowed_hosts, guesses=True)


def _cors_options(settings: Settings) -> CorsOptions:
    """Return the CORS options. Requests without credentials get `*`, in either mode of v4.

    In development, under the profile `safe`, all ports of this machine are allowed, for front-end dev servers.
    """
    cors, compat, is_developed = settings.middlewares.cors, settings.api.compat, settings.mode == "development"
    rule = compat.cors
    return CorsOptions(
        mode=CorsMode.REFLECT if rule == "reflect" and cors.credentials else CorsMode.ALLOW_LIST,
        origins=frozenset(cors.origins if rule == "exact" else ("*",)),
        methods=cors.methods,
        headers=cors.headers,
        expose=cors.expose,
        max_age=cors.max_age,
        credentials=cors.credentials,
        local=is_developed and compat.profile == "safe",
        logs_refusals=is_developed,
    )


def withholds_private_urls(settings: Settings) -> bool:
    """Return whether callers need a permission for signed URLs of private files."""
    return settings.plugins.upload.config.private_urls == "permitted"
