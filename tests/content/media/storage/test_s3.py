"""Uploaded files in a bucket: a real S3 server, used through the storage and over plain HTTP."""

import os
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from dataclasses import replace
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from octavo.content.media.storage.s3 import S3Options, S3Storage
from octavo.core.errors import ServiceUnavailable, ValidationError
from tests.s3_server import KEY, SECRET, S3Server


@pytest.fixture
def options(s3_server: S3Server, tmp_path: Path) -> S3Options:
    return S3Options(
        bucket=s3_server.new_bucket(),
        folder=tmp_path / "making",
        endpoint=s3_server.address,
        path_style=True,
        access_key_id=KEY,
        secret_access_key=SECRET,
    )


def put(storage: S3Storage, name: str, content: bytes = b"content", mime: str = "text/plain") -> None:
    path = storage.workspace.temporary()
    path.write_bytes(content)
    storage.write(path, name, mime)
    assert not path.exists()


def fetch(url: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(url) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        error.close()
        return error.code, b""


def test_writing_reading_and_removing(options: S3Options, s3_server: S3Server) -> None:
    storage = S3Storage(replace(options, root_path="/site/"))
    put(storage, "a_1.txt")
    with storage.open("a_1.txt") as file:
        assert file.read() == b"content"
    assert s3_server.keys(options.bucket) == ["site/a_1.txt"]
    storage.flush()
    storage.remove(["a_1.txt", "never_there.txt", "../a"])
    assert s3_server.keys(options.bucket) == []
    with pytest.raises(FileNotFoundError):
        storage.open("a_1.txt")


def test_existence(options: S3Options) -> None:
    storage = S3Storage(options)
    put(storage, "a_1.txt")
    assert [storage.exists(name) for name in ("a_1.txt", "none.txt")] == [True, False]


class _WithoutListing(BaseHTTPRequestHandler):
    """Forwards requests as S3 does for a key without the permission ListBucket: missing objects are forbidden."""

    upstream = 0
    refuses: tuple[str, ...] = ()
    """The methods of requests that are refused, too."""

    def forward(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        upstream = HTTPConnection("127.0.0.1", self.upstream, timeout=60)
        upstream.request(self.command, self.path, body, dict(self.headers))
        answer = upstream.getresponse()
        content = answer.read()
        copies = self.command == "PUT" and "x-amz-copy-source" in self.headers
        method = "COPY" if copies else self.command
        is_refused = "list-type=2" in self.path or answer.status == 404 or method in self.refuses
        refusal = b"<Error><Code>AccessDenied</Code></Error>" if self.command != "HEAD" else b""
        self.send_response(403 if is_refused else answer.status)
        for name, value in () if is_refused else answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection", "server", "date"):
                self.send_header(name, value)
        if is_refused:
            self.send_header("Content-Length", str(len(refusal)))
        self.end_headers()
        self.wfile.write(refusal if is_refused else content)
        upstream.close()

    do_GET = do_HEAD = do_PUT = do_POST = forward  # noqa: N815 - the names of http.server

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def test_missing_objects_are_missing_without_the_permission_to_list(
    options: S3Options, s3_server: S3Server, caplog: pytest.LogCaptureFixture
) -> None:
    handler: type[_WithoutListing] = type("Handler", (_WithoutListing,), {"upstream": s3_server.port})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.01,)).start()
    try:
        address = f"http://127.0.0.1:{server.server_address[1]}"
        storage = S3Storage(replace(options, endpoint=address, private_key="secret"))
        put(storage, "a_1.txt")
        assert [storage.exists(name) for name in ("a_1.txt", "none.txt")] == [True, False]
        assert (storage.is_private("a_1.txt"), storage.private_facts("none.txt")) == (False, None)
        with pytest.raises(FileNotFoundError):
            storage.open("none.txt")
        assert not storage.copy("none.txt", "b_1.txt")
        storage.set_private(["a_1.txt", "none.txt"], private=True)
        assert storage.is_private("a_1.txt")
        assert caplog.messages == [
            "the key of the bucket lacks the permission ListBucket, so files that cannot be read count as missing"
        ]
        with pytest.raises(ServiceUnavailable) as refused:
            list(storage.private_names())
        assert refused.value.reason == "the key of the bucket lacks the permission ListBucket"
        put(storage, "c_1.txt")
        storage.set_private(["a_1.txt"], private=True)  # again
        handler.refuses = ("COPY", "HEAD", "GET")
        with pytest.raises(ServiceUnavailable) as refused:
            storage.set_private(["c_1.txt"], private=True)
        assert (refused.value.reason or "").endswith("the key of the bucket lacks the permission GetObject")
    finally:
        server.shutdown()
        server.server_close()


