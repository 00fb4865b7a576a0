"""Private files over HTTP, on both databases: only signed URLs, which responses contain, return them."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from octavo.content.entry_unit import EntryUnit
from octavo.content.media.private_file_mover import PrivateFileMover
from octavo.content.media.private_files import mark_private, sign
from octavo.content.media.storage.local import LocalStorage
from octavo.database.unit_of_work import unit_of_work
from tests.api.http.asgi import Answer, call
from tests.api.http.test_image_files import PRESETS, SECRET_TEXT, halves
from tests.api.rest.test_uploads import BOOK, Shop, open_writable
from tests.models.bookshop import FULL_TOKEN, SOME_TOKEN
from tests.models.templates import Copy

pytestmark = pytest.mark.anyio

SETTINGS = {
    "OCTAVO_PLUGINS__UPLOAD__CONFIG__PRIVATE_FILES": "true",
    "IMAGES_SECRET": SECRET_TEXT,
    "OCTAVO_MIDDLEWARES__PUBLIC__UPLOADS_MAX_AGE": "10000000000",
    "OCTAVO_API__IMAGES__PRESETS": json.dumps(PRESETS),
}
PHOTO = ("files", "photo.jpg", halves(600, 300), "image/jpeg")


@pytest.fixture(params=["false", "true"], ids=["plain", "in_formats"])
async def shop(
    request: pytest.FixtureRequest, anyio_backend: str, tmp_path: Path, bookshop_copy: Copy
) -> AsyncIterator[Shop]:
    listed = {"OCTAVO_API__IMAGES__IN_FORMATS": request.param}
    site = await open_writable(tmp_path / "shop", bookshop_copy, {**SETTINGS, **listed})
    yield Shop(site, tmp_path / "shop/public/uploads")
    await site.octavo.infrastructure.close()


async def get(shop: Shop, target: str, method: str = "GET", **headers: str) -> Answer:
    given = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return await call(shop.site.octavo.asgi, method, target, given)


async def hide(shop: Shop, file: dict[str, Any], *, private: bool = True) -> dict[str, Any]:
    """Make a file private, as the admin pages' endpoint does; return the file from the API."""
    services = shop.site.octavo.site.services
    library = services.manage().library

    async def anybody(*_: object) -> None:
        """Allow everything."""

    await services.files.privacy.set(file["id"], library.file_answer, None, anybody, private=private)
    return await read(shop, file)


