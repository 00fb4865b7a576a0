"""Static files: which are served, their headers and ranges, and which can never be reached."""

import os
from email.utils import formatdate
from pathlib import Path

import pytest

from octavo.api.http.application import HttpApplication
from octavo.api.http.options import CorsMode, CorsOptions, HttpOptions
from octavo.api.http.router import Router
from octavo.api.http.static import CHUNK, StaticFiles, StaticOptions
from tests.api.http.asgi import Answer, Header, ask

MOMENT = 1_700_000_000
STAMP = formatdate(MOMENT, usegmt=True)
LATER = formatdate(MOMENT + 60, usegmt=True)
BEFORE = formatdate(MOMENT - 60, usegmt=True)
BIG = bytes(range(256)) * (CHUNK // 100)
FILES = {
    "robots.txt": b"User-agent: *\n",
    "uploads/a.png": b"0123456789",
    "uploads/empty.bin": b"",
    "uploads/big.mp4": BIG,
    "uploads/été 1.jpg": b"jpeg",
    "uploads/x.svg": b"<svg/>",
    "uploads/x.HTML": b"<p>",
    "uploads/x.xml": b"<a/>",
    **{f"uploads/x.{extension}": b"x" for extension in ("ogg", "mkv", "otf", "csv", "gpx", "xhtml")},
    "uploads/x.js": b"1",
    "uploads/plain": b"?",
    "uploads/.hidden": b"no",
    ".env": b"no",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    public = tmp_path / "public"
    for name, content in FILES.items():
        path = public / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (MOMENT, MOMENT))
    (tmp_path / "secret.txt").write_bytes(b"secret")
    (tmp_path / "public-too").mkdir()
    (tmp_path / "public-too" / "secret.txt").write_bytes(b"secret")
    (public / "out.txt").symlink_to(tmp_path / "secret.txt")
    (public / "outside").symlink_to(tmp_path)
    (public / "inside.txt").symlink_to(public / "robots.txt")
    (public / "circle").symlink_to(public / "circle")
    os.mkfifo(public / "pipe.txt")
    return public


@pytest.fixture
def app(folder: Path) -> HttpApplication:
    options = HttpOptions(cors=CorsOptions(CorsMode.REFLECT))
    return HttpApplication(Router(), options, static=StaticFiles({"/": folder}))


@pytest.fixture
def tagged(folder: Path) -> HttpApplication:
    return HttpApplication(Router(), static=StaticFiles({"/": folder}, StaticOptions("max-age=60", entity_tags=True)))


def test_a_path_can_have_its_own_options(folder: Path) -> None:
    files = StaticFiles({"/": folder}, StaticOptions("max-age=60"), {"/uploads": StaticOptions("max-age=5")})
    app = HttpApplication(Router(), static=files)
    found = {path: ask(app, "GET", path).headers["cache-control"] for path in ("/uploads/a.png", "/robots.txt")}
    assert found == {"/uploads/a.png": "max-age=5", "/robots.txt": "max-age=60"}


def test_a_file_has_all_headers(app: HttpApplication) -> None:
    assert ask(app, "GET", "/uploads/a.png", [("X-Request-Id", "seventeen")]) == Answer(
        200,
        {
            "accept-ranges": "bytes",
            "access-control-allow-credentials": "true",
            "access-control-allow-origin": "",
            "cache-control": "max-age=0",
            "content-length": "10",
            "content-security-policy": "default-src 'none'; frame-ancestors 'self'",
            "content-type": "image/png",
            "last-modified": STAMP,
            "referrer-policy": "no-referrer",
            "server": "web",
            "x-request-id": "seventeen",
            "strict-transport-security": "max-age=31536000; includeSubDomains",
            "vary": "Origin",
            "x-content-type-options": "nosniff",
            "x-dns-prefetch-control": "off",
            "x-download-options": "noopen",
            "x-frame-options": "SAMEORIGIN",
            "x-permitted-cross-domain-policies": "none",
        },
        b"0123456789",
    )


@pytest.mark.parametrize(
    "path, name",
    [
        ("/robots.txt", "robots.txt"),
        ("/inside.txt", "robots.txt"),
        ("/uploads/empty.bin", "uploads/empty.bin"),
        ("/uploads/big.mp4", "uploads/big.mp4"),
        ("/uploads/%C3%A9t%C3%A9%201.jpg", "uploads/été 1.jpg"),
        ("/uploads/%61.png", "uploads/a.png"),
    ],
)
def test_files_are_served_completely_and_head_returns_their_length(app: HttpApplication, path: str, name: str) -> None:
    named = [("X-Request-Id", "seventeen")]
    answer, head = ask(app, "GET", path, named), ask(app, "HEAD", path, named)
    assert (answer.status, answer.body) == (200, FILES[name])
    assert (head.status, head.headers, head.body) == (200, answer.headers, b"")
    assert answer.headers["content-length"] == str(len(FILES[name]))


SCRIPTS = ("x.js", "y.mjs", "z.JS", "w.es", "v.jsm")


@pytest.mark.parametrize("prefix", ["/uploads/", "/%75ploads/", "/uploads/deep/", "/%55ploads/"])
def test_uploaded_scripts_are_text(folder: Path, prefix: str) -> None:
    """Otherwise a page could run uploaded scripts as its own; the project's files beside them stay scripts."""
    files = StaticFiles({"/": folder}, None, {"/uploads": StaticOptions(untrusted=True)})
    app = HttpApplication(Router(), HttpOptions(security_headers=()), static=files)
    for name in SCRIPTS:
        for place in ("uploads", "uploads/deep", "Uploads", "."):
            (folder / place).mkdir(exist_ok=True)
            (folder / place / name).write_bytes(b"alert(1)")
        for method in ("GET", "HEAD"):
            answer = ask(app, method, prefix + name)
            assert answer.status == 200
            assert "script" not in answer.headers["content-type"], name
            assert answer.headers["x-content-type-options"] == "nosniff"
    assert ask(app, "GET", f"{prefix}x.js").headers["content-type"] == "text/plain; charset=utf-8"
    assert ask(app, "GET", "/x.js").headers["content-type"] == "text/javascript; charset=utf-8"


SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
PLAIN = "default-src 'none'; frame-ancestors 'self'"


@pytest.mark.parametrize(
    "path, kind, disposition, policy",
    [
        ("/robots.txt", "text/plain; charset=utf-8", None, PLAIN),
        ("/uploads/big.mp4", "video/mp4", None, PLAIN),
        ("/uploads/x.svg", "image/svg+xml", "attachment", SANDBOX),
        ("/uploads/x.HTML", "text/html; charset=utf-8", "attachment", SANDBOX),
        ("/uploads/x.xml", "application/xml; charset=utf-8", "attachment", SANDBOX),
        ("/uploads/x.js", "text/javascript; charset=utf-8", "attachment", SANDBOX),
        ("/uploads/plain", "application/octet-stream", "attachment", SANDBOX),
        ("/uploads/x.ogg", "audio/ogg", None, PLAIN),
        ("/uploads/x.mkv", "video/x-matroska", None, PLAIN),
        ("/uploads/x.otf", "font/otf", None, PLAIN),
        ("/uploads/x.csv", "text/csv; charset=utf-8", None, PLAIN),
        ("/uploads/x.gpx", "application/gpx+xml", "attachment", SANDBOX),
        ("/uploads/x.xhtml", "application/xhtml+xml", "attachment", SANDBOX),
    ],
)
def test_active_content_is_sandboxed(
    app: HttpApplication, path: str, kind: str, disposition: str | None, policy: str
) -> None:
    answer = ask(app, "GET", path)
    assert answer.only("content-type", "content-disposition", "content-security-policy") == {
        "content-type": kind,
        "content-disposition": disposition,
        "content-security-policy": policy,
    }


@pytest.mark.parametrize(
    "path",
    [
        "/nope.txt",
        "/uploads",
        "/uploads/",
        "/robots.txt/",
        "/robots.txt/x",
        "/.env",
        "/uploads/.hidden",
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/%2E%2E%2Fsecret.txt",
        "/uploads/../../secret.txt",
        "/uploads/..%2f..%2fsecret.txt",
        "/..%5csecret.txt",
        "/..\\secret.txt",
        "/../public-too/secret.txt",
        "/out.txt",
        "/outside/secret.txt",
        "/circle",
        "/pipe.txt",
        "/uploads//a.png",
        "/%zz",
        "/" + "a" * 5000,
    ],
)
def test_other_files_cannot_be_reached(app: HttpApplication, path: str) -> None:
    for method in ("GET", "HEAD"):
        assert ask(app, method, path).status == 404


@pytest.mark.parametrize("path", ["/robots.txt%00.png", "/%ff"])
def test_paths_that_are_not_text_are_malformed(app: HttpApplication, path: str) -> None:
    assert ask(app, "GET", path).status == 400


RANGES = [
    ("bytes=0-9", 206, "bytes 0-9/10", b"0123456789"),
    ("bytes=0-3", 206, "bytes 0-3/10", b"0123"),
    ("bytes=4-", 206, "bytes 4-9/10", b"456789"),
    ("bytes=-3", 206, "bytes 7-9/10", b"789"),
    ("bytes=8-999999", 206, "bytes 8-9/10", b"89"),
    ("bytes=-99", 206, "bytes 0-9/10", b"0123456789"),
    ("bytes=10-", 416, "bytes */10", b""),
    ("bytes=-0", 416, "bytes */10", b""),
    ("bytes=3-1", 200, None, b"0123456789"),
    ("bytes=0-1,3-4", 200, None, b"0123456789"),
    ("bytes=-", 200, None, b"0123456789"),
    ("bytes=x", 200, None, b"0123456789"),
    ("items=0-1", 200, None, b"0123456789"),
    ("bytes=" + "9" * 400 + "-", 200, None, b"0123456789"),
]


@pytest.mark.parametrize("wanted, status, content_range, body", RANGES)
def test_one_range_of_a_file_can_be_requested(
    app: HttpApplication, wanted: str, status: int, content_range: str | None, body: bytes
) -> None:
    answer = ask(app, "GET", "/uploads/a.png", [("Range", wanted)])
    assert (answer.status, answer.headers.get("content-range"), answer.body) == (status, content_range, body)
    assert answer.headers["content-length"] == str(len(body))


def test_a_range_can_span_chunks(app: HttpApplication) -> None:
    answer = ask(app, "GET", "/uploads/big.mp4", [("Range", f"bytes={CHUNK - 5}-{CHUNK + 4}")])
    assert answer.body == BIG[CHUNK - 5 : CHUNK + 5]


def test_an_empty_file_has_no_range(app: HttpApplication) -> None:
    assert ask(app, "GET", "/uploads/empty.bin", [("Range", "bytes=0-")]).status == 416


TAG = f'"{MOMENT * 10**9:x}-a"'
CONDITIONS: list[tuple[list[Header], int]] = [
    ([("If-None-Match", TAG)], 304),
    ([("If-None-Match", f'"other", W/{TAG}')], 304),
    ([("If-None-Match", "*")], 304),
    ([("If-None-Match", '"other"')], 200),
    ([("If-None-Match", '"other"'), ("If-Modified-Since", LATER)], 200),
    ([("If-Modified-Since", STAMP)], 304),
    ([("If-Modified-Since", LATER)], 304),
    ([("If-Modified-Since", BEFORE)], 200),
    ([("If-Modified-Since", "yesterday")], 200),
    ([("If-Modified-Since", "Mon, 99 Jan 99999999999999 00:00:00 GMT")], 200),
    ([("Range", "bytes=0-0"), ("If-Range", TAG)], 206),
    ([("Range", "bytes=0-0"), ("If-Range", STAMP)], 206),
    ([("Range", "bytes=0-0"), ("If-Range", '"other"')], 200),
    ([("Range", "bytes=0-0"), ("If-Range", BEFORE)], 200),
]


@pytest.mark.parametrize("headers, status", CONDITIONS)
def test_conditional_requests(tagged: HttpApplication, headers: list[Header], status: int) -> None:
    answer = ask(tagged, "GET", "/uploads/a.png", headers)
    assert (answer.status, len(answer.body)) == (status, {200: 10, 206: 1, 304: 0}[status])
    assert answer.only("etag", "last-modified", "cache-control") == {
        "etag": TAG,
        "last-modified": STAMP,
        "cache-control": "max-age=60",
    }
    assert ("content-length" in answer.headers) == (status != 304)


def test_a_file_that_changes_twice_within_a_second_is_sent_again(app: HttpApplication, folder: Path) -> None:
    """The modification time, in the future here, has a resolution of one second."""
    moment = 4_000_000_000
    for content in (b"old", b"new"):
        (folder / "uploads/a.png").write_bytes(content)
        os.utime(folder / "uploads/a.png", (moment, moment))
        if content == b"old":
            known = ask(app, "GET", "/uploads/a.png").headers["last-modified"]
    answer = ask(app, "GET", "/uploads/a.png", [("If-Modified-Since", known)])
    assert (answer.status, answer.body) == (200, b"new")


def test_the_longest_path_decides_which_folder_is_meant(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "volume"
    elsewhere.mkdir()
    (elsewhere / "a.png").write_bytes(b"elsewhere")
    linked = tmp_path / "linked"
    linked.symlink_to(elsewhere)
    app = HttpApplication(Router(), static=StaticFiles({"/": folder, "/uploads": linked}))
    assert ask(app, "GET", "/uploads/a.png").body == b"elsewhere"
    assert ask(app, "GET", "/robots.txt").body == FILES["robots.txt"]
    assert ask(app, "GET", "/uploads/x.svg").status == 404


def test_the_icon_folder_has_precedence(folder: Path, tmp_path: Path) -> None:
    """Observed: a PNG before an ICO, both as an icon, and cached for a day."""
    project = tmp_path / "project"
    project.mkdir()
    app = HttpApplication(Router(), static=StaticFiles({"/": folder}, icons=project))
    assert ask(app, "GET", "/favicon.ico").status == 404
    (folder / "favicon.ico").write_bytes(b"public")
    (project / "package.json").write_text("{}")
    assert ask(app, "GET", "/favicon.ico").body == b"public"
    for name in ("favicon.ico", "favicon.png"):
        (project / name).write_bytes(name.encode())
        icon = ask(app, "GET", "/favicon.ico")
        assert (icon.body, icon.headers["content-type"]) == (name.encode(), "image/x-icon")
        assert icon.headers["cache-control"] == "public, max-age=86400"
    assert [ask(app, "GET", path).status for path in ("/favicon.png", "/package.json")] == [404, 404]