class _Interrupted(BaseHTTPRequestHandler):
    """Announces more bytes than it sends."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"begin")

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_an_interrupted_download_is_an_outage(options: S3Options) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Interrupted) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            endpoint = f"http://127.0.0.1:{server.server_port}"
            storage = S3Storage(replace(options, endpoint=endpoint))
            with storage.open("a_1.txt") as file, pytest.raises(ServiceUnavailable):
                file.read()
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    "mime, disposition",
    [("image/png", None), ("application/pdf", None), ("image/svg+xml", "attachment"), ("text/html", "attachment")],
)
def test_files_that_could_run_scripts_are_downloaded(
    options: S3Options, s3_server: S3Server, mime: str, disposition: str | None
) -> None:
    put(S3Storage(options), "a_1", mime=mime)
    head = s3_server.head(options.bucket, "a_1")
    assert (head["ContentType"], head.get("ContentDisposition")) == (mime, disposition)


def test_copies_and_moves(options: S3Options, s3_server: S3Server) -> None:
    storage = S3Storage(options)
    put(storage, "old.txt", b"old")
    put(storage, ".upload-1", b"new")
    assert storage.copy("old.txt", ".upload-2")
    assert not storage.copy("none.txt", ".upload-3")
    storage.move(".upload-1", "old.txt")
    with pytest.raises(FileNotFoundError):
        storage.move("none.txt", "old.txt")
    contents = {key: storage.open(key).read() for key in s3_server.keys(options.bucket)}
    assert contents == {".upload-2": b"old", "old.txt": b"new"}


@pytest.mark.parametrize(
    "changed, url",
    [
        ({"bucket": "b", "endpoint": None}, "https://b.s3.us-east-1.amazonaws.com/a%20b/x_1.png"),
        ({"bucket": "b", "endpoint": None, "region": "eu-west-3"}, "https://b.s3.eu-west-3.amazonaws.com/a%20b/x_1.png"),
        ({"bucket": "b", "endpoint": "https://s3.example.org/"}, "https://s3.example.org/b/a%20b/x_1.png"),
        ({"bucket": "b", "endpoint": "https://s3.example.org", "path_style": False}, "https://b.s3.example.org/a%20b/x_1.png"),
        ({"base_url": "https://cdn.example.org/"}, "https://cdn.example.org/a%20b/x_1.png"),
    ],
)  # fmt: skip
def test_urls(options: S3Options, changed: dict[str, Any], url: str) -> None:
    storage = S3Storage(replace(options, root_path="a b", **changed))
    assert storage.url_of("x_1.png") == url
    assert storage.name_of(url) == "x_1.png"
    assert storage.name_of(f"{url}?signature") == "x_1.png"


@pytest.mark.parametrize(
    "url, name",
    [
        ("https://s3.eu.amazonaws.com/b/y_1.png", "y_1.png"),
        ("https://cdn.example.org/other/", None),
        ("https://cdn.example.org/in/folder/x_1.png", "in/folder/x_1.png"),
        ("https://cdn.example.org/in/../x_1.png", None),
        ("https://cdn.example.org/%2e%2e/x_1.png", None),
    ],
)
def test_names_in_urls(options: S3Options, url: str, name: str | None) -> None:
    assert S3Storage(replace(options, base_url="https://cdn.example.org")).name_of(url) == name


@pytest.mark.parametrize("path, prefix", [("", ""), ("/", ""), ("some/where/", "some/where/"), ("/a", "a/")])
def test_folders(options: S3Options, path: str, prefix: str) -> None:
    assert S3Storage(options).prefix_of(path) == prefix


@pytest.mark.parametrize("path", ["..", "a/../b", "a\\b", ".upload-1", "é", "a\0", "a/.hidden"])
def test_folders_that_are_refused(options: S3Options, path: str) -> None:
    with pytest.raises(ValidationError):
        S3Storage(options).prefix_of(path)


def test_signed_urls(options: S3Options) -> None:
    storage = S3Storage(replace(options, acl="private"))
    put(storage, "a_1.txt")
    url = storage.url_of("a_1.txt")
    signed = storage.sign(url)
    assert storage.signs
    assert signed.startswith(f"{url}?")
    assert "X-Amz-Expires=900" in signed
    assert (storage.sign(url), storage.name_of(signed)) == (signed, "a_1.txt")
    assert (fetch(url)[0], fetch(signed)) == (403, (200, b"content"))
    assert storage.sign("https://example.org/") == "https://example.org/"


def test_public_files(options: S3Options) -> None:
    storage = S3Storage(replace(options, acl="public-read"))
    put(storage, "a_1.txt")
    assert not storage.signs
    assert fetch(storage.url_of("a_1.txt")) == (200, b"content")


def test_a_service_that_refuses(options: S3Options) -> None:
    storage = S3Storage(replace(options, bucket="none-of-mine"))
    with pytest.raises(ServiceUnavailable):
        put(storage, "a_1.txt")
    with pytest.raises(ServiceUnavailable):
        storage.remove(["a_1.txt"])


def test_the_library_is_loaded_only_if_needed() -> None:
    program = "import sys, octavo.operations.runtime.site; print(sorted({'boto3', 'botocore'} & set(sys.modules)))"
    source = str(Path(__file__).parents[4] / "src")
    loaded = subprocess.check_output([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": source})
    assert loaded.strip() == b"[]"
