"""The media library over HTTP: files, folders, bulk actions and permissions."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.api.admin.newsroom import IS_CREATOR, Newsroom
from tests.api.http.asgi import Answer, call
from tests.models.pictures import picture

pytestmark = pytest.mark.anyio

UPLOAD = "plugin::upload"
NOTE = ("note.txt", b"hello world\n", "text/plain")


async def send(
    room: Newsroom, target: str, info: Any = None, *files: tuple[str, bytes, str], by: str = "ada"
) -> Answer:
    """Upload files as a form, with `info` about the first one."""
    body = io.BytesIO()
    if info is not None:
        body.write(
            b'--cut\r\nContent-Disposition: form-data; name="fileInfo"\r\n\r\n%b\r\n' % json.dumps(info).encode()
        )
    for name, content, kind in files:
        head = (
            f'--cut\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\nContent-Type: {kind}\r\n\r\n'
        )
        body.write(head.encode() + content + b"\r\n")
    body.write(b"--cut--\r\n")
    await room.ask("GET", "/upload/configuration", by=by)  # so that there is a token
    headers = [("Content-Type", "multipart/form-data; boundary=cut"), ("Authorization", f"Bearer {room.tokens[by]}")]
    return await call(room.office.club.octavo.asgi, "POST", target, headers, [body.getvalue()])


async def add(room: Newsroom, info: Any = None, by: str = "ada") -> dict[str, Any]:
    """Upload a file."""
    answer = await send(room, "/upload", info, NOTE, by=by)
    assert answer.status == 200, answer.body
    [file] = answer.json
    return dict(file)


async def folder(room: Newsroom, name: str, parent: int | None = None) -> dict[str, Any]:
    """Create a folder."""
    answer = await room.ask("POST", "/upload/folders", {"name": name, "parent": parent})
    assert answer.status == 200, answer.body
    return dict(answer.json["data"])


def on_disk(room: Newsroom, file: dict[str, Any]) -> Path:
    return room.office.club.folder / "public" / str(file["url"]).removeprefix("/")


async def test_an_image_has_a_focal_point(newsroom: Newsroom) -> None:
    [file] = (await send(newsroom, "/upload", None, ("a.png", picture("PNG", 8, 8), "image/png"))).json
    path, point = f"/octavo/files/{file['id']}/focal-point", {"x": 0.25, "y": 1}
    response = await newsroom.ask("PUT", path, {"focalPoint": point})
    assert (response.status, response.json["provider_metadata"]) == (200, {"focalPoint": point})
    await send(newsroom, f"/upload?id={file['id']}", {"caption": "c"})
    await send(newsroom, f"/upload?id={file['id']}", None, ("b.png", picture("PNG", 9, 9), "image/png"))
    held = (await newsroom.ask("GET", f"/upload/files/{file['id']}")).json
    assert (held["width"], held["provider_metadata"]) == (9, {"focalPoint": point}), "it stays with the file"
    for wrong in ({"x": 0.5}, {"x": 2, "y": 0}, {"x": "0", "y": 0}, {"x": 0, "y": 0, "z": 0}, 7):
        assert (await newsroom.ask("PUT", path, {"focalPoint": wrong})).status == 400, wrong
    assert (await newsroom.ask("PUT", path, {})).status == 400
    assert (await newsroom.ask("PUT", path, {"focalPoint": None}, by="edi")).status == 403
    assert (await newsroom.ask("PUT", path, {"focalPoint": None})).json["provider_metadata"] is None
    note = await add(newsroom)
    assert (await newsroom.ask("PUT", f"/octavo/files/{note['id']}/focal-point", {"focalPoint": point})).status == 400
    assert (await newsroom.ask("PUT", "/octavo/files/999/focal-point", {"focalPoint": point})).status == 404
    assert (await newsroom.ask("DELETE", f"/upload/files/{file['id']}")).status == 200
    assert not on_disk(newsroom, file).exists()


async def test_a_file_is_stored_described_replaced_and_removed(newsroom: Newsroom) -> None:
    where = await folder(newsroom, "Letters")
    file = await add(newsroom, {"name": "a.txt", "alternativeText": "alt", "folder": where["id"]})
    assert (file["name"], file["folderPath"], file["isUrlSigned"]) == ("a.txt", where["path"], False)
    described = await send(newsroom, f"/upload?id={file['id']}", {"name": "b.txt", "folder": None})
    assert (described.json["name"], described.json["folderPath"]) == ("b.txt", "/")
    replaced = await send(
        newsroom, f"/upload?id={file['id']}", {"alternativeText": None}, ("c.txt", b"new", "text/plain")
    )
    assert (replaced.json["name"], replaced.json["alternativeText"], replaced.json["url"]) == (
        "c.txt",
        None,
        file["url"],
    )
    assert on_disk(newsroom, file).read_bytes() == b"new"
    one = await newsroom.ask("GET", f"/upload/files/{file['id']}")
    assert (one.json["createdBy"]["firstname"], one.json["folder"]) == ("Ada", None)
    assert (await newsroom.ask("DELETE", f"/upload/files/{file['id']}")).status == 200
    assert (await newsroom.ask("GET", f"/upload/files/{file['id']}")).status == 404
    assert not on_disk(newsroom, file).exists()


async def test_another_type_of_file_gets_another_url(newsroom: Newsroom) -> None:
    """An HTML page that replaces an image is served as one: as a download, in a sandbox."""
    answer = await send(newsroom, "/upload", None, ("one.png", picture("PNG", 32, 20), "image/png"))
    [file] = answer.json
    page = ("evil.html", b"<script>alert(1)</script>", "text/html")
    replaced = await send(newsroom, f"/upload?id={file['id']}", None, page)
    url = file["url"].replace(".png", ".html")
    assert (replaced.status, replaced.json["url"], replaced.json["ext"]) == (200, url, ".html")
    assert (await newsroom.office.club.ask("GET", file["url"])).status == 404
    served = await newsroom.office.club.ask("GET", url)
    assert served.headers["content-disposition"] == "attachment"
    assert "sandbox" in served.headers["content-security-policy"]
    assert served.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "target, info, count, message",
    [
        ("/upload", None, 0, "Files are empty"),
        ("/upload", {"folder": 999}, 1, "the folder does not exist"),
        ("/upload", {"folder": {}}, 1, "fileInfo.folder must be a `strapiID` type, but the final value was: `{}`."),
        ("/upload?id=1000", None, 1, "Entity not found"),
        ("/upload?id=x", None, 1, "Entity not found"),
    ],
)
async def test_refused_requests(newsroom: Newsroom, target: str, info: Any, count: int, message: str) -> None:
    answer = await send(newsroom, target, info, *[NOTE] * count)
    assert (answer.status in (400, 404), answer.json["error"]["message"]) == (True, message)


async def test_lists_of_files(newsroom: Newsroom) -> None:
    where = await folder(newsroom, "Lists")
    for name in ("x1", "x2", "x3"):
        await add(newsroom, {"name": f"{name}.txt", "folder": where["id"]})
    inside = f"filters[$and][0][folder][id]={where['id']}"
    answer = await newsroom.ask("GET", f"/upload/files?{inside}&page=1&pageSize=2&sort=name:DESC")
    assert [file["name"] for file in answer.json["results"]] == ["x3.txt", "x2.txt"]
    assert answer.json["pagination"] == {"page": 1, "pageSize": 2, "pageCount": 2, "total": 3}
    assert answer.json["results"][0]["folder"]["name"] == "Lists"
    found = await newsroom.ask("GET", f"/upload/files?_q=x2&{inside}&populate=createdBy")
    [file] = found.json["results"]
    assert (file["createdBy"]["firstname"], "folder" in file) == ("Ada", False)
    assert (await newsroom.ask("GET", "/upload/files?sort=nope")).status == 400
    assert (await newsroom.ask("GET", "/upload/files?populate[folder][sort]=name")).status == 400


async def test_lists_are_few_statements(newsroom: Newsroom) -> None:
    where = await folder(newsroom, "Counted")
    for number in range(3):
        await add(newsroom, {"name": f"{number}", "folder": where["id"]})
        await folder(newsroom, f"{number}", where["id"])
    database = newsroom.office.club.database
    for target, most in (
        ("/upload/files?populate=*", 1),
        ("/upload/folders", 1),
        (f"/upload/folders/{where['id']}?populate=*", 1),
        ("/upload/folder-structure", 1),
    ):
        await newsroom.ask("GET", target)
        before = database.statements
        assert (await newsroom.ask("GET", target)).status == 200
        assert database.statements - before <= most, target


async def test_folders_list_their_content(newsroom: Newsroom) -> None:
    top = await folder(newsroom, "Top")
    below = await folder(newsroom, "Below", top["id"])
    await add(newsroom, {"folder": top["id"]})
    one = await newsroom.ask("GET", f"/upload/folders/{below['id']}?populate[parent][populate][parent]=*")
    assert one.json["data"]["parent"] == {**top, "parent": None}
    assert (one.json["data"]["children"], one.json["data"]["files"]) == ({"count": 0}, {"count": 0})
    rows = await newsroom.ask("GET", "/upload/folders?filters[$and][0][parent][id][$null]=true&_q=Top&pageSize=0")
    assert [(row["name"], row["children"], row["files"]) for row in rows.json["data"]] == [
        ("Top", {"count": 1}, {"count": 1})
    ]
    tree = (await newsroom.ask("GET", "/upload/folder-structure")).json["data"]
    assert {"id": top["id"], "name": "Top", "children": [{"id": below["id"], "name": "Below", "children": []}]} in tree


@pytest.mark.parametrize(
    "name, message",
    [
        ("Taken", "A folder with this name already exists"),
        ("a/b", "name cannot contain slashes"),
        (" a", "name cannot start or end with a whitespace"),
        ("a" * 256, "name must be at most 255 characters"),
        (None, "name must be a `string` type, but the final value was: `null`."),
    ],
)
async def test_names_of_folders(newsroom: Newsroom, name: Any, message: str) -> None:
    await newsroom.ask("POST", "/upload/folders", {"name": "Taken"})
    other = await newsroom.ask("POST", "/upload/folders", {"name": "Other"})
    answer = await newsroom.ask("POST", "/upload/folders", {"name": name, "parent": None})
    assert (answer.status, answer.json["error"]["details"]["errors"][0]["message"]) == (400, message)
    if other.status == 200:
        renamed = await newsroom.ask("PUT", f"/upload/folders/{other.json['data']['id']}", {"name": name})
        assert renamed.status == 400


async def test_folders_are_moved_with_their_content(newsroom: Newsroom) -> None:
    one, two = await folder(newsroom, "Mover"), await folder(newsroom, "Goal")
    inner = await folder(newsroom, "Inner", one["id"])
    file = await add(newsroom, {"folder": inner["id"]})
    inside = await newsroom.ask("PUT", f"/upload/folders/{one['id']}", {"parent": inner["id"]})
    assert inside.json["error"]["message"] == "folder cannot be moved inside itself"
    moved = await newsroom.ask("PUT", f"/upload/folders/{one['id']}", {"parent": two["id"]})
    assert moved.json["data"]["path"] == f"{two['path']}{one['path']}"
    shown = await newsroom.ask("GET", f"/upload/files/{file['id']}")
    path = f"{two['path']}{inner['path']}"
    assert (shown.json["folderPath"], shown.json["folder"]["path"]) == (path, path)
    goal = {"folderIds": [one["id"], inner["id"]], "destinationFolderId": None}
    both = await newsroom.ask("POST", "/upload/actions/bulk-move", goal)
    assert [one["path"] for one in both.json["data"]["folders"]] == [f"/{one['pathId']}", f"/{inner['pathId']}"]
    shown = await newsroom.ask("GET", f"/upload/files/{file['id']}")
    assert shown.json["folderPath"] == f"/{inner['pathId']}"
    around = await newsroom.ask("POST", "/upload/actions/bulk-move", {**goal, "destinationFolderId": one["id"]})
    assert around.json["error"]["message"].endswith("or one of its children: Mover")


async def test_moved_folders_must_have_unique_names(newsroom: Newsroom) -> None:
    goal = await folder(newsroom, "Free")
    twins = [await folder(newsroom, "Twin", (await folder(newsroom, f"Home {number}"))["id"]) for number in (1, 2)]
    ids = [twin["id"] for twin in twins]
    body = {"folderIds": ids, "destinationFolderId": goal["id"]}
    assert (await newsroom.ask("POST", "/upload/actions/bulk-move", body)).status == 400
    assert (await newsroom.ask("POST", "/upload/actions/bulk-move", {**body, "folderIds": ids[:1]})).status == 200
    answer = await newsroom.ask("POST", "/upload/actions/bulk-move", {**body, "folderIds": ids[1:]})
    assert answer.json["error"]["message"] == "some folders already exists: Twin"


async def test_folders_are_deleted_with_their_content(newsroom: Newsroom) -> None:
    top = await folder(newsroom, "Gone")
    below = await folder(newsroom, "Gone too", top["id"])
    files = [await add(newsroom, {"folder": one["id"]}) for one in (top, below)]
    other = await add(newsroom)
    body = {"folderIds": [top["id"], 999], "fileIds": [other["id"], "x"]}
    answer = await newsroom.ask("POST", "/upload/actions/bulk-delete", body)
    assert [one["id"] for one in answer.json["data"]["folders"]] == [top["id"]]
    assert [one["id"] for one in answer.json["data"]["files"]] == [other["id"]]
    for file in (*files, other):
        assert (await newsroom.ask("GET", f"/upload/files/{file['id']}")).status == 404
        assert not on_disk(newsroom, file).exists()
    assert (await newsroom.ask("GET", f"/upload/folders/{below['id']}")).status == 404


async def test_files_of_others_are_not_found(newsroom: Newsroom) -> None:
    """With access to own files only, lists leave out others' files, which cannot be read, changed, moved or deleted."""
    where = await folder(newsroom, "Shared")
    theirs = await add(newsroom, {"folder": where["id"]})
    for action in ("read", "assets.update"):
        await newsroom.allow(f"{UPLOAD}.{action}", conditions=[IS_CREATOR])
    await newsroom.allow(f"{UPLOAD}.assets.create")
    own = await add(newsroom, {"folder": where["id"]}, by="edi")
    listed = await newsroom.ask("GET", f"/upload/files?filters[folder][id]={where['id']}", by="edi")
    assert [file["id"] for file in listed.json["results"]] == [own["id"]]
    inside = await newsroom.ask("GET", f"/upload/folders/{where['id']}?populate=files", by="edi")
    assert [file["id"] for file in inside.json["data"]["files"]] == [own["id"]]
    one = f"/upload/files/{theirs['id']}"
    refused = [
        await newsroom.ask("GET", one, by="edi"),
        await newsroom.ask("DELETE", one, by="edi"),
        await send(newsroom, f"/upload?id={theirs['id']}", {"name": "mine"}, by="edi"),
        await send(newsroom, f"/upload?id={theirs['id']}", None, NOTE, by="edi"),
    ]
    ids = {"fileIds": [own["id"], theirs["id"]]}
    refused.append(await newsroom.ask("POST", "/upload/actions/bulk-delete", ids, by="edi"))
    refused.append(await newsroom.ask("POST", "/upload/actions/bulk-delete", {"folderIds": [where["id"]]}, by="edi"))
    refused.append(
        await newsroom.ask("POST", "/upload/actions/bulk-move", {**ids, "destinationFolderId": None}, by="edi")
    )
    assert [answer.status for answer in refused] == [403] * len(refused)
    assert (await newsroom.ask("GET", one)).status == 200
    assert (await newsroom.ask("DELETE", f"/upload/files/{own['id']}", by="edi")).status == 200


