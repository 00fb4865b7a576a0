"""Uploaded files in an Azure container and in a Google bucket: servers that check every signature."""

import gzip
import json
import tracemalloc
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from octavo.content.media.storage.base import StorageProblem
from octavo.content.media.storage.objects import AzureOptions, AzureStorage, GoogleOptions, GoogleStorage, ObjectStorage
from octavo.core.errors import ServiceUnavailable, ValidationError
from tests import azure_server, google_server


@pytest.fixture(scope="module")
def azure() -> Iterator[azure_server.AzureServer]:
    with azure_server.azure_server() as server:
        yield server


@pytest.fixture(scope="module")
def google() -> Iterator[google_server.GoogleServer]:
    with google_server.google_server() as server:
        yield server


@pytest.fixture
def azure_options(azure: azure_server.AzureServer, tmp_path: Path) -> AzureOptions:
    azure.blobs.clear()
    return AzureOptions(
        folder=tmp_path / "making",
        account=azure_server.ACCOUNT,
        container=azure_server.CONTAINER,
        account_key=azure_server.KEY,
        service_url=azure.address,
        default_path="assets",
        cache_control="max-age=60",
    )


@pytest.fixture
def google_options(google: google_server.GoogleServer, tmp_path: Path) -> GoogleOptions:
    google.objects.clear()
    return GoogleOptions(
        folder=tmp_path / "making",
        bucket=google_server.BUCKET,
        service_account=google.service_account,
        base_url=f"{google.address}/{{bucket-name}}",
        base_path="/site",
    )


def put(storage: ObjectStorage, name: str, content: bytes = b"content", mime: str = "image/png") -> str:
    path = storage.workspace.temporary()
    path.write_bytes(content)
    kept = storage.write(path, name, mime)
    assert list(path.parent.iterdir()) == []
    assert storage.name_of(kept.url) == kept.name == name
    return kept.url


