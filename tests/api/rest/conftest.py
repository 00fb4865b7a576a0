"""What the REST tests share: clubs, each with its own settings, on each database."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.models.club import NEVER, Club, open_club
from tests.models.club_fixtures import CLUB_DATABASE
from tests.models.templates import Copy, copy_of

OpenClub = Callable[..., Awaitable[Club]]


@pytest.fixture(params=["sqlite", "postgresql"])
def club_copy(request: pytest.FixtureRequest) -> Iterator[Copy]:
    """A copy of a club's database on each database in turn."""
    with copy_of(request, "club") as copy:
        yield copy


@pytest.fixture
async def new_club(anyio_backend: str, tmp_path: Path, club_copy: Copy) -> AsyncIterator[OpenClub]:
    """Opens a club with custom settings."""
    async with AsyncExitStack() as stack:

        async def open_new(**settings: str) -> Club:
            club_copy.place(tmp_path / CLUB_DATABASE)
            variables = {**club_copy.variables, **settings}
            return await stack.enter_async_context(open_club(tmp_path, variables, filled=True))

        yield open_new


@pytest.fixture
async def club(new_club: OpenClub) -> Club:
    """A club as v4 would keep it, without limits."""
    return await new_club(**NEVER)