async def test_a_folder_with_a_file_of_another_user_cannot_be_moved(newsroom: Newsroom) -> None:
    top, goal = await folder(newsroom, "Held"), await folder(newsroom, "Aim")
    below = await folder(newsroom, "Held below", top["id"])
    for action in ("read", "assets.update"):
        await newsroom.allow(f"{UPLOAD}.{action}", conditions=[IS_CREATOR])
    await newsroom.allow(f"{UPLOAD}.assets.create")
    await add(newsroom, {"folder": below["id"]}, by="edi")
    one = f"/upload/folders/{top['id']}"
    many = {"folderIds": [top["id"]], "destinationFolderId": goal["id"]}
    assert (await newsroom.ask("PUT", one, {"parent": goal["id"]}, by="edi")).status == 200, (
        "it contains their own file"
    )
    assert (await newsroom.ask("PUT", one, {"parent": None}, by="edi")).status == 200
    await add(newsroom, {"folder": below["id"]})
    assert (await newsroom.ask("PUT", one, {"parent": goal["id"]}, by="edi")).status == 403
    assert (await newsroom.ask("POST", "/upload/actions/bulk-move", many, by="edi")).status == 403
    assert (await newsroom.ask("GET", one)).json["data"]["path"] == top["path"]
    assert (await newsroom.ask("PUT", one, {"name": "Held again"}, by="edi")).status == 200, "its files stay"
    assert (await newsroom.ask("POST", "/upload/actions/bulk-move", many)).status == 200


