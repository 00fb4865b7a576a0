"""A service below a path of its public URL: its URLs and all requests, over real HTTP."""

import json
import time
from collections.abc import Iterator
from email import message_from_bytes
from email.policy import default
from http.client import HTTPResponse
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

import pytest

from octavo.settings import load_settings
from octavo.settings.lint import lint_warnings
from tests.cli.processes import PATIENCE, Server, free_port, run, serving
from tests.cli.projects import make_project
from tests.models.pictures import picture
from tests.url_path_proxy import PATH, UrlPath, proxying, variables_of

VARIABLES = {
    "OCTAVO_ADMIN__FIRST__EMAIL": "ada@example.org",
    "OCTAVO_ADMIN__FIRST__PASSWORD": "Passw0rd-of-Ada",
    "OCTAVO_PLUGINS__DOCUMENTATION__ENABLED": "true",
    "OCTAVO_PLUGINS__GRAPHQL__ENABLED": "true",
    "OCTAVO_API__EVENTS__ENABLED": "true",
}
FORM = "limit-of-the-form"


class _Stay(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


class Site:
    """A service at its public URL."""

    def __init__(self, url: str, server: Server, token: str, project: Path, url_path: UrlPath) -> None:
        self.url = url
        self.project = project
        self.url_path = url_path
        self.server = server
        self.token = token

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> HTTPResponse | HTTPError:
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        given = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}", **headers}
        given = {name.replace("_", "-"): value for name, value in given.items() if value}
        try:
            found: HTTPResponse = build_opener(_Stay).open(
                Request(self.url + path, data, given, method=method), timeout=PATIENCE
            )
        except HTTPError as error:
            return error
        return found

    def json(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        answer = self.ask(method, path, body, **headers)
        content = answer.read()
        assert answer.status == 200, content
        return json.loads(content)


@pytest.fixture(scope="module", params=["stripped", "kept"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    port, project = free_port(), make_project(tmp_path_factory.mktemp("below") / "site")
    with (
        serving("develop", project, **VARIABLES, **variables_of(port, request.param)) as server,
        proxying(port, server.port, request.param) as url,
    ):
        code, said = run("tokens", "create", "tester", "--type", "full-access", "--project", str(project))
        assert code == 0, said
        yield Site(url, server, said.split()[-1], project, request.param)


def test_content_files_and_graphql(site: Site) -> None:
    """Files have v4's URLs: below the public URL."""
    made = site.json("POST", "/api/stories", {"data": {"title": "One"}})
    assert site.json("GET", f"/api/stories/{made['data']['id']}?fields=title")["data"]["attributes"] == {"title": "One"}
    query = {"query": "{ stories { data { attributes { title } } } }"}
    assert site.json("POST", "/graphql", query)["data"]["stories"]["data"] == [{"attributes": {"title": "One"}}]
    head = f'--{FORM}\r\nContent-Disposition: form-data; name="files"; filename="a.png"\r\n'
    form = f"{head}Content-Type: image/png\r\n\r\n".encode() + picture("PNG", 8, 8) + f"\r\n--{FORM}--\r\n".encode()
    [file] = site.json("POST", "/api/upload", form, Content_Type=f"multipart/form-data; boundary={FORM}")
    assert file["url"].startswith("/uploads/")
    assert site.ask("GET", file["url"], Authorization="").headers["content-type"] == "image/png"


def test_pages_name_the_path(site: Site) -> None:
    page = site.ask("GET", "/admin", Accept="text/html").read().decode()
    assert f'<html lang="en" data-root="{PATH}"' in page
    assert f'<base href="{PATH}/admin/" />' in page
    assert f'href="{PATH}/graphql/graphiql.css' in site.ask("GET", "/graphql", Accept="text/html").read().decode()
    documentation = site.ask("GET", "/documentation", Accept="text/html").read().decode()
    assert f'data-document="{PATH}/documentation/openapi.json"' in documentation
    assert site.json("GET", "/documentation/openapi.json")["servers"] == [{"url": site.url}]
    start = site.ask("GET", "/").read().decode()
    assert f'<a href="{PATH}/admin">' in start
    assert f'<a href="{PATH}/api/stories">' in start


def test_the_cookie_of_administrators_is_sent_below_the_path_only(site: Site) -> None:
    who = {"email": VARIABLES["OCTAVO_ADMIN__FIRST__EMAIL"], "password": VARIABLES["OCTAVO_ADMIN__FIRST__PASSWORD"]}
    answer = site.ask("POST", "/admin/login", who, Authorization="")
    assert answer.status == 200
    assert f"; Path={PATH}/admin; " in answer.headers["set-cookie"]
    cookie = answer.headers["set-cookie"].partition(";")[0]
    token = site.json("POST", "/admin/renew-token", b"", Authorization="", Cookie=cookie)["data"]["token"]
    bearer = f"Bearer {token}"
    addresses = site.json("GET", "/octavo/entry-addresses/api::story.story", Authorization=bearer)["data"]
    assert addresses["api"] == f"{PATH}/api/stories"
    invited = {"firstname": "Bo", "email": "bo@example.org", "roles": [1]}
    assert site.ask("POST", "/admin/users", invited, Authorization=bearer).status == 201


def test_mails_link_to_the_public_url(site: Site) -> None:
    """v4's default template begins the link with the service's URL."""
    account = {"username": "cyril", "email": "cy@example.org", "password": "Passw0rd-of-Cy"}
    site.json("POST", "/api/auth/local/register", account, Authorization="")
    site.json("POST", "/api/auth/forgot-password", {"email": "cy@example.org"}, Authorization="")
    deadline = time.monotonic() + PATIENCE
    while not (files := [*(site.project / ".octavo/mail").glob("*.eml")]) and time.monotonic() < deadline:
        time.sleep(0.02)  # sent in the background
    body = message_from_bytes(files[0].read_bytes(), policy=default).get_body()
    assert body is not None
    assert f"{site.url}/reset-password?code=" in body.get_content()


def test_the_event_stream(site: Site) -> None:
    """The tests' proxy cannot stream, so the test sends the request as the proxy would."""
    path = f"{PATH if site.url_path == 'kept' else ''}/api/events"
    given = {"Authorization": f"Bearer {site.token}"}
    stream = build_opener().open(Request(f"http://127.0.0.1:{site.server.port}{path}", headers=given), timeout=PATIENCE)
    assert stream.headers["content-type"].startswith("text/event-stream")
    stream.close()


def test_the_path_is_removed_once(site: Site) -> None:
    """A proxy that blocks paths is not circumvented by repeating the prefix. Probes without it work."""
    assert site.ask("GET", f"{PATH}/api/stories").status == 404
    assert site.ask("GET", f"{PATH}{PATH}/api/stories").status == 404
    assert site.server.get("/_health") == (204, None)


def test_settings_have_no_remark(tmp_path: Path) -> None:
    make_project(tmp_path)
    for url_path in ("stripped", "kept"):
        settings = load_settings(tmp_path, variables_of(1, url_path), mode="production")
        assert [*lint_warnings(settings)] == []
        assert settings.server.base_path == PATH
