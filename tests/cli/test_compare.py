"""`octavo compare` with two running services: it finds all deliberate differences, and no others."""

import json
import shutil
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner, Result

from octavo.cli import main
from tests.cli.processes import Server, serving
from tests.cli.projects import SECRETS, make_project, write_type

PART = {
    "collectionName": "components_shared_parts",
    "info": {"displayName": "Part"},
    "attributes": {"label": {"type": "string"}},
}
ITEM: dict[str, Any] = {
    "kind": "collectionType",
    "collectionName": "items",
    "info": {"singularName": "item", "pluralName": "items", "displayName": "Item"},
    "options": {"draftAndPublish": True},
    "attributes": {
        "title": {"type": "string"},
        "text": {"type": "text"},
        "count": {"type": "integer"},
        "price": {"type": "decimal"},
        "open": {"type": "boolean"},
        "day": {"type": "date"},
        "moment": {"type": "datetime"},
        "kind": {"type": "enumeration", "enum": ["one", "two"]},
        "payload": {"type": "json"},
        "gone": {"type": "string"},
        "code": {"type": "integer"},
        "rank": {"type": "integer"},
        "contact": {"type": "string"},
        "part": {"type": "component", "component": "shared.part", "repeatable": False},
        "parts": {"type": "component", "component": "shared.part", "repeatable": True},
        "other": {"type": "relation", "relation": "oneToOne", "target": "api::item.item"},
    },
}
PLACE: dict[str, Any] = {
    "kind": "collectionType",
    "collectionName": "places",
    "info": {"singularName": "place", "pluralName": "places", "displayName": "Place"},
    "attributes": {"name": {"type": "string"}},
}
HOME: dict[str, Any] = {
    "kind": "singleType",
    "collectionName": "homes",
    "info": {"singularName": "home", "pluralName": "homes", "displayName": "Home"},
    "attributes": {"claim": {"type": "string"}},
}
CONTENT = """
async def bootstrap(app):
    if await app.entries("api::home.home").count():
        return
    await app.entries("api::home.home").create({"claim": "Hello"})
    for number in range(1, 4):
        await app.entries("api::place.place").create({"name": f"Place {number}"})
    for number in range(1, 7):
        await app.entries("api::item.item").create({
            "title": f"Title {number}", "text": f"Text {number}", "count": number, "price": 1.5, "open": True,
            "day": "2026-01-02", "moment": "2026-01-02T03:04:05.000Z", "kind": "one", "payload": {"deep": [{"a": 1}]},
            "gone": "still here", "code": 5, "rank": number, "contact": "ann@example.org",
            "part": {"label": "one"}, "parts": [{"label": "first"}, {"label": "second"}],
            "other": number - 1 or None, "publishedAt": "2026-01-01T00:00:00.000Z"})
"""
ALL = "/api/items?sort=id&populate[part]=*&populate[parts]=*&populate[other][fields][0]=id"
TARGETS = (
    ALL,
    "/api/items?sort=rank&fields[0]=title&filters[id][$gt]=1",
    "/api/items?sort=id&publicationState=preview&fields[0]=title&pagination[limit]=1",
    "/api/items/5?fields[0]=title",
    "/api/items/999",
    "/api/places?sort=id",
    "/api/places/2",
    "/api/home",
    "/uploads/note.txt",
    "/uploads/image.png",
)
FRONTEND = """<script setup>
const { title, kind } = useRoute().params
const items = await fetch(`${base}/api/items?filters[kind]=${kind}&filters[title]=${title}&fields[0]=rank`)
const place = await fetch(`${base}/api/places/${items[0].place}`)
const next = await fetch(place.next)
</script>
"""
QUERY = 'query { items(sort: "id", pagination: { limit: 2 }) { data { id attributes { title gone } } } }'
PLANTED = {
    ("value", "$.data[*].attributes.title", "GET /api/items"),
    ("value", "$.data[*].attributes.text", "GET /api/items"),
    ("value", "$.data[*].attributes.count", "GET /api/items"),
    ("value", "$.data[*].attributes.price", "GET /api/items"),
    ("value", "$.data[*].attributes.open", "GET /api/items"),
    ("value", "$.data[*].attributes.day", "GET /api/items"),
    ("type", "$.data[*].attributes.moment", "GET /api/items"),
    ("value", "$.data[*].attributes.kind", "GET /api/items"),
    ("value", "$.data[*].attributes.payload.deep[*].a", "GET /api/items"),
    ("missing", "$.data[*].attributes.gone", "GET /api/items"),
    ("added", "$.data[*].attributes.extra", "GET /api/items"),
    ("type", "$.data[*].attributes.code", "GET /api/items"),
    ("value", "$.data[*].attributes.contact", "GET /api/items"),
    ("value", "$.data[*].attributes.part.label", "GET /api/items"),
    ("length", "$.data[*].attributes.parts", "GET /api/items"),
    ("type", "$.data[*].attributes.other.data", "GET /api/items"),
    ("value", "$.data[*].attributes.rank", "GET /api/items"),
    ("order", "$.data", "GET /api/items"),
    ("status", "$", "GET /api/places"),
    ("status", "$", "GET /api/places/:id"),
    ("value", "$.data.attributes.claim", "GET /api/home"),
    ("body", "$", "GET /uploads/note.txt"),
    ("body", "$", "GET /uploads/image.png"),
    ("status", "$", "POST /graphql"),
}
CHANGES = (
    "UPDATE items SET title = 'Changed' WHERE id = 1",
    "UPDATE items SET text = 'Changed' WHERE id = 1",
    "UPDATE items SET count = 100 WHERE id = 2",
    "UPDATE items SET price = 2.5 WHERE id = 2",
    "UPDATE items SET open = 0 WHERE id = 3",
    "UPDATE items SET day = '2026-01-03' WHERE id = 3",
    "UPDATE items SET moment = NULL WHERE id = 4",
    "UPDATE items SET kind = 'two' WHERE id = 4",
    """UPDATE items SET payload = '{"deep": [{"a": 2}]}' WHERE id = 5""",
    "UPDATE items SET contact = 'bob@example.org' WHERE id = 6",
    "UPDATE items SET rank = 13 - rank WHERE rank > 4",
    "UPDATE components_shared_parts SET label = 'two' WHERE id = (SELECT MIN(id) FROM components_shared_parts)",
    "DELETE FROM items_components WHERE field = 'parts' AND entity_id = 1 AND \"order\" = 2",
    "DELETE FROM items_other_links WHERE item_id = 3",
    "UPDATE homes SET claim = 'Changed'",
)


