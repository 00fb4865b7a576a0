"""Infrastructure: resources that live as long as the process, independent of the definitions.

Database pool, storage, mail, rate limits, authentication, administrators and sessions: none of them depends on a
registry. What does is in `site`.
"""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from octavo.access.authentication.authenticator import REMEMBERED_TYPES, Authenticator
from octavo.access.authentication.route_limits import RouteLimits
from octavo.access.authentication.sign_in_limits import SignInLimits
from octavo.access.authorization.actor import denials
from octavo.accounts.administrators.accounts import AdministratorManagement
from octavo.accounts.administrators.audit import Audit
from octavo.accounts.administrators.provisioning import ensure_first_administrator
from octavo.accounts.administrators.registration import Registration
from octavo.accounts.administrators.sign_in import AdminSignIn
from octavo.accounts.users.account_guard import AccountGuard
from octavo.accounts.users.sessions import UserSessions
from octavo.api.http.slow_requests import SlowRequests
from octavo.content.locales import Locales
from octavo.content.media.image_variants import ImageVariants
from octavo.content.media.library import MediaLibrary
from octavo.content.media.storage.base import Storage
from octavo.content.reader import EntryReader
from octavo.content.result_cache import CachingReader
from octavo.core.cache import CacheBudget
from octavo.core.clock import this_moment
from octavo.core.errors import ApplicationError
from octavo.core.mail.mailers import CountingMailer, Mailer, NoMailer
from octavo.core.recent_log import RecentLog
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeFeed
from octavo.database.connection import Database
from octavo.events.journal import Journal
from octavo.events.outbox import Outbox
from octavo.events.purging.purges import Purges
from octavo.events.webhooks.store import Webhooks
from octavo.modeling.builder.service import DefinitionChanges
from octavo.operations.runtime import options
from octavo.operations.runtime.backups import ScheduledBackups
from octavo.operations.runtime.open_mailer import open_mailer
from octavo.operations.runtime.open_resources import (
    open_counts,
    open_image_variants,
    open_media,
    open_project_database,
    open_purges,
    open_webhooks,
    system_of_database,
)
from octavo.operations.runtime.open_storage import open_storage, warn_unwritable
from octavo.operations.runtime.options import renews, revokes_tokens
from octavo.operations.runtime.prepare_database import StartFailed
from octavo.query.sql.dialects.base import Dialect
from octavo.schema.content_types import LOCALE
from octavo.settings import Settings, SettingsError, SettingsProblem

if TYPE_CHECKING:
    from limits.aio.storage import Storage as CountStorage

    from octavo.access.authentication.attempt_counts import RedisCounts
    from octavo.operations.telemetry.traces import Traces

logger = logging.getLogger(__name__)
_TRACES_PATH: Final = "/v1/traces"
_TRACES_FILE, _TRACES_KEY = "config/server.toml", "traces.endpoint"


def open_traces(settings: Settings) -> "Traces | None":
    """Return the tracer, or None if disabled. Raises SettingsError for an invalid URL or a missing package."""
    given = settings.server.traces
    if not given.endpoint:
        return None
    if not given.endpoint.startswith(("http://", "https://")):
        raise SettingsError(
            [SettingsProblem(_TRACES_FILE, _TRACES_KEY, "expected a URL that begins with http:// or https://")]
        )
    try:
        from octavo.operations.telemetry.traces import TraceOptions, Traces
    except ModuleNotFoundError as error:
        message = "tracing requires a package: pip install 'octavo[opentelemetry]'"
        raise SettingsError([SettingsProblem(_TRACES_FILE, _TRACES_KEY, message)]) from error
    address = given.endpoint.rstrip("/")
    return Traces(
        TraceOptions(
            endpoint=address if address.endswith(_TRACES_PATH) else address + _TRACES_PATH,
            headers=given.headers,
            service=given.service,
            sample=given.sample,
            system=system_of_database(settings),
        )
    )


def open_account_guard(settings: Settings, dialect: Dialect) -> AccountGuard:
    """Return the guard that ends codes and sessions when an account changes."""
    return AccountGuard(dialect, revoke=revokes_tokens(settings), renews=renews(settings))


