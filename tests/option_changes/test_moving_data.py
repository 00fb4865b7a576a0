"""Archives and database copies: hidden entries stay hidden, and the target's own options apply."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from octavo.cli import main
from octavo.core.threads import in_thread
from octavo.settings import load_settings
from tests.option_changes.cases import Raw, raw_type
from tests.option_changes.project import Project, Served
from tests.option_changes.test_hidden_entries import prepare, titles

pytestmark = pytest.mark.anyio

NOTE = "/api/notes?sort=id&fields=title"
GERMAN = ({"title": "english"}, {"title": "deutsch", "locale": "de", "of": 1}, {"title": "draft", "publishedAt": None})


async def run(project: Project, *arguments: str) -> Result:
    def call() -> Result:
        options = [*arguments, "--project", str(project.folder)]
        return CliRunner().invoke(main, options, env=dict(project.variables), catch_exceptions=False)

    result = await in_thread(call)
    assert result.exit_code == 0, result.output
    return result


async def export(project: Project, folder: Path) -> str:
    file = folder / "archive"
    await run(project, "export", "-f", str(file), "--no-encrypt", "--no-compress", "--force")
    return f"{file}.tar"


async def all_titles(served: Served) -> list[str]:
    return await titles(served, f"{NOTE}&publicationState=preview&locale=all")


async def test_an_archive_marks_hidden_entries(project: Project, tmp_path: Path) -> None:
    """So an import hides them, or makes them drafts again if the target has drafts."""
    await prepare(project)
    async with project.serve() as served:
        expected = await titles(served, NOTE)
    archive = await export(project, tmp_path)
    await run(project, "import", "-f", archive, "--force")
    async with project.serve() as served:
        assert await titles(served, NOTE) == expected == ["first", "third"]
        assert await served.database.fetch_value("SELECT count(*) FROM notes") == 3


@pytest.mark.parametrize("mode", ["archive", "copy"])
async def test_a_target_without_options_serves_only_visible_entries(
    project: Project, tmp_path: Path, mode: str
) -> None:
    await fill(project, raw_type("note", drafts=True, localized=True), GERMAN)
    archive = await export(project, tmp_path)
    plain = raw_type("note")
    other = await another(project, tmp_path, plain, archive if mode == "archive" else None)
    for _ in range(2):
        async with other.serve() as served:
            assert await all_titles(served) == ["english"]
            await served.send(plain, ({"title": "later"},), [])
            assert "later" in await all_titles(served)
            await served.database.execute("DELETE FROM notes WHERE title = 'later'")


@pytest.mark.parametrize("mode", ["archive", "copy"])
async def test_a_target_with_options_serves_everything(project: Project, tmp_path: Path, mode: str) -> None:
    await fill(project, raw_type("note"), ({"title": "one"}, {"title": "two"}))
    archive = await export(project, tmp_path)
    rich = raw_type("note", drafts=True, localized=True)
    other = await another(project, tmp_path, rich, archive if mode == "archive" else None)
    async with other.serve() as served:
        assert await titles(served, NOTE) == ["one", "two"]


async def test_hidden_entries_are_hidden_in_a_copy(project: Project, tmp_path: Path) -> None:
    await prepare(project)
    async with project.serve():
        pass
    files = {
        file.relative_to(project.folder / "src").as_posix(): json.loads(file.read_text()) for file in _schemas(project)
    }
    other = await another(project, tmp_path, files, None)
    async with other.serve() as served:
        assert await titles(served, NOTE) == ["first", "third"]
        assert await served.database.fetch_value("SELECT count(*) FROM notes") == 3


def _schemas(project: Project) -> list[Path]:
    return sorted((project.folder / "src").rglob("schema.json"))


async def fill(project: Project, raw: Raw, rows: Any) -> None:
    project.write_types(raw)
    async with project.serve() as served:
        await served.send(raw, rows, [])


async def another(project: Project, folder: Path, types: Any, archive: str | None) -> Project:
    """Return another project on SQLite, for an archive or a copy of the first one's database."""
    other = Project(folder / "other", {})
    if "kind" in types:
        other.write_types(types)
    else:
        other.write(types)
    if archive is not None:
        await run(other, "import", "-f", archive, "--force")
        return other
    variables = project.variables
    source = f"sqlite:///{_database_file(project)}"
    if variables:
        place = f"{variables['DATABASE_USERNAME']}@/{variables['DATABASE_NAME']}?host={variables['DATABASE_HOST']}"
        source = f"postgresql://{place}"
    target = _database_file(other)
    target.parent.mkdir(exist_ok=True)
    await run(other, "db", "copy", source, f"sqlite:///{target}")
    return other


def _database_file(project: Project) -> Path:
    return load_settings(project.folder, project.variables, mode="development").database_file
