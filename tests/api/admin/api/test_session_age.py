"""How old what is remembered of an administrator may be."""

import pytest

from octavo.core.clock import Clock
from tests.api.admin.conftest import Office

pytestmark = pytest.mark.anyio


async def test_a_right_that_is_taken_away_elsewhere_is_gone_after_a_second(office: Office) -> None:
    """Also for a session that was read in between: it is as old as the grants that it was made with."""
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