@dataclass(frozen=True, slots=True)
class Infrastructure:
    """The resources that all sites of a process share. Opened by `open_infrastructure` and closed once."""

    settings: Settings
    caches: CacheBudget
    database: Database
    feed: ChangeFeed
    outbox: Outbox
    journal: Journal | None
    """The change journal for listeners of the change feed, or None if the feed is disabled."""
    purges: Purges
    """Purges of CDNs and reverse proxies after changes."""
    webhooks: Webhooks
    storage: Storage
    media: MediaLibrary
    images: ImageVariants | None
    """Transformed images, or None if there are no presets."""
    mailer: Mailer
    locales: Locales
    limits: SignInLimits
    route_limits: RouteLimits
    admin_limits: SignInLimits
    authenticator: Authenticator
    administrators: AdminSignIn
    administrator_management: AdministratorManagement
    registration: Registration
    sessions: UserSessions | None
    counts: "RedisCounts | None"
    definitions: DefinitionChanges
    backups: ScheduledBackups
    slow: SlowRequests
    recent: RecentLog
    traces: "Traces | None"
    """Request tracing, or None if it is disabled."""
    started: int
    """Start time in milliseconds since 1970."""

    @property
    def new_reader(self) -> Callable[..., EntryReader]:
        """The class or factory of entry readers, which add spans to traces if tracing is enabled."""
        if self.settings.api.caching.responses and not self.settings.server.performance.simple:
            return CachingReader if self.traces is None else self.traces.kept_reader
        return EntryReader if self.traces is None else self.traces.reader

    async def begin(self) -> None:
        """Start the resources that need the tables. Raises StartFailed."""
        self.recent.attach()
        if self.settings.mode == "development":
            denials.open(self.settings.project)
        else:
            denials.close()
        await self._make_first_administrator()
        if self.administrators.options.sealed_first and not await self.registration.has_administrators():
            code = self.registration.first_code()
            logger.info("No administrator exists yet. Register at /admin; from another machine, use the code %s", code)
        await self.administrators.audit.sweep(always=True)
        await self.webhooks.look()
        warn_unwritable(self.storage)
        self.storage.workspace.sweep()

    def forget(self) -> None:
        """Clear caches of database content, which a migration may have changed."""
        self.locales.forget()
        self.authenticator.invalidate()

    async def close(self) -> None:
        """Wait for background work, then close everything. Call it after the last request."""
        self.recent.detach()
        await self.backups.close()
        if self.images is not None:
            await self.images.drain()
        await self.registration.drain()
        await self.authenticator.drain()
        if self.counts is not None:
            await self.counts.close()
        await self.database.close()
        if self.traces is not None:
            await self.traces.close()

    async def _make_first_administrator(self) -> None:
        first = self.settings.admin.first
        if first.email is None or first.password is None:
            return
        try:
            if await ensure_first_administrator(self.database, first.email, first.password):
                logger.info("Created the first administrator, %s", first.email)
        except ApplicationError as error:
            raise StartFailed(f"Could not create the first administrator: {error}") from error


def open_infrastructure(settings: Settings) -> Infrastructure:
    """Open the configured resources without connecting. Raises SettingsError if a required library is missing."""
    database = open_project_database(settings, start_patience=0)  # a start repeats its attempts itself
    storage = open_storage(settings)
    counts = open_counts(settings)
    mailer = open_mailer(settings)
    traces = open_traces(settings)
    attempts = counts.open_storage if counts else _counted_in_database(settings, database)
    limits = SignInLimits(options.rate_limit_options(settings), attempts)
    caches = CacheBudget(settings.server.cache_size)
    access = options.access_options(settings)
    new_authenticator = Authenticator if traces is None else traces.authenticator
    authenticator = new_authenticator(database, options.secrets(settings), access, caches=caches)
    locales = Locales(database)
    feed, outbox = ChangeFeed(), Outbox(database)
    feed.subscribe(lambda _: locales.forget(), {LOCALE})
    feed.subscribe(lambda _: authenticator.invalidate(), REMEMBERED_TYPES)
    journal = Journal(database) if settings.api.events.enabled else None
    if journal is not None:
        journal.join(feed)
    purges = open_purges(settings, database, outbox)
    purges.join(feed)
    if not isinstance(mailer, NoMailer):
        mailer = CountingMailer(mailer if traces is None else traces.mailer(mailer))
    admin_limits = SignInLimits(options.admin_rate_limits(settings), attempts, "administrator")
    audit = Audit(database, options.audit_options(settings))
    audit.join(feed)
    administrators = AdminSignIn(database, authenticator, admin_limits, options.admin_options(settings), audit)
    return Infrastructure(
        settings=settings,
        caches=caches,
        database=database,
        feed=feed,
        outbox=outbox,
        journal=journal,
        purges=purges,
        webhooks=open_webhooks(settings, database, outbox),
        storage=storage,
        media=open_media(settings, database, storage),
        images=open_image_variants(settings, database, storage),
        mailer=mailer,
        locales=locales,
        limits=limits,
        route_limits=RouteLimits(options.route_limit_options(settings), attempts),
        authenticator=authenticator,
        administrators=administrators,
        administrator_management=AdministratorManagement(database, administrators, admin_limits, feed),
        admin_limits=admin_limits,
        registration=Registration(database, administrators, admin_limits, mailer, feed),
        sessions=UserSessions(database, options.session_options(settings)) if options.renews(settings) else None,
        counts=counts,
        definitions=DefinitionChanges(),
        backups=ScheduledBackups(database, settings),
        slow=SlowRequests(),
        recent=RecentLog(),
        traces=traces,
        started=this_moment(),
    )


def _counted_in_database(settings: Settings, database: Database) -> "Callable[[], CountStorage] | None":
    """Return a function that opens attempt counts in the database, or None if they are in memory."""
    if not options.counts_in_database(settings):
        return None

    def open_storage() -> "CountStorage":
        from octavo.access.authentication.attempt_counts import DatabaseStorage

        return DatabaseStorage(database)

    return open_storage
