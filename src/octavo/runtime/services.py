"""What the doors share of one site."""

from octavo.authorization.rights.engine import Rights
from octavo.content_manager.account_writes import AccountWrites
from octavo.content_manager.configurations import Configurations
from octavo.content_manager.entries import ManagedEntries
from octavo.content_manager.entry_actions import EntryActions
from octavo.content_manager.entry_writes import EntryWrites
from octavo.content_manager.library import Library
from octavo.content_manager.library_changes import LibraryChanges
from octavo.content_manager.library_settings import LibrarySettings
from octavo.controllers.content import ContentController
from octavo.media.files import FileService
from octavo.media.folder_service import FolderService
from octavo.users.accounts import Accounts
from octavo.users.providers.logins import ProviderLogins
from octavo.users.role_management import RoleManagement
from octavo.users.user_management import UserManagement
from octavo.values import dataclass


@dataclass(frozen=True, slots=True)
class Services:
    """What the doors share of one site."""

    controller: ContentController
    files: FileService
    accounts: Accounts
    logins: ProviderLogins
    users: UserManagement
    roles: RoleManagement
    managed: ManagedEntries
    entry_writes: EntryWrites
    entry_actions: EntryActions
    account_writes: AccountWrites
    configurations: Configurations
    rights: Rights
    library: Library
    folders: FolderService
    library_changes: LibraryChanges
    library_settings: LibrarySettings