async def read(shop: Shop, file: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = (await shop.site.get(f"/api/upload/files/{file['id']}", FULL_TOKEN)).json
    return found


def urls(file: dict[str, Any]) -> list[str]:
    """Return the URLs of a file and its formats."""
    formats = [part["url"] for part in (file["formats"] or {}).values()]
    return [url for url in (file["url"], *formats) if not url.startswith("data:")]


def names(file: dict[str, Any]) -> set[str]:
    """Return the names of a file and its formats in the storage, without presets."""
    return {url.partition("?")[0].rpartition("/")[2] for url in urls(file)}


def plain(url: str) -> str:
    """Return the URL without its signature."""
    return url.partition("&expires=")[0].partition("?expires=")[0]


async def test_private_files_need_a_signed_url(shop: Shop) -> None:
    (file,) = await shop.add(PHOTO)
    await get(shop, f"{file['url']}?preset=wide")
    hidden = await hide(shop, file)
    assert [plain(url) for url in urls(hidden)][:2] == urls(file)[:2]
    assert len(urls(hidden)) == len(urls(file))
    for url in urls(hidden):
        unsigned = await get(shop, plain(url))
        assert (unsigned.status, unsigned.json["error"]["name"]) == (403, "ForbiddenError")
        shown = await get(shop, url)
        assert (shown.status, shown.headers["cache-control"].partition("=")[0]) == (200, "private, max-age")
        assert 0 < int(shown.headers["cache-control"].rpartition("=")[2]) <= 3600
    assert (await get(shop, file["url"] + "?preset=wide")).status == 403
    name = file["url"].removeprefix("/uploads/")
    assert not (shop.folder / name).exists()
    assert [path.name for path in shop.folder.iterdir() if not path.name.startswith(".")] == []
    (folder,) = shop.folder.glob(".private-*")
    for path in (f"/uploads/{folder.name}/{name}", f"/uploads/%2e{folder.name[1:]}/{name}"):
        assert (await get(shop, path)).status == 404


async def test_private_files_have_only_one_url_path(shop: Shop) -> None:
    """A collation that ignores trailing spaces would find the variant without checking the signature."""
    (file,) = await shop.add(PHOTO)
    await hide(shop, file)
    path, query = file["url"], f"preset=wide&expires={2**33}"
    assert (await get(shop, f"{path}?{query}&signature={sign(path, query, SECRET_TEXT)}")).status == 200
    for other in (f"{path}%20", f"{path}%20%20", path.upper().replace("/UPLOADS", "/uploads")):
        assert (await get(shop, f"{other}?preset=wide")).status == 404


async def test_requests_for_private_files(shop: Shop) -> None:
    (file,) = await shop.add(PHOTO)
    url = (await hide(shop, file))["url"]
    whole = await get(shop, url)
    assert (whole.body, whole.headers["x-content-type-options"]) == (PHOTO[2], "nosniff")
    head = await get(shop, url, "HEAD")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", str(len(PHOTO[2])))
    part = await get(shop, url, range="bytes=-3")
    assert (part.status, part.body) == (206, PHOTO[2][-3:])
    same = await get(shop, url, if_none_match=whole.headers["etag"])
    assert (same.status, same.headers["cache-control"].partition("=")[0]) == (304, "private, max-age")
    expires = parse_qs(url.partition("?")[2])["expires"][0]
    path = file["url"]
    for query, signature in (
        (f"expires={int(expires) + 1}", sign(path, f"expires={expires}", SECRET_TEXT)),
        ("expires=1000000000", sign(path, "expires=1000000000", SECRET_TEXT)),
        ("expires=", sign(path, "expires=", SECRET_TEXT)),
        (f"expires={expires}", "x"),
    ):
        assert (await get(shop, f"{path}?{query}&signature={signature}")).status == 403
    assert (await get(shop, path, "HEAD")).status == 403
    width = f"width=33&expires={expires}"
    small = await get(shop, f"{path}?{width}&signature={sign(path, width, SECRET_TEXT)}")
    assert (small.status, small.headers["cache-control"].partition(",")[0]) == (200, "private")
    assert not [path for path in shop.folder.iterdir() if path.name.startswith("variant_")]


async def test_all_apis_sign_the_urls(shop: Shop) -> None:
    book = await shop.book()
    (file,) = await shop.add(PHOTO, ("ref", BOOK), ("refId", str(book)), ("field", "cover"))
    await hide(shop, file)
    shown = (await shop.site.get(f"/api/books/{book}?populate=cover", FULL_TOKEN)).json
    cover = shown["data"]["attributes"]["cover"]["data"]["attributes"]
    for url in urls(cover):
        assert (await get(shop, url)).status == 200
    query = f"{{ book(id: {book}) {{ data {{ attributes {{ cover {{ data {{ attributes {{ url }} }} }} }} }} }} }}"
    answered = (await shop.send("POST", "/graphql", json.dumps({"query": query}).encode())).json
    url = answered["data"]["book"]["data"]["attributes"]["cover"]["data"]["attributes"]["url"]
    assert (plain(url), (await get(shop, url)).body) == (file["url"], PHOTO[2])
    stored = await shop.site.database.fetch_value(f"SELECT url FROM files WHERE id = {file['id']}")
    assert stored == file["url"]


async def test_a_private_file_stays_private_when_it_is_replaced(shop: Shop) -> None:
    (file,) = await shop.add(("files", "photo.jpg", halves(200, 100), "image/jpeg"))
    await hide(shop, file)
    await shop.post(f"/api/upload?id={file['id']}", ("files", "large.jpg", halves(1200, 600), "image/jpeg"))
    replaced = await read(shop, file)
    assert {"thumbnail", "small", "medium", "large"} <= replaced["formats"].keys()
    for url in urls(replaced):
        assert [(await get(shop, each)).status for each in (plain(url), url)] == [403, 200]
    assert [path.name for path in shop.folder.iterdir() if not path.name.startswith(".private")] == []
    assert (await shop.send("DELETE", f"/api/upload/files/{file['id']}")).status == 200
    (folder,) = shop.folder.glob(".private-*")
    assert [*folder.iterdir()] == []
    assert await shop.count("octavo_private_files") == 0


async def test_a_private_file_can_become_public(shop: Shop) -> None:
    (file,) = await shop.add(PHOTO)
    await hide(shop, file)
    shown = await hide(shop, file, private=False)
    assert [plain(url) == url for url in urls(shown)] == [True] * len(urls(shown))
    assert [(await get(shop, url)).status for url in urls(shown)] == [200] * len(urls(shown))
    assert await shop.count("octavo_private_files") == 0


async def test_names_with_quotes_and_spaces_are_signed(shop: Shop) -> None:
    (file,) = await shop.add(("files", "notes.txt", b"hello", "text/plain"))
    odd = 'a "b" %41 ü.txt'
    (shop.folder / file["url"].removeprefix("/uploads/")).rename(shop.folder / odd)
    text = "UPDATE files SET url = '/uploads/{}', hash = 'a', ext = '.txt' WHERE id = {}".format(odd, file["id"])
    await shop.site.database.execute(text)
    hidden = await hide(shop, file)
    assert (await get(shop, hidden["url"])).body == b"hello"
    assert (await get(shop, plain(hidden["url"]))).status == 403


async def test_without_the_setting_files_cannot_be_private(tmp_path: Path, bookshop_copy: Copy) -> None:
    site = await open_writable(tmp_path / "shop", bookshop_copy, {"IMAGES_SECRET": SECRET_TEXT})
    shop = Shop(site, tmp_path / "shop/public/uploads")
    (file,) = await shop.add(PHOTO)
    with pytest.raises(Exception, match="only in the local storage and in public buckets of S3"):
        await hide(shop, file)
    await site.octavo.infrastructure.close()


async def test_signed_urls_of_a_public_file_end_when_it_becomes_private(shop: Shop) -> None:
    (file,) = await shop.add(PHOTO)
    forever = [
        f"{file['url']}?{query}&signature={sign(file['url'], query, SECRET_TEXT)}" for query in ("v=1", "width=33")
    ]
    assert [(await get(shop, url)).status for url in forever] == [200, 200]
    await hide(shop, file)
    answers = [await get(shop, url) for url in forever]
    assert [answer.status for answer in answers] == [403, 403]
    assert {answer.json["error"]["message"].partition(",")[0] for answer in answers} == {
        "expires: required in signed URLs"
    }


async def is_hidden(shop: Shop, file: dict[str, Any]) -> bool:
    """Return whether the file is private on disk, and check that the table agrees."""
    storage = shop.site.octavo.infrastructure.media.storage
    assert isinstance(storage, LocalStorage)
    found = {storage.is_private(name) for name in names(file)}
    assert found == {bool(await shop.count("octavo_private_files"))}
    return found == {True}


async def change(shop: Shop, file: dict[str, Any], check: Callable[[EntryUnit], None], *, private: bool) -> None:
    """Make a file private or public; `check` runs in the unit of work that stores this."""
    services = shop.site.octavo.site.services
    calls: list[int] = []

    async def guard(unit: EntryUnit, file_id: int) -> None:
        calls.append(file_id)
        if len(calls) == 2:  # the first call is before the file is moved
            check(unit)

    answer = services.manage().library.file_answer
    await services.files.privacy.set(file["id"], answer, None, guard, private=private)


async def test_after_errors_storage_and_table_agree(shop: Shop) -> None:
    (file,) = await shop.add(PHOTO)

    def fail(unit: EntryUnit) -> None:
        raise ZeroDivisionError

    def cancel_later(unit: EntryUnit) -> None:
        task = asyncio.current_task()
        assert task is not None

        async def cancel() -> None:
            task.cancel()

        unit.after_commit(cancel)

    for private in (True, False):
        with pytest.raises(ZeroDivisionError):
            await change(shop, file, fail, private=private)
        assert await is_hidden(shop, file) != private
        with pytest.raises(asyncio.CancelledError):
            await asyncio.create_task(change(shop, file, cancel_later, private=private))
        assert await is_hidden(shop, file) == private


async def test_misplaced_files_are_moved(shop: Shop) -> None:
    """After a kill between move and commit, and after the database was restored."""
    shared = shop.site.octavo.infrastructure
    places, storage = PrivateFileMover(shared.database, shared.media.storage), shared.media.storage
    assert isinstance(storage, LocalStorage)
    files = [await shop.add(PHOTO) for _ in range(3)]
    marked, unmarked, right = (file for (file,) in files)
    await hide(shop, right)
    storage.set_private(names(unmarked), private=True)
    async with unit_of_work(shared.database) as unit:
        await mark_private(unit.connection, shared.database.dialect, marked["id"])
    assert await places.reconcile_all() == 2
    answers = [(await get(shop, file["url"])).status for file in (marked, unmarked, right)]
    assert answers == [403, 200, 403]
    assert {storage.is_private(name) for name in names(marked)} == {True}
    assert {storage.is_private(name) for name in names(unmarked)} == {False}
    assert await places.reconcile_all() == 0


async def test_rows_that_share_a_file_are_private_together(shop: Shop) -> None:
    (file,) = await shop.add(PHOTO)
    columns = "name, hash, ext, mime, size, formats, provider, url"
    copying = f"INSERT INTO files ({columns}) SELECT {columns} FROM files WHERE id = {file['id']}"
    await shop.site.database.execute(copying)
    copied = {"id": await shop.site.database.fetch_value("SELECT max(id) FROM files")}
    for changed, private in ((file, True), (copied, False)):
        await hide(shop, changed, private=private)
        for each in (file, copied):
            shown = (await read(shop, each))["url"]
            assert (plain(shown) if private else shown) == file["url"]
            assert (await get(shop, shown)).status == 200


async def test_reading_private_files_can_need_a_permission(tmp_path: Path, bookshop_copy: Copy) -> None:
    settings = {
        "OCTAVO_API__IMAGES__IN_FORMATS": "true",
        "OCTAVO_PLUGINS__UPLOAD__CONFIG__PRIVATE_URLS": "permitted",
        "OCTAVO_API__CACHING__RESPONSES": "true",
    }
    site = await open_writable(tmp_path / "shop", bookshop_copy, {**SETTINGS, **settings})
    shop = Shop(site, tmp_path / "shop/public/uploads")
    upload = "plugin::upload.content-api.upload"
    await site.database.execute(f"UPDATE strapi_api_token_permissions SET action = '{upload}'")
    site.octavo.infrastructure.authenticator.invalidate()
    book = await shop.book()
    (file,) = await shop.add(PHOTO, ("ref", BOOK), ("refId", str(book)), ("field", "cover"))
    await hide(shop, file)
    query = (
        f"{{ book(id: {book}) {{ data {{ attributes {{ cover {{ data {{ attributes {{ url formats }} }} }} }} }} }} }}"
    )
    body = json.dumps({"query": query}).encode()

    async def shown(token: str | None) -> list[dict[str, Any]]:
        """Return the file from three responses to a caller."""
        given = [("Content-Type", "application/json"), *([("Authorization", f"Bearer {token}")] if token else [])]
        asgi = site.octavo.asgi
        entry = (await call(asgi, "GET", f"/api/books/{book}?populate=cover", given)).json["data"]["attributes"]
        graph = (await call(asgi, "POST", "/graphql", given, [body])).json["data"]["book"]["data"]["attributes"]
        covers = [each["cover"]["data"]["attributes"] for each in (entry, graph)]
        listed = (await call(asgi, "GET", f"/api/upload/files?filters[id]={file['id']}", given)).json
        return [*covers, *listed]

    for _ in range(2):  # the second responses come from the caches
        for answer in await shown(FULL_TOKEN):
            assert [(await get(shop, url)).status for url in urls(answer)] == [200] * len(urls(answer))
        for answer in await shown(None):
            assert "signature=" not in json.dumps(answer), urls(answer)
            assert [(await get(shop, url)).status for url in urls(answer)] == [403] * len(urls(answer))

    plain_url = (await shown(None))[0]["url"]
    for url in (plain_url, f"{plain_url}?preset=wide"):
        own = await get(shop, url, authorization=f"Bearer {FULL_TOKEN}")
        assert (own.status, own.headers["cache-control"]) == (200, "private, max-age=0")
        assert "Authorization" in own.headers["vary"]
        assert (await get(shop, url, authorization=f"Bearer {SOME_TOKEN}")).status == 403
        assert (await get(shop, url, authorization="Bearer wrong")).status == 401
    part = await get(shop, plain_url, authorization=f"Bearer {FULL_TOKEN}", range="bytes=-3")
    assert (part.status, part.body) == (206, PHOTO[2][-3:])
    await site.database.execute("INSERT INTO octavo_private_folders (folder_id) SELECT id FROM upload_folders")
    added = {token: (await shop.post("/api/upload", PHOTO, token=token)).json[0] for token in (FULL_TOKEN, SOME_TOKEN)}
    assert {token: "signature=" in one["url"] for token, one in added.items()} == {FULL_TOKEN: True, SOME_TOKEN: False}
    replaced = {
        token: (await shop.post(f"/api/upload?id={one['id']}", PHOTO, token=token)).json for token, one in added.items()
    }
    await site.database.execute(f"UPDATE strapi_api_token_permissions SET action = '{upload[:-6]}destroy'")
    site.octavo.infrastructure.authenticator.invalidate()
    deleted = {
        token: (await call(site.octavo.asgi, "DELETE", f"/api/upload/files/{one['id']}", bearer(token))).json
        for token, one in added.items()
    }
    for answers in (replaced, deleted):
        signed, unsigned = answers.values()
        assert signed.keys() == unsigned.keys() == added[FULL_TOKEN].keys()
        assert ("signature=" in signed["url"], "signature=" in json.dumps(unsigned)) == (True, False)
    known = (await site.get("/api/users-permissions/permissions", FULL_TOKEN)).json["permissions"]
    assert known["plugin::upload"]["controllers"]["content-api"]["readPrivate"] == {"enabled": False, "policy": ""}
    await site.octavo.infrastructure.close()


def bearer(token: str) -> list[tuple[str, str]]:
    return [("Authorization", f"Bearer {token}")]


async def test_a_file_that_becomes_private_is_purged(tmp_path: Path, bookshop_copy: Copy) -> None:
    settings = {
        "OCTAVO_API__CACHING__SURROGATE_KEYS__HEADERS": '["Surrogate-Key"]',
        "OCTAVO_API__CACHING__PURGE__CACHES": '{"front": {"kind": "purge", "url": "http://127.0.0.1:9"}}',
    }
    site = await open_writable(tmp_path / "shop", bookshop_copy, {**SETTINGS, **settings})
    shop = Shop(site, tmp_path / "shop/public/uploads")
    (file,) = await shop.add(PHOTO)
    formats = [file["formats"]["thumbnail"]["url"], f"{file['url']}?preset=wide"]
    answers = [await get(shop, url) for url in (file["url"], *formats)]
    tags = [answer.headers["surrogate-key"].split(" ")[1] for answer in answers]
    assert (tags[2], len(set(tags))) == (tags[0], 2)
    shown = await hide(shop, file)

    async def purged() -> int:
        """Return the number of messages that purge the file with its formats."""
        payloads = await site.database.fetch_all("SELECT payload FROM octavo_outbox WHERE topic = 'purge'")
        return sum({*tags} <= {*json.loads(payload)["tags"]} for (payload,) in payloads)

    assert await purged() == 1
    assert "surrogate-key" not in (await get(shop, shown["url"])).headers
    await shop.post(f"/api/upload?id={file['id']}", PHOTO)
    await shop.send("DELETE", f"/api/upload/files/{file['id']}")
    assert await purged() == 3, "replaced and deleted files are purged, too"
    await site.octavo.infrastructure.close()
