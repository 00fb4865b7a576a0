"""The services that the APIs of one site share."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from octavo.access.authorization.admin.engine import AbilityBuilder
from octavo.accounts.users.accounts import Accounts
from octavo.accounts.users.providers.logins import ProviderLogins
from octavo.accounts.users.role_management import RoleManagement
from octavo.accounts.users.user_management import UserManagement
from octavo.content.controllers.content import ContentController
from octavo.content.media.files import FileService
from octavo.core.values import dataclass

if TYPE_CHECKING:
    from octavo.operations.runtime.managed_services import ManagedServices


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
