"""Uploads over HTTP, on both databases: complete responses, stored files, and permissions."""

import io
import json
import re
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from octavo.access.authentication.api_tokens import create_token
from octavo.api.http import form_data
from tests.api.http.asgi import Answer, call
from tests.models.bookshop import FULL_TOKEN, SECRETS
from tests.models.fixtures import open_copy
from tests.models.pictures import bomb, picture
from tests.models.site import Site, under_safe
from tests.models.templates import Copy
from tests.s3_server import KEY, SECRET, S3Server

pytestmark = pytest.mark.anyio

Part = tuple[str, str] | tuple[str, str, bytes, str]
SMALL, OTHER = picture("PNG", 32, 20), picture("PNG", 64, 64)
ONE: Part = ("files", "one.png", SMALL, "image/png")
TWO: Part = ("files", "two.png", OTHER, "image/png")
BIG: Part = ("files", "big.png", picture("PNG", 600, 400), "image/png")
NOTE: Part = ("files", "note.txt", b"hello world\n", "text/plain")
BOOK = "api::book.book"


@dataclass(frozen=True)
class Shop:
    """A bookshop with a writable folder for files."""

    site: Site
    folder: Path

    async def post(self, target: str, *parts: Part, token: str = FULL_TOKEN) -> Answer:
        boundary, pieces = "frontier", []
        for name, value, *file in parts:
            kind = f'; filename="{value}"\r\nContent-Type: {file[1]}' if file else ""
            content = file[0] if file else value.encode()
            assert isinstance(content, bytes)
            pieces.append(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{kind}\r\n\r\n'.encode())
            pieces.append(content + b"\r\n")
        body = b"".join(pieces) + f"--{boundary}--\r\n".encode()
        return await self.send("POST", target, body, f"multipart/form-data; boundary={boundary}", token)

    async def send(
        self, method: str, target: str, body: bytes = b"", kind: str = "application/json", token: str = FULL_TOKEN
    ) -> Answer:
        headers = [("Content-Type", kind), ("Authorization", f"Bearer {token}")]
        return await call(self.site.octavo.asgi, method, target, headers, [body])

    async def add(self, *parts: Part) -> list[dict[str, Any]]:
        answer = await self.post("/api/upload", *parts)
        assert answer.status == 200, answer.body
        added: list[dict[str, Any]] = answer.json
        return added

    async def book(self, **values: Any) -> int:
        body = json.dumps({"data": {"title": "A book", **values}}).encode()
        answer = await self.send("POST", "/api/books", body)
        assert answer.status == 200, answer.body
        return int(answer.json["data"]["id"])

    async def media(self, book: int, field: str) -> list[int]:
        answer = await self.site.get(f"/api/books/{book}?fields=id&populate[{field}][fields]=name", FULL_TOKEN)
        data = answer.json["data"]["attributes"][field]["data"]
        return [one["id"] for one in (data if isinstance(data, list) else [data] if data else [])]

    async def count(self, table: str = "files") -> int:
        return int(await self.site.database.fetch_value(f"SELECT count(*) FROM {table}"))

    def names(self) -> set[str]:
        return {path.name for path in self.folder.iterdir()} if self.folder.exists() else set()

    def read(self, url: str) -> bytes:
        return (self.folder / url.removeprefix("/uploads/")).read_bytes()


async def open_writable(folder: Path, copy: Copy, settings: dict[str, str]) -> Site:
    """Open a bookshop whose new rows get ids after the existing ones."""
    site = await open_copy(folder, copy, settings)
    if site.database.dialect.name == "postgresql":
        await site.database.execute_script(
            "SELECT setval(pg_get_serial_sequence(quote_ident(table_name), 'id'), 1000) "
            "FROM information_schema.columns WHERE column_name = 'id' AND table_schema = 'public'"
        )
    return site


@pytest.fixture
async def shop(anyio_backend: str, tmp_path: Path, bookshop_copy: Copy) -> AsyncIterator[Shop]:
    limits = {"OCTAVO_PLUGINS__UPLOAD__CONFIG__SIZE_LIMIT": "100 kB"}
    site = await open_writable(tmp_path / "shop", bookshop_copy, limits)
    yield Shop(site, tmp_path / "shop/public/uploads")
    await site.database.close()


def masked(file: dict[str, Any]) -> dict[str, Any]:
    """Return a file's response without values that differ each time."""
    text = re.sub(r"_[0-9a-f]{10}(?=[\".])", "_#", json.dumps(file))
    shown: dict[str, Any] = json.loads(text)
    assert shown.pop("createdAt") <= shown.pop("updatedAt")
    return {name: value for name, value in shown.items() if name != "id"}


SHOWN = {
    "name": "one.png",
    "alternativeText": None,
    "caption": None,
    "width": 32,
    "height": 20,
    "formats": None,
    "hash": "one_#",
    "ext": ".png",
    "mime": "image/png",
    "size": round(len(SMALL) / 1000, 2),
    "url": "/uploads/one_#.png",
    "previewUrl": None,
    "provider": "local",
    "provider_metadata": None,
}


async def test_one_file(shop: Shop) -> None:
    (file,) = await shop.add(ONE)
    assert masked(file) == SHOWN
    assert (await shop.site.get(f"/api/upload/files/{file['id']}", FULL_TOKEN)).json == file
    assert shop.read(file["url"]) == SMALL
    served = await shop.site.get(file["url"])
    assert (served.status, served.body, served.headers["content-type"]) == (200, SMALL, "image/png")


async def test_several_files_with_file_info(shop: Shop) -> None:
    said = ("fileInfo", '[{"name":"A","alternativeText":"aa"},{"caption":5}]')
    files = await shop.add(TWO, ONE, said)
    texts = [(file["name"], file["alternativeText"], file["caption"]) for file in files]
    assert texts == [("A", "aa", None), ("one.png", None, "5")]
    repeated = await shop.add(TWO, ONE, ("fileInfo", '{"caption":"x"}'), ("fileInfo", '{"caption":"y"}'))
    assert [file["caption"] for file in repeated] == ["x", "y"]
    assert await shop.count() - 4 == 5


def wrong(message: str, *path: str) -> dict[str, Any]:
    problem = {"path": [*path], "message": message, "name": "ValidationError"}
    return {"message": message, "details": {"errors": [problem]}}


NO_OBJECT = "must be a `object` type, but the final value was: `null`"
NO_ARRAY = "must be a `array` type, but the final value was: `null`"
NO_TYPE = (("ref", "api::nope.nope"), ("refId", "1"), ("field", "x"))
NO_ID = (("ref", BOOK), ("refId", "abc"), ("field", "cover"))


@pytest.mark.parametrize(
    "parts, error",
    [
        ((("x", "1"),), {"message": "Files are empty"}),
        ((("file", "one.png", SMALL, "image/png"),), {"message": "Files are empty"}),
        ((("files", "empty.txt", b"", "text/plain"),), {"message": "Files are empty"}),
        ((ONE, ("fileInfo", "{bad")), wrong(f'fileInfo {NO_OBJECT} (cast from the value `"{{bad"`).', "fileInfo")),
        ((ONE, ("fileInfo", "[]")), wrong(f'fileInfo {NO_OBJECT} (cast from the value `"[]"`).', "fileInfo")),
        ((ONE, TWO, ("fileInfo", "{}")), wrong(f'fileInfo {NO_ARRAY} (cast from the value `"{{}}"`).', "fileInfo")),
        (
            (ONE, TWO, ("fileInfo", "{}"), ("fileInfo", "{bad")),
            wrong(f'fileInfo[1] {NO_OBJECT} (cast from the value `"{{bad"`).', "fileInfo", "1"),
        ),
        (
            (ONE, ("fileInfo", '{"name":{}}')),
            wrong("fileInfo.name must be a `string` type, but the final value was: `{}`.", "fileInfo", "name"),
        ),
        ((ONE, *NO_TYPE), wrong("ref must be the UID of a content type or component", "ref")),
        ((ONE, *NO_ID), wrong("refId must be the ID of an entry", "refId")),
        ((ONE, ("ref", BOOK), ("ref", BOOK)), wrong("ref must be given once, as a string", "ref")),
    ],
)  # fmt: skip
async def test_refused_requests(shop: Shop, parts: tuple[Part, ...], error: dict[str, Any]) -> None:
    answer = await shop.post("/api/upload", *parts)
    expected = {"status": 400, "name": "ValidationError", "details": {}, **error}
    assert (answer.status, answer.json) == (400, {"data": None, "error": expected})
    assert shop.names() == set()


@pytest.mark.parametrize(
    "part, status",
    [
        (("files", "large.txt", b"x" * 102_401, "text/plain"), 413),
        (("files", "bomb.png", bomb(60_000, 60_000), "image/png"), 400),
        (("files", "cut.png", picture("PNG", 300, 200)[:90], "image/png"), 400),
        (("files", "a/b.png", SMALL, "image/png"), 400),
        (("files", "a\0.png", SMALL, "image/png"), 400),
        (("files", "..", SMALL, "image/png"), 400),
    ],
)
async def test_one_invalid_file_stores_none(shop: Shop, part: Part, status: int) -> None:
    answer = await shop.post("/api/upload", BIG, part, NOTE)
    assert answer.status == status, answer.body
    assert (shop.names(), await shop.count()) == (set(), 5)


async def test_type_and_size_come_from_the_content(shop: Shop) -> None:
    lying = ("files", "photo.png", picture("JPEG", 40, 30), "application/pdf")
    script = ("files", "page.png", b"<html><script>1</script>", "image/png")
    photo, page = await shop.add(lying, script)
    assert [(file["mime"], file["width"], file["ext"]) for file in (photo, page)] == [
        ("image/jpeg", 40, ".png"),
        ("text/html", None, ".png"),
    ]


async def test_files_named_like_images(shop: Shop) -> None:
    fake: Part = ("files", "x.png", b"just text", "image/png")
    (believed,) = await shop.add(fake)
    assert (believed["mime"], believed["width"]) == ("image/png", None), "as in v4"
    async with under_safe(shop.site) as safe:
        site = Shop(safe, shop.folder)
        count = await site.count()
        for name, content, kind in (("x.png", b"just text", "text/plain"), ("x.jpg", b"%PDF-1.7", "application/pdf")):
            refused = await site.post("/api/upload", ("files", name, content, "image/png"))
            assert refused.status == 400
            assert refused.json["error"]["message"] == f"{name} is not a valid image: its content is {kind}"
        (text,) = await site.add(("files", "x", b"just text", "image/png"))
        assert (text["mime"], text["width"], text["formats"]) == ("text/plain", None, None)
        answer = await site.post(f"/api/upload?id={text['id']}", ("files", "y.gif", b"other text", "image/gif"))
        assert answer.status == 400
        assert await site.count() == count + 1
        (kept,) = await site.add(("files", "x.jpg", picture("PNG", 8, 8), "image/jpeg"))
        assert kept["mime"] == "image/png", "an image despite its name"


async def test_files_that_only_start_like_an_image(shop: Shop) -> None:
    async with under_safe(shop.site) as safe:
        site = Shop(safe, shop.folder)
        answer = await site.post("/api/upload", ("files", "x.png", b"\x89PNG\r\n\x1a\njust text", "image/png"))
        assert (answer.status, answer.json["error"]["message"]) == (400, "File is not a valid image")
        assert (shop.names(), await site.count()) == (set(), 5)


async def test_under_safe_ref_ids_are_decimal(shop: Shop) -> None:
    book = await shop.book()
    async with under_safe(shop.site) as safe:
        for written, status in ((hex(book), 400), (str(book), 200)):
            place: tuple[Part, ...] = (("ref", BOOK), ("refId", written), ("field", "cover"))
            assert (await Shop(safe, shop.folder).post("/api/upload", NOTE, *place)).status == status


async def test_images_are_served_without_their_location(shop: Shop) -> None:
    exif = Image.Exif()
    exif[0x010F], exif[0x0112] = "Secret Camera", 6
    photo = picture("JPEG", 80, 40, exif=exif)
    (row,) = await shop.add(("files", "photo.jpg", photo, "image/jpeg"))
    served = (shop.folder / row["url"].removeprefix("/uploads/")).read_bytes()
    assert b"Secret Camera" in photo
    assert b"Secret Camera" not in served
    assert (row["width"], row["height"], row["size"]) == (40, 80, round(len(served) / 1000, 2))
    with Image.open(io.BytesIO(served)) as image:
        assert image.getexif()[0x0112] == 6


async def test_files_are_stored_in_the_folder_of_v4(shop: Shop) -> None:
    await shop.add(ONE, TWO)
    rows = await shop.site.database.fetch_all(
        "SELECT f.name, f.folder_path, l.file_order, o.name FROM files f JOIN files_folder_links l ON l.file_id = f.id"
        " JOIN upload_folders o ON o.id = l.folder_id ORDER BY l.file_order"
    )
    assert [tuple(row) for row in rows] == [
        ("one.png", "/1", 1.0, "API Uploads"),
        ("two.png", "/1", 2.0, "API Uploads"),
    ]


async def test_active_files_are_served_safely(shop: Shop) -> None:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>alert(1)</script></svg>'
    (file,) = await shop.add(("files", "pic.svg", svg, "image/svg+xml"))
    assert (file["mime"], file["width"]) == ("image/svg+xml", 10)
    served = await shop.site.get(file["url"])
    assert served.only("content-disposition", "x-content-type-options") == {
        "content-disposition": "attachment",
        "x-content-type-options": "nosniff",
    }
    assert "sandbox" in served.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["some/where", "../../x"])
