"""A client of the admin API."""

from typing import Any

from tests.api.admin.conftest import Office
from tests.api.http.asgi import Answer
from tests.models.people import write


class AdminClient:
    """Sends requests as one administrator."""

    def __init__(self, office: Office, token: str) -> None:
        self.office, self.token = office, token

    async def ask(self, method: str, path: str, body: Any = None, **options: Any) -> Answer:
        return await self.office.club.ask(method, f"/admin/{path}", body, token=self.token, **options)


async def sign_in(office: Office, name: str = "ada") -> AdminClient:
    """Return a client for an administrator, signed in."""
    return AdminClient(office, (await office.session(name))[0])


async def allow(office: Office, *actions: str, role: int = 2) -> None:
    """Grant a role actions without subjects."""
    for action in actions:
        text = "INSERT INTO admin_permissions (action, properties, conditions) VALUES ({v1}, '{{}}', '[]')"
        await write(office.club.database, text, action)
        text = """INSERT INTO admin_permissions_role_links (permission_id, role_id)
            SELECT max(id), {v1} FROM admin_permissions"""
        await write(office.club.database, text, role)
    office.club.octavo.infrastructure.authenticator.administrators.forget()
