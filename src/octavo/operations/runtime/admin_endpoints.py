"""Behind the administrators' door: what handles the operations of their pages, put together for one site."""

from collections.abc import Iterator

from octavo.accounts.administrators.audit_list import AuditList
from octavo.accounts.administrators.lists import PeopleList
from octavo.accounts.administrators.project_settings import ProjectSettings
from octavo.accounts.administrators.role_listing import RoleListing
from octavo.accounts.administrators.roles import AdminRoles
from octavo.accounts.administrators.token_kinds import api_tokens, transfer_tokens
from octavo.accounts.administrators.tokens import TokenBook
from octavo.accounts.users.role_reading import RoleReading
from octavo.accounts.users.stored_settings import StoredSettings
from octavo.api.admin.endpoints.administrators import PeopleEndpoints
from octavo.api.admin.endpoints.audit import AuditEndpoints
from octavo.api.admin.endpoints.definition_previews import DefinitionPreviewEndpoints
from octavo.api.admin.endpoints.definitions import BuilderEndpoints
from octavo.api.admin.endpoints.deliveries import DeliveryEndpoints
from octavo.api.admin.endpoints.draft_relations import DraftRelationEndpoints
from octavo.api.admin.endpoints.entries import EntryEndpoints
from octavo.api.admin.endpoints.entry_addresses import EntryAddressEndpoints
from octavo.api.admin.endpoints.entry_changes import EntryChangeEndpoints
from octavo.api.admin.endpoints.file_uses import FileUseEndpoints
from octavo.api.admin.endpoints.files import FileEndpoints
from octavo.api.admin.endpoints.focal_points import FocalPointEndpoints
from octavo.api.admin.endpoints.folders import FolderEndpoints
from octavo.api.admin.endpoints.jobs import WorkEndpoints
from octavo.api.admin.endpoints.library_settings import LibrarySettingsEndpoints
from octavo.api.admin.endpoints.locales import LocaleEndpoints, NewLocalizationEndpoints
from octavo.api.admin.endpoints.mail import MailEndpoints, MailFacts
from octavo.api.admin.endpoints.project import ProjectEndpoints, ProjectFacts
from octavo.api.admin.endpoints.publications import PublicationEndpoints
from octavo.api.admin.endpoints.recent import RecentEndpoints
from octavo.api.admin.endpoints.registration import EnteringEndpoints
from octavo.api.admin.endpoints.relations import RelationEndpoints
from octavo.api.admin.endpoints.roles import RightsEndpoints, RoleEndpoints
from octavo.api.admin.endpoints.schedules import ScheduleEndpoints
from octavo.api.admin.endpoints.sessions import AdminSessionEndpoints, SessionAnswers
from octavo.api.admin.endpoints.single_type_changes import SingleTypeChangeEndpoints
from octavo.api.admin.endpoints.system import SystemEndpoints
from octavo.api.admin.endpoints.tokens import ApiTokenEndpoints, TransferTokenEndpoints
from octavo.api.admin.endpoints.user_roles import UserRoleEndpoints
from octavo.api.admin.endpoints.user_settings import UserSettingsEndpoints
from octavo.api.admin.endpoints.view_configurations import StructureEndpoints
from octavo.api.admin.endpoints.webhooks import WebhookEndpoints
from octavo.api.admin.operations import Endpoints, declare
from octavo.api.http.hosts import allowed_hosts
from octavo.api.http.router import Router
from octavo.content.manager.component_owners import ComponentOwners
from octavo.content.manager.draft_relations import DraftRelations
from octavo.content.manager.file_uses import FileUses
from octavo.content.manager.managed_locales import ManagedLocales
from octavo.content.manager.recent import RecentEntries
from octavo.content.manager.relations import Relations
from octavo.content.manager.uid_generation import Uids
from octavo.events.jobs.admin import JobDesk
from octavo.operations.runtime import options
from octavo.operations.runtime.infrastructure import Infrastructure
from octavo.operations.runtime.project_facts import project_facts
from octavo.operations.runtime.services import Services
from octavo.operations.runtime.system_facts import system_facts


