"""The start page: with links and content types in development, otherwise without."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from octavo.access.authorization.role_grants import grant
from octavo.operations.runtime.process import Process, build
from octavo.settings import load_settings
from tests.api.http.asgi import call
from tests.cli.projects import PLACE, STORY, database_variables, make_project, write_type

pytestmark = pytest.mark.anyio

Open = Callable[..., Awaitable[Process]]


@pytest.fixture(params=["sqlite", "postgresql"])
def variables(request: pytest.FixtureRequest) -> dict[str, str]:
    if request.param == "sqlite":
        return {}
    return database_variables(request.getfixturevalue("postgresql_url"))


@pytest.fixture
async def serve(anyio_backend: str, tmp_path: Path, variables: dict[str, str]) -> AsyncIterator[Open]:
    make_project(tmp_path)
    write_type(tmp_path, {**STORY, "info": {**STORY["info"], "displayName": "Short & <b>bold</b>"}})
    async with AsyncExitStack() as stack:

        async def start(mode: Any = "development", **more: str) -> Process:
            process = build(load_settings(tmp_path, {**variables, **more}, mode=mode))
            await process.asgi.start()
            stack.push_async_callback(process.asgi.stop)
            return process

        yield start


async def page(process: Process) -> str:
    answer = await call(process.asgi, "GET", "/")
    assert answer.status == 200
    return answer.body.decode()


async def test_lists_links_and_content_types_with_public_access(serve: Open) -> None:
    process = await serve()
    shown = await page(process)
    for path in ("/admin", "/documentation", "/graphql", "/api/stories", "/api/places"):
        assert f'<a href="{path}">{path}</a>' in shown
    assert "<td>Short &amp; &lt;b&gt;bold&lt;/b&gt;</td>" in shown
    assert shown.count("<td>none</td>") == 2
    await grant(process.database, "public", ("api::story.story.find", "api::story.story.create"))
    process.infrastructure.authenticator.invalidate()
    shown = await page(process)
    assert "<td>find, create</td>" in shown
    assert shown.count("<td>none</td>") == 1


async def test_follows_a_change_of_definitions(serve: Open, tmp_path: Path) -> None:
    process = await serve()
    names = {"singularName": "place", "pluralName": "spots", "displayName": "Spot"}
    write_type(tmp_path, {**PLACE, "info": names})
    assert "/api/places" in await page(process)
    await process.reload()
    shown = await page(process)
    assert "/api/spots" in shown
    assert "/api/places" not in shown


async def test_the_page_lists_enabled_features(serve: Open) -> None:
    shown = await page(await serve(OCTAVO_PLUGINS__GRAPHQL__ENABLED="false", ADMIN_JWT_SECRET=""))
    assert "/documentation" in shown
    assert "/graphql" not in shown


async def test_names_no_content_type_in_production(serve: Open) -> None:
    shown = await page(await serve("production"))
    assert "Octavo is running" in shown
    assert "/api/stories" not in shown
    assert "/admin" not in shown