async def test_paths_do_not_become_folders_on_disk(shop: Shop, path: str) -> None:
    (file,) = await shop.add(ONE, ("path", path))
    assert shop.names() == {file["url"].removeprefix("/uploads/")}


# Into entries


async def test_into_a_single_and_a_multiple_attribute(shop: Shop) -> None:
    book = await shop.book()
    place = (("ref", BOOK), ("refId", str(book)))
    covers = [(await shop.add(ONE, *place, ("field", "cover")))[0]["id"] for _ in range(2)]
    assert await shop.media(book, "cover") == covers[1:]
    first = [file["id"] for file in await shop.add(ONE, TWO, *place, ("field", "gallery"))]
    second = [file["id"] for file in await shop.add(TWO, *place, ("field", "gallery"))]
    assert await shop.media(book, "gallery") == first + second


async def book_with_picture(shop: Shop) -> tuple[int, int]:
    """Create a book with a chapter and return their ids."""
    book = await shop.book(chapters=[{"title": "One"}])
    shown = await shop.site.get(f"/api/books/{book}?populate=chapters", FULL_TOKEN)
    return book, shown.json["data"]["attributes"]["chapters"][0]["id"]


async def test_into_a_component(shop: Shop) -> None:
    book, chapter = await book_with_picture(shop)
    target = f"/api/books/{book}?populate=chapters.picture"
    before = await shop.site.get(target, FULL_TOKEN)
    (file,) = await shop.add(ONE, ("ref", "shop.chapter"), ("refId", str(chapter)), ("field", "picture"))
    after = await shop.site.get(target, FULL_TOKEN)
    shown = [one.json["data"]["attributes"]["chapters"][0]["picture"]["data"] for one in (before, after)]
    assert (shown[0], shown[1]["id"]) == (None, file["id"])


