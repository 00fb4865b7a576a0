"""Denied permissions in the log of a development server, over REST and GraphQL, on both databases."""

import asyncio
import logging
import shlex
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from octavo.access.authentication.api_tokens import create_token
from octavo.access.authorization.actor import DenialLog
from octavo.cli import main
from octavo.operations.runtime.process import Process, build
from octavo.settings import load_settings
from octavo.testing.client import Client
from tests.cli.projects import database_variables, make_project

FIND = "api::story.story.find"
ME = "plugin::users-permissions.user.me"
LOGGER = "octavo.access.authorization.actor"
Open = Callable[[Any], Awaitable[tuple[Process, Client]]]


@pytest.fixture(params=["sqlite", "postgresql"])
def variables(request: pytest.FixtureRequest) -> dict[str, str]:
    if request.param == "sqlite":
        return {}
    return database_variables(request.getfixturevalue("postgresql_url"))


@pytest.fixture
async def serve(anyio_backend: str, tmp_path: Path, variables: dict[str, str]) -> AsyncIterator[Open]:
    """Return a function that serves a project in a mode, in a folder whose name needs quotes."""
    folder = make_project(tmp_path / "my site")
    async with AsyncExitStack() as stack:

        async def start(mode: Any) -> tuple[Process, Client]:
            process = build(load_settings(folder, variables, mode=mode))
            await process.asgi.start()
            stack.push_async_callback(process.asgi.stop)
            client = Client(process.asgi)
            stack.push_async_callback(client.close)
            return process, client

        yield start


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == LOGGER]


@pytest.mark.anyio
async def test_logs_the_command_that_grants_missing_permissions_of_the_public(
    serve: Open, tmp_path: Path, variables: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    process, client = await serve("development")
    for _ in range(2):
        assert (await client.request("GET", "/api/stories")).status_code == 403
    (line,) = logged(caplog)
    text, _, command = line.partition(" To grant it: ")
    assert text == f"403: the role public lacks the permission {FIND}."
    assert command == f"octavo permissions grant public {FIND} --project '{tmp_path}/my site'"
    result = await asyncio.to_thread(CliRunner().invoke, main, shlex.split(command)[1:], env=variables)
    assert result.exit_code == 0, result.output
    process.infrastructure.authenticator.invalidate()
    assert (await client.request("GET", "/api/stories")).status_code == 200
    assert logged(caplog) == [line]


@pytest.mark.anyio
async def test_logs_missing_permissions_over_graphql(serve: Open, caplog: pytest.LogCaptureFixture) -> None:
    _, client = await serve("development")
    await client.request("POST", "/graphql", json={"query": "{ stories { data { id } } }"})
    await client.request("GET", "/api/users/me")
    assert [line.partition(".")[0] for line in logged(caplog)] == [
        "403: the role public lacks the permission api::story",
        "403: the role public lacks the permission plugin::users-permissions",
    ]


@pytest.mark.anyio
async def test_logs_missing_permissions_of_tokens(serve: Open, caplog: pytest.LogCaptureFixture) -> None:
    process, client = await serve("development")
    token = await create_token(process.database, "salt", "shop", "custom", (ME,), None, "")
    process.infrastructure.authenticator.invalidate()
    assert (await client.request("GET", "/api/stories", token=token)).status_code == 403
    (line,) = logged(caplog)
    assert line.startswith(f"403: the API token 1 lacks the permission {FIND}. Change it at /admin, or create another:")
    assert f" octavo tokens create NAME --type custom --allow {FIND} " in line


@pytest.mark.anyio
async def test_logs_nothing_in_production(serve: Open, caplog: pytest.LogCaptureFixture) -> None:
    await serve("development")
    _, client = await serve("production")
    assert (await client.request("GET", "/api/stories")).status_code == 403
    assert logged(caplog) == []


def test_forgets_logged_denials_after_a_limit(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    log = DenialLog()
    log.open(tmp_path)
    with caplog.at_level(logging.WARNING, LOGGER):
        for number in (*range(1_000), 0, 1_000, 0):
            log.report_role("public", f"api::a.a.own{number}")
    assert len(logged(caplog)) == 1_002


def test_leaves_out_the_project_in_the_current_folder(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    log = DenialLog()
    log.open(tmp_path)
    log.report_role("public", FIND, FIND.replace("find", "create"))
    assert logged(caplog)[0].endswith("octavo permissions grant public api::story.story.find api::story.story.create")
