"""The content services of the admin API, assembled for one site."""

from octavo.accounts.users.content_manager_accounts import AccountWrites
from octavo.accounts.users.user_management import UserManagement
from octavo.content.controllers.content import ContentController
from octavo.content.manager.configurations import Configurations
from octavo.content.manager.entries import ManagedEntries
from octavo.content.manager.entry_actions import EntryActions
from octavo.content.manager.entry_writes import EntryWrites
from octavo.content.manager.library_access import Library
from octavo.content.manager.library_changes import LibraryChanges
from octavo.content.manager.library_settings import LibrarySettings
from octavo.content.manager.write_responses import WriteResponses
from octavo.content.media.files import FileService
from octavo.content.media.folder_service import FolderService
from octavo.core.cache import CacheScope
from octavo.core.values import dataclass
from octavo.operations.runtime.infrastructure import Infrastructure


@dataclass(frozen=True, slots=True)
class ManagedServices:
    """The content services of the admin API."""

    managed: ManagedEntries
    entry_writes: EntryWrites
    entry_actions: EntryActions
    account_writes: AccountWrites
    configurations: Configurations
    library: Library
    folders: FolderService
    library_changes: LibraryChanges
    library_settings: LibrarySettings


def make_managed_services(
    shared: Infrastructure,
    controller: ContentController,
    files: FileService,
    users: UserManagement,
    caches: CacheScope,
    new_components: frozenset[str],
) -> ManagedServices:
    """Return the services of one site. `new_components` are components that were not served before."""
    reads, reader, writer = controller.reads, controller.reader, controller.writer
    shows_linked = shared.settings.api.compat.linked_values == "shown"
    responses = WriteResponses(reads, caches, shows_linked=shows_linked)
    entry_writes = EntryWrites(controller, reader, responses)
    library = Library(reads, reader, caches, signed=shared.media.storage.signs)
    return ManagedServices(
        managed=ManagedEntries(reads, controller.locales, caches, shows_linked=shows_linked),
        entry_writes=entry_writes,
        entry_actions=EntryActions(controller, reader, entry_writes),
        account_writes=AccountWrites(users, entry_writes, writer, reader),
        configurations=Configurations(
            controller.registry,
            writer,
            new_components,
            is_editorial=shared.settings.api.compat.list_columns == "editorial",
        ),
        library=library,
        folders=FolderService(writer, reader, files.privacy),
        library_changes=LibraryChanges(library, files, writer),
        library_settings=LibrarySettings(writer),
    )
