"""The media library on both databases: rows and files are stored together or not at all."""

import asyncio
import io
import json
import re
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

import pytest
from PIL import Image

from octavo.content.media.library import FileInfo, MediaLibrary, MediaOptions
from octavo.content.media.processing import kilobytes
from octavo.content.media.storage.local import LocalStorage
from octavo.content.media.tables import MEDIA_TABLES
from octavo.core.errors import ApplicationError, OctavoError, PayloadTooLargeError, ServiceUnavailable, ValidationError
from octavo.database.connection import Database
from octavo.database.maintenance_mode import UnderMaintenance
from octavo.database.synchronize import synchronize
from octavo.database.unit_of_work import unit_of_work
from octavo.query.sql.raw_statement import RawStatement
from octavo.schema.registry import Registry
from tests.models.pictures import Arriving, bomb, picture, turned_picture

pytestmark = pytest.mark.anyio

COLUMNS = "name, alternative_text, caption, width, height, ext, mime, url, provider, folder_path, hash, preview_url"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "uploads"


@pytest.fixture
async def tables(database: Database, registry: Registry) -> Database:
    await synchronize(database, registry, MEDIA_TABLES)
    return database


@pytest.fixture
def library(tables: Database, folder: Path) -> MediaLibrary:
    return MediaLibrary(tables, LocalStorage(folder))


def names(folder: Path) -> set[str]:
    return {item.name for item in folder.iterdir()} if folder.exists() else set()


def masked(value: Any) -> Any:
    """Replace random digits."""
    return json.loads(re.sub(r"_[0-9a-f]{10}(?=[\".])", "_#", json.dumps(value)))


async def rows(database: Database, columns: str = COLUMNS) -> list[Any]:
    return [list(row) for row in await database.fetch_all(f"SELECT {columns} FROM files ORDER BY id")]


async def test_a_small_image(library: MediaLibrary, tables: Database, folder: Path) -> None:
    content = picture("PNG", 32, 20)
    ids = await library.add([Arriving("Été & co.PNG", content, "image/png")])
    assert ids == [1]
    assert masked(await rows(tables)) == [
        [
            *("Été & co.PNG", None, None, 32, 20, ".PNG", "image/png", "/uploads/Ete_and_co_#.PNG", "local", "/"),
            *("Ete_and_co_#", None),
        ]
    ]
    assert masked(sorted(names(folder))) == ["Ete_and_co_#.PNG"]
    assert (folder / names(folder).pop()).read_bytes() == content
    ((size, created, updated),) = await rows(tables, "size, created_at, updated_at")
    assert float(size) == round(len(content) / 1000, 2)
    assert created == updated is not None


async def test_formats(library: MediaLibrary, tables: Database, folder: Path) -> None:
    await library.add([Arriving("big.png", picture("PNG", 600, 400), "image/png")])
    ((text,),) = await rows(tables, "formats")
    formats = json.loads(text)
    sizes = {name: (made.pop("size"), made.pop("sizeInBytes")) for name, made in formats.items()}
    expected = {
        name: {
            "name": f"{name}_big.png",
            "hash": f"{name}_big_#",
            "ext": ".png",
            "mime": "image/png",
            "path": None,
            "width": width,
            "height": height,
            "url": f"/uploads/{name}_big_#.png",
        }
        for name, width, height in (("thumbnail", 234, 156), ("small", 500, 333))
    }
    assert masked(formats) == expected
    on_disk = {name: (folder / made["url"].rpartition("/")[2]).stat().st_size for name, made in formats.items()}
    assert sizes == {name: (round(size / 1000, 2), size) for name, size in on_disk.items()}
    assert len(names(folder)) == 3


@pytest.mark.parametrize("kept, made", [(False, ["thumbnail"]), (True, ["thumbnail", "small"])])
async def test_formats_from_the_stored_settings(
    library: MediaLibrary, tables: Database, kept: bool, made: list[str]
) -> None:
    """Without v4's setting `responsiveDimensions`, only a thumbnail is created."""
    value = json.dumps({"sizeOptimization": False, "responsiveDimensions": kept, "autoOrientation": True})
    text = "INSERT INTO strapi_core_store_settings ({key:name}, value, type) VALUES ({key}, {value}, 'object')"
    await tables.execute(*RawStatement(text).bind(tables.dialect, key="plugin_upload_settings", value=value))
    await library.add([Arriving("a.png", picture("PNG", 600, 400), "image/png")])
    assert {*json.loads((await rows(tables, "formats"))[0][0])} == {*made}


