"""Files replaced and removed, on both databases: what lies on disk and what the row says belong together, always."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from octavo.content.entries import EntryWriter
from octavo.content.files import FILE, FileService
from octavo.content.media import FileInfo, MediaLibrary, Naming
from octavo.content.reading import EntryReader, Prepared
from octavo.content.storage_local import LocalStorage
from octavo.database.connection import Database, IntegrityViolation
from octavo.database.synchronize import synchronize
from octavo.errors import NotFoundError, ServiceUnavailable
from octavo.plan.read import plan_one
from octavo.query.ast import Query
from octavo.schema.registry import Registry
from tests.content.pictures import Arriving, picture

pytestmark = pytest.mark.anyio

OLD, NEW = Arriving("old.png", picture("PNG", 600, 400)), Arriving("new.txt", b"new")


class Desk:
    """A file service, what it answers, and its folder."""

    def __init__(self, database: Database, registry: Registry, folder: Path) -> None:
        reader, self.folder = EntryReader(database, registry), folder
        self.media = MediaLibrary(database, LocalStorage(folder))
        self.files = FileService(EntryWriter(database, registry), reader, self.media)
        planned = plan_one(Query(), registry.content_types[FILE], registry, by_id=True, raw=True)
        self.answer: Prepared = reader.prepare(planned)

    async def add(self, file: Arriving) -> dict[str, Any]:
        (shown,) = await self.files.add([file], [], self.answer)
        added: dict[str, Any] = json.loads(shown)
        return added

    def contents(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.iterdir()}


@pytest.fixture
async def desk(database: Database, registry: Registry, tmp_path: Path) -> Desk:
    await synchronize(database, registry)
    return Desk(database, registry, tmp_path / "uploads")


async def replaced_and_then(desk: Desk, file: dict[str, Any], error: Exception, stored: bool = False) -> None:
    async def is_stored() -> bool:
        return stored

    naming = Naming(file["hash"], file["ext"])
    async with desk.media.replacing(NEW, FileInfo(), naming, is_stored) as replacement:
        await replacement.swap()
        await replacement.swap()  # a transaction that is tried again
        raise error


@pytest.mark.parametrize("error", [ZeroDivisionError(), asyncio.CancelledError(), ServiceUnavailable()])
async def test_a_replacement_that_fails_brings_the_old_file_back(desk: Desk, error: Exception) -> None:
    file = await desk.add(OLD)
    before = desk.contents()
    with pytest.raises(type(error)):
        await replaced_and_then(desk, file, error)
    assert desk.contents() == before


async def test_an_answer_that_got_lost_after_the_commit_keeps_the_new_file(desk: Desk) -> None:
    file = await desk.add(OLD)
    with pytest.raises(ServiceUnavailable):
        await replaced_and_then(desk, file, ServiceUnavailable(), stored=True)
    assert desk.contents()[f"{file['hash']}.png"] == b"new"


async def test_replacements_at_once(desk: Desk) -> None:
    """The row that is there at the end, and the content, are of the same one."""
    file = await desk.add(OLD)
    sizes = range(1000, 9000, 1000)
    arriving = [Arriving(f"{size}.txt", b"x" * size) for size in sizes]
    await asyncio.gather(*(desk.files.replace(file["id"], one, FileInfo(), desk.answer) for one in arriving))
    shown = json.loads(await desk.files.describe(file["id"], FileInfo(), desk.answer))
    (content,) = desk.contents().values()
    assert (shown["name"], shown["size"]) == (f"{len(content)}.txt", len(content) / 1000)


async def test_a_removal_that_fails_leaves_row_and_files(desk: Desk, database: Database) -> None:
    file = await desk.add(OLD)
    before = desk.contents()
    await database.execute("CREATE TABLE holders (file_id integer REFERENCES files (id))")
    await database.execute(f"INSERT INTO holders VALUES ({file['id']})")
    with pytest.raises(IntegrityViolation):
        await desk.files.delete(file["id"], desk.answer)
    assert (desk.contents(), await database.fetch_value("SELECT count(*) FROM files")) == (before, 1)
    await database.execute("DROP TABLE holders")
    assert json.loads(await desk.files.delete(file["id"], desk.answer)) == file
    assert desk.contents() == {}
    with pytest.raises(NotFoundError):
        await desk.files.delete(file["id"], desk.answer)


async def test_a_row_of_another_storage_gets_a_file_of_this_one(desk: Desk, database: Database) -> None:
    file = await desk.add(NEW)
    await database.execute("UPDATE files SET provider = 'other', url = 'https://example.org/x.txt', hash = '../x'")
    shown = json.loads(await desk.files.replace(file["id"], OLD, FileInfo(), desk.answer))
    assert (shown["provider"], shown["url"], shown["hash"]) == ("local", "/uploads/file_1", "file_1")
    assert desk.contents()["file_1"] == OLD.content
