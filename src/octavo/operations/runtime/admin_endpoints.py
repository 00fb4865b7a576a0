"""The endpoints of the admin API, assembled for one site."""

import json
import os
import platform
import resource
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, Final

from octavo import __version__
from octavo.access.authentication.one_time_secrets import OneTimeSecrets
from octavo.accounts.administrators.accounts import AdministratorList
from octavo.accounts.administrators.audit_list import AuditList
from octavo.accounts.administrators.live_settings import LiveSettingsRows
from octavo.accounts.administrators.project_settings import ProjectSettings
from octavo.accounts.administrators.roles import AdminRoles, RoleListing
from octavo.accounts.administrators.shared_views import SharedViews
from octavo.accounts.administrators.tokens import TokenManagement, api_tokens, transfer_tokens
from octavo.accounts.users.role_management import RoleReading
from octavo.accounts.users.stored_settings import StoredSettings
from octavo.api.admin.content_routes import list_content_routes
from octavo.api.admin.endpoints.administrators import AdministratorEndpoints
from octavo.api.admin.endpoints.audit import AuditEndpoints
from octavo.api.admin.endpoints.definitions import BuilderEndpoints, DefinitionPreviewEndpoints
from octavo.api.admin.endpoints.entries import EntryAddressEndpoints, EntryEndpoints, RecentEndpoints
from octavo.api.admin.endpoints.entry_changes import (
    EntryChangeEndpoints,
    PublicationEndpoints,
    SingleTypeChangeEndpoints,
)
from octavo.api.admin.endpoints.file_privacy import FilePrivacyEndpoints, FolderPrivacyEndpoints
from octavo.api.admin.endpoints.focal_points import FocalPointEndpoints
from octavo.api.admin.endpoints.jobs import WorkEndpoints
from octavo.api.admin.endpoints.locales import LocaleEndpoints, LocalizationStateEndpoints, NewLocalizationEndpoints
from octavo.api.admin.endpoints.mail import MailEndpoints, MailFacts
from octavo.api.admin.endpoints.media import (
    FileEndpoints,
    FileTextEndpoints,
    FileUseEndpoints,
    FolderEndpoints,
    LibrarySettingsEndpoints,
)
from octavo.api.admin.endpoints.previews import PreviewEndpoints
from octavo.api.admin.endpoints.project import ProjectEndpoints, ProjectFacts
from octavo.api.admin.endpoints.registration import RegistrationEndpoints
from octavo.api.admin.endpoints.relations import DraftRelationEndpoints, RelationEndpoints
from octavo.api.admin.endpoints.roles import RightsEndpoints, RoleEndpoints
from octavo.api.admin.endpoints.schedules import ScheduleEndpoints
from octavo.api.admin.endpoints.sessions import AdminSessionEndpoints, SessionAnswers
from octavo.api.admin.endpoints.shared_views import SharedViewEndpoints
from octavo.api.admin.endpoints.site_users import UserRoleEndpoints, UserSettingsEndpoints
from octavo.api.admin.endpoints.system import LiveSettingsEndpoints, SystemEndpoints
from octavo.api.admin.endpoints.tokens import ApiTokenEndpoints, TransferTokenEndpoints
from octavo.api.admin.endpoints.view_configurations import StructureEndpoints
from octavo.api.admin.endpoints.webhooks import DeliveryEndpoints, WebhookEndpoints
from octavo.api.admin.operations import Endpoints, admin_handlers
from octavo.api.http.hosts import allowed_hosts
from octavo.api.http.operations import declare
from octavo.api.http.router import Router
from octavo.content.component_owners import ComponentOwners
from octavo.content.manager.draft_relations import DraftRelations
from octavo.content.manager.entries import ManagedEntries
from octavo.content.manager.file_uses import FileUses
from octavo.content.manager.managed_locales import ManagedLocales
from octavo.content.manager.preview_codes import PreviewCodes
from octavo.content.manager.recent import RecentEntries
from octavo.content.manager.relations import Relations
from octavo.content.manager.uid_generation import Uids
from octavo.core.bounded_files import MEGABYTE, read_own_file
from octavo.core.clock import format_timestamp
from octavo.events.jobs.admin import JobAdmin
from octavo.operations.runtime import options
from octavo.operations.runtime.build_services import Services
from octavo.operations.runtime.infrastructure import Infrastructure
from octavo.query.sql.raw_statement import RawStatement
from octavo.schema.registry import Registry
from octavo.settings import Settings
from octavo.settings.v4_versions import REFERENCE

_CORE: Final = (
    ("content-manager", "Content Manager", "Quick way to see, edit and delete the data in your database."),
    (
        "content-type-builder",
        "Content Type Builder",
        "Modelize the data structure of your API. Create new fields and relations in just a minute. The files are "
        "automatically created and updated in your project.",
    ),
    ("email", "Email", "Configure your application to send emails."),
    ("upload", "Media Library", "Media file management."),
    ("content-releases", "Releases", "Organize and release content"),
)
_PACKAGE: Final = "@strapi/plugin-{name}"
_PACKAGES: Final = (
    (
        "users-permissions",
        "Roles & Permissions",
        "Protect your API with a full authentication process based on JWT. This plugin comes also with an ACL strategy "
        "that allows you to manage the permissions between the groups of users.",
    ),
    ("graphql", "GraphQL", "Adds GraphQL endpoint with default API methods."),
    (
        "i18n",
        "Internationalization",
        "This plugin enables to create, to read and to update content in different languages, both from the Admin "
        "Panel and from the API.",
    ),
)
"""Plugins as v4's admin panel lists them: name, title, description. The second list has the packages."""


