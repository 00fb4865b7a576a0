"""A newsroom on each database, shared by the tests of a module."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.cli.projects import database_variables
from tests.events.webhooks.newsroom import Listener, Newsroom, open_newsroom, settled
from tests.http_services import serving
from tests.postgresql_server import PostgresqlServer


@pytest.fixture(scope="module")
def listener() -> Listener:
    return Listener()


@pytest.fixture(scope="module")
def listening(listener: Listener) -> Iterator[str]:
    """Serve a URL that receives the events."""
    with serving(listener.answer) as url:
        yield url


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
async def opened_newsroom(
    request: pytest.FixtureRequest,
    anyio_backend: str,
    tmp_path_factory: pytest.TempPathFactory,
    listener: Listener,
    listening: str,
) -> AsyncIterator[Newsroom]:
    variables = {}
    if request.param == "postgresql":
        server: PostgresqlServer = request.getfixturevalue("postgresql_server")
        variables = database_variables(server.create_database())
    async with open_newsroom(tmp_path_factory.mktemp("newsroom"), variables, listening, listener) as opened:
        yield opened


@pytest.fixture
async def newsroom(opened_newsroom: Newsroom) -> Newsroom:
    """A newsroom without webhooks, whose listener has received nothing."""
    await settled(opened_newsroom)
    for webhook in await opened_newsroom.webhooks.all():
        await opened_newsroom.webhooks.delete(webhook.id)
    opened_newsroom.listener.reset()
    return opened_newsroom
