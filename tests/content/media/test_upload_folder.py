"""The folder for uploads over the API, on both databases: created once, reused, recreated after it was deleted."""

import asyncio

import pytest

from octavo.content.media.upload_folder import ApiFolder, Folder
from octavo.database.connection import Database
from octavo.database.synchronize import synchronize
from octavo.database.unit_of_work import unit_of_work
from octavo.schema.registry import Registry

pytestmark = pytest.mark.anyio

FOLDERS = "SELECT name, path_id, path FROM upload_folders ORDER BY id"
LINKS = "SELECT file_id, folder_id, file_order FROM files_folder_links ORDER BY id"
SETTING = "SELECT value FROM strapi_core_store_settings WHERE key = 'plugin_upload_api-folder'"
FILE = "INSERT INTO files (name, hash, mime, size, url, provider) VALUES ('a', 'a', 'b', 1, 'c', 'local')"


@pytest.fixture
async def tables(database: Database, registry: Registry) -> Database:
    await synchronize(database, registry)
    return database


@pytest.fixture
def api_folder(tables: Database) -> ApiFolder:
    return ApiFolder(tables.dialect)


async def found(database: Database, api_folder: ApiFolder) -> Folder:
    async with unit_of_work(database) as unit:
        return await api_folder.find(unit)


async def rows(database: Database, text: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in await database.fetch_all(text)]


async def test_the_folder_is_created_once(tables: Database, api_folder: ApiFolder) -> None:
    folders = await asyncio.gather(*(found(tables, api_folder) for _ in range(6)))
    assert set(folders) == {Folder(1, "/1")}
    assert await rows(tables, FOLDERS) == [("API Uploads", 1, "/1")]
    assert await rows(tables, SETTING) == [('{"id":1}',)]
    before = tables.statements
    await found(tables, api_folder)
    assert tables.statements - before == 1


async def test_files_are_appended_in_order(tables: Database, api_folder: ApiFolder) -> None:
    for _ in range(2):
        await tables.execute(FILE)
    async with unit_of_work(tables) as unit:
        folder = await api_folder.find(unit)
        for file_id in (2, 1):
            await api_folder.put(unit.connection, folder, file_id)
    assert await rows(tables, LINKS) == [(2, 1, 1.0), (1, 1, 2.0)]


async def test_a_deleted_folder_is_recreated_beside_one_with_its_name(tables: Database, api_folder: ApiFolder) -> None:
    await found(tables, api_folder)
    await tables.execute("UPDATE strapi_core_store_settings SET value = '{\"id\":77}' WHERE key LIKE 'plugin_upload%'")
    assert await found(tables, api_folder) == Folder(2, "/2")
    assert await rows(tables, FOLDERS) == [("API Uploads", 1, "/1"), ("API Uploads (1)", 2, "/2")]
    assert await rows(tables, SETTING) == [('{"id":2}',)]
