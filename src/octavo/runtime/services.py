"""What the doors share of one site."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from octavo.authorization.rights.engine import Rights
from octavo.controllers.content import ContentController
from octavo.media.files import FileService
from octavo.users.accounts import Accounts
from octavo.users.providers.logins import ProviderLogins
from octavo.users.role_management import RoleManagement
from octavo.users.user_management import UserManagement
from octavo.values import dataclass

if TYPE_CHECKING:
    from octavo.runtime.managed_services import ManagedServices


@dataclass(frozen=True, slots=True)
class Services:
    """What the doors share of one site."""

    controller: ContentController
    files: FileService
    accounts: Accounts
    logins: ProviderLogins
    users: UserManagement
    roles: RoleManagement
    rights: Rights
    manage: "Callable[[], ManagedServices]"
    """What only administrators need, made when it is first asked for."""