def write_project(folder: Path) -> Path:
    for definition in (ITEM, PLACE, HOME):
        write_type(folder, definition)
    part = folder / "src/components/shared/part.json"
    part.parent.mkdir(parents=True)
    part.write_text(json.dumps(PART), "utf-8")
    (folder / "src/index.py").write_text(CONTENT, "utf-8")
    (folder / "public/uploads").mkdir(parents=True)
    (folder / "public/uploads/note.txt").write_text("A note", "utf-8")
    (folder / "public/uploads/image.png").write_bytes(b"\x89PNG\xff\x00")
    (folder / ".env").write_text(SECRETS, "utf-8")
    return folder


def plant(project: Path) -> None:
    """Change the content, the definitions and the files of a project."""
    attributes = {name: item for name, item in ITEM["attributes"].items() if name != "gone"}
    changed = attributes | {"code": {"type": "biginteger"}, "extra": {"type": "string"}}
    write_type(project, {**ITEM, "attributes": changed})
    (project / "public/uploads/note.txt").write_text("A memo", "utf-8")
    (project / "public/uploads/image.png").write_bytes(b"\x89PNG\xff\x01")
    with closing(sqlite3.connect(project / ".octavo/data.db", isolation_level=None)) as connection:
        for statement in CHANGES:
            assert connection.execute(statement).rowcount, statement
    connection.close()