async def test_permission_for_a_component_is_that_of_its_entry(shop: Shop) -> None:
    uploads, database = "plugin::upload.content-api.upload", shop.site.database
    rights: tuple[list[str], ...] = ([], [f"{BOOK}.update"], ["api::front-page.front-page.update"])
    tokens = [
        await create_token(database, SECRETS["API_TOKEN_SALT"], f"c{number}", "custom", [uploads, *actions])
        for number, actions in enumerate(rights)
    ]
    _, chapter = await book_with_picture(shop)
    place = (("ref", "shop.chapter"), ("refId", str(chapter)), ("field", "picture"))
    assert [(await shop.post("/api/upload", ONE, *place, token=token)).status for token in tokens] == [403, 200, 403]
    assert len(shop.names()) == 1


@pytest.mark.parametrize(
    "place",
    [
        (("ref", BOOK), ("refId", "9999999"), ("field", "cover")),
        (("ref", "shop.chapter"), ("refId", "9999999"), ("field", "picture")),
        (("ref", "shop.chapter"), ("refId", "1"), ("field", "title")),
        (("ref", BOOK), ("refId", "1"), ("field", "nope")),
        (("ref", BOOK), ("refId", "1"), ("field", "title")),
        (("ref", BOOK), ("field", "cover")),
        (("ref", BOOK), ("refId", "1")),
    ],
)
async def test_references_to_missing_entries(shop: Shop, place: tuple[Part, ...]) -> None:
    links = await shop.count("files_related_morphs")
    assert masked((await shop.add(ONE, *place))[0]) == SHOWN
    assert await shop.count("files_related_morphs") == links