async def test_callers_without_permission_are_refused(newsroom: Newsroom) -> None:
    for method, target in (
        ("GET", "/upload/files"),
        ("GET", "/upload/folders"),
        ("GET", "/upload/folder-structure"),
        ("POST", "/upload"),
        ("POST", "/upload/folders"),
        ("PUT", "/upload/folders/1"),
        ("POST", "/upload/actions/bulk-delete"),
        ("POST", "/upload/actions/bulk-move"),
        ("GET", "/upload/settings"),
        ("PUT", "/upload/configuration"),
    ):
        body: dict[str, Any] | None = None if method == "GET" else {}
        assert (await newsroom.ask(method, target, body, by="edi")).status == 403, target
        assert (await newsroom.office.club.ask(method, target, body)).status == 401, target


async def test_settings_are_stored(newsroom: Newsroom) -> None:
    given = {"sizeOptimization": False, "responsiveDimensions": False, "autoOrientation": True}
    assert (await newsroom.ask("PUT", "/upload/settings", given)).json == {"data": given}
    assert (await newsroom.ask("GET", "/upload/settings")).json == {"data": given}
    view = {"pageSize": 20, "sort": "name:ASC"}
    assert (await newsroom.ask("PUT", "/upload/configuration", {**view, "more": 1})).json == {"data": view}
    assert (await newsroom.ask("GET", "/upload/configuration", by="edi")).json == {"data": view}
    assert (await newsroom.ask("PUT", "/upload/configuration", {"pageSize": 1, "sort": "x"})).status == 400


