"""Behind the administrators' door: what handles the operations of their pages, put together for one site."""

from collections.abc import Iterator

from octavo.admin.api.audit import AuditEndpoints
from octavo.admin.api.definition_previews import DefinitionPreviewEndpoints
from octavo.admin.api.definitions import BuilderEndpoints
from octavo.admin.api.deliveries import DeliveryEndpoints
from octavo.admin.api.draft_relations import DraftRelationEndpoints
from octavo.admin.api.entering import EnteringEndpoints
from octavo.admin.api.entries import EntryEndpoints
from octavo.admin.api.entry_addresses import EntryAddressEndpoints
from octavo.admin.api.entry_changes import EntryChangeEndpoints
from octavo.admin.api.file_uses import FileUseEndpoints
from octavo.admin.api.files import FileEndpoints
from octavo.admin.api.focal_points import FocalPointEndpoints
from octavo.admin.api.folders import FolderEndpoints
from octavo.admin.api.library_settings import LibrarySettingsEndpoints
from octavo.admin.api.locales import LocaleEndpoints, NewLocalizationEndpoints
from octavo.admin.api.mail import MailEndpoints, MailFacts
from octavo.admin.api.people import PeopleEndpoints
from octavo.admin.api.project import ProjectEndpoints, ProjectFacts
from octavo.admin.api.publications import PublicationEndpoints
from octavo.admin.api.recent import RecentEndpoints
from octavo.admin.api.relations import RelationEndpoints
from octavo.admin.api.roles import RightsEndpoints, RoleEndpoints
from octavo.admin.api.schedules import ScheduleEndpoints
from octavo.admin.api.sessions import AdminSessionEndpoints, SessionAnswers
from octavo.admin.api.single_type_changes import SingleTypeChangeEndpoints
from octavo.admin.api.structure import StructureEndpoints
from octavo.admin.api.system import SystemEndpoints
from octavo.admin.api.tokens import ApiTokenEndpoints, TransferTokenEndpoints
from octavo.admin.api.user_roles import UserRoleEndpoints
from octavo.admin.api.user_settings import UserSettingsEndpoints
from octavo.admin.api.webhooks import WebhookEndpoints
from octavo.admin.api.work import WorkEndpoints
from octavo.admin.operations import Endpoints, declare
from octavo.administrators.audit_list import AuditList
from octavo.administrators.listing import PeopleList
from octavo.administrators.project_settings import ProjectSettings
from octavo.administrators.role_listing import RoleListing
from octavo.administrators.roles import AdminRoles
from octavo.administrators.token_kinds import api_tokens, transfer_tokens
from octavo.administrators.tokens import TokenBook
from octavo.content_manager.component_owners import ComponentOwners
from octavo.content_manager.draft_relations import DraftRelations
from octavo.content_manager.file_uses import FileUses
from octavo.content_manager.managed_locales import ManagedLocales
from octavo.content_manager.recent import RecentEntries
from octavo.content_manager.relations import Relations
from octavo.content_manager.uids import Uids
from octavo.http.hosts import allowed_hosts
from octavo.http.router import Router
from octavo.jobs.desk import JobDesk
from octavo.runtime import options
from octavo.runtime.infrastructure import Infrastructure
from octavo.runtime.project_facts import project_facts
from octavo.runtime.services import Services
from octavo.runtime.system_facts import system_facts
from octavo.users.role_reading import RoleReading
from octavo.users.stored_settings import StoredSettings


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
