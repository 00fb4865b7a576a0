"""The blog over HTTP on each database, with marks in hidden values and a draft that no client may see."""

import http.client
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pytest

from tests.cli.processes import run, serving
from tests.postgresql_server import PostgresqlServer
from tests.robustness.processor import Clock, clock_of
from tests.robustness.sites import AttackedSite, blog_site

DRAFT = "unpublished-draft"
Headers = dict[str, str]


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Headers
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def data(self) -> Any:
        return self.json["data"]

    @property
    def refusal(self) -> tuple[int, str]:
        """Return status and message of an error."""
        return self.status, self.json["error"]["message"]


@dataclass(frozen=True)
class Blog:
    """A running blog. `who` is `public`, `user` (Alice) or `full`, or an Authorization header."""

    site: AttackedSite
    port: int
    processor_seconds: Clock

    def get(self, path: str, who: str = "public", **headers: str) -> Reply:
        return self.send("GET", path, who, b"", headers)

    def post(self, path: str, data: Any, who: str = "full", method: str = "POST") -> Reply:
        body = data if isinstance(data, bytes) else json.dumps({"data": data}).encode()
        return self.send(method, path, who, body, {"Content-Type": "application/json"})

    def put(self, path: str, data: Any, who: str = "full") -> Reply:
        return self.post(path, data, who, "PUT")

    def send(self, method: str, path: str, who: str, body: bytes, headers: Headers) -> Reply:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=90)) as connection:
            connection.request(method, path, body or None, {**self._authorization(who), **headers})
            answer = connection.getresponse()
            named = {name.lower(): value for name, value in answer.getheaders()}
            return Reply(answer.status, named, answer.read())

    def _authorization(self, who: str) -> Headers:
        known = dict(zip(("public", "user", "full"), self.site.callers.headers, strict=True))
        pairs = known.get(who, ((b"Authorization", who.encode()),))
        return {name.decode(): value.decode() for name, value in pairs}


def make_site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, database: str) -> AttackedSite:
    server: PostgresqlServer | None = None
    if database == "postgresql":
        server = request.getfixturevalue("postgresql_server")
    site = blog_site(tmp_path_factory.mktemp("attacked"), server)
    site.run_sql("UPDATE articles SET created_by_id = 1, updated_by_id = 1")
    site.run_sql("UPDATE admin_users SET firstname = 'Ada', lastname = 'L', username = 'ada'")
    granted = run(
        *("permissions", "grant", "authenticated", "api::author.author.create", "--project", str(site.folder)),
        **site.variables,
    )
    assert granted[0] == 0, granted[1]
    return site


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AttackedSite:
    return make_site(request, tmp_path_factory, request.param)


@pytest.fixture(scope="session")
def blog(site: AttackedSite) -> Iterator[Blog]:
    """Serve the blog under profile `v4`, with a draft that has an author, categories, files and a category of its
    own."""
    with serving("start", site.folder, **site.variables) as server:
        blog = Blog(site, server.port, clock_of(server.process.pid))
        draft = {
            "title": DRAFT,
            "publishedAt": None,
            "author": 1,
            "categories": [1, 2],
            "cover": 1,
            "gallery": [1, 2],
        }
        assert blog.post("/api/articles", draft).status == 200
        yield blog


@pytest.fixture(scope="session")
def safe_blog(
    site: AttackedSite,
    blog: Blog,
) -> Iterator[Blog]:
    """Serve the same blog under profile `safe`."""
    with serving("start", site.folder, **site.variables, OCTAVO_API__COMPAT__PROFILE="safe") as server:
        yield Blog(site, server.port, clock_of(server.process.pid))
