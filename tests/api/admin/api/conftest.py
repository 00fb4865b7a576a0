"""Fixtures for tests of the admin API."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.api.admin.conftest import NOTE, Office, write_administrators
from tests.api.admin.newsroom import Newsroom, write_newsroom
from tests.cli.projects import write_type
from tests.models.club import NEVER, open_club
from tests.models.club_fixtures import CLUB_DATABASE
from tests.models.templates import Copy, copy_of


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def newsroom_copy(request: pytest.FixtureRequest) -> Iterator[Copy]:
    """Yield a copy of a club's database, on each database system in turn, for one test module."""
    with copy_of(request, "club") as copy:
        yield copy


@pytest.fixture(scope="module")
async def open_newsroom(
    anyio_backend: str, newsroom_copy: Copy, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Newsroom]:
    """Open a newsroom that all tests of a module share."""
    folder = tmp_path_factory.mktemp("newsroom")
    write_type(folder, NOTE)
    write_newsroom(folder)
    newsroom_copy.place(folder / CLUB_DATABASE)
    async with open_club(folder, {**newsroom_copy.variables, **NEVER}, filled=True) as club:
        await write_administrators(club)
        yield Newsroom(Office(club), {})


@pytest.fixture
async def newsroom(open_newsroom: Newsroom) -> Newsroom:
    """Reset the newsroom: Ada is a super administrator, and editors such as Edi have no permissions yet."""
    await open_newsroom.allow_nothing()
    return open_newsroom