async def test_permissions(shop: Shop) -> None:
    actions = ["plugin::upload.content-api.upload"]
    database = shop.site.database
    uploading = await create_token(database, SECRETS["API_TOKEN_SALT"], "u", "custom", actions)
    updating = await create_token(database, SECRETS["API_TOKEN_SALT"], "e", "custom", [*actions, f"{BOOK}.update"])
    reading = await create_token(database, SECRETS["API_TOKEN_SALT"], "r", "read-only")
    place = (("ref", BOOK), ("refId", "1"), ("field", "cover"))
    asked = [
        await shop.post("/api/upload", ONE, token=reading),
        await shop.post("/api/upload", ONE, token=uploading),
        await shop.post("/api/upload", ONE, *place, token=uploading),
        await shop.post("/api/upload", ONE, *place, token=updating),
        await shop.send("DELETE", "/api/upload/files/1", token=uploading),
        await call(shop.site.octavo.asgi, "POST", "/api/upload"),
        await call(shop.site.octavo.asgi, "DELETE", "/api/upload/files/1"),
    ]
    assert [answer.status for answer in asked] == [403, 200, 403, 200, 403, 403, 403]
    assert len(shop.names()) == 2


# Replacing files


async def test_replaced_files_keep_id_and_address(shop: Shop) -> None:
    (file,) = await shop.add(ONE, ("fileInfo", '{"caption":"c","alternativeText":"a"}'))
    target, url = f"/api/upload?id={file['id']}", file["url"]
    replaced = (await shop.post(target, BIG)).json
    assert (replaced["id"], replaced["url"], replaced["hash"]) == (file["id"], url, file["hash"])
    texts = [replaced[name] for name in ("name", "caption", "alternativeText", "width", "mime")]
    assert texts == ["big.png", "c", "a", 600, "image/png"]
    formats = {name: made["url"] for name, made in replaced["formats"].items()}
    assert shop.names() == {one.removeprefix("/uploads/") for one in (url, *formats.values())}
    assert Image.open(io.BytesIO(shop.read(formats["thumbnail"]))).size == (234, 156)
    again = (await shop.post(target, NOTE, ("fileInfo", '{"name":"n"}'))).json
    new = url.replace(".png", ".txt")  # text with an image's URL would be served as an image
    assert masked(again) == {
        **masked(replaced),
        "formats": {},
        "size": 0.01,
        "mime": "text/plain",
        "name": "n",
        "ext": ".txt",
        "width": None,
        "height": None,
        "url": masked(again)["url"],
    }
    assert (again["url"], shop.names(), shop.read(new)) == (new, {new.removeprefix("/uploads/")}, b"hello world\n")


