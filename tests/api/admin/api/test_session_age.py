"""The maximum age of cached administrator sessions."""

import pytest

from octavo.core.clock import Clock
from tests.api.admin.conftest import Office

pytestmark = pytest.mark.anyio


async def test_a_permission_revoked_elsewhere_ends_after_a_second(office: Office) -> None:
    """Reading another session in between does not renew cached permissions."""
    (one, _), (other, _) = await office.session("edi"), await office.session("edi")
    tokens, now = office.club.octavo.infrastructure.authenticator.administrators, 0.0
    tokens._clock = Clock(steady=lambda: now)
    tokens.forget()

    async def asks(token: str) -> int:
        return (await office.club.ask("GET", "/content-manager/collection-types/api::note.note", token=token)).status

    assert await asks(one) == 200
    now = 0.9
    assert await asks(other) == 200
    await office.club.database.execute("DELETE FROM admin_permissions")
    now = 1.0
    assert (await asks(one), await asks(other)) == (403, 403)
