"""Studios on each database and under each profile."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.api.admin.conftest import Office, write_administrators
from tests.models.club import NEVER, open_club
from tests.models.club_fixtures import CLUB_DATABASE
from tests.models.templates import Copy, copy_of
from tests.translations.studio import Studio, write_studio

OpenStudio = Callable[[str], Awaitable[Studio]]
PROFILES = ("v4", "safe")


@pytest.fixture(params=["sqlite", "postgresql"])
def studio_copy(request: pytest.FixtureRequest) -> Iterator[Copy]:
    """Yield a copy of a club's database, on each database system in turn."""
    with copy_of(request, "club") as copy:
        yield copy


@pytest.fixture
async def open_studio(anyio_backend: str, studio_copy: Copy, tmp_path: Path) -> AsyncIterator[OpenStudio]:
    """Return a function that opens a studio under a profile."""
    async with AsyncExitStack() as stack:

        async def opened(profile: str) -> Studio:
            write_studio(tmp_path)
            studio_copy.place(tmp_path / CLUB_DATABASE)
            variables = {**studio_copy.variables, **NEVER, "OCTAVO_API__COMPAT__PROFILE": profile}
            club = await stack.enter_async_context(open_club(tmp_path, variables, filled=True))
            await write_administrators(club)
            studio = Studio(Office(club), (await Office(club).session("ada"))[0])
            await studio.fill()
            return studio

        yield opened


@pytest.fixture(params=PROFILES)
async def studio(request: pytest.FixtureRequest, open_studio: OpenStudio) -> Studio:
    """A studio under each profile."""
    return await open_studio(request.param)


@pytest.fixture
async def v4_studio(open_studio: OpenStudio) -> Studio:
    """A studio under the profile `v4`."""
    return await open_studio("v4")


@pytest.fixture
async def safe_studio(open_studio: OpenStudio) -> Studio:
    """A studio under the profile of new projects."""
    return await open_studio("safe")
