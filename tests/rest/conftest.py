"""What the REST tests share: clubs, each with its own settings, on each database."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.models.club import NEVER, Club, open_club
from tests.models.site import postgresql_variables

OpenClub = Callable[..., Awaitable[Club]]


@pytest.fixture(params=["sqlite", "postgresql"])
def club_variables(request: pytest.FixtureRequest) -> dict[str, str]:
    """The variables that name each database in turn."""
    if request.param == "sqlite":
        return {}
    return postgresql_variables(request.getfixturevalue("postgresql_url"))


@pytest.fixture
async def new_club(anyio_backend: str, tmp_path: Path, club_variables: dict[str, str]) -> AsyncIterator[OpenClub]:
    """Opens a club with settings of one's own."""
    async with AsyncExitStack() as stack:

        async def open_new(**settings: str) -> Club:
            return await stack.enter_async_context(open_club(tmp_path, {**club_variables, **settings}))

        yield open_new


@pytest.fixture
async def club(new_club: OpenClub) -> Club:
    """A club as v4 would keep it, without limits."""
    return await new_club(**NEVER)