def fetch(url: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(url) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        error.close()
        return error.code, b""


def test_existence(azure_options: AzureOptions, google_options: GoogleOptions) -> None:
    for storage in (AzureStorage(azure_options), GoogleStorage(google_options)):
        put(storage, "a_1.png")
        assert [storage.exists(name) for name in ("a_1.png", "none.png")] == [True, False]


def test_large_files_are_read_in_chunks(google_options: GoogleOptions) -> None:
    storage, size = GoogleStorage(google_options), 32 << 20
    put(storage, "a_1.txt", b" " * size, "text/plain")
    tracemalloc.start()
    try:
        with storage.open("a_1.txt") as file:
            assert sum(map(len, iter(lambda: file.read(1 << 20), b""))) == size
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_azure(azure: azure_server.AzureServer, azure_options: AzureOptions) -> None:
    storage = AzureStorage(azure_options)
    url = put(storage, "a_1.png")
    assert url == f"{azure.address}/files/assets/a_1.png"
    assert fetch(url) == (200, b"content")
    with storage.open("a_1.png") as file:
        assert file.read() == b"content"
    with pytest.raises(FileNotFoundError):
        storage.open("none.png")
    put(storage, "in/b_1.html", mime="text/html")
    assert {key: headers for key, (_, headers) in azure.blobs.items()} == {
        "assets/a_1.png": {"content-type": "image/png", "cache-control": "max-age=60"},
        "assets/in/b_1.html": {
            "content-type": "text/html",
            "cache-control": "max-age=60",
            "content-disposition": "attachment",
        },
    }
    storage.remove(["a_1.png", "in/b_1.html", "never_there.png", "../x"])
    assert azure.blobs == {}


def test_large_files_are_uploaded_in_chunks(azure: azure_server.AzureServer, azure_options: AzureOptions) -> None:
    content = bytes(range(256)) * (40 << 10)
    put(AzureStorage(azure_options), "big.bin", content, "application/pdf")
    assert max(map(len, azure.blocks.values())) <= 8 << 20
    assert azure.blobs["assets/big.bin"][0] == content


def test_azure_by_a_signature(azure: azure_server.AzureServer, azure_options: AzureOptions) -> None:
    storage = AzureStorage(replace(azure_options, account_key=None, sas_token=f"?{azure_server.SAS}"))
    url = put(storage, "a_1.png")
    assert "sig" not in url
    assert storage.name_of(f"{azure.address}/files/assets%2Fa_1.png?{azure_server.SAS}") == "a_1.png"
    assert storage.exchange("a_1.png", "b_1.png", ".upload-1").backup is None
    storage.remove(["b_1.png"])
    assert azure.blobs == {}
    assert azure_server.SAS not in repr(replace(azure_options, sas_token=azure_server.SAS))


def test_google(google: google_server.GoogleServer, google_options: GoogleOptions) -> None:
    storage = GoogleStorage(google_options)
    name = storage.name_for("", "a_1", ".png")
    assert (name, storage.name_for("in/", "a_1", ".png")) == ("a_1/a_1.png", "in/a_1.png")
    url = put(storage, name)
    assert url == f"{google.address}/files/site/a_1/a_1.png"
    assert fetch(url) == (200, b"content")
    assert google.objects["site/a_1/a_1.png"][1] == {
        "content-type": "image/png",
        "cache-control": "public, max-age=3600",
        "x-goog-acl": "public-read",
    }
    storage.move(name, "b/b.png")
    assert fetch(storage.url_of("b/b.png")) == (200, b"content")
    storage.remove(["b/b.png", "none.png"])
    assert google.objects == {}
    assert not storage.signs


@pytest.mark.parametrize(
    "wanted, packed", [("auto", {"text/plain"}), ("true", {"text/plain", "image/png"}), ("false", set())]
)
def test_texts_are_stored_compressed(
    google: google_server.GoogleServer, google_options: GoogleOptions, wanted: Any, packed: set[str]
) -> None:
    storage = GoogleStorage(replace(google_options, gzip=wanted))
    for mime in ("text/plain", "image/png"):
        put(storage, "a_1", mime=mime)
        content, headers = google.objects["site/a_1"]
        is_packed = headers.get("content-encoding") == "gzip"
        assert (is_packed, gzip.decompress(content) if is_packed else content) == (mime in packed, b"content")
        assert storage.open("a_1").read() == b"content"


def test_private_files_have_signed_urls(google: google_server.GoogleServer, google_options: GoogleOptions) -> None:
    storage = GoogleStorage(replace(google_options, public=False, signed_seconds=600))
    url = put(storage, "a/a.png")
    signed = storage.sign(url)
    assert storage.signs
    assert (fetch(url)[0], fetch(signed)) == (403, (200, b"content"))
    assert fetch(signed.replace("Expires=600", "Expires=601"))[0] == 403
    assert (storage.sign(url), storage.name_of(signed)) == (signed, "a/a.png")
    assert storage.sign("/uploads/local.png") == "/uploads/local.png"
    uniform = GoogleStorage(replace(google_options, uniform=True))
    put(uniform, "b/b.png")
    assert "x-goog-acl" not in google.objects["site/b/b.png"][1]


@pytest.mark.parametrize("service", ["azure", "google"])
def test_a_file_replaces_another(service: str, azure_options: AzureOptions, google_options: GoogleOptions) -> None:
    storage: ObjectStorage = AzureStorage(azure_options) if service == "azure" else GoogleStorage(google_options)
    old = put(storage, "x/old.png", b"old")
    put(storage, ".upload-1", b"new")
    exchanged = storage.exchange(".upload-1", "x/old.png", ".upload-2")
    assert (exchanged.kept.name, exchanged.kept.url, exchanged.backup) == ("x/old.png", old, ".upload-2")
    assert (fetch(old), fetch(storage.url_of(".upload-2"))) == ((200, b"new"), (200, b"old"))
    assert fetch(storage.url_of(".upload-1"))[0] != 200
    with pytest.raises(FileNotFoundError):
        storage.move("none.png", "x/old.png")
    with pytest.raises(ValidationError):
        storage.prefix_of("../up")


@pytest.mark.parametrize(
    "changed, url",
    [
        ({"service_url": None}, "https://shop.blob.core.windows.net/files/assets/a_1.png"),
        ({"cdn_url": "https://cdn.example.org"}, "https://cdn.example.org/files/assets/a_1.png"),
        ({"cdn_url": "https://cdn.example.org", "remove_container": True}, "https://cdn.example.org/assets/a_1.png"),
    ],
)
def test_urls_of_azure(azure_options: AzureOptions, changed: dict[str, Any], url: str) -> None:
    storage = AzureStorage(replace(azure_options, **changed))
    assert storage.url_of("a_1.png") == url
    assert [storage.name_of(one) for one in (url, f"{url}?sig", "https://old.example.org/x/a_1.png")] == ["a_1.png"] * 3


def test_services_that_refuse(
    google: google_server.GoogleServer, azure_options: AzureOptions, google_options: GoogleOptions
) -> None:
    wrong = AzureStorage(replace(azure_options, account_key="d3Jvbmc="))
    with pytest.raises(ServiceUnavailable, match="Service Unavailable"):
        put(wrong, "a_1.png")
    account = {**json.loads(google.service_account), "private_key": "a-secret-that-is-no-key"}
    with pytest.raises(StorageProblem) as problem:
        GoogleStorage(replace(google_options, service_account=json.dumps(account)))
    assert "a-secret" not in str(problem.value)
    assert "a-secret" not in repr(replace(google_options, service_account=json.dumps(account)))
