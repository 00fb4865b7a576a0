"""Processes that share a database apply definitions that one of them has changed."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from octavo.access.authorization.role_grants import grant
from octavo.database.connection import Database
from octavo.modeling.builder.plans import update_content_type
from octavo.operations.runtime.definition_sync import raise_version, read_version
from octavo.operations.runtime.open_resources import open_project_database
from octavo.operations.runtime.process import Process, build
from octavo.schema.problems import InvalidDefinitions
from octavo.settings import Settings, load_settings
from tests.cli.processes import Server, serving
from tests.cli.projects import STORY, database_variables, make_project, write_type

pytestmark = pytest.mark.anyio

PATIENCE = 300
FOLLOWS = {"OCTAVO_SERVER__FOLLOW_DEFINITIONS": "true"}
Start = Callable[[], Any]


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """A project on each database, whose processes apply each other's changes."""
    postgresql = request.param == "postgresql"
    given = database_variables(request.getfixturevalue("postgresql_url")) if postgresql else {}
    return load_settings(make_project(tmp_path), given | FOLLOWS, mode="production")


@pytest.fixture
async def start(anyio_backend: str, settings: Settings) -> AsyncIterator[Start]:
    """Start another process of the project."""
    async with AsyncExitStack() as stack:

        async def one() -> Process:
            process = build(settings)
            await process.asgi.start()
            stack.push_async_callback(process.asgi.stop)
            return process

        yield one


def add(project: Path, *names: str) -> None:
    attributes = {**STORY["attributes"], **{name: {"type": "string"} for name in names}}
    write_type(project, {**STORY, "attributes": attributes})


def served(process: Process) -> set[str]:
    """Return which of the added attributes a process serves."""
    return {"one", "two"} & process.site.registry.content_types["api::story.story"].attributes.keys()


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not true():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


async def test_other_processes_apply_a_change(start: Start, tmp_path: Path) -> None:
    first, second, third = await start(), await start(), await start()
    own = first.site
    add(tmp_path, "one")
    await first.publish_change()
    served_here = first.site
    assert served_here is not own
    await until(lambda: "one" in served(second) and "one" in served(third))
    add(tmp_path, "one", "two")
    await asyncio.gather(second.publish_change(), third.publish_change())  # concurrent: both are applied
    await until(lambda: all("two" in served(process) for process in (first, second, third)))
    assert await read_version(first.database) == 3


async def test_other_processes_apply_changes_of_the_builder(start: Start) -> None:
    """Added and dropped attributes."""
    first, second = await start(), await start()
    uid, names = "api::story.story", {"displayName": "Story", "singularName": "story", "pluralName": "stories"}
    one = {**STORY["attributes"], "one": {"type": "string"}}
    await first.change_definitions(update_content_type(uid, {"contentType": {**names, "attributes": one}}))
    await until(lambda: "one" in served(second))
    gone = {**names, "attributes": STORY["attributes"], "drop": ["one"], "confirm": "story"}
    await second.change_definitions(update_content_type(uid, {"contentType": gone}))
    await until(lambda: not served(first))


async def test_a_process_does_not_reload_its_own_change(start: Start, tmp_path: Path) -> None:
    first, second = await start(), await start()
    add(tmp_path, "one")
    await first.publish_change()
    site = first.site
    await until(lambda: "one" in served(second))
    statements = first.database.statements
    await until(lambda: first.database.statements >= statements + 3)  # it has checked
    assert first.site is site


async def test_a_broken_change_is_not_applied(start: Start, tmp_path: Path) -> None:
    first, second = await start(), await start()
    write_type(tmp_path, "{")
    with pytest.raises(InvalidDefinitions):
        await first.publish_change()
    assert await read_version(first.database) == 0
    assert served(first) == served(second) == set()


async def test_a_failed_reload_is_retried(start: Start, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The files may arrive after the version."""
    process = await start()
    site = process.site
    write_type(tmp_path, "{")
    await raise_version(process.database)
    await until(lambda: "The change is invalid" in caplog.text)
    assert process.site is site
    add(tmp_path, "one")
    await until(lambda: "one" in served(process))


async def test_a_change_during_the_start_is_not_missed(settings: Settings, tmp_path: Path, start: Start) -> None:
    await start()
    late = build(settings)  # it reads the definitions and starts slowly
    add(tmp_path, "one")
    await late.asgi.start()
    await until(lambda: "one" in served(late))
    await late.asgi.stop()


def test_workers_follow(tmp_path: Path, postgresql_url: str) -> None:
    project, given = make_project(tmp_path), database_variables(postgresql_url)
    settings = load_settings(project, given, mode="production")

    def on_database(work: Callable[[Database], Any]) -> None:
        async def run() -> None:
            database = open_project_database(settings)
            await database.connect()
            await work(database)
            await database.close()

        asyncio.run(run())

    with serving("start", project, "--workers", "2", **given, **FOLLOWS) as server:
        on_database(lambda database: grant(database, "public", ["api::story.story.find"]))
        server.wait_for("/api/stories", 200)
        add(project, "one")
        on_database(raise_version)
        wait_for_all(server, "/api/stories?sort=one")
        assert server.stop()[0] == 0


def wait_for_all(server: Server, path: str) -> None:
    """Wait until many requests in a row return 200, because new connections reach any worker."""
    deadline, in_a_row = time.monotonic() + PATIENCE, 0
    while in_a_row < 30:
        assert time.monotonic() < deadline
        in_a_row = in_a_row + 1 if server.get(path)[0] == 200 else 0
