"""Build the services of a site, which read and write entries, accounts and files, for one registry."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from octavo.access.authorization.actions import READ_PRIVATE
from octavo.access.authorization.admin.engine import AbilityBuilder
from octavo.accounts.users.accounts import Accounts
from octavo.accounts.users.providers.links import ProviderAccounts
from octavo.accounts.users.providers.logins import ProviderLogins
from octavo.accounts.users.role_management import RoleManagement
from octavo.accounts.users.user_management import UserManagement
from octavo.api.rest.endpoints import ContentEndpoints
from octavo.content.controllers.content import ContentController
from octavo.content.media.files import FileService
from octavo.content.media.preset_urls import PresetUrls
from octavo.content.media.private_files import local_url_signer, path_signer, remote_url_signer
from octavo.content.media.private_urls import PrivateUrls
from octavo.content.media.storage.base import hides_files
from octavo.content.media.storage.local import LocalStorage
from octavo.content.schedules import Schedules
from octavo.content.writer import EntryWriter
from octavo.core.cache import CacheScope
from octavo.core.values import dataclass
from octavo.events.hooks import Hooks
from octavo.operations.runtime import options
from octavo.operations.runtime.infrastructure import Infrastructure, open_account_guard
from octavo.operations.runtime.webhooks import webhook_change_listener
from octavo.schema.registry import Registry
from octavo.sdk.core_actions import NewEndpoints
from octavo.settings import Settings

if TYPE_CHECKING:
    from octavo.operations.runtime.managed_services import ManagedServices
from octavo.api.http.router import Router
from octavo.api.rest.response_cache import ResponseCache, add_response_cache
from octavo.content.reader import EntryReader, FileRewriter, UrlSigner
from octavo.content.result_cache import CachingReader


def open_reader(shared: Infrastructure, registry: Registry, caches: CacheScope) -> EntryReader:
    """Return the entry reader of a registry."""
    settings = shared.settings
    reader = shared.new_reader(
        shared.database,
        registry,
        _file_rewriter(shared),
        statements=caches.cache("statements"),
        limits=options.read_limits(settings),
        keeps_totals=options.maintains_counts(settings),
        keeps_parts=not settings.server.performance.simple,
    )
    if isinstance(reader, CachingReader):
        reader.keep(caches.cache("answers"))
    return reader


def _file_rewriter(shared: Infrastructure) -> FileRewriter | None:
    """Return what changes files in responses: signed URLs of private files, or what presets add, if enabled."""
    storage = shared.storage
    if storage.signs:
        return UrlSigner(storage.sign)
    secret = shared.settings.api.images.secret
    if hides_files(storage) and secret is not None:
        sign = path_signer(secret)
        is_local = isinstance(storage, LocalStorage)
        base = _public_base(shared.settings)
        signer = local_url_signer(sign) if is_local else remote_url_signer(sign, shared.storage.name_of, base)
        private = PrivateUrls(signer, withholds=options.withholds_private_urls(shared.settings))
        private.presets = _preset_urls(shared, private.mark)
        return private
    return _preset_urls(shared)


def _preset_urls(shared: Infrastructure, private_mark: str = "") -> PresetUrls | None:
    if not shared.settings.api.images.in_formats:
        return None
    images = options.image_options(shared.settings)
    presets = {} if shared.images is None else images.presets
    return PresetUrls(presets, shared.storage, _public_base(shared.settings), images.auto_formats, private_mark)


def _public_base(settings: Settings) -> str:
    """Return the public URL of this service without a slash at the end; empty if it is not configured."""
    url = settings.server.url
    return url.rstrip("/") if "://" in url else ""


def use_response_cache(
    router: Router, shared: Infrastructure, controller: ContentController, caches: CacheScope
) -> None:
    """Answer repeated requests from the response cache, if it is enabled. Call it last on a router."""
    reader = controller.reader
    if isinstance(reader, CachingReader):
        ready = caches.cache("quick answers")
        add_response_cache(router, ResponseCache(shared.authenticator, controller, reader, ready))


@dataclass(frozen=True, slots=True)
class Services:
    """The services that the APIs of one site share."""

    controller: ContentController
    files: FileService
    accounts: Accounts
    logins: ProviderLogins
    users: UserManagement
    roles: RoleManagement
    rights: AbilityBuilder
    manage: "Callable[[], ManagedServices]"
    """Returns the services of the admin API, created on first use."""


def no_hooks_yet(settings: Settings, registry: Registry) -> Hooks:
    """Return hooks without any of the project's code."""
    return Hooks(registry.content_types, registry.components, settings.project, settings.server.hook_timeout)


def build_services(
    shared: Infrastructure,
    registry: Registry,
    caches: CacheScope,
    hooks: Hooks,
    new_components: frozenset[str] = frozenset(),
) -> Services:
    """Return the services of a registry. `new_components` are components that were not served before."""
    settings, reader = shared.settings, open_reader(shared, registry, caches)
    plans = Schedules(shared.database, shared.outbox)
    writer = EntryWriter(
        shared.database,
        registry,
        shared.locales,
        shared.feed,
        rules=options.write_rules(settings),
        hooks=hooks,
        observer=webhook_change_listener(shared, registry),
        accounts=open_account_guard(settings, shared.database.dialect),
        schedules=plans,
    )
    controller = ContentController(
        registry,
        reader,
        writer,
        shared.media,
        shared.locales,
        options.strictness(settings),
        drafts_by_id=settings.api.compat.drafts_by_id == "visible",
        wraps_morphs=settings.api.compat.morph_relations == "wrapped",
        hides_future=options.hides_future(settings),
        schedules=plans,
        populate_deep=settings.api.rest.populate_deep,
        notes_reads=bool(settings.api.caching.surrogate_keys.headers),
    )
    if reader.withholds_private:
        controller.own_actions = (READ_PRIVATE,)
    accounts = Accounts(reader, writer, shared.limits, shared.mailer, options.account_options(settings))
    accounts.forget = shared.authenticator.invalidate
    refuse_unverified = settings.api.compat.unverified_emails == "refuse"
    provider_accounts = ProviderAccounts(accounts.rows, writer, refuse_unverified=refuse_unverified)
    users = UserManagement(reader, writer, accounts.rows)
    files = FileService(writer, reader, shared.media, shared.outbox)
    files.privacy.purge = shared.purges.purge_files_with

    @cache
    def manage() -> "ManagedServices":
        from octavo.operations.runtime.managed_services import make_managed_services

        return make_managed_services(shared, controller, files, users, caches, new_components)

    return Services(
        controller=controller,
        files=files,
        accounts=accounts,
        logins=ProviderLogins(
            shared.database, accounts, provider_accounts, shared.limits, options.provider_options(settings)
        ),
        users=users,
        roles=RoleManagement(writer, keeps_default=settings.api.compat.profile == "safe"),
        rights=AbilityBuilder(registry, plugins=options.plugins_in_use(settings)),
        manage=manage,
    )


def content_endpoints(shared: Infrastructure, services: Services, caches: CacheScope) -> NewEndpoints:
    """Return a function that builds the endpoints of a content type, once each."""
    limits = options.page_limits(shared.settings)
    return cache(lambda content_type: ContentEndpoints(content_type, services.controller, limits, caches))
