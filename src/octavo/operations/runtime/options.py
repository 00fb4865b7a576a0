"""Translates settings to options: what each part has to know, in the words of that part. Opens nothing.

Settings are told by file and key; a part knows neither, so that what a key means for it is said here.
"""

from collections.abc import Mapping
from typing import Final

from octavo.access.authentication import admin_sessions, one_time_secrets, rate_limits, token_versions
from octavo.access.authentication.authenticator import AccessOptions
from octavo.access.authentication.credentials import Secrets
from octavo.access.authentication.rate_limits import RateLimitOptions
from octavo.access.authorization.strictness import Strictness
from octavo.accounts.administrators import audit
from octavo.accounts.administrators.accounts import AdminOptions
from octavo.accounts.administrators.audit import AuditOptions
from octavo.accounts.users import sessions as user_sessions
from octavo.accounts.users.accounts import AccountOptions
from octavo.accounts.users.providers import links as provider_accounts
from octavo.accounts.users.providers.logins import ProviderOptions
from octavo.accounts.users.sessions import SessionOptions
from octavo.api.graphql.execution.argument_parser import ListLimits
from octavo.api.graphql.options import MOST_LOGINS, GraphqlOptions, Limits
from octavo.api.graphql.tracing import TraceClock
from octavo.api.http.cookies import Cookie, SameSite
from octavo.api.http.origins import origins_of
from octavo.api.http.router import Router
from octavo.api.rest.caching import CachingOptions
from octavo.api.rest.documentation import DocumentationOptions
from octavo.api.rest.feed.hub import FeedOptions
from octavo.api.rest.openapi.document import Described
from octavo.api.rest.sessions import COOKIE, SessionCookies
from octavo.api.rest.surrogate_keys import KeyOptions
from octavo.content import schedule_failures, schedules
from octavo.content.input.body_check import WriteRules
from octavo.database import leases
from octavo.events import dead_letters, journal, outbox
from octavo.events.jobs import backup_records as backup_record
from octavo.events.jobs import scheduler
from octavo.events.webhooks import deliveries as webhook_deliveries
from octavo.events.webhooks import rows as webhook_rows
from octavo.operations.runtime import definition_sync
from octavo.query.params import PageLimits
from octavo.query.plan.read_limits import ReadLimits
from octavo.query.sql.ddl.tables import OwnTable
from octavo.schema.registry import Registry
from octavo.settings import Settings
from octavo.settings.sign_in_providers import read_provider

_SAME_SITE: Final[Mapping[str, SameSite]] = {"strict": "Strict", "lax": "Lax", "none": "None"}


def own_tables(settings: Settings) -> tuple[OwnTable, ...]:
    """The tables, beside those of v4, without which services do not work as they are set."""
    return (
        admin_sessions.TABLE,
        admin_sessions.PASSWORDS,
        audit.TABLE,
        leases.TABLE,
        outbox.TABLE,
        dead_letters.TABLE,
        scheduler.TABLE,
        schedules.TABLE,
        schedule_failures.TABLE,
        *((journal.TABLE,) if settings.api.events.enabled else ()),
        webhook_rows.TABLE,
        webhook_deliveries.TABLE,
        one_time_secrets.TABLE,
        provider_accounts.TABLE,
        token_versions.TABLE,
        token_versions.BLOCKS,
        *((user_sessions.TABLE,) if renews(settings) else ()),
        *((rate_limits.TABLE,) if counts_in_database(settings) else ()),
        *((backup_record.TABLE,) if settings.database.backups.schedule else ()),
        *((definition_sync.TABLE,) if settings.server.follow_definitions else ()),
    )


def secrets(settings: Settings) -> Secrets:
    """What tokens are signed and hashed with; a project may leave some out."""
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
    """Whether a change of password makes the tokens given out before worthless."""
    return settings.api.compat.tokens_after_password_change == "invalid"


def access_options(settings: Settings) -> AccessOptions:
    """Of who asks."""
    return AccessOptions(
        require_expiry=settings.api.compat.token_expiry == "required",
        refuse_malformed=settings.api.compat.malformed_authorization == "refuse",
        takes_v4_admins=has_long_admin_tokens(settings) and not _has_one_secret(settings),
    )


def strictness(settings: Settings) -> Strictness:
    """Of what is asked: refused or left out."""
    compat = settings.api.compat
    return Strictness(
        refuse_operators=compat.unknown_operators == "refuse",
        refuse_populate=compat.unknown_populate == "refuse",
        drop_below=compat.populate_parameters == "drop",
        drop_top=compat.unknown_parameters == "drop",
    )


def feed_options(settings: Settings) -> FeedOptions:
    """Of who listens to changes."""
    events = settings.api.events
    return FeedOptions(events.listeners, events.listeners_by_address, events.heartbeat, events.queue, events.types)


def hides_future(settings: Settings) -> bool:
    """Whether what is to be published in the future is hidden until then."""
    return settings.api.compat.future_publication == "hidden"


def write_rules(settings: Settings) -> WriteRules:
    """Of what is written: refused with its place or not, refused at all or not."""
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
    """Of users' accounts."""
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
    """Whether users get refresh tokens."""
    return settings.plugins.users_permissions.config.jwt_management == "refresh"


def session_options(settings: Settings) -> SessionOptions:
    """Of users' sessions, where there are refresh tokens."""
    given = settings.plugins.users_permissions.config.sessions
    return SessionOptions(given.idle_refresh_token_lifespan, given.max_refresh_token_lifespan)


