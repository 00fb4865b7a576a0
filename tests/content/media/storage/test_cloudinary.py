"""Uploaded files at Cloudinary: a server that checks every signature."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from octavo.content.media.storage.base import StorageProblem, StoredObject
from octavo.content.media.storage.cloudinary import CloudinaryOptions, CloudinaryStorage, sign
from octavo.core.errors import ApplicationError, PayloadTooLargeError, ServiceUnavailable
from tests.cloudinary_server import CLOUD, KEY, SECRET, CloudinaryServer, cloudinary_server

RES = f"https://res.cloudinary.com/{CLOUD}"


@pytest.fixture(scope="module")
def running() -> Iterator[CloudinaryServer]:
    with cloudinary_server() as server:
        yield server


@pytest.fixture
def server(running: CloudinaryServer) -> CloudinaryServer:
    running.files.clear()
    running.told.clear()
    running.version = 0
    return running


@pytest.fixture
def options(server: CloudinaryServer, tmp_path: Path) -> CloudinaryOptions:
    return CloudinaryOptions(folder=tmp_path / "making", cloud=CLOUD, key=KEY, secret=SECRET, service=server.address)


def put(storage: CloudinaryStorage, name: str, content: bytes = b"content", mime: str = "image/png") -> StoredObject:
    path = storage.workspace.temporary()
    path.write_bytes(content)
    return storage.write(path, name, mime)


def test_the_signature_of_the_documentation() -> None:
    reported = {"timestamp": "1315060510", "public_id": "sample_image", "eager": "w_400,h_300,c_pad|w_260,h_200,c_crop"}
    assert sign({**reported, "api_key": "x"}, "abcd") == "bfd09f95f331f558cbd1320e67aa8d488770583e"


@pytest.mark.parametrize(
    "prefix, extension, name, preview",
    [
        ("", ".png", "image/a_1", None),
        ("in/folder/", ".png", "image/in/folder/a_1", None),
        ("", ".csv", "raw/a_1.csv", None),
        ("", ".mp4", "video/a_1", f"{RES}/video/upload/c_scale,dl_200,vs_6,w_250/v1/a_1.gif"),
    ],
)
def test_writing_and_removing(
    options: CloudinaryOptions, server: CloudinaryServer, prefix: str, extension: str, name: str, preview: str | None
) -> None:
    storage = CloudinaryStorage(options)
    kept = put(storage, storage.name_for(prefix, "a_1", extension))
    kind, _, public_id = name.partition("/")
    metadata = {"public_id": public_id, "resource_type": kind}
    assert kept == StoredObject(name, f"{RES}/{kind}/upload/v1/{public_id}", metadata, preview)
    assert storage.name_of(kept.url, kept.metadata) == name
    assert server.files == {name: b"content"}
    storage.remove([name, "image/none", "auto/none", ""])
    assert server.files == {}


def test_rows_of_v4_are_recognized_by_their_metadata(options: CloudinaryOptions) -> None:
    storage = CloudinaryStorage(options)
    url = f"{RES}/image/upload/v1/other.png"
    assert storage.name_of(url, {"public_id": "site/cat", "resource_type": "image"}) == "image/site/cat"
    assert storage.name_of(url, {"public_id": "cat"}) == "image/cat"
    for noted in (None, {}, {"public_id": 1}, {"public_id": "a", "resource_type": "x"}):
        assert storage.name_of(url, noted) is None


@pytest.mark.parametrize(
    "old, extension, target, name",
    [
        ("image/site/old", ".png", "image/site/old", "image/site/old"),
        ("raw/old.csv", ".csv", "raw/old.csv", "raw/old.csv"),
        (None, ".png", "auto/new.png", "image/new"),
        (None, ".csv", "auto/new.csv", "raw/new.csv"),
    ],
)
def test_a_file_replaces_another_and_is_restored(
    options: CloudinaryOptions, server: CloudinaryServer, old: str | None, extension: str, target: str, name: str
) -> None:
    storage = CloudinaryStorage(options)
    if old is not None:
        server.files[old] = b"old"
    staged = put(storage, storage.name_for("", ".upload-1", extension), b"new")
    exchanged = storage.exchange(staged.name, target, storage.name_for("", ".upload-2", extension))
    assert (exchanged.kept.name, server.files[name]) == (name, b"new")
    assert exchanged.kept.metadata == {"public_id": name.partition("/")[2], "resource_type": name.partition("/")[0]}
    assert (exchanged.backup is None) == (old is None)
    storage.move(name, staged.name)
    if exchanged.backup is not None:
        storage.move(exchanged.backup, name)
    assert server.files == {staged.name: b"new", **({old: b"old"} if old else {})}
    with pytest.raises(FileNotFoundError):
        storage.exchange("image/none", name if old else "image/none_either", "auto/.upload-3.png")
    assert old is None or server.files[old] == b"old"


def test_configured_upload_parameters_are_sent(options: CloudinaryOptions, server: CloudinaryServer) -> None:
    upload = {"folder": "site", "tags": ["a", "b"], "use_filename": True}
    storage = CloudinaryStorage(replace(options, upload=upload, delete={"invalidate": False}))
    staged = put(storage, "auto/.upload-1.png")
    assert (staged.name, server.told[0]["tags"], server.told[0]["use_filename"]) == (
        "image/site/.upload-1",
        "a,b",
        "true",
    )
    assert storage.exchange(staged.name, "auto/cat.png", "auto/.upload-2.png").kept.name == "image/site/cat"
    for wrong in ({"public_id": "x"}, {"transformation": {"width": 1}}, {"type": "authenticated"}):
        with pytest.raises(StorageProblem, match="actionOptions"):
            CloudinaryStorage(replace(options, upload=wrong))


def test_large_files_are_uploaded_in_chunks(
    options: CloudinaryOptions, server: CloudinaryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("octavo.content.media.storage.cloudinary._PIECE", 1000)
    storage = CloudinaryStorage(options)
    content = bytes(range(250)) * 9
    assert put(storage, "auto/a_1.mp4", content, "video/mp4").name == "video/a_1"
    assert server.files == {"video/a_1": content}
    assert put(storage, "auto/empty.txt", b"", "text/plain").name == "raw/empty.txt"


@pytest.mark.parametrize(
    "changed, content, error",
    [
        ({}, b"huge", PayloadTooLargeError),
        ({}, b"broken", ApplicationError),
        ({"secret": "wrong-secret"}, b"x", ServiceUnavailable),
        ({"service": "http://127.0.0.1:1"}, b"x", ServiceUnavailable),
    ],
)
def test_refusals(options: CloudinaryOptions, changed: dict[str, Any], content: bytes, error: type[Exception]) -> None:
    options = replace(options, **changed)
    with pytest.raises(error) as raised:
        put(CloudinaryStorage(options), "auto/a_1.png", content)
    assert options.secret not in f"{raised.value!r} {raised.value.__cause__!r} {getattr(raised.value, 'reason', '')}"
    assert options.secret not in repr(options)