def command(*arguments: str, project: Path, **variables: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--project", str(project)], env=variables)


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Server]]:
    """A service with public content."""
    project = write_project(tmp_path_factory.mktemp("old") / "site")
    for arguments in (("db", "upgrade"), ("permissions", "grant", "public", "api::*.find*")):
        result = command(*arguments, project=project)
        assert result.exit_code == 0, result.output
    with serving("start", project) as server:
        yield project, server


def copy_of(project: Path, folder: Path) -> Path:
    shutil.copytree(project, folder, ignore=shutil.ignore_patterns("data.db*"))
    data = ".octavo/data.db"
    with closing(sqlite3.connect(project / data)) as source, closing(sqlite3.connect(folder / data)) as target:
        source.backup(target)
    return folder


@pytest.fixture
def sources(tmp_path: Path) -> list[str]:
    """An access log and a HAR file."""
    log, har = tmp_path / "access.log", tmp_path / "front.har"
    log.write_text("".join(f'::1 - - [x] "GET {target} HTTP/1.1" 200 1\n' for target in TARGETS), "utf-8")
    body = {"mimeType": "application/json", "text": json.dumps({"query": QUERY})}
    request = {"method": "POST", "url": "https://api.example.org/graphql", "postData": body}
    har.write_text(json.dumps({"log": {"entries": [{"request": request}]}}), "utf-8")
    return ["--log", str(log), "--har", str(har), "--host", "api.example.org", "--rate", "500"]


def url(server: Server) -> str:
    return f"http://127.0.0.1:{server.port}"


def groups_of(report: Mapping[str, Any]) -> set[tuple[str, str, str]]:
    return {(group["kind"], group["shape"], route) for group in report["unexplained"] for route in group["routes"]}


def test_a_copy_has_no_differences(old: tuple[Path, Server], sources: list[str], tmp_path: Path) -> None:
    project, server = old
    copied = copy_of(project, tmp_path / "copy")
    with serving("start", copied) as other:
        result = command("compare", url(server), url(other), *sources, "--generate", "--json", project=project)
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["equal"] == report["compared"] > 60
    assert (report["unexplained"], report["explained"], report["failed"]) == ([], [], {})


def test_planted_differences_are_found(old: tuple[Path, Server], sources: list[str], tmp_path: Path) -> None:
    project, server = old
    copied = copy_of(project, tmp_path / "copy")
    revoked = command("permissions", "revoke", "public", "api::place.*", project=copied)
    assert revoked.exit_code == 0, revoked.output
    plant(copied)
    html = tmp_path / "report.html"
    with serving("start", copied) as other:
        arguments = ("compare", url(server), url(other), *sources, "--html", str(html))
        result = command(*arguments, "--json", project=project)
        text = command(*arguments, "--force", project=project)
        (tmp_path / "front").mkdir()
        (tmp_path / "front/a.vue").write_text(FRONTEND, "utf-8")
        urls = ("compare", url(server), url(other))
        front = command(*urls, "--frontend", str(tmp_path / "front"), "--json", project=project)
    assert result.exit_code == 1, result.output
    report = json.loads(result.stdout)
    assert groups_of(report) == PLANTED
    assert report["explained"] == []
    assert report["equal"] == 2
    example = "GET /api/items/999 (access.log)"
    assert report["errors"] == {"status 404": {"requests": 1, "example": example}}
    assert f"Equal errors: status 404: 1, for example {example}" in text.stdout
    page = html.read_text("utf-8")
    assert "ann@" not in page + result.output + text.output
    assert "&lt;e-mail&gt;" in page
    assert "Unexplained differences in 9 of 11 requests, in 24 groups." in text.stdout
    assert text.stderr == "Error: 24 groups of unexplained differences\n"
    report = json.loads(front.stdout)
    examples = {(one["source"], one["target"]) for group in report["unexplained"] for one in group["examples"]}
    assert examples == {
        ("a.vue:3", "/api/items?filters[kind]=one&filters[title]=Title 1&fields[0]=rank"),
        ("a.vue:4", "/api/places/1"),
    }
    assert report["unread"] == ["a.vue:5: the URL is unknown"]