async def test_images_are_optimized_if_enabled(library: MediaLibrary, tables: Database, folder: Path) -> None:
    await library.add([Arriving("a.jpg", turned_picture(300, 200), "image/jpeg")])
    value = json.dumps({"sizeOptimization": True, "responsiveDimensions": False, "autoOrientation": True})
    text = "INSERT INTO strapi_core_store_settings ({key:name}, value, type) VALUES ({key}, {value}, 'object')"
    await tables.execute(*RawStatement(text).bind(tables.dialect, key="plugin_upload_settings", value=value))
    await library.add([Arriving("b.jpg", turned_picture(300, 200), "image/jpeg")])
    shown = await rows(tables, "url, width, height, size")
    stored = [folder / url.rpartition("/")[2] for url, *_ in shown]
    with Image.open(stored[0]) as first, Image.open(stored[1]) as second:
        assert (first.size, second.size) == ((300, 200), (200, 300))
    assert [one[1:3] for one in shown] == [[200, 300]] * 2
    assert [float(one[3]) for one in shown] == [kilobytes(path.stat().st_size) for path in stored]


@pytest.mark.parametrize(
    "file, ext, mime, stored",
    [
        (Arriving("notes.txt", b"hello", "text/plain"), ".txt", "text/plain", "notes_#.txt"),
        (Arriving("no-extension", b"hello", "application/octet-stream"), ".bin", "application/octet-stream", None),
        (Arriving("shell.php.png", b"<?php 1", "image/png"), ".png", "image/png", "shell_php_#.png"),
        (Arriving(".htaccess", b"deny", "text/plain"), ".txt", "text/plain", "htaccess_#.txt"),
        (Arriving("..\\..\\up.txt", b"x", "text/plain"), ".txt", "text/plain", "up_#.txt"),
        (Arriving("日本.pdf", b"%PDF-1.4", "image/png"), ".pdf", "application/pdf", None),
        (Arriving("page.html", b"<html>", "image/png"), ".html", "text/html", "page_#.html"),
        (Arriving("seed.css", b"a{}"), ".css", "text/css", "seed_#.css"),
        (Arriving("x" * 251 + ".txt", b"x", "text/plain"), ".txt", "text/plain", "x" * 120 + "_#.txt"),
        (Arriving("empty.txt", b"", "text/plain"), ".txt", "text/plain", "empty_#.txt"),
    ],
)
async def test_other_files(
    library: MediaLibrary, tables: Database, folder: Path, file: Arriving, ext: str, mime: str, stored: str | None
) -> None:
    await library.add([file])
    assert await rows(tables, "ext, mime, width, formats") == [[ext, mime, None, None]]
    (name,) = names(folder)
    assert re.fullmatch(r"[A-Za-z0-9_]*_[0-9a-f]{10}\.[a-z]+", name)
    assert stored is None or masked([name]) == [stored]
    assert (folder / name).read_bytes() == file.content


async def test_file_info(library: MediaLibrary, tables: Database) -> None:
    files = [Arriving("one.png", picture("PNG", 300, 200)), Arriving("two.txt", b"2")]
    assert await library.add(files, [FileInfo("A", "aa", "bb")]) == [1, 2]
    assert masked(await rows(tables, "name, alternative_text, caption, hash, ext")) == [
        ["A", "aa", "bb", "A_#", ".png"],
        ["two.txt", None, None, "two_#", ".txt"],
    ]