def project_facts(settings: Settings, registry: Registry, router: Router, own_actions: tuple[str, ...]) -> ProjectFacts:
    """Return facts about a project: its packages, plugins and versions."""
    package = _package(settings)
    packages = {name: str(version) for name, version in _table(package, "dependencies").items()}
    uuid = _table(package, "strapi").get("uuid")
    return ProjectFacts(
        uuid=uuid if isinstance(uuid, str) else False,
        environment=settings.mode,
        reloads=settings.mode == "development",
        own_version=__version__,
        version=packages.get("@strapi/strapi", ".".join(map(str, REFERENCE))),
        dependencies=packages,
        plugins=tuple(_plugins(settings, [*packages])),
        registry=registry,
        own_actions=own_actions,
        routes=lambda: list_content_routes(router.routes(), registry, settings.api.rest.prefix),
    )


def _plugins(settings: Settings, packages: list[str]) -> Iterator[Mapping[str, str]]:
    """Yield the plugins in v4's order: core ones, those in `config/plugins`, then others as in `package.json`."""
    for name, title, description in _CORE:
        yield {"name": name, "displayName": title, "description": description}
    order = [*(_PACKAGE.format(name=plugin.name) for plugin in settings.named_plugins), *packages]
    found = [(_PACKAGE.format(name=name), name, *words) for name, *words in _PACKAGES]
    for package, name, title, description in sorted(found, key=lambda one: (*order, one[0]).index(one[0])):
        if name != "graphql" or settings.plugins.graphql.enabled:
            yield {"name": name, "displayName": title, "description": description, "packageName": package}


def _package(settings: Settings) -> dict[str, Any]:
    try:
        package = json.loads(read_own_file(settings.project / "package.json", MEGABYTE))
    except (OSError, ValueError):
        return {}
    return package if isinstance(package, dict) else {}