async def test_the_privacy_of_a_file_requires_the_permission_to_read_it(newsroom: Newsroom) -> None:
    file, path = await add(newsroom), "/octavo/files/{}/privacy"
    await newsroom.allow_nothing()
    assert (await newsroom.ask("GET", path.format(file["id"]), by="edi")).status == 403
    await newsroom.allow(f"{UPLOAD}.read", conditions=[IS_CREATOR])
    assert (await newsroom.ask("GET", path.format(file["id"]), by="edi")).status == 403
    await newsroom.allow_nothing()
    await newsroom.allow(f"{UPLOAD}.read")
    answer = await newsroom.ask("GET", path.format(file["id"]), by="edi")
    assert (answer.status, answer.json["data"]) == (
        200,
        {"private": False, "canChange": False, "byFolder": False},
    )
    assert (await newsroom.ask("GET", path.format(999), by="edi")).status == 404
    assert (await newsroom.ask("PUT", path.format(file["id"]), {"private": True}, by="edi")).status == 403


async def test_texts_of_several_files_are_saved_together(newsroom: Newsroom) -> None:
    first, second, third = [await add(newsroom, {"name": f"{n}.txt", "caption": "old"}) for n in range(3)]
    texts = [
        {"id": first["id"], "alternativeText": "One"},
        {"id": second["id"], "alternativeText": "Two", "caption": None},
        {"id": 999_999, "caption": "deleted meanwhile"},
    ]
    answer = await newsroom.ask("PUT", "/octavo/file-texts", {"files": texts})
    saved = [(one["alternativeText"], one["caption"], one["name"]) for one in answer.json["data"]]
    assert saved == [("One", "old", "0.txt"), ("Two", None, "1.txt")]
    await newsroom.allow(f"{UPLOAD}.assets.update", conditions=[IS_CREATOR])
    refused = await newsroom.ask("PUT", "/octavo/file-texts", {"files": [{"id": third["id"], "caption": "x"}]}, "edi")
    assert refused.status == 403
    assert (await newsroom.ask("GET", f"/upload/files/{third['id']}")).json["caption"] == "old"


