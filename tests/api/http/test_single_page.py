"""A single-page application below a path: files, deep links, cache lifetimes, and paths that it never serves."""

import gzip
from pathlib import Path

import pytest

from octavo.api.http.application import HttpApplication
from octavo.api.http.options import HttpOptions
from octavo.api.http.router import Router
from octavo.api.http.single_page import SinglePage
from octavo.api.http.static import FirstOf, StaticFiles
from tests.api.http.asgi import ask

POLICY = "default-src 'self'"
PAGE = "<!doctype html><script src=/admin/main.0a1b2c3d.js></script>"


@pytest.fixture
def app(tmp_path: Path) -> HttpApplication:
    build, public = tmp_path / "build", tmp_path / "public"
    for name, text in {"index.html": PAGE, "main.0a1b2c3d.js": "run()", "robots.txt": "x", "a/deep.css": "p{}"}.items():
        (build / name).parent.mkdir(parents=True, exist_ok=True)
        (build / name).write_text(text)
    (tmp_path / "secret.txt").write_text("secret")
    (public / "admin").mkdir(parents=True)
    (public / "admin/logo.png").write_bytes(b"logo")
    files = FirstOf((SinglePage("/admin", build, POLICY), StaticFiles({"/": public})))
    return HttpApplication(Router(), HttpOptions(), static=files)


@pytest.mark.parametrize(
    "path", ["/admin", "/admin/", "/admin/auth/login", "/admin/content-manager/collectionType/api::article.article"]
)
def test_every_url_below_the_path_returns_the_page(app: HttpApplication, path: str) -> None:
    answer = ask(app, "GET", path, headers=[("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")])
    assert (answer.status, answer.body.decode(), answer.headers["content-type"]) == (
        200,
        PAGE,
        "text/html; charset=utf-8",
    )
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["content-security-policy"] == POLICY
    assert "content-disposition" not in answer.headers


def test_files_with_a_digest_in_their_names_are_immutable(app: HttpApplication) -> None:
    answer = ask(app, "GET", "/admin/main.0a1b2c3d.js")
    assert (answer.body, answer.headers["content-type"]) == (b"run()", "text/javascript; charset=utf-8")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert ask(app, "GET", "/admin/robots.txt").headers["cache-control"] == "no-cache"
    assert ask(app, "HEAD", "/admin/a/deep.css").status == 200


def test_cached_pages_are_not_sent_again(app: HttpApplication) -> None:
    tag = ask(app, "GET", "/admin/").headers["etag"]
    assert ask(app, "GET", "/admin/", headers=[("If-None-Match", tag)]).status == 304


@pytest.mark.parametrize(
    "path, accept",
    [
        ("/admin/nothing", "application/json"),
        ("/admin/main.deadbeef1.js", "*/*"),
        ("/administrators", "text/html"),
        ("/", "text/html"),
    ],
)
def test_paths_that_are_not_pages_are_not_found(app: HttpApplication, path: str, accept: str) -> None:
    router_answers = ask(app, "GET", path, headers=[("Accept", accept)])
    assert path == "/" or router_answers.status == 404
    assert PAGE.encode() not in router_answers.body


@pytest.mark.parametrize("path", ["/admin/../secret.txt", "/admin/%2e%2e/secret.txt", "/admin/..%2fsecret.txt"])
def test_files_outside_the_folder_cannot_be_reached(app: HttpApplication, path: str) -> None:
    assert b"secret" not in ask(app, "GET", path).body


def test_other_files_below_the_path_are_served(app: HttpApplication) -> None:
    assert ask(app, "GET", "/admin/logo.png").body == b"logo"


@pytest.fixture
def pages(tmp_path: Path) -> HttpApplication:
    build = tmp_path / "pages"
    (build / "assets").mkdir(parents=True)
    (build / "index.html").write_text("as it was built")
    (build / "assets/main-0a1b2c3d4e5f.js").write_text("run();" * 1000)
    (build / "assets/main.js").write_text("run();" * 1000)
    page = SinglePage("/admin", build, POLICY, b"as it is served")
    return HttpApplication(Router(), HttpOptions(), static=page)


def test_deep_links_are_only_for_browsers(pages: HttpApplication) -> None:
    for path, accept, status in (
        ("/admin", "*/*", 200),
        ("/admin/", "*/*", 200),
        ("/admin/index.html", "*/*", 200),
        ("/admin/settings/users", "text/html,*/*", 200),
        ("/admin/settings/users", "*/*", 404),
        ("/admin/assets/gone.js", "text/html", 404),
    ):
        answer = ask(pages, "GET", path, headers=[("Accept", accept)])
        assert answer.status == status, path
        if status == 200:
            assert (answer.body, answer.headers["cache-control"]) == (b"as it is served", "no-cache")
            assert answer.headers["content-security-policy"] == POLICY


@pytest.fixture
def versioned(tmp_path: Path) -> HttpApplication:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("page")
    (tmp_path / "assets/main.js").write_text("run();" * 1000)
    page = SinglePage("/admin", tmp_path, POLICY, b"page", "0a1b2c3d4e5f")
    return HttpApplication(Router(), HttpOptions(), static=page)


def test_assets_of_this_build_are_cached_forever(versioned: HttpApplication) -> None:
    for headers in ([], [("Accept-Encoding", "gzip")]):
        answer = ask(versioned, "GET", "/admin/assets-0a1b2c3d4e5f/main.js", headers=headers)
        assert (answer.status, answer.headers["cache-control"]) == (200, "public, max-age=31536000, immutable")


def test_assets_of_another_build_are_not_found(versioned: HttpApplication) -> None:
    for folder in ("assets-000000000000", "assets-", "assets-0a1b2c3d4e5f/.."):
        assert ask(versioned, "GET", f"/admin/{folder}/main.js").status == 404
    answer = ask(versioned, "GET", "/admin/assets/main.js")
    assert (answer.status, answer.headers["cache-control"]) == (200, "no-cache")


@pytest.mark.parametrize(
    "name, accepted, packed",
    [
        ("main-0a1b2c3d4e5f.js", "gzip, br", True),
        ("main-0a1b2c3d4e5f.js", "br;q=1, GZIP;q=0.5", True),
        ("main-0a1b2c3d4e5f.js", "gzip;q=0", False),
        ("main-0a1b2c3d4e5f.js", "", False),
        ("main.js", "gzip", False),
    ],
)
def test_cacheable_files_are_sent_compressed(pages: HttpApplication, name: str, accepted: str, packed: bool) -> None:
    for _ in range(2):
        answer = ask(pages, "GET", f"/admin/assets/{name}", headers=[("Accept-Encoding", accepted)])
        assert (answer.headers.get("content-encoding") == "gzip") is packed
        text = gzip.decompress(answer.body) if packed else answer.body
        assert text == b"run();" * 1000
        assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert not packed or len(answer.body) < 200


def test_ranges_refer_to_the_uncompressed_file(pages: HttpApplication) -> None:
    headers = [("Accept-Encoding", "gzip"), ("Range", "bytes=0-2")]
    answer = ask(pages, "GET", "/admin/assets/main-0a1b2c3d4e5f.js", headers=headers)
    assert (answer.status, answer.body) == (206, b"run")