@pytest.mark.parametrize(
    "parts, texts",
    [
        ((("fileInfo", '{"caption":"d"}'),), ["one.png", "a", "d"]),
        ((("fileInfo", '{"caption":null,"name":null}'),), ["one.png", "a", "c"]),
        ((("fileInfo", '{"name":"","caption":""}'),), ["", "a", ""]),
        ((("files", "empty.txt", b"", "text/plain"), ("fileInfo", '{"name":"x"}')), ["x", "a", "c"]),
        ((), ["one.png", "a", "c"]),
    ],
)
async def test_changing_descriptions_does_not_change_files(
    shop: Shop, parts: tuple[Part, ...], texts: list[str]
) -> None:
    (file,) = await shop.add(ONE, ("fileInfo", '{"caption":"c","alternativeText":"a"}'))
    answer = await shop.post(f"/api/upload?id={file['id']}", *parts)
    assert [answer.json[name] for name in ("name", "alternativeText", "caption")] == texts
    assert shop.read(file["url"]) == SMALL


@pytest.mark.parametrize(
    "file_id, parts, status, message",
    [
        ("99999", (ONE,), 404, "Entity not found"),
        ("abc", (("fileInfo", "{}"),), 404, "Entity not found"),
        ("-1", (ONE,), 404, "Entity not found"),
        ("1", (ONE, TWO), 400, "Cannot replace a file with multiple ones"),
        ("1", (("files", "cut.png", picture("PNG", 300, 200)[:90], "image/png"),), 400, "File is not a valid image"),
    ],
)
async def test_replacements_that_are_refused(
    shop: Shop, file_id: str, parts: tuple[Part, ...], status: int, message: str
) -> None:
    answer = await shop.post(f"/api/upload?id={file_id}", *parts)
    assert (answer.status, answer.json["error"]["message"], shop.names()) == (status, message, set())


