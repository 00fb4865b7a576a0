"""`octavo db suggest-indexes` with slow lists, and the query plans of `octavo slow`, on each database."""

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from octavo.access.authorization.role_grants import grant
from octavo.cli import main
from octavo.database.connection import Database
from octavo.operations.runtime.process import build
from octavo.settings import load_settings
from tests.cli.processes import PATIENCE, Server, serving
from tests.cli.projects import SECRETS, database_variables, write_type

ROWS = 60_000
TOKEN = {"OCTAVO_SERVER__METRICS__TOKEN": "a-token-for-those-who-look", "OCTAVO_SERVER__METRICS__SLOW_THRESHOLD": "0"}
WRITER: dict[str, Any] = {
    "kind": "collectionType",
    "collectionName": "writers",
    "info": {"singularName": "writer", "pluralName": "writers", "displayName": "Writer"},
    "options": {"draftAndPublish": False},
    "attributes": {"name": {"type": "string"}},
}
ARTICLE: dict[str, Any] = {
    "kind": "collectionType",
    "collectionName": "articles",
    "info": {"singularName": "article", "pluralName": "articles", "displayName": "Article"},
    "options": {"draftAndPublish": True},
    "pluginOptions": {"somebody": {"else": True}},
    "attributes": {
        "title": {"type": "string"},
        "views": {"type": "integer"},
        "kind": {"type": "enumeration", "enum": ["news", "essay"]},
        "body": {"type": "text"},
        "writer": {"type": "relation", "relation": "manyToOne", "target": "api::writer.writer"},
    },
}
FILL = """
INSERT INTO articles (title, views, kind, body, published_at, created_at)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
SELECT 'title ' || (i * 7919 % {rows}), i * 10007 % {rows}, 'news', 'some text', {now}, {now} FROM n"""


@pytest.fixture(params=["sqlite", "postgresql"])
def variables(request: pytest.FixtureRequest) -> dict[str, str]:
    return {} if request.param == "sqlite" else database_variables(request.getfixturevalue("postgresql_url"))


@pytest.fixture
def project(tmp_path: Path, variables: dict[str, str]) -> Path:
    folder = make_project(tmp_path / "site")
    asyncio.run(fill(folder, variables))
    return folder


def make_project(folder: Path) -> Path:
    write_type(folder, ARTICLE)
    write_type(folder, WRITER)
    (folder / ".env").write_text(SECRETS, "utf-8")
    return folder


async def fill(folder: Path, variables: dict[str, str]) -> None:
    service = build(load_settings(folder, variables, default_mode="production"))
    await service.asgi.start()
    database: Database = service.database
    now = "CURRENT_TIMESTAMP" if variables else "1700000000000"
    await database.execute_script(FILL.format(rows=ROWS, now=now) + ("; ANALYZE" if variables else ""))
    await grant(database, "public", ["api::article.article.find", "api::writer.writer.find"])
    await service.asgi.stop()


@contextmanager
def started(project: Path, variables: dict[str, str]) -> Iterator[Server]:
    with serving("start", project, **TOKEN, **variables) as server:
        yield server
        server.stop()


def ask(project: Path, variables: dict[str, str], *command: str) -> tuple[int, str]:
    """Run a command in this process; return its exit code and output."""
    found = CliRunner().invoke(main, [*command, "--project", str(project)], env={**TOKEN, **variables})
    return found.exit_code, found.output


def tell(project: Path, variables: dict[str, str], *command: str) -> Any:
    code, output = ask(project, variables, *command, "--json")
    assert code == 0, output
    return json.loads(output)


def advise(project: Path, variables: dict[str, str], *options: str) -> Any:
    return tell(project, variables, "db", "suggest-indexes", *options)


def find_plans(server: Server, project: Path, variables: dict[str, str], target: str, shape: str) -> dict[str, Any]:
    """Return the plans of a request, once they are known. Retry if another of its statements was slower."""
    deadline = time.monotonic() + PATIENCE
    address = f"http://127.0.0.1:{server.port}"
    while True:
        assert server.get(target)[0] == 200
        found = [
            one
            for one in tell(project, variables, "slow", "--limit", "1000", "--url", address)
            if one["shape"] == shape
        ]
        for one in found:
            if one["plan"] and one["looked_for"]:
                return dict(one)
        assert time.monotonic() < deadline, found
        time.sleep(0.2)


def test_slow_requests_get_an_index(project: Path, variables: dict[str, str]) -> None:
    check_suggested_indexes(project, variables)


