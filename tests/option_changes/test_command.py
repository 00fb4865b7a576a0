"""`octavo db hidden`: publish, export or delete entries that a change of options has hidden."""

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from octavo.cli import main
from octavo.core.threads import in_thread
from tests.option_changes.cases import raw_type
from tests.option_changes.project import Project
from tests.option_changes.test_hidden_entries import prepare, titles

pytestmark = pytest.mark.anyio


async def run(project: Project, *arguments: str) -> Result:
    """Run a command as in its own process."""

    def call() -> Result:
        return CliRunner().invoke(
            main, ["db", "hidden", *arguments, "--project", str(project.folder)], env=dict(project.variables)
        )

    return await in_thread(call)


async def hidden(project: Project, *arguments: str) -> Any:
    result = await run(project, *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


async def test_shows_exports_publishes_and_deletes(project: Project) -> None:
    await prepare(project)
    async with project.serve() as served:
        note, topic = ("api::note.note", "api::topic.topic")
        assert await hidden(project) == [
            {"type": note, "id": 2, "reasons": ["draft"]},
            {"type": topic, "id": 2, "reasons": ["draft"]},
        ]
        file = project.folder / "notes.jsonl"
        assert await hidden(project, "note", "--export", str(file)) == [{"type": note, "done": 1}]
        entry, link = map(json.loads, file.read_text().splitlines())
        assert (entry["id"], entry["hidden"], entry["data"]["title"]) == (2, ["draft"], "hidden note")
        assert (link["left"]["ref"], link["right"]["ref"]) == (2, 2)
        assert await titles(served, "/api/notes?sort=id") == ["first", "third"]

        assert await hidden(project, "note", "--id", "1", "--publish") == [{"type": note, "done": 0}]
        assert await hidden(project, "notes", "--publish") == [{"type": note, "done": 1}]
        assert await titles(served, "/api/notes?sort=id") == ["first", "hidden note", "third"]
        assert await hidden(project, "topic", "--id", "2", "--delete") == [{"type": topic, "done": 1}]
        assert await served.database.fetch_value("SELECT count(*) FROM topics") == 1
        assert await hidden(project) == []
    async with project.serve() as served:
        assert "api::note.note" not in served.process.site.registry.hidden_entries


async def test_invalid_entries_are_not_published(project: Project) -> None:
    """Entries that lack required values, and a second entry of a single type."""
    attributes = {"word": {"type": "string", "required": True}}
    note, front = raw_type("note", attributes, drafts=True), raw_type("front", drafts=True, kind="singleType")
    project.write_types(note, front)
    async with project.serve() as served:
        await served.send(note, ({"title": "draft", "publishedAt": None},), [])
        await served.send(front, ({"title": "draft", "publishedAt": None},), [])
    front = raw_type("front", kind="singleType")
    project.write_types(raw_type("note", attributes), front)
    async with project.serve() as served:
        await served.send(front, ({"title": "new"},), [])
        refused = await run(project, "note", "--publish")
        assert refused.exit_code == 1
        assert "entry 1: word must be" in refused.output
        refused = await run(project, "front", "--publish")
        assert "is a single type and already has an entry" in refused.output
        assert (await served.ask("GET", "/api/front")).json["data"]["attributes"]["title"] == "new"
        assert len(await hidden(project)) == 2


async def test_invalid_arguments_are_reported(project: Project) -> None:
    await prepare(project)
    (project.folder / "there").touch()
    for arguments, text in (
        (("--publish",), "Missing content type"),
        (("nothing", "--publish"), "Unknown content type or component nothing"),
        (("note", "--export", str(project.folder / "there")), "there exists"),
    ):
        result = await run(project, *arguments)
        assert result.exit_code != 0
        assert text in result.output