async def test_a_failed_replacement_restores_the_old_file(shop: Shop) -> None:
    (file,) = await shop.add(BIG)
    before = {name: (shop.folder / name).read_bytes() for name in shop.names()}
    too_long = "x" * 256
    answer = await shop.post(f"/api/upload?id={file['id']}", TWO, ("fileInfo", json.dumps({"caption": too_long})))
    assert answer.status == 400
    assert {name: (shop.folder / name).read_bytes() for name in shop.names()} == before
    assert (await shop.site.get(f"/api/upload/files/{file['id']}", FULL_TOKEN)).json == file


# Deleting files


async def test_removed_with_formats_and_links(shop: Shop) -> None:
    book = await shop.book()
    (file,) = await shop.add(BIG, ("ref", BOOK), ("refId", str(book)), ("field", "cover"))
    links = await shop.count("files_related_morphs")
    answer = await shop.send("DELETE", f"/api/upload/files/{file['id']}")
    assert (answer.status, answer.json) == (200, file)
    assert (shop.names(), await shop.media(book, "cover")) == (set(), [])
    assert await shop.count("files_related_morphs") == links - 1
    again = await shop.send("DELETE", f"/api/upload/files/{file['id']}")
    assert (again.status, again.json["error"]["message"]) == (404, "file.notFound")
    other = await shop.send("DELETE", "/api/upload/files/abc")
    assert (other.status, other.json["error"]["message"]) == (404, "file.notFound")


async def test_deleting_files_in_other_storages(shop: Shop) -> None:
    """Deleting a file whose row names another folder or storage deletes no other file."""
    (kept,) = await shop.add(ONE)
    (row,) = await shop.add(TWO)
    for url in ("/uploads/../data.db", "https://example.org/x.png"):
        await shop.site.database.execute(f"UPDATE files SET url = '{url}' WHERE id = {row['id']}")
        assert (await shop.site.get(f"/api/upload/files/{row['id']}", FULL_TOKEN)).json["url"] == url
    moved = f"provider = 'other', url = '{kept['url']}'"
    await shop.site.database.execute(f"UPDATE files SET {moved} WHERE id = {row['id']}")
    assert (await shop.send("DELETE", f"/api/upload/files/{row['id']}")).status == 200
    assert shop.read(kept["url"]) == SMALL


async def test_deleting_an_entry_keeps_its_files(shop: Shop) -> None:
    book = await shop.book()
    (file,) = await shop.add(ONE, ("ref", BOOK), ("refId", str(book)), ("field", "cover"))
    assert (await shop.send("DELETE", f"/api/books/{book}")).status == 200
    assert (await shop.site.get(f"/api/upload/files/{file['id']}", FULL_TOKEN)).json == file
    assert shop.read(file["url"]) == SMALL


# In a private bucket