@pytest.mark.parametrize(
    "bad, error",
    [
        (Arriving("a/b.txt", b"x"), ApplicationError),
        (Arriving("a\0.txt", b"x"), ApplicationError),
        (Arriving("x" * 256, b"x"), ValidationError),
        (Arriving("cut.png", picture("PNG", 300, 200)[:90]), ApplicationError),
        (Arriving("bomb.png", bomb(8001, 8001)), ApplicationError),
        (Arriving("large.txt", b"x" * 5001), PayloadTooLargeError),
    ],
)
async def test_one_invalid_file_stores_none(
    tables: Database, folder: Path, bad: Arriving, error: type[OctavoError]
) -> None:
    library = MediaLibrary(tables, LocalStorage(folder), MediaOptions(size_limit=5000))
    with pytest.raises(error):
        await library.add([Arriving("good.png", picture("PNG", 300, 200)), bad, Arriving("never.txt", b"x")])
    assert (await rows(tables), names(folder)) == ([], set())


async def stored_and_then(
    library: MediaLibrary, database: Database, within: Exception | None, after: Exception | None
) -> None:
    """Store a file and raise an error within its transaction or after it."""
    async with library.incoming([Arriving("a.png", picture("PNG", 600, 400))]) as stored:
        async with unit_of_work(database) as unit:
            await stored.insert(unit)
            if within is not None:
                raise within
        if after is not None:
            raise after


async def test_a_failed_transaction_leaves_no_files(library: MediaLibrary, tables: Database, folder: Path) -> None:
    with pytest.raises(ValidationError):
        await stored_and_then(library, tables, ValidationError(), None)
    assert (await rows(tables), names(folder)) == ([], set())


async def test_transactions_can_be_retried(library: MediaLibrary, tables: Database, folder: Path) -> None:
    async with library.incoming([Arriving("a.txt", b"x")]) as stored:
        with suppress(ZeroDivisionError):
            async with unit_of_work(tables) as unit:
                await stored.insert(unit)
                raise ZeroDivisionError
        async with unit_of_work(tables) as unit:
            await stored.insert(unit)
    assert (len(await rows(tables)), len(names(folder))) == (1, 1)


async def test_an_error_after_the_commit_keeps_the_files(library: MediaLibrary, tables: Database, folder: Path) -> None:
    with pytest.raises(ServiceUnavailable):
        await stored_and_then(library, tables, None, ServiceUnavailable())
    assert (len(await rows(tables)), len(names(folder))) == (1, 3)


@dataclass(frozen=True)
class Slow:
    """A file whose reading waits until a test lets it continue."""

    file: IO[bytes]
    filename: str = "slow.txt"
    content_type: str = ""


class SlowSource(io.BytesIO):
    def __init__(self, reached: Callable[[], object], go_on: threading.Event) -> None:
        super().__init__(b"x" * 10)
        self._reached, self._go_on = reached, go_on

    def read(self, size: int | None = -1) -> bytes:
        self._reached()
        self._go_on.wait(10)
        return super().read(size)


async def test_a_canceled_upload_leaves_no_files(library: MediaLibrary, tables: Database, folder: Path) -> None:
    loop, reached, go_on = asyncio.get_running_loop(), asyncio.Event(), threading.Event()
    slow = Slow(SlowSource(partial(loop.call_soon_threadsafe, reached.set), go_on))
    task = asyncio.create_task(library.add([Arriving("first.png", picture("PNG", 300, 200)), slow]))
    await reached.wait()
    task.cancel()
    loop.call_later(0.05, task.cancel)
    loop.call_later(0.1, go_on.set)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await rows(tables), names(folder)) == ([], set())


async def test_statements(library: MediaLibrary, tables: Database) -> None:
    before = tables.statements
    await library.add([Arriving("a.txt", b"1"), Arriving("b.txt", b"2")])
    assert tables.statements - before == 5, "one statement for the names, two for each file"


async def test_many_simultaneous_uploads(library: MediaLibrary, tables: Database, folder: Path) -> None:
    content = picture("JPEG", 300, 200)
    added = await asyncio.gather(*(library.add([Arriving("same.jpg", content)]) for _ in range(12)))
    assert sorted(file_id for ids in added for file_id in ids) == list(range(1, 13))
    assert len(names(folder)) == 24
    assert [name for name in names(folder) if name.startswith(".")] == []


async def test_no_file_is_processed_in_maintenance(library: MediaLibrary, tables: Database) -> None:
    tables.read_only_message = "Back at 6 pm"
    with pytest.raises(UnderMaintenance):
        async with library.incoming([Arriving("a.png", b"not read")]):
            pytest.fail("the files were processed")
