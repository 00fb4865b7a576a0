"""Octavo below a URL path, behind nginx and Caddy with the lines in docs/deploying.md, also in a browser."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest

from tests.browser import MISSING, find_browser, open_page
from tests.cli.processes import PATIENCE, ROOT, free_port, run, serving
from tests.cluster import programs
from tests.pages.sample import FIRST, magazine
from tests.pages.test_url_path import walk
from tests.url_path_proxy import PATH, UrlPath, variables_of

pytestmark = pytest.mark.cluster


def _line(name: str, url_path: UrlPath) -> str:
    """Return a proxy's configuration line in the docs."""
    text = (ROOT / "docs/deploying.md").read_text("utf-8")
    found = re.search(rf"^\| `{url_path}` \| `(.+)` \| `(.+)` \|$", text, re.MULTILINE)
    assert found is not None
    return found[1 if name == "nginx" else 2]


def _configure(name: str, folder: Path, port: int, upstream: int, line: str) -> tuple[str, ...]:
    if name == "caddy":
        site = re.sub(r"\{ (.*) \}", r"{\n\1\n}", line.replace("1337", str(upstream)))
        text = f"{{\n\tadmin off\n}}\nhttp://127.0.0.1:{port} {{\n{site}\n}}\n"
        options: tuple[str, ...] = ("run", "--adapter", "caddyfile", "--config")
    else:
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        folders = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
        server = f"listen 127.0.0.1:{port};\nclient_max_body_size 0;\nproxy_set_header Host $http_host;\n"
        server += f"proxy_set_header X-Forwarded-For $remote_addr;\n{line}\n"
        text = f"daemon off;\npid {folder}/pid;\nerror_log stderr;\nuser root;\nevents {{}}\nhttp {{\naccess_log off;\n"
        text += f"{folders}upstream octavo {{ server 127.0.0.1:{upstream}; }}\nserver {{\n{server}}}\n}}\n"
        options = ("-p", str(folder), "-e", "stderr", "-c")
    (folder / "proxy.conf").write_text(text, "utf-8")
    return (*options, str(folder / "proxy.conf"))


@pytest.fixture(scope="module", params=["stripped", "kept"])
def url_path(request: pytest.FixtureRequest) -> UrlPath:
    found: UrlPath = request.param
    return found


@pytest.fixture(scope="module", params=["nginx", "caddy"])
def site(
    request: pytest.FixtureRequest, url_path: UrlPath, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, str]]:
    """The public URL of the sample project behind a proxy, and a token."""
    name, port, folder = request.param, free_port(), tmp_path_factory.mktemp("proxy")
    program, project = request.getfixturevalue(name), magazine(tmp_path_factory.mktemp("site"))
    with serving("develop", project, "--seed", **FIRST, **variables_of(port, url_path)) as server:
        code, said = run("tokens", "create", "tester", "--type", "full-access", "--project", str(project))
        assert code == 0, said
        own = ("/usr/bin/env", f"XDG_CONFIG_HOME={folder}", f"XDG_DATA_HOME={folder}", program)
        options = _configure(name, folder, port, server.port, _line(name, url_path))
        with programs.running(*own, *options, port=port, log=folder / "log"):
            yield f"http://127.0.0.1:{port}{PATH}", said.split()[-1]


def test_content_is_read_below_the_path(site: tuple[str, str]) -> None:
    url, token = site
    query = quote("filters[title][$eq]=Oven with a view", safe="=")
    asked = Request(
        f"{url}/api/articles?{query}&publicationState=preview", headers={"Authorization": f"Bearer {token}"}
    )
    with urlopen(asked, timeout=PATIENCE) as answer:
        assert [one["attributes"]["title"] for one in json.load(answer)["data"]] == ["Oven with a view"]


def test_the_pages_work_behind_real_proxies(site: tuple[str, str], tmp_path: Path) -> None:
    browser = find_browser()
    if browser is None:
        pytest.skip(MISSING)
    with open_page(browser, tmp_path) as page:
        walk(page, site[0])