@pytest.fixture
async def private_shop(
    anyio_backend: str, tmp_path: Path, bookshop_copy: Copy, s3_server: S3Server
) -> AsyncIterator[Shop]:
    given = {
        "PROVIDER": "aws-s3",
        "PROVIDER_OPTIONS__ROOT_PATH": "site",
        "PROVIDER_OPTIONS__S3_OPTIONS__ENDPOINT": s3_server.address,
        "PROVIDER_OPTIONS__S3_OPTIONS__FORCE_PATH_STYLE": "true",
    }
    amazon = {
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_ACCESS_SECRET": SECRET,
        "AWS_BUCKET": s3_server.new_bucket(),
        "AWS_ACL": "private",
    }
    settings = {f"OCTAVO_PLUGINS__UPLOAD__CONFIG__{name}": value for name, value in given.items()}
    site = await open_writable(tmp_path / "shop", bookshop_copy, {**settings, **amazon})
    yield Shop(site, tmp_path / "shop/public/uploads")
    await site.database.close()


async def test_files_in_a_private_bucket(private_shop: Shop, s3_server: S3Server) -> None:
    bucket = private_shop.site.octavo.settings.plugins.upload.config.provider_options.s3_options.params.bucket
    book = await private_shop.book(title="https://example.org")
    place = (("ref", BOOK), ("refId", str(book)), ("field", "cover"))
    (file,) = await private_shop.add(BIG, ("path", "in/folder"), *place)
    begin = f"{s3_server.address}/{bucket}/site/in/folder/"
    urls = [file["url"], *(made["url"] for made in file["formats"].values())]
    assert [url.startswith(begin) and "X-Amz-Signature=" in url for url in urls] == [True] * 3
    stored = str(await private_shop.site.database.fetch_value(f"SELECT url FROM files WHERE id = {file['id']}"))
    assert stored == file["url"].partition("?")[0]
    populated = (await private_shop.site.get(f"/api/books/{book}?populate=cover", FULL_TOKEN)).json
    assert populated["data"]["attributes"]["cover"]["data"]["attributes"]["url"] == file["url"]
    await private_shop.send("PUT", f"/api/books/{book}", json.dumps({"data": {"title": stored}}).encode())
    changed = (await private_shop.site.get(f"/api/books/{book}?fields=title", FULL_TOKEN)).json
    assert changed["data"]["attributes"]["title"] == stored, "only URLs of files are signed"
    assert len(s3_server.keys(bucket)) == 3
    replaced = (await private_shop.post(f"/api/upload?id={file['id']}", NOTE)).json
    stored = stored.replace(".png", ".txt")
    assert replaced["url"].partition("?")[0] == stored
    assert s3_server.keys(bucket) == [stored.removeprefix(f"{s3_server.address}/{bucket}/")]
    assert (await private_shop.send("DELETE", f"/api/upload/files/{file['id']}")).status == 200
    assert (s3_server.keys(bucket), private_shop.names()) == ([], set())


async def test_a_localization_with_files(shop: Shop) -> None:
    book = await shop.book(slug=None)
    data = json.dumps({"title": "Un livre", "locale": "fr", "publishedAt": "2020-01-01T00:00:00.000Z"})
    target = f"/api/books/{book}/localizations"
    added = await shop.post(target, ("data", data), ("files.cover", "one.png", SMALL, "image/png"))
    assert (added.status, added.json["title"], added.json["locale"]) == (200, "Un livre", "fr")
    assert len(await shop.media(added.json["id"], "cover")) == 1
    before = await shop.count()
    refused = await shop.post(target, ("data", data), ("files.cover", "one.png", SMALL, "image/png"))
    assert (refused.status, refused.json["error"]["message"]) == (400, "locale is already used")
    assert await shop.count() == before


async def test_an_upload_without_a_writable_temporary_folder(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/proc/nowhere")
    monkeypatch.setattr(form_data, "IN_MEMORY", 16)
    answer = await shop.post("/api/upload", ("files", "large.txt", b"x" * 17, "text/plain"))
    assert (answer.status, answer.json["error"]["message"]) == (503, "Files cannot be uploaded")
    assert answer.headers["retry-after"] == "5"
    assert (await shop.post("/api/upload", NOTE)).status == 200


async def test_an_upload_into_a_folder_that_cannot_be_written(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shop.site.octavo.infrastructure.storage.workspace, "folder", Path("/proc/nowhere"))
    answer = await shop.post("/api/upload", NOTE)
    assert (answer.status, answer.json["error"]["message"]) == (503, "Files cannot be uploaded")
