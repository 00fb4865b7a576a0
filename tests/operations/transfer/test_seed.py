"""Seeds: references, localizations, files, permissions. All or nothing, and once."""

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from octavo.access.authorization.role_grants import list_grants
from octavo.content.media.library import MediaLibrary
from octavo.content.media.storage.local import LocalStorage
from octavo.content.media.tables import MEDIA_TABLES
from octavo.content.writer import EntryWriter
from octavo.database.connection import Database
from octavo.operations.runtime.prepare_database import prepare_database
from octavo.operations.transfer.problems import SeedError
from octavo.operations.transfer.seed import SeedReport, load_seed
from octavo.schema.loader import load_registry
from tests.cli.projects import make_project

pytestmark = pytest.mark.anyio

Entries = list[dict[str, Any]]


def story(key: str, **data: Any) -> dict[str, Any]:
    return {"uid": "api::story.story", "key": key, "data": data}


def place(key: str, locale: str, of: str | None = None) -> dict[str, Any]:
    family = {} if of is None else {"localizationOf": of}
    return {"uid": "api::place.place", "key": key, "locale": locale, **family, "data": {"name": key}}


async def load(folder: Path, database: Database, entries: Entries) -> SeedReport | None:
    """Write a seed and load it."""
    project = folder / "site"
    if not project.is_dir():
        make_project(project)
        (project / "seed").mkdir()
        Image.new("RGB", (40, 30), "red").save(project / "seed/red.png")
        (project / "seed/title.txt").write_text("A title from a file", "utf-8")
    contents = {
        "locales": [{"code": code, "name": code} for code in ("de", "en", "fr")],
        "files": [{"key": "red", "path": "red.png", "alternativeText": "Red"}],
        "entries": ["entries.json"],
        "permissions": {"public": ["api::story.story.find"]},
    }
    (project / "seed/seed.json").write_text(json.dumps(contents), "utf-8")
    (project / "seed/entries.json").write_text(json.dumps(entries), "utf-8")
    registry = load_registry(project)
    await prepare_database(database, registry, "de", MEDIA_TABLES)
    media = MediaLibrary(database, LocalStorage(project / "public/uploads"))
    steps: list[tuple[int, int]] = []
    report = await load_seed(project, EntryWriter(database, registry), media, lambda *step: steps.append(step))
    assert report is None or steps[-1] == (report.entries + report.files,) * 2
    return report


def uploads(folder: Path) -> int:
    return len(list((folder / "site/public/uploads").iterdir()))


async def test_references(tmp_path: Path, database: Database) -> None:
    entries = [
        story("first", title="@text:title.txt", image="@file:red", sequel="@second"),
        story("second", title="Second", sequel="@first"),
    ]
    assert await load(tmp_path, database, entries) == SeedReport(entries=2, files=1)
    assert [tuple(row) for row in await database.fetch_all("SELECT id, title FROM stories ORDER BY id")] == [
        (1, "A title from a file"),
        (2, "Second"),
    ]
    sequels = "SELECT story_id, inv_story_id FROM stories_sequel_links ORDER BY story_id"
    assert [tuple(row) for row in await database.fetch_all(sequels)] == [(1, 2), (2, 1)]
    images = "SELECT file_id, related_id, related_type, field FROM files_related_morphs"
    assert [tuple(row) for row in await database.fetch_all(images)] == [(1, 1, "api::story.story", "image")]
    assert await database.fetch_value("SELECT alternative_text FROM files") == "Red"
    public = next(role for role in await list_grants(database) if role.type == "public")
    assert public.actions[-1] == "api::story.story.find"


async def test_localizations_know_each_other(tmp_path: Path, database: Database) -> None:
    await load(tmp_path, database, [place("haus", "de"), place("house", "en", "haus"), place("maison", "fr", "haus")])
    places = await database.fetch_all("SELECT id, name, locale FROM places ORDER BY id")
    assert [tuple(row) for row in places] == [(1, "haus", "de"), (2, "house", "en"), (3, "maison", "fr")]
    links = "SELECT place_id, inv_place_id, place_order FROM places_localizations_links ORDER BY id"
    assert [tuple(row) for row in await database.fetch_all(links)] == [
        (1, 2, 1.0),
        (1, 3, 2.0),
        (2, 1, 1.0),
        (2, 3, 2.0),
        (3, 1, 1.0),
        (3, 2, 2.0),
    ]


async def test_is_loaded_once(tmp_path: Path, database: Database) -> None:
    assert await load(tmp_path, database, [story("first", title="First")]) is not None
    files = uploads(tmp_path)
    assert await load(tmp_path, database, [story("first", title="First")]) is None
    assert await database.fetch_value("SELECT count(*) FROM stories") == 1
    assert uploads(tmp_path) == files


@pytest.mark.parametrize(
    "entry, message",
    [
        (story("b"), "api::story.story 'b' cannot be loaded:\n  title: title must be defined."),
        (story("b", title="@nobody"), "There is no entry for @nobody"),
        (story("b", title="B", image="@file:blue"), "There is no file for @file:blue"),
        ({**story("b"), "uid": "api::x.x"}, "b: unknown content type 'api::x.x'"),
        (place("b", "en", "nowhere"), "b: unknown entry 'nowhere' in localizationOf"),
    ],
)
async def test_a_seed_is_loaded_completely_or_not_at_all(
    tmp_path: Path, database: Database, entry: dict[str, Any], message: str
) -> None:
    with pytest.raises(SeedError) as caught:
        await load(tmp_path, database, [story("a", title="A", image="@file:red"), entry])
    assert str(caught.value) == message
    assert await database.fetch_value("SELECT count(*) FROM stories") == 0
    assert await database.fetch_value("SELECT count(*) FROM files") == 0
    assert uploads(tmp_path) == 0
