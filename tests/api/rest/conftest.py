"""Fixtures for the REST tests: clubs with their own settings, on each database."""

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
    """Yield a copy of a club's database, on each database system in turn."""
    with copy_of(request, "club") as copy:
        yield copy


@pytest.fixture
async def new_club(anyio_backend: str, tmp_path: Path, club_copy: Copy) -> AsyncIterator[OpenClub]:
    """Return a function that opens a club with custom settings."""
    async with AsyncExitStack() as stack:

        async def open_new(**settings: str) -> Club:
            club_copy.place(tmp_path / CLUB_DATABASE)
            variables = {**club_copy.variables, **settings}
            return await stack.enter_async_context(open_club(tmp_path, variables, filled=True))

        yield open_new


@pytest.fixture
async def club(new_club: OpenClub) -> Club:
    """A club with v4's defaults, without limits on attempts."""
    return await new_club(**NEVER)
