"""Replacing and deleting files, on both databases: files on disk and rows always agree."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from octavo.content.entry_unit import EntryUnit
from octavo.content.media.files import FileService, UploadTarget
from octavo.content.media.library import FileInfo, MediaLibrary, MediaOptions, Naming
from octavo.content.media.storage.local import LocalStorage
from octavo.content.media.tables import MEDIA_TABLES
from octavo.content.reader import EntryReader, PreparedRead
from octavo.content.writer import EntryWriter
from octavo.core.errors import ApplicationError, ForbiddenError, NotFoundError, ServiceUnavailable
from octavo.database import leases
from octavo.database.connection import Database, IntegrityViolation, Transaction
from octavo.database.synchronize import synchronize
from octavo.query.plan.read import plan_read
from octavo.query.request import By, Form, ReadRequest
from octavo.schema.content_types import FILE
from octavo.schema.field_places import FieldPlace
from octavo.schema.registry import Registry
from tests.models.pictures import Arriving, picture
from tests.models.v4_names import V4_NAMES

pytestmark = pytest.mark.anyio

OLD, NEW = Arriving("old.png", picture("PNG", 600, 400)), Arriving("new.png", b"new")


class Desk:
    """A file service, the read that it responds with, and its folder."""

    def __init__(self, database: Database, registry: Registry, folder: Path) -> None:
        reader, self.folder = EntryReader(database, registry), folder
        self.reader, self.writer = reader, EntryWriter(database, registry)
        self.media = MediaLibrary(database, LocalStorage(folder))
        self.files = FileService(self.writer, reader, self.media)
        request = ReadRequest(content_type=registry.content_types[FILE], by=By.ID, projection=Form.FLAT)
        self.answer: PreparedRead = reader.prepare(plan_read(request, registry))

    async def add(self, file: Arriving) -> dict[str, Any]:
        (shown,) = await self.files.add([file], [], self.answer)
        added: dict[str, Any] = json.loads(shown)
        return added

    def contents(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.iterdir()}


@pytest.fixture
async def desk(database: Database, registry: Registry, tmp_path: Path) -> Desk:
    await synchronize(database, registry, (leases.TABLE, *MEDIA_TABLES))
    return Desk(database, registry, tmp_path / "uploads")


async def test_a_component_is_linked_if_its_entry_can_be_updated(desk: Desk) -> None:
    registry, database = desk.writer.registry, desk.writer.database
    book = registry.content_types["api::book.book"]

    async def create(unit: EntryUnit) -> int:
        return await unit.create(book, {"title": "Emma", "chapters": [{"title": "One"}]})

    await desk.writer.run(create)
    chapter = await database.fetch_value("SELECT id FROM components_shop_chapters")
    asked: list[FieldPlace] = []

    def refuse(place: FieldPlace) -> None:
        asked.append(place)
        raise ForbiddenError

    target = UploadTarget(registry.components["shop.chapter"], chapter, "picture", refuse)
    with pytest.raises(ForbiddenError):
        await desk.files.add([OLD], [], desk.answer, target)
    assert asked == [FieldPlace("api::book.book", "chapters.")]
    assert (desk.contents(), await database.fetch_value("SELECT count(*) FROM files")) == ({}, 0)
    allowed = UploadTarget(registry.components["shop.chapter"], chapter, "picture", asked.append)
    await desk.files.add([OLD], [], desk.answer, allowed)
    links = await database.fetch_all("SELECT related_id, related_type, field FROM files_related_morphs")
    assert [tuple(link) for link in links] == [(chapter, "shop.chapter", "picture")]


async def replaced_and_then(desk: Desk, file: dict[str, Any], error: Exception, stored: bool = False) -> None:
    async def is_stored() -> bool:
        return stored

    naming = Naming(file["hash"], file["ext"])
    async with desk.media.replacing(NEW, FileInfo(), naming, is_stored) as replacement:
        await replacement.swap()
        await replacement.swap()  # a transaction that is retried
        raise error


@pytest.mark.parametrize("error", [ZeroDivisionError(), asyncio.CancelledError(), ServiceUnavailable()])
async def test_a_failed_replacement_restores_the_old_file(desk: Desk, error: Exception) -> None:
    file = await desk.add(OLD)
    before = desk.contents()
    with pytest.raises(type(error)):
        await replaced_and_then(desk, file, error)
    assert desk.contents() == before


async def test_an_error_after_the_commit_keeps_the_new_file(desk: Desk) -> None:
    file = await desk.add(OLD)
    with pytest.raises(ServiceUnavailable):
        await replaced_and_then(desk, file, ServiceUnavailable(), stored=True)
    assert desk.contents()[f"{file['hash']}.png"] == b"new"


async def test_simultaneous_replacements(desk: Desk) -> None:
    """The final row and the final content come from the same request."""
    file = await desk.add(OLD)
    sizes = range(1000, 9000, 1000)
    arriving = [Arriving(f"{size}.txt", b"x" * size) for size in sizes]
    await asyncio.gather(*(desk.files.replace(file["id"], one, FileInfo(), desk.answer) for one in arriving))
    shown = json.loads(await desk.files.describe(file["id"], FileInfo(), desk.answer))
    (content,) = desk.contents().values()
    assert (shown["name"], shown["size"]) == (f"{len(content)}.txt", len(content) / 1000)


async def test_a_failed_deletion_keeps_row_and_files(desk: Desk, database: Database) -> None:
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


class WaitingStorage(LocalStorage):
    """Moves files only after a signal; `moved` counts the open transactions on entries at each move."""

    def __init__(self, folder: Path, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(folder)
        self.begun, self.go_on, self.moved = threading.Event(), threading.Event(), list[int]()
        self._transactions = 0
        begin = database.transaction

        @asynccontextmanager
        async def transaction(*, grouped: bool = False, **options: Any) -> AsyncIterator[Transaction]:
            async with begin(grouped=grouped, **options) as connection:
                self._transactions += grouped
                try:
                    yield connection
                finally:
                    self._transactions -= grouped

        monkeypatch.setattr(database, "transaction", transaction)

    def move(self, name: str, target: str) -> None:
        self.moved.append(self._transactions)
        self.begun.set()
        assert self.go_on.wait(30)
        super().move(name, target)

    def remove(self, names: Iterable[str]) -> None:
        self.moved.append(self._transactions)
        super().remove(names)


async def test_other_writers_do_not_wait_for_the_storage(
    desk: Desk, database: Database, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, other = await desk.add(OLD), await desk.add(Arriving("other.txt", b"other"))
    storage = WaitingStorage(desk.folder, database, monkeypatch)
    slow = FileService(desk.writer, desk.reader, MediaLibrary(database, storage))
    replaced = asyncio.create_task(slow.replace(file["id"], NEW, FileInfo(), desk.answer))
    assert await asyncio.to_thread(storage.begun.wait, 30)
    shown = json.loads(await desk.files.describe(other["id"], FileInfo("meanwhile"), desk.answer))
    assert shown["name"] == "meanwhile"
    storage.go_on.set()
    assert json.loads(await replaced)["url"] == file["url"]
    await slow.delete(file["id"], desk.answer)
    assert set(storage.moved) == {0}
    assert desk.contents() == {Path(other["url"]).name: b"other"}


async def test_a_file_deleted_while_it_is_replaced_leaves_no_files(
    desk: Desk, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = await desk.add(OLD)
    storage = WaitingStorage(desk.folder, database, monkeypatch)
    slow = FileService(desk.writer, desk.reader, MediaLibrary(database, storage))
    replaced = asyncio.create_task(slow.replace(file["id"], NEW, FileInfo(), desk.answer))
    assert await asyncio.to_thread(storage.begun.wait, 30)
    await desk.files.delete(file["id"], desk.answer)
    storage.go_on.set()
    with pytest.raises(NotFoundError):
        await replaced
    assert desk.contents() == {}


@pytest.mark.parametrize("name", V4_NAMES)
async def test_files_of_v4_with_odd_extensions(desk: Desk, database: Database, name: str) -> None:
    """A replaced file keeps its name, and a deleted one does not stay on disk."""
    stem, dot, extension = name.partition(".")
    desk.folder.mkdir()
    (desk.folder / name).write_bytes(b"old")
    (desk.folder / f"thumbnail_{name}").write_bytes(b"small")
    formats = json.dumps({"thumbnail": {"url": f"/uploads/thumbnail_{name}"}})
    values = ", ".join(f"'{text}'" for text in (stem, dot + extension, f"/uploads/{name}", formats))
    await database.execute(
        "INSERT INTO files (name, mime, size, provider, folder_path, hash, ext, url, formats)"
        f" VALUES ('o', 'x', 1, 'local', '/', {values})"
    )
    row = await database.fetch_value("SELECT max(id) FROM files")
    shown = json.loads(await desk.files.replace(row, NEW, FileInfo(), desk.answer))
    assert (shown["url"], desk.contents()) == (f"/uploads/{name}", {name: b"new"})
    await desk.files.delete(row, desk.answer)
    assert desk.contents() == {}


@pytest.mark.parametrize(
    "old, new, address",
    [
        (OLD, Arriving("x.png", b"<svg width='9' height='9'/>", "image/png"), ".svg"),
        (OLD, Arriving("x.jpeg", picture("JPEG", 9, 9), "image/jpeg"), ".jpeg"),
        (OLD, Arriving("x.PNG", picture("JPEG", 9, 9), "image/png"), ".jpg"),
        (Arriving("a.JPEG", picture("JPEG", 9, 9)), Arriving("b.jpg", picture("JPEG", 99, 9)), None),
        (Arriving("a.mp3", b"\xff\xfbaudio"), Arriving("b.mp3", b"\xff\xfbmore", "audio/mp3"), None),
        (Arriving("a.docx", b"PK\3\4"), Arriving("b.docx", b"PK\3\4", "application/octet-stream"), None),
        (Arriving("a.txt", b"a"), Arriving("b.csv", b"a,b", "text/csv"), None),
        (Arriving("a.x y", b"a"), Arriving("b.txt", b"b"), None),
    ],
)
async def test_a_file_of_another_type_gets_another_url(
    desk: Desk, database: Database, registry: Registry, old: Arriving, new: Arriving, address: str | None
) -> None:
    file = await desk.add(old)
    strict = MediaLibrary(database, LocalStorage(desk.folder), MediaOptions(same_kind=True))
    files = FileService(desk.writer, desk.reader, strict)
    if address is None:
        shown = json.loads(await files.replace(file["id"], new, FileInfo(), desk.answer))
        assert (shown["url"], shown["ext"]) == (file["url"], file["ext"])
        return
    before = desk.contents()
    with pytest.raises(ApplicationError, match=f"^{new.filename} cannot replace a file of another kind"):
        await files.replace(file["id"], new, FileInfo(), desk.answer)
    assert desk.contents() == before
    shown = json.loads(await desk.files.replace(file["id"], new, FileInfo(), desk.answer))
    assert (shown["ext"], shown["width"], shown["height"], shown["formats"]) == (address, 9, 9, {})
    assert shown["url"] == f"/uploads/{file['hash']}{address}"
    assert desk.contents().keys() == {f"{file['hash']}{address}"}


async def test_code_that_refuses_a_replacement_with_not_found_loses_no_files(desk: Desk) -> None:
    file = await desk.add(OLD)
    before = desk.contents()

    async def refuse(unit: EntryUnit, file_id: int) -> None:
        raise NotFoundError

    with pytest.raises(NotFoundError):
        await desk.files.replace(file["id"], NEW, FileInfo(), desk.answer, guard=refuse)
    assert (desk.contents(), json.loads(await desk.files.describe(file["id"], FileInfo(), desk.answer))["name"]) == (
        before,
        file["name"],
    )


async def test_a_stored_file_stays_while_another_row_refers_to_it(desk: Desk) -> None:
    """Databases of v4 can contain copies of rows."""
    file = await desk.add(OLD)
    stored = desk.contents()
    columns = "name, hash, ext, mime, size, formats, provider, url"
    copying = f"INSERT INTO files ({columns}) SELECT {columns} FROM files WHERE id = {file['id']}"
    await desk.writer.database.execute(copying)
    copy_id = await desk.writer.database.fetch_value("SELECT max(id) FROM files")

    note = Arriving("note.txt", b"new")  # of another type, so that it gets another URL
    await desk.files.replace(copy_id, note, FileInfo(), desk.answer)
    assert desk.contents().items() > stored.items(), "the formats and the image stay"
    await desk.files.delete(copy_id, desk.answer)
    assert desk.contents() == stored

    await desk.writer.database.execute(copying)
    await desk.files.delete(file["id"], desk.answer)
    assert desk.contents() == stored
    copy_id = await desk.writer.database.fetch_value("SELECT max(id) FROM files")
    await desk.writer.database.execute(copying.replace(str(file["id"]), str(copy_id)))
    last_id = await desk.writer.database.fetch_value("SELECT max(id) FROM files")
    await asyncio.gather(*(desk.files.delete(each, desk.answer) for each in (copy_id, last_id)))
    assert desk.contents() == {}, "one of two simultaneous deletions removes it"
