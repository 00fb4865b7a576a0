"""Private folders over HTTP, on each database: files in them are private, also when they or the folders are moved."""

import io
from typing import Any, NamedTuple

import orjson
import pytest

from octavo.content.media.storage.local import LocalStorage
from octavo.content.media.upload_folder import LOCK, Folder
from octavo.events.messages import Message
from tests.api.admin.api.test_library import add, folder, send
from tests.api.admin.conftest import Office
from tests.api.admin.newsroom import Newsroom
from tests.models.club import NEVER
from tests.models.pictures import picture

pytestmark = pytest.mark.anyio

SETTINGS = {"OCTAVO_PLUGINS__UPLOAD__CONFIG__PRIVATE_FILES": "true", "IMAGES_SECRET": "s" * 32, **NEVER}
PHOTO = ("photo.png", picture("PNG", 600, 300), "image/png")


class Sent(NamedTuple):
    """A file that project code stores."""

    filename: str
    content_type: str
    file: io.BytesIO


@pytest.fixture
async def room(open_office: Any) -> Newsroom:
    office: Office = await open_office(**SETTINGS)
    made = Newsroom(office, {})
    await made.allow_nothing()
    return made


async def photo(room: Newsroom, where: dict[str, Any] | None) -> dict[str, Any]:
    """Upload an image with formats into a folder."""
    answer = await send(room, "/upload", {"folder": where and where["id"]}, PHOTO)
    assert answer.status == 200, answer.body
    return dict(answer.json[0])


async def hide(room: Newsroom, where: dict[str, Any], *, private: bool = True, by: str = "ada") -> Any:
    return await room.ask("PUT", f"/octavo/folders/{where['id']}/privacy", {"private": private}, by=by)


async def move(
    room: Newsroom, to: dict[str, Any] | None, *files: dict[str, Any], folders: tuple[int, ...] = ()
) -> None:
    body = {"destinationFolderId": to and to["id"], "fileIds": [file["id"] for file in files], "folderIds": folders}
    answer = await room.ask("POST", "/upload/actions/bulk-move", body)
    assert answer.status == 200, answer.body


def urls(file: dict[str, Any]) -> list[str]:
    return [part["url"] for part in (file, *file["formats"].values())]


async def is_private(room: Newsroom, file: dict[str, Any]) -> bool:
    """Return whether a file and its formats are private: in responses, over HTTP, and on disk."""
    shown = (await room.ask("GET", f"/upload/files/{file['id']}")).json
    plain = [url.partition("?")[0] for url in urls(shown)]
    club = room.office.club
    assert {(await club.ask("GET", url)).status for url in urls(shown)} == {200}
    storage = club.octavo.infrastructure.media.storage
    assert isinstance(storage, LocalStorage)
    found = {
        ((await club.ask("GET", url)).status == 403, signed != url, storage.is_private(url.rpartition("/")[2]))
        for url, signed in zip(plain, urls(shown), strict=True)
    }
    told = (await room.ask("GET", f"/octavo/files/{file['id']}/privacy")).json["data"]
    assert found == {(told["private"],) * 3}
    assert told["canChange"] is not told["byFolder"]
    return bool(told["private"])


async def test_files_follow_their_folders(room: Newsroom) -> None:
    outer, other = await folder(room, "Outer"), await folder(room, "Other")
    inner = await folder(room, "Inner", outer["id"])
    first, second = await photo(room, outer), await photo(room, inner)
    before = await room.ask("GET", "/octavo/private-folders")
    assert before.json["data"] == {"ids": [], "canChange": True}
    assert (await hide(room, outer)).json["data"] == {"ids": [outer["id"]], "canChange": True}
    assert [await is_private(room, each) for each in (first, second)] == [True, True]

    third = await photo(room, inner)
    assert "signature=" in third["url"]
    kept = await photo(room, None)
    for private in (True, False):  # in a public folder the file's own setting counts
        path = f"/octavo/files/{kept['id']}/privacy"
        assert (await room.ask("PUT", path, {"private": private})).status == 200
        assert await is_private(room, kept) is private
    refused = await room.ask("PUT", f"/octavo/files/{third['id']}/privacy", {"private": False})
    assert (refused.status, "in a private folder" in refused.json["error"]["message"]) == (400, True)
    refused = await hide(room, inner, private=False)
    assert (refused.status, "contains this one is private" in refused.json["error"]["message"]) == (400, True)

    await move(room, None, second)
    described = await send(room, f"/upload?id={third['id']}", {"folder": other["id"]})
    assert "signature=" not in described.json["url"]
    assert [await is_private(room, each) for each in (first, second, third)] == [True, False, False]
    described = await send(room, f"/upload?id={third['id']}", {"folder": inner["id"]})
    assert "signature=" in described.json["url"]
    await room.ask("PUT", f"/octavo/files/{second['id']}/privacy", {"private": True})
    await move(room, inner, second)
    await room.ask("PUT", f"/upload/folders/{inner['id']}", {"name": "Inner", "parent": None})
    assert [await is_private(room, each) for each in (second, third)] == [True, False], "the file's own setting stays"
    await move(room, outer, folders=(inner["id"],))
    assert await is_private(room, third)

    await hide(room, outer, private=False)
    assert [await is_private(room, each) for each in (first, second, third)] == [False, True, False]
    await hide(room, outer)
    body = {"fileIds": [], "folderIds": [outer["id"]]}
    assert (await room.ask("POST", "/upload/actions/bulk-delete", body)).status == 200
    database = room.office.club.database
    for table in ("octavo_private_folders", "octavo_private_files"):
        assert await database.fetch_value(f"SELECT count(*) FROM {table}") == 0
    assert (await hide(room, outer)).status == 404
    await room.allow("plugin::upload.assets.update", conditions=["admin::is-creator"])
    await photo(room, other)
    assert (await hide(room, other, by="edi")).status == 403, "not all of its files are Edi's"