@pytest.mark.parametrize(
    "files, message",
    [
        ([], "files field must have at least 1 items"),
        ([{"id": 1}] * 101, "files field must have less than or equal to 100 items"),
        ([{"caption": "x"}], "files[0].id is a required field"),
        ([{"id": 1, "caption": "x" * 256}], "files[0].caption must be at most 255 characters"),
        ([{"id": 1, "name": "x"}], "files[0] field has unspecified keys: name"),
    ],
)
async def test_invalid_texts_are_refused(newsroom: Newsroom, files: Any, message: str) -> None:
    answer = await newsroom.ask("PUT", "/octavo/file-texts", {"files": files})
    assert (answer.status, answer.json["error"]["message"]) == (400, message)


async def test_unused_files_are_found(newsroom: Newsroom) -> None:
    where = await folder(newsroom, "Used or not")
    used, unused = [await add(newsroom, {"name": name, "folder": where["id"]}) for name in ("used", "unused")]
    database = newsroom.office.club.database
    link = "INSERT INTO files_related_morphs (file_id, related_id, related_type, field) VALUES"
    for related in ("api::story.story", "shared.teaser"):
        await database.execute(f"{link} ({used['id']}, 1, '{related}', 'image')")
    target = f"/upload/files?usage=unused&filters[folder][id]={where['id']}"
    await newsroom.ask("GET", target)
    before = database.statements
    answer = await newsroom.ask("GET", target)
    assert database.statements - before <= 1
    assert [one["name"] for one in answer.json["results"]] == ["unused"]
    assert answer.json["pagination"]["total"] == 1
    await database.execute(f"DELETE FROM files_related_morphs WHERE file_id = {used['id']}")
    assert len((await newsroom.ask("GET", target)).json["results"]) == 2
    newest = (await newsroom.ask("GET", "/upload/files?usage=unused&sort=id:DESC&pageSize=1")).json["results"]
    assert [one["id"] for one in newest] == [unused["id"]], "in all folders"
    refused = await newsroom.ask("GET", "/upload/files?usage=used")
    assert (refused.status, refused.json["error"]["message"]) == (400, "usage must be unused")
