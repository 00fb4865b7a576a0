"""HTTP, promises 27 and 29 as far as content needs them: origins, headers, hosts, and uploaded files."""

import pytest

from tests.security.conftest import Blog

ALWAYS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "referrer-policy": "no-referrer",
    "x-permitted-cross-domain-policies": "none",
}
ANSWERS = ("/api/articles", "/api/articles/999999", "/api/nothing", "/api/tags", "/", "/_health", "/uploads/none.png")


@pytest.mark.parametrize("path", ANSWERS)
def test_point_27_every_answer_has_the_security_headers(blog: Blog, path: str) -> None:
    headers = blog.get(path).headers
    assert ALWAYS.items() <= headers.items()
    assert "content-security-policy" in headers
    assert "x-powered-by" not in headers
    assert headers["server"] == "web"
    assert not any(name in " ".join(headers.values()).lower() for name in ("octavo", "granian"))


def test_point_27_other_origins_have_to_be_listed(safe_blog: Blog) -> None:
    for origin in ("http://evil.example", "null", "http://localhost.evil.example"):
        headers = safe_blog.get("/api/articles", Origin=origin).headers
        assert not {"access-control-allow-origin", "access-control-allow-credentials"} & headers.keys()


def test_point_27_the_host_is_never_believed(blog: Blog) -> None:
    for path in ("/", "/api/articles?populate=*", "/api/nothing", "/api/articles/"):
        reply = blog.get(path, Host="evil.example")
        assert b"evil.example" not in reply.body
        assert "evil.example" not in " ".join(reply.headers.values())


ACTIVE = {
    "a drawing": ("x.svg", b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    "a page": ("x.html", b"<html><script>alert(1)</script></html>"),
    "a page that says it is a picture": ("x.png", b"<html><script>alert(1)</script></html>"),
    "a way out": ("../../x.html", b"<script>"),
    "a way out of another kind": ("..\\..\\x.svg", b"<svg/>"),
    "a name without end": ("x" * 3000 + ".html", b"x"),
    "a hidden name": (".htaccess", b"x"),
    "a script": ("x.js", b"alert(1)"),
    "two extensions": ("x.png.html", b"<script>"),
}


@pytest.mark.parametrize("name, content", ACTIVE.values(), ids=list(ACTIVE))
def test_point_29_files_that_could_act_are_served_tame(blog: Blog, name: str, content: bytes) -> None:
    form = (
        b'--B\r\nContent-Disposition: form-data; name="data"\r\n\r\n{"title":"with a file"}\r\n'
        b'--B\r\nContent-Disposition: form-data; name="files.cover"; filename="%b"\r\n'
        b"Content-Type: image/png\r\n\r\n%b\r\n--B--\r\n"
    ) % (name.encode(), content)
    headers = {"Content-Type": "multipart/form-data; boundary=B"}
    made = blog.send("POST", "/api/articles?populate=cover", "full", form, headers)
    if made.status != 200:
        assert made.status == 400
        return
    url = made.data["attributes"]["cover"]["data"]["attributes"]["url"]
    assert url.startswith("/uploads/")
    assert ".." not in url
    served = blog.get(url)
    assert (served.status, served.headers["x-content-type-options"]) == (200, "nosniff")
    kind = served.headers["content-type"]
    if kind.startswith(("text/html", "image/svg", "text/javascript", "application/xhtml")):
        assert "sandbox" in served.headers["content-security-policy"]
        assert served.headers["content-disposition"] == "attachment"


def test_point_29_files_are_attached_only_to_writable_entries(blog: Blog) -> None:
    before = blog.site.run_sql("SELECT count(*) FROM files")
    form = (
        b'--B\r\nContent-Disposition: form-data; name="data"\r\n\r\n{}\r\n'
        b'--B\r\nContent-Disposition: form-data; name="files.cover"; filename="x.txt"\r\n\r\nx\r\n--B--\r\n'
    )
    headers = {"Content-Type": "multipart/form-data; boundary=B"}
    for who in ("public", "user"):
        assert blog.send("PUT", "/api/categories/1", who, form, headers).status == 403
    assert blog.site.run_sql("SELECT count(*) FROM files") == before