async def test_large_folders_change_in_steps(room: Newsroom) -> None:
    """Each step's message stays in the outbox until the step is complete, so that another process can continue."""
    where = await folder(room, "Large")
    await add(room, {"folder": where["id"]})
    database, octavo = room.office.club.database, room.office.club.octavo
    public = room.office.club.folder / "public"
    for number in range(1, 60):
        url = f"/uploads/copy_{number}.txt"
        await database.execute(
            "INSERT INTO files (name, hash, ext, mime, size, provider, url, folder_path) VALUES"
            f" ('a', 'copy_{number}', '.txt', 'text/plain', 1, 'local', '{url}', '{where['path']}')"
        )
        (public / url[1:]).write_text("x")
    privacy = octavo.site.services.files.privacy

    async def settled() -> int:
        return int(await database.fetch_value("SELECT count(*) FROM octavo_private_files"))

    async def deliver() -> None:
        """Deliver the oldest message, as a worker does."""
        topic = privacy.topic()
        text = "SELECT id, payload FROM octavo_outbox WHERE topic = 'private folders' ORDER BY id LIMIT 1"
        [(number, payload)] = await database.fetch_all(text)
        await topic.handler(Message(number, topic.name, topic.name, orjson.loads(payload), 1, 0))
        await database.execute(f"DELETE FROM octavo_outbox WHERE id = {number}")

    for private, steps in ((True, (50, 60)), (False, (10, 0))):
        assert (await hide(room, where, private=private)).status == 200
        assert await settled() == steps[0]
        await deliver()
        assert await settled() == steps[1]
        names = {path.name for path in (public / "uploads").iterdir() if path.suffix == ".txt"}
        assert len(names) == (0 if private else 60)
    assert await database.fetch_value("SELECT count(*) FROM octavo_outbox WHERE topic = 'private folders'") == 0


async def test_folders_that_change_during_an_upload(room: Newsroom) -> None:
    """The transaction that stores the row decides, and moves the file before its commit."""
    where = await folder(room, "Changing")
    club = room.office.club
    media, services = club.octavo.infrastructure.media, club.octavo.site.services
    for private in (True, False):
        async with media.incoming([Sent("a.png", "image/png", io.BytesIO(PHOTO[1]))], private=[not private]) as stored:
            await hide(room, where, private=private)
            ids = await services.controller.writer.run(lambda unit: store(stored, unit, where))
        assert await is_private(room, {"id": ids[0]}) is private
    await check_the_folder_of_the_content_api(room)
    await check_a_restore(room)


async def store(stored: Any, unit: Any, where: dict[str, Any]) -> list[int]:
    await unit.connection.lock(LOCK)
    found: list[int] = await stored.insert_in(unit, [Folder(where["id"], where["path"])], 1)
    return found


async def check_the_folder_of_the_content_api(room: Newsroom) -> None:
    services = room.office.club.octavo.site.services

    async def send_one() -> dict[str, Any]:
        file = Sent("a.png", "image/png", io.BytesIO(PHOTO[1]))
        [shown] = await services.files.add([file], [], services.manage().library.stored_answer)
        found: dict[str, Any] = orjson.loads(shown)
        return found

    first = await send_one()
    where = next(each for each in (await room.ask("GET", "/upload/folders")).json["data"] if each["name"][:3] == "API")
    assert (await hide(room, where)).status == 200
    second = await send_one()
    assert "signature=" in second["url"]
    assert [await is_private(room, each) for each in (first, second)] == [True, True]


async def check_a_restore(room: Newsroom) -> None:
    """Check that the next start corrects files whose rows other software or a restored backup has changed."""
    where = await folder(room, "Restored")
    inside, outside = await photo(room, None), await photo(room, where)
    await hide(room, where)
    database = room.office.club.database
    await database.execute(f"UPDATE files SET folder_path = '{where['path']}' WHERE id = {inside['id']}")
    await database.execute(f"UPDATE files SET folder_path = '/' WHERE id = {outside['id']}")
    await room.office.club.octavo.site.services.files.privacy.follow_all()
    told = [(await room.ask("GET", f"/octavo/files/{each['id']}/privacy")).json["data"] for each in (inside, outside)]
    assert [each["private"] for each in told] == [True, False]
    await check_a_shared_file(room, inside, where)


async def check_a_shared_file(room: Newsroom, file: dict[str, Any], where: dict[str, Any]) -> None:
    """Check that a private file's second row, outside the folder, stays private, also after later moves."""
    columns = "name, hash, ext, mime, size, formats, provider, url"
    database = room.office.club.database
    copying = f"INSERT INTO files ({columns}, folder_path) SELECT {columns}, '/' FROM files WHERE id = {file['id']}"
    await database.execute(copying)
    privacy = room.office.club.octavo.site.services.files.privacy
    await hide(room, where, private=False)
    assert await is_private(room, file) is False
    await hide(room, where)
    assert await database.fetch_value("SELECT count(*) FROM octavo_private_files WHERE by_folder = 1") >= 2
    assert await is_private(room, file) is True
    assert await privacy.follow_folders() is False
    await move(room, None, file)
    assert await is_private(room, file) is False
    assert await privacy.follow_folders() is False