def refused(*arguments: str, project: Path, **variables: str) -> str:
    result = command("compare", "http://127.0.0.1:9", "http://127.0.0.1:10", *arguments, project=project, **variables)
    assert result.exit_code == 1, result.output
    return result.stderr.removeprefix("Error: ").rstrip()


def test_bad_arguments(tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    log.write_text('"DELETE /api/a HTTP/1.1"\n', "utf-8")
    assert refused(project=tmp_path).startswith("There are no requests to send. Give an access log (--log)")
    assert refused("--log", str(log), project=tmp_path) == (
        "There are no requests to send. Skipped: writes: 1. --path sets the paths to compare."
    )
    log.write_text('"GET /api/a HTTP/1.1"\n', "utf-8")
    message = refused("--log", str(log), "--role", "editor=secret-token", project=tmp_path)
    assert message == "--role: tokens are read from env:VARIABLE or file:PATH, not from the command line"
    message = refused("--log", str(log), "--role", "editor=env:EDITOR", project=tmp_path, EDITOR="")
    assert message == "--role: the variable EDITOR does not contain a token"
    message = refused("--log", str(log), "--role", "public=env:EDITOR", project=tmp_path, EDITOR="abc")
    assert message == "--role: expected NAME=env:VARIABLE or NAME=file:PATH, and a name other than public"
    html = tmp_path / "report.html"
    html.write_text("")
    assert refused("--log", str(log), "--html", str(html), project=tmp_path) == (
        f"{html} already exists; --force replaces it"
    )
    assert refused("--log", str(log), project=tmp_path) == "No request has a response from both services"


WRITES = """
fetch(`${base}/api/articles/${id}`, { method: 'DELETE' })
fetch(`${base}/api/articles/${id}`, { method: 'PUT' })
fetch(`${base}/api/articles`, { method: 'POST' })
fetch(`${base}/api/articles?sort=title`)
const m = `mutation Remove($id: ID!) { deleteArticle(id: $id) { data { id } } }`
const q = `query { articles { data { id } } }`
"""


class _Recorder(BaseHTTPRequestHandler):
    """Records the requests of a server, in `received`."""

    received: ClassVar[list[tuple[str, str, bytes]]] = []

    def _record(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.received.append((self.command, self.path, body))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "11")
        self.end_headers()
        self.wfile.write(b'{"data":[]}')

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = _record  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def test_writes_of_front_ends_are_never_sent(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    article = {"singularName": "article", "pluralName": "articles", "displayName": "Article"}
    attributes = {"title": {"type": "string"}}
    write_type(
        project,
        {"kind": "collectionType", "collectionName": "articles", "info": article, "attributes": attributes},
    )
    (tmp_path / "front").mkdir()
    (tmp_path / "front/a.js").write_text(WRITES, "utf-8")
    _Recorder.received.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Recorder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        urls = [f"http://{name}:{server.server_port}" for name in ("127.0.0.1", "localhost")]
        front = ("--frontend", str(tmp_path / "front"))
        result = command("compare", *urls, *front, "--writes", "--json", project=project)
        server.shutdown()
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["skipped"] == {"writes": 4}
    sent = {(method, path) for method, path, _ in _Recorder.received}
    assert {method for method, _ in sent} == {"GET", "POST"}
    assert {path for method, path in sent if method == "POST"} == {"/graphql"}
    assert not any(b"mutation" in body for _, _, body in _Recorder.received)
