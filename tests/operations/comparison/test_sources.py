"""Requests from access logs of all formats, HAR files and the content model."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from octavo.core.errors import ApplicationError
from octavo.operations.comparison.access_logs import LONGEST_LINE, read_access_log
from octavo.operations.comparison.generated_requests import generate_requests
from octavo.operations.comparison.har_files import read_har
from octavo.operations.comparison.requests import ComparedRequest, Selection, is_read
from octavo.operations.runtime.definitions import project_registry
from octavo.settings import load_settings
from tests.cli.projects import make_project

TARGET = "/api/articles?populate[0]=author&filters[title][$contains]=a%20b"
LINES = {
    "nginx": f'203.0.113.7 - - [02/Jan/2026:10:00:00 +0000] "GET {TARGET} HTTP/1.1" 200 512 "-" "Mozilla/5.0"',
    "apache": f'www.example.org 203.0.113.7 - bob [02/Jan/2026:10:00:00 +0000] "GET {TARGET} HTTP/2.0" 200 -',
    "haproxy": "Jan  2 10:00:00 lb haproxy[14]: 203.0.113.7:3317 [02/Jan/2026:10:00:00.1] fe be/s1 10/0/30/69/109"
    f' 200 2750 - - ---- 1/1/1/1/0 0/0 {{Mozilla "x"}} "GET https://www.example.org{TARGET} HTTP/2.0"',
    "caddy": json.dumps({"ts": 1.5, "request": {"method": "GET", "host": "example.org", "uri": TARGET}, "status": 200}),
    "nginx JSON": json.dumps({"request": f"GET {TARGET} HTTP/1.1", "status": "200"}),
    "flat JSON": json.dumps({"request_method": "get", "request_uri": TARGET}),
    "split JSON": json.dumps({"method": "GET", "path": TARGET.split("?")[0], "query": TARGET.split("?")[1]}),
    "OpenTelemetry": json.dumps({"http.request.method": "GET", "url.path": "/api/articles", "url.query": "sort=id"}),
    "load balancer": json.dumps({"httpRequest": {"requestMethod": "GET", "requestUrl": f"https://a.org{TARGET}"}}),
    "journal": f"Jan  2 10:00:00 host caddy[1]: {json.dumps({'request': {'method': 'GET', 'uri': TARGET}})}",
    "strapi": f"[2026-01-02 10:00:00.123] \x1b[32mhttp\x1b[39m: GET {TARGET} (12 ms) \x1b[32m200\x1b[39m",
}


def selected(file: Path, **options: Any) -> Selection:
    selection = Selection(**options)
    read_access_log(file, selection)
    return selection


def targets(selection: Selection) -> list[str]:
    return [request.target for request in selection.requests.values()]


@pytest.mark.parametrize("name", LINES)
def test_formats_of_logs(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(f"{LINES[name]}\n", "utf-8")
    wanted = "/api/articles?sort=id" if name == "OpenTelemetry" else TARGET
    assert targets(selected(tmp_path / "a.log")) == [wanted]


def test_compressed_and_damaged_logs(tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(b'"GET /api/%d HTTP/1.1"\n' % number for number in range(5_000)))
    (tmp_path / "a.log.gz").write_bytes(whole)
    assert len(selected(tmp_path / "a.log.gz").requests) == 5_000
    (tmp_path / "a.log.gz").write_bytes(whole[: len(whole) // 2])
    found = selected(tmp_path / "a.log.gz")
    assert 0 < len(found.requests) < 5_000
    assert found.skipped == {"damaged gzip files": 1}


def test_skipped_lines_are_counted(tmp_path: Path) -> None:
    lines = [
        b'"GET /api/a HTTP/1.1"',
        b'"GET /api/a HTTP/1.1"',
        b'"POST /api/a HTTP/1.1"',
        b'"PROPFIND /api/a HTTP/1.1"',
        b'"GET /admin/init HTTP/1.1"',
        b'"GET /apix HTTP/1.1"',
        b'"GET /api/auth/email-confirmation?confirmation=abc HTTP/1.1"',
        b'"GET /api/../admin HTTP/1.1"',
        b'"GET /api/%2e%2e/admin HTTP/1.1"',
        b'"GET /api/\xff\xfe HTTP/1.1"',
        b'"GET /api/' + b"x" * 9_000 + b' HTTP/1.1"',
        b"x" * (3 * LONGEST_LINE),
        b"\x00\x01\x02 {not json}",
        b'{"request": 5}',
        b'"GET http://[ HTTP/1.1"',
        b'"GET /api/last\\x22 HTTP/1.1"',
    ]
    (tmp_path / "a.log").write_bytes(b"\n".join(lines))
    found = selected(tmp_path / "a.log")
    assert targets(found) == ["/api/a", "/api/last%22"]
    assert found.skipped == Counter(
        {
            "duplicates": 1,
            "writes": 1,
            "other methods": 1,
            "other paths": 2,
            "sign-in and account endpoints": 1,
            "invalid URLs": 4,
            "too long": 2,
            "log lines without a request": 2,
        }
    )


def test_reading_stops_at_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("".join(f'"GET /api/{number} HTTP/1.1"\n' for number in range(100)), "utf-8")
    found = selected(tmp_path / "a.log", most=7)
    assert len(found.requests) == 7
    assert found.skipped == {"log lines after the last request": 1}


def har_of(*requests: Any) -> str:
    return json.dumps({"log": {"entries": [{"request": request} for request in requests]}})


def graphql(query: Any) -> dict[str, Any]:
    return {
        "method": "POST",
        "url": "https://a.org/graphql",
        "headers": [{"name": "Authorization", "value": "Bearer secret"}],
        "postData": {"mimeType": "application/json; charset=utf-8", "text": json.dumps({"query": query})},
    }


def test_har_files(tmp_path: Path) -> None:
    (tmp_path / "a.har").write_text(
        har_of(
            {"method": "GET", "url": f"https://a.org{TARGET}#top"},
            graphql("query A { articles { data { id } } }"),
            graphql("mutation B { deleteArticle(id: 1) { data { id } } }"),
            graphql("{ broken"),
            {"method": "GET", "url": "https://fonts.example.com/api/a"},
            {"method": "DELETE", "url": "https://a.org/api/articles/1"},
            {"method": "GET"},
            None,
        )
    )
    selection = Selection()
    read_har(tmp_path / "a.har", {"a.org"}, selection)
    first, second = selection.requests.values()
    assert first == ComparedRequest("GET", TARGET, source="a.har")
    body = '{"query": "query A { articles { data { id } } }"}'
    assert second == ComparedRequest("POST", "/graphql", body, "application/json", "a.har")
    assert selection.skipped == {"writes": 3, "other hosts; add yours with --host": 1, "invalid HAR entries": 2}


@pytest.mark.parametrize("text", ["[]", "{", '{"log": []}', "[" * 100_000])
def test_other_files_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.har").write_text(text)
    with pytest.raises(ApplicationError, match="is not a HAR file"):
        read_har(tmp_path / "a.har", set(), Selection())


def test_writes_are_collected_in_order_and_repeatedly() -> None:
    selection = Selection(writes=True)
    for _ in range(2):
        selection.add(ComparedRequest("GET", "/api/a"))
        selection.add(ComparedRequest("POST", "/api/a", "{}", "application/json"))
    assert [one.method for one in selection.requests.values()] == ["GET", "POST", "POST"]


def test_graphql_batches_read_only_if_all_operations_do() -> None:
    def batch(*queries: Any) -> ComparedRequest:
        body = json.dumps([{"query": query} for query in queries])
        return ComparedRequest("POST", "/graphql", body, "application/json")

    assert is_read(batch("{ a }", "query B { b }"))
    assert not is_read(batch("{ a }", "mutation { b }"))
    assert not is_read(batch())
    assert not is_read(batch("{ " + "a " * 30_000 + "}"))
    assert not is_read(batch("{ a" * 15_000))
    assert not is_read(ComparedRequest("POST", "/graphql", '"text"', "application/json"))


@pytest.mark.parametrize(
    "path, body",
    [
        ("/api/contacts", {"query": "{ a }"}),
        ("/graphql/", {"query": "{ a }"}),
        ("/graphql", {"query": "{ a }", "data": {"name": "Emma"}}),
        ("/graphql", [{"query": "{ a }"}, {"query": "{ a }", "id": 1}]),
        ("/graphql", {"variables": {}}),
        ("/graphql", ["query"]),
    ],
)
def test_other_bodies_with_a_query_are_writes(path: str, body: Any) -> None:
    assert not is_read(ComparedRequest("POST", path, json.dumps(body), "application/json"))


def test_the_graphql_endpoint_is_configurable() -> None:
    body = json.dumps({"query": "query A { a }", "variables": {}, "operationName": "A", "extensions": {}})
    selection = Selection(("/",), graphql="/api/graphql")
    for path in ("/api/graphql", "/graphql"):
        selection.add(ComparedRequest("POST", path, body, "application/json"))
    assert (targets(selection), selection.skipped) == (["/api/graphql"], {"writes": 1})


def test_requests_of_the_content_model(tmp_path: Path) -> None:
    registry = project_registry(load_settings(make_project(tmp_path), {}, require_secrets=False))
    found = list(generate_requests(registry, graphql="/graphql"))
    stories = [request.target.removeprefix("/api/stories") for request in found if "/stories" in request.target]
    assert stories == [
        "?sort=id",
        "?populate=*&sort=id",
        "?sort=id:desc&pagination[pageSize]=5&pagination[page]=2",
        "?sort=id&pagination[start]=1&pagination[limit]=3&pagination[withCount]=false",
        "?filters[id][$in][0]=1&filters[id][$in][1]=2&sort=id",
        "/1?populate=*",
        "/999999999",
        "?fields[0]=title&sort=id",
        "?filters[title][$notNull]=true&sort=id&pagination[pageSize]=3",
        "?sort[0]=title:desc&sort[1]=id&pagination[pageSize]=10",
        "?populate[0]=image&sort=id",
        "?populate[0]=sequel&sort=id",
    ]
    assert "/api/places?locale=all&sort=id" in [request.target for request in found]
    assert [request.body for request in found if request.method == "POST"][1] == json.dumps(
        {
            "query": '{ stories(sort: "id", pagination: { limit: 10 }) '
            "{ data { id attributes { title } } meta { pagination { total } } } }"
        },
        separators=(",", ":"),
    )
