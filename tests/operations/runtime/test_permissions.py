"""Permissions of removed content types, in running processes: at a start, in the builder, and in changed files."""

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from octavo.access.authorization.role_grants import grant, list_grants
from octavo.core import clock
from octavo.modeling.builder.plans import create_content_type, delete_content_type
from octavo.operations.runtime.process import Process, build
from octavo.settings import load_settings
from tests.cli.projects import database_variables, make_project, write_type

pytestmark = pytest.mark.anyio

NOTE: dict[str, Any] = {
    "kind": "collectionType",
    "collectionName": "notes",
    "info": {"singularName": "note", "pluralName": "notes", "displayName": "Note"},
    "attributes": {"title": {"type": "string"}},
}
FORM = {
    "contentType": {
        "kind": "collectionType",
        "singularName": "note",
        "pluralName": "notes",
        "displayName": "Note",
        "attributes": {"title": {"type": "string"}},
    }
}
UID = "api::note.note"
READ = f"{UID}.find"
Open = Callable[..., Awaitable[Process]]


@pytest.fixture(params=["sqlite", "postgresql"])
def variables(request: pytest.FixtureRequest) -> dict[str, str]:
    if request.param == "sqlite":
        return {}
    return database_variables(request.getfixturevalue("postgresql_url"))


@pytest.fixture
async def serve(anyio_backend: str, tmp_path: Path, variables: dict[str, str]) -> AsyncIterator[Open]:
    """Start a process on a project in a folder of `tmp_path`. All use one database."""
    async with AsyncExitStack() as stack:

        async def start(name: str, mode: Any = "production", *, note: bool) -> Process:
            folder = tmp_path / name
            if not folder.exists():
                make_project(folder)
            if note:
                write_type(folder, NOTE)
            else:
                shutil.rmtree(folder / "src/api/note", ignore_errors=True)
            given = variables or {"DATABASE_FILENAME": str(tmp_path / "data.db")}
            process = build(load_settings(folder, given, mode=mode))
            await process.asgi.start()
            stack.push_async_callback(process.asgi.stop)
            return process

        yield start


async def is_public(process: Process) -> bool:
    return any(READ in role.actions for role in await list_grants(process.database) if role.type == "public")


async def make_public(process: Process) -> None:
    await grant(process.database, "public", (READ,), process.infrastructure.feed)


async def test_through_the_builder(serve: Open) -> None:
    process = await serve("one", "development", note=True)
    await make_public(process)
    await process.change_definitions(delete_content_type(UID))
    assert not await is_public(process)
    await process.change_definitions(create_content_type(FORM))
    assert not await is_public(process)


async def test_a_type_renamed_in_one_reload_of_files(serve: Open, tmp_path: Path) -> None:
    process = await serve("one", "development", note=True)
    await make_public(process)
    folder = tmp_path / "one/src/api/note"
    folder.rename(tmp_path / "aside")  # so that no folder gets the inode number of the previous one
    write_type(tmp_path / "one", NOTE)
    await process.reload()
    assert not await is_public(process)
    await make_public(process)
    write_type(tmp_path / "one", {**NOTE, "attributes": {"title": {"type": "text"}, "text": {"type": "text"}}})
    await process.reload()
    assert await is_public(process)


async def test_between_starts_within_a_day(serve: Open) -> None:
    """Older definitions, without the type, are served alone again."""
    first = await serve("one", note=False)
    await first.asgi.stop()
    second = await serve("one", note=True)
    await make_public(second)
    await second.asgi.stop()
    third = await serve("one", note=False)
    await third.asgi.stop()
    fourth = await serve("one", note=True)
    assert not await is_public(fourth)


async def test_an_old_node_deletes_no_permissions_while_new_ones_run(serve: Open) -> None:
    old = await serve("old", note=False)
    new = await serve("new", note=True)
    await make_public(new)
    await new._permissions._presence.renew(*new._permissions._served)  # type: ignore[misc]
    await old.asgi.stop()
    again = await serve("old", note=False)
    assert await is_public(again)
    other = await serve("new", note=True)
    assert await is_public(other)


async def test_permissions_of_removed_types_are_deleted_after_a_day(serve: Open) -> None:
    try:
        first = await serve("one", note=False)
        await first.asgi.stop()
        second = await serve("one", note=True)
        await make_public(second)
        await second.asgi.stop()
        clock.move(25 * 3600)
        third = await serve("one", note=False)
        assert not await is_public(third)
    finally:
        clock.move(0)