def check_suggested_indexes(project: Path, variables: dict[str, str]) -> None:
    with started(project, variables) as server:
        listed = "/api/articles?sort=views:desc&pagination[pageSize]=3"
        status, before = server.get(listed)
        assert status == 200
        filtered = "/api/articles?filters[kind][$eq]=hush&filters[title][$startsWith]=hush&filters[views][$gt]=7"
        slow = find_plans(server, project, variables, listed, "sort&pagination[pageSize]")
        assert slow["looked_for"]["sort"] == [["views", True]]
        assert "articles" in slow["plan"] or "SCAN" in slow["plan"]
        shape = "filters[kind][$eq]&filters[title][$startsWith]&filters[views][$gt]"
        find_plans(server, project, variables, filtered, shape)
        url = f"http://127.0.0.1:{server.port}"
        found = advise(project, variables, "--url", url)
        shown = ask(project, variables, "db", "suggest-indexes", "--url", url)[1]
        plans = ask(project, variables, "slow", "--limit", "1000", "--plans", "--url", url)[1]
    by_index = {json.dumps(one["index"]): one for one in found["proposals"]}
    assert set(by_index) == {'["-views"]', '["kind", "views"]'}, found
    sort = by_index['["-views"]']
    assert (sort["uid"], sort["rows"], sort["used"]) == ("api::article.article", ROWS, True)
    assert sort["for"][0].startswith("/api/articles?sort&pagination[pageSize], ")
    assert 1_000_000 < sort["bytes"] < 4_000_000
    assert any("$startsWith" in one["why"] for one in found["without"])
    assert 'api::article.article: ["-views"]' in shown
    assert slow["plan"] in plans
    for text in (str(found), shown, plans, str(slow)):
        assert "hush" not in text

    done = advise(project, variables, "--request", listed, "--apply")["done"]
    definition = project / "src/api/article/content-types/article/schema.json"
    raw = json.loads(definition.read_text("utf-8"))
    assert raw == {**ARTICLE, "pluginOptions": {"somebody": {"else": True}, "octavo": {"indexes": [["-views"]]}}}
    assert done[0] == "Written: src/api/article/content-types/article/schema.json"
    assert any(line.startswith("Applied: create index octavo_ix_") for line in done), done
    names = ("migrations", "additive", "losing", "entries", "singleTypes", "conflicts", "unserved")
    assert tell(project, variables, "db", "diff") == {name: [] for name in names}
    again = advise(project, variables, "--request", listed)
    assert again["proposals"] == []
    assert "its index is already declared" in again["without"][0]["why"]
    with started(project, variables) as server:
        assert server.get(listed) == (200, before)


def test_requests_are_analyzed_without_a_service(project: Path, variables: dict[str, str]) -> None:
    def of(query: str) -> Any:
        return advise(project, variables, "--request", f"/api/articles?{query}")

    [parts] = of("filters[title][$containsi]=77")["proposals"]
    assert parts["index"] == {"attributes": ["title"], "kind": "contains"}
    assert parts["used"] in (True, None), parts
    [writer] = of("filters[writer][name][$eq]=Ann")["proposals"]
    assert (writer["uid"], writer["index"]) == ("api::writer.writer", ["name"])
    either = of("filters[$or][0][views][$gt]=3&filters[$or][1][title][$eq]=x")["proposals"]
    assert [one["index"] for one in either] == [["views"], ["title"]]
    for query, why in (
        ("sort=writer.name", "an index cannot sort by related entries here"),
        ("filters[title][$ne]=x", "title is negated: no index supports exclusions"),
        ("filters[title][$eqi]=x", "no declared index supports it"),
        ("filters[body][$eq]=x", "may be too long for an index"),
    ):
        found = of(query)
        assert found["proposals"] == []
        assert why in found["without"][0]["why"]
    assert of("filters[id][$eq]=1") == {"proposals": [], "without": [], "done": []}


def test_a_trigram_index_is_created_or_described(project: Path, variables: dict[str, str]) -> None:
    request = "https://example.org/api/articles?filters[title][$containsi]=title%2077#top"
    found = advise(project, variables, "--request", request, "--apply")
    assert found["proposals"][0]["for"] == ["/api/articles?filters[title][$containsi]=title%2077"]
    reported = "; ".join(found["done"])
    if variables and "Not created" in reported:  # PostgreSQL without pg_trgm
        assert "CREATE EXTENSION pg_trgm, then restart. Until then, searches run without the index" in reported
        assert "CREATE EXTENSION pg_trgm" in tell(project, variables, "db", "upgrade")["warnings"][0]
        return
    assert "trigram index of articles.title" in reported or "index octavo" in reported
    assert found["done"][-1].startswith("Restart the service to use the new index for substring searches")
    assert tell(project, variables, "db", "upgrade") == {"applied": [], "left": [], "warnings": []}


def test_other_requests_are_refused(project: Path, variables: dict[str, str]) -> None:
    for request, why in (
        ("/api/nothing?sort=title", "is not a list of a content type"),
        ("/api/articles?sort=nothing", "Invalid parameter nothing"),
        ("/api/articles?filters[views][$gt]=x", "views"),
    ):
        code, output = ask(project, variables, "db", "suggest-indexes", "--request", request)
        assert code == 1
        assert why in output
        assert "Traceback" not in output
    definition = project / "src/api/article/content-types/article/schema.json"
    write_type(project, {**ARTICLE, "attributes": {**ARTICLE["attributes"], "more": {"type": "string"}}})
    before = definition.read_bytes()
    code, output = ask(project, variables, "db", "suggest-indexes", "--request", "/api/articles?sort=views", "--apply")
    assert (code, definition.read_bytes()) == (1, before)
    assert "octavo db upgrade" in output