def declare_endpoints(router: Router, shared: Infrastructure, services: Services) -> None:
    """Declare the routes of administrators."""
    declare(router, shared.administrators, _endpoints(router, shared, services))


def _endpoints(router: Router, shared: Infrastructure, services: Services) -> Iterator[Endpoints]:
    settings, managing = shared.settings, services.manage()
    secure, origins = options.admin_cookie_secure(settings), options.admin_origins(settings)
    answers = SessionAnswers(shared.administrators, origins, secure=secure)
    yield AdminSessionEndpoints(shared.administrators, answers)
    first_hosts = allowed_hosts(settings.server.url, (), guesses=False)
    yield EnteringEndpoints(shared.entering, answers, first_hosts)
    yield PeopleEndpoints(shared.people, PeopleList(services.controller.reads))
    registry, own_actions = services.controller.registry, services.controller.own_actions
    facts = project_facts(settings, registry, router, own_actions)
    yield ProjectEndpoints(shared.entering, ProjectSettings(shared.database, shared.media), facts)
    given = settings.secrets
    api = api_tokens(registry, given.api_token_salt or "", own_actions)
    yield ApiTokenEndpoints(TokenBook(shared.database, shared.feed, api))
    if given.transfer_token_salt:
        transfer = transfer_tokens(given.transfer_token_salt)
        yield TransferTokenEndpoints(TokenBook(shared.database, shared.feed, transfer))
    checks = settings.api.compat.webhook_addresses == "checked"
    yield WebhookEndpoints(shared.webhooks, registry, checks_addresses=checks)
    yield from _oversight(shared, facts)
    yield EntryEndpoints(managing.managed)
    yield EntryChangeEndpoints(managing.entry_writes, managing.entry_actions, managing.account_writes)
    yield PublicationEndpoints(managing.entry_actions)
    yield DraftRelationEndpoints(DraftRelations(managing.managed, services.controller.locales), managing.entry_writes)
    yield LocaleEndpoints(ManagedLocales(services.controller))
    yield NewLocalizationEndpoints(managing.managed)
    yield SingleTypeChangeEndpoints(managing.entry_writes, managing.entry_actions)
    yield BuilderEndpoints(services.controller.registry, shared.definitions)
    yield DefinitionPreviewEndpoints(shared.definitions)
    roles = AdminRoles(shared.database, shared.feed, services.rights.catalogue)
    listing = RoleListing(shared.database, services.controller.reads, services.rights)
    yield RoleEndpoints(roles, listing, services.rights.catalogue)
    yield RightsEndpoints(roles, listing, services.rights.catalogue)
    owners = ComponentOwners(shared.database, registry)
    yield RelationEndpoints(Relations(managing.managed, managing.configurations, owners))
    yield EntryAddressEndpoints(registry, settings.api.rest.prefix, settings.admin.preview)
    if services.controller.schedules is not None:
        yield ScheduleEndpoints(services.controller.schedules)
    recent = RecentEntries(managing.managed, managing.configurations, services.controller.schedules)
    yield RecentEndpoints(recent)
    yield StructureEndpoints(managing.configurations, Uids(services.controller.reads))
    yield from _plugin_endpoints(shared, services, facts)


def _oversight(shared: Infrastructure, facts: ProjectFacts) -> Iterator[Endpoints]:
    """What happens in the service: who did what, what was sent, what waits, how it is."""
    yield DeliveryEndpoints(shared.webhooks)
    yield AuditEndpoints(AuditList(shared.database))
    yield WorkEndpoints(JobDesk(shared.database, shared.outbox))
    yield SystemEndpoints(system_facts(shared, facts.version, facts.plugins), shared.slow, shared.recent)


def _plugin_endpoints(shared: Infrastructure, services: Services, facts: ProjectFacts) -> Iterator[Endpoints]:
    """What belongs to v4's plugins, those that are in use."""
    settings, managing = shared.settings, services.manage()
    plugins = options.plugins_in_use(settings)
    if "upload" in plugins:
        yield FileEndpoints(managing.library, services.files)
        owners = ComponentOwners(shared.database, services.controller.registry)
        yield FileUseEndpoints(managing.library, FileUses(shared.database, services.controller.reads, owners))
        yield FocalPointEndpoints(managing.library, services.files)
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