def session_cookies(settings: Settings) -> SessionCookies | None:
    """The cookie for refresh tokens; None where they travel in bodies."""
    given = settings.plugins.users_permissions.config.sessions
    if not given.http_only:
        return None
    secure = settings.mode != "development" or given.same_site == "none"
    cookie = Cookie(COOKIE, secure, f"{settings.api.rest.prefix}/auth", _SAME_SITE[given.same_site])
    return SessionCookies(cookie, _front_ends(settings, _public_url(settings)))


def provider_options(settings: Settings) -> ProviderOptions:
    """Of the providers that people sign in with."""
    config = settings.plugins.users_permissions.config
    return ProviderOptions(
        given={name: read_provider(given) for name, given in config.providers.items()},
        exempt=frozenset(config.private_hosts),
        public_url=_public_url(settings),
        api_prefix=settings.api.rest.prefix,
    )


def rate_limit_options(settings: Settings) -> RateLimitOptions:
    """Of attempts at accounts."""
    given = settings.plugins.users_permissions.config.ratelimit
    return RateLimitOptions(given.enabled, given.interval, given.max, given.max_by_address)


def counts_in_database(settings: Settings) -> bool:
    """Whether attempts are counted in the database: several processes share no memory."""
    store = settings.plugins.users_permissions.config.ratelimit.store
    return store == "database" or (store == "auto" and settings.may_be_several)


def admin_options(settings: Settings) -> AdminOptions:
    """Of administrators."""
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
    """Whether access tokens of administrators are v4's: long, and renewed by themselves."""
    return settings.api.compat.admin_tokens == "long"


def _has_one_secret(settings: Settings) -> bool:
    """Whether v4 has signed tokens of users and of administrators alike, so that nobody can tell them apart."""
    given = settings.secrets
    of_users = {given.jwt_secret, *(one.text for one in given.accepted_jwt_secrets)}
    return not of_users.isdisjoint({given.admin_jwt_secret, *(one.text for one in given.accepted_admin_jwt_secrets)})


def audit_options(settings: Settings) -> AuditOptions:
    """Of what is written down about administrators."""
    return AuditOptions(settings.admin.audit.keep, settings.admin.audit.rows)


def admin_rate_limits(settings: Settings) -> RateLimitOptions:
    """Of attempts at administrators."""
    given = settings.admin.rate_limit
    return RateLimitOptions(given.enabled, given.interval, given.max, given.max_by_address)


def admin_origins(settings: Settings) -> frozenset[str]:
    """The origins of pages where administrators log in, besides our own."""
    return _front_ends(settings, settings.server.url)


def admin_cookie_secure(settings: Settings) -> bool:
    """Whether browsers send administrators' cookie over HTTPS only."""
    cookie = settings.admin.auth.secure_cookie
    return cookie == "always" or (cookie == "auto" and settings.mode != "development")


def read_limits(settings: Settings) -> ReadLimits:
    """Of any read."""
    reads = settings.api.reads
    return ReadLimits(reads.joins, reads.statement, reads.max_cost, reads.timeout / 1000)


def page_limits(settings: Settings) -> PageLimits:
    """Of pages of the REST door."""
    rest = settings.api.rest
    return PageLimits(rest.default_limit, rest.max_limit if rest.max_limit > 0 else None, rest.with_count)


def plugins_in_use(settings: Settings) -> frozenset[str]:
    """The built-in plugins that are switched on, by their names in v4."""
    plugins = settings.plugins
    switched = {
        "users-permissions": plugins.users_permissions.enabled,
        "upload": plugins.upload.enabled,
        "i18n": plugins.i18n.enabled,
    }
    return frozenset(name for name, is_on in switched.items() if is_on)


def makes_schema(settings: Settings) -> bool:
    """Whether a GraphQL schema is made of the definitions."""
    graphql = settings.plugins.graphql
    return graphql.enabled and graphql.config.shadow_crud


def graphql_options(settings: Settings) -> GraphqlOptions:
    """Of the GraphQL door."""
    config, compat = settings.plugins.graphql.config, settings.api.compat
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
        trace_clock=TraceClock() if config.tracing else None,
        unkept=has_caches_in_front(settings),
    )


def has_caches_in_front(settings: Settings) -> bool:
    """Whether answers are named for caches that keep them for visitors."""
    return bool(settings.api.caching.surrogate_keys.headers)


def described_api(settings: Settings, registry: Registry, router: Router) -> Described:
    """What the documentation of the API is made of."""
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
    """Of the documentation; None where nobody may see it."""
    plugin = settings.plugins.documentation
    if not plugin.enabled or (settings.mode == "production" and not plugin.config.always):
        return None
    return DocumentationOptions(plugin.config.path, plugin.config.access)


def caching_options(settings: Settings) -> CachingOptions:
    """What reads say to caches."""
    said, compat = settings.api.caching, settings.api.compat
    tags = compat.profile == "safe" if said.tags is None else said.tags
    keys = said.surrogate_keys
    named = KeyOptions(keys.headers, keys.prefix, keys.largest) if keys.headers else None
    return CachingOptions(tags, said.control, compat.cache_control == "private", named)


def _public_url(settings: Settings) -> str:
    return settings.server.url.rstrip("/") or f"http://{settings.server.host}:{settings.server.port}"


def _front_ends(settings: Settings, url: str) -> frozenset[str]:
    """The origins of an address and of all that the settings name one by one."""
    return origins_of({url, *settings.middlewares.cors.origins} - {"", "*"})
