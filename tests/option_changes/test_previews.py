"""`octavo db diff` previews the effect of changed options on entries, and changes nothing."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from octavo.cli import main
from octavo.core.threads import in_thread
from tests.option_changes.cases import raw_type
from tests.option_changes.project import Project
from tests.option_changes.test_hidden_entries import prepare

pytestmark = pytest.mark.anyio


async def diff(project: Project, *arguments: str) -> tuple[int, Any]:
    def call() -> Any:
        command = ["db", "diff", "--json", *arguments, "--project", str(project.folder)]
        return CliRunner().invoke(main, command, env=dict(project.variables))

    result = await in_thread(call)
    return result.exit_code, json.loads(result.stdout)["entries"]


async def test_shows_drafts_that_will_be_hidden(project: Project) -> None:
    await prepare(project)
    expected = [
        "api::note.note: 1 draft will be hidden, because drafts are off now",
        "api::topic.topic: 1 draft will be hidden, because drafts are off now",
    ]
    for _ in range(2):
        code, entries = await diff(project, "--exit-code")
        assert (code, sorted(entries)) == (1, expected)
    async with project.serve():
        pass
    assert (await diff(project))[1] == []


async def test_shows_entries_that_will_be_published_or_localized(project: Project) -> None:
    plain = raw_type("note")
    project.write_types(plain)
    async with project.serve() as served:
        await served.send(plain, ({"title": "a"}, {"title": "b"}), [])
    project.write_types(raw_type("note", drafts=True, localized=True))
    assert sorted((await diff(project))[1]) == [
        "api::note.note: 2 entries get the locale en",
        "api::note.note: 2 entries will be published, because drafts are on now",
    ]


async def test_shows_rows_in_a_former_table(project: Project) -> None:
    note = raw_type("note")
    project.write_types(note)
    async with project.serve() as served:
        await served.send(note, ({"title": "a"},), [])
    project.write_types({**note, "collectionName": "jottings"})
    expected = [
        f"api::note.note: the table is now jottings, and 1 row stays in the former table {note['collectionName']}. "
        f"To move them: octavo db rename-table api::note.note {note['collectionName']}"
    ]
    assert (await diff(project))[1] == expected
    async with project.serve():
        pass
    assert (await diff(project))[1] == expected

    def rename() -> Any:
        command = ["db", "rename-table", "note", note["collectionName"], "--project", str(project.folder)]
        return CliRunner().invoke(main, command, env=dict(project.variables))

    assert (await in_thread(rename)).exit_code == 0
    async with project.serve() as served:
        assert (await served.ask("GET", "/api/notes")).json["data"][0]["attributes"]["title"] == "a"
    assert (await diff(project))[1] == []