def _table(package: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = package.get(name)
    return table if isinstance(table, dict) else {}


_COUNTS: Final = RawStatement("SELECT (SELECT count(*) FROM octavo_outbox), (SELECT count(*) FROM octavo_dead_letters)")
_PER_RSS: Final = 1 if sys.platform == "darwin" else 1024
"""Bytes per unit of the system's memory usage."""


def system_facts(
    shared: Infrastructure, reference: str, plugins: tuple[Mapping[str, str], ...]
) -> Callable[[], Awaitable[dict[str, Any]]]:
    """Return a function that queries the current facts about the system."""

    async def ask() -> dict[str, Any]:
        settings, database = shared.settings, shared.database
        began = time.perf_counter()
        kind, version, size = await database.fetch_row(database.dialect.server_facts) or ("", "", 0)
        milliseconds = round((time.perf_counter() - began) * 1000, 2)
        waiting, given_up = await database.fetch_row(*_COUNTS.bind(database.dialect)) or (0, 0)
        return {
            "version": __version__,
            "reference": reference,
            "environment": settings.mode,
            "python": platform.python_version(),
            "startedAt": format_timestamp(shared.started),
            "process": os.getpid(),
            "workers": settings.server.workers if settings.mode == "production" else 1,
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _PER_RSS,
            "database": {
                "kind": kind,
                "version": version,
                "size": size,
                "milliseconds": milliseconds,
            },
            "storage": type(shared.storage).__name__,
            "waiting": waiting,
            "givenUp": given_up,
            "plugins": [dict(plugin) for plugin in plugins],
        }

    return ask


def declare_endpoints(router: Router, shared: Infrastructure, services: Services) -> None:
    """Declare the routes of administrators."""
    handlers = admin_handlers(shared.administrators)
    for endpoints in _endpoints(router, shared, services):
        declare(router, "", endpoints.operations, endpoints, handlers)


def _endpoints(router: Router, shared: Infrastructure, services: Services) -> Iterator[Endpoints]:
    settings, managing = shared.settings, services.manage()
    secure, origins = options.admin_cookie_secure(settings), options.admin_origins(settings)
    base_path = settings.server.base_path
    answers = SessionAnswers(shared.administrators, origins, secure=secure, base_path=base_path)
    yield AdminSessionEndpoints(shared.administrators, answers)
    first_hosts = allowed_hosts(settings.server.url, (), guesses=False)
    yield RegistrationEndpoints(shared.registration, answers, first_hosts)
    yield AdministratorEndpoints(shared.administrator_management, AdministratorList(services.controller.reads))
    registry, own_actions = services.controller.registry, services.controller.own_actions
    facts = project_facts(settings, registry, router, own_actions)
    yield ProjectEndpoints(shared.registration, ProjectSettings(shared.database, shared.media), facts)
    given = settings.secrets
    api = api_tokens(registry, given.api_token_salt or "", own_actions)
    yield ApiTokenEndpoints(TokenManagement(shared.database, shared.feed, api))
    if given.transfer_token_salt:
        transfer = transfer_tokens(given.transfer_token_salt)
        yield TransferTokenEndpoints(TokenManagement(shared.database, shared.feed, transfer))
    checks = settings.api.compat.webhook_addresses == "checked"
    yield WebhookEndpoints(shared.webhooks, registry, checks_addresses=checks)
    yield from _oversight(shared, facts)
    yield EntryEndpoints(managing.managed)
    yield EntryChangeEndpoints(managing.entry_writes, managing.entry_actions, managing.account_writes)
    yield PublicationEndpoints(managing.entry_actions)
    yield DraftRelationEndpoints(DraftRelations(managing.managed, services.controller.locales), managing.entry_writes)
    yield LocaleEndpoints(ManagedLocales(services.controller))
    yield NewLocalizationEndpoints(managing.managed)
    yield LocalizationStateEndpoints(managing.managed)
    yield SingleTypeChangeEndpoints(managing.entry_writes, managing.entry_actions)
    yield BuilderEndpoints(services.controller.registry, shared.definitions)
    yield DefinitionPreviewEndpoints(shared.definitions)
    roles = AdminRoles(shared.database, shared.feed, services.rights.catalogue)
    listing = RoleListing(shared.database, services.controller.reads, services.rights)
    yield RoleEndpoints(roles, listing, services.rights.catalogue)
    yield RightsEndpoints(roles, listing, services.rights.catalogue)
    owners = ComponentOwners(shared.database, registry)
    yield RelationEndpoints(Relations(managing.managed, managing.configurations, owners))
    yield EntryAddressEndpoints(registry, f"{base_path}{settings.api.rest.prefix}", settings.admin.preview)
    yield _previews(shared, managing.managed)
    if services.controller.schedules is not None:
        yield ScheduleEndpoints(services.controller.schedules)
    recent = RecentEntries(managing.managed, managing.configurations, services.controller.schedules)
    yield RecentEndpoints(recent)
    yield SharedViewEndpoints(registry, SharedViews(shared.database))
    yield StructureEndpoints(managing.configurations, Uids(services.controller.reads))
    yield from _plugin_endpoints(shared, services, facts)


def _previews(shared: Infrastructure, entries: ManagedEntries) -> Endpoints:
    """Return the endpoints of preview codes."""
    authenticator = shared.authenticator
    stored = OneTimeSecrets(shared.database)
    codes = PreviewCodes(entries, stored, authenticator.administrators, authenticator.previews)
    return PreviewEndpoints(codes, shared.administrators, shared.admin_limits)


def _oversight(shared: Infrastructure, facts: ProjectFacts) -> Iterator[Endpoints]:
    """Yield the endpoints for monitoring: audit log, deliveries, jobs and system status."""
    yield DeliveryEndpoints(shared.webhooks)
    yield AuditEndpoints(AuditList(shared.database))
    yield LiveSettingsEndpoints(LiveSettingsRows(shared.database))
    yield WorkEndpoints(JobAdmin(shared.database, shared.outbox))
    yield SystemEndpoints(system_facts(shared, facts.version, facts.plugins), shared.slow, shared.recent)


def _plugin_endpoints(shared: Infrastructure, services: Services, facts: ProjectFacts) -> Iterator[Endpoints]:
    """Yield the endpoints of v4 plugins that are enabled."""
    settings, managing = shared.settings, services.manage()
    plugins = options.plugins_in_use(settings)
    if "upload" in plugins:
        yield FileEndpoints(managing.library, services.files)
        owners = ComponentOwners(shared.database, services.controller.registry)
        yield FileUseEndpoints(managing.library, FileUses(shared.database, services.controller.reads, owners))
        yield FileTextEndpoints(managing.library_changes)
        yield FocalPointEndpoints(managing.library, services.files)
        yield FilePrivacyEndpoints(managing.library, services.files.privacy)
        yield FolderPrivacyEndpoints(managing.library, managing.folders, services.files.privacy)
        yield FolderEndpoints(managing.library, managing.folders, managing.library_changes)
        yield LibrarySettingsEndpoints(managing.library_settings)
    if "users-permissions" in plugins:
        roles, given = RoleReading(services.controller), options.provider_options(settings)
        yield UserRoleEndpoints(roles, services.roles, facts)
        stored = StoredSettings(services.controller.writer, f"{given.public_url}{given.api_prefix}")
        yield UserSettingsEndpoints(stored, roles)
    if settings.plugins.email.enabled:
        mail = settings.plugins.email.config
        senders = mail.settings
        provider = mail.provider or ("nodemailer" if mail.provider_options.host else "")
        facts_of_mail = MailFacts(provider, senders.default_from, senders.default_reply_to, senders.test_address)
        for_everybody = settings.api.compat.mails_by_administrators == "everyone"
        yield MailEndpoints(shared.mailer, facts_of_mail, for_everybody=for_everybody)
