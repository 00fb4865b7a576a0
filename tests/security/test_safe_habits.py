"""Intentional differences between the profile `safe` and v4: ids, responses, forms of GraphQL."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.api.graphql.asking import send
from tests.api.http.asgi import Answer, call
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio

JSON = "application/json; charset=utf-8"
FORM = "application/x-www-form-urlencoded"
BOOK = "query ($i: ID!) { book(id: $i) { data { id } } }"
ANSWERED = {"data": {"book": {"data": {"id": "3"}}}}
NUMBERS = ("3e0", "3.0", "+3", "%203")


async def send_json(site: Site, method: str, path: str, body: Any = None) -> Answer:
    headers = [("Content-Type", "application/json"), ("Authorization", f"Bearer {FULL_TOKEN}")]
    return await call(site.octavo.asgi, method, path, headers, [json.dumps(body).encode()] if body else [])


@pytest.mark.parametrize("written", NUMBERS)
async def test_ids_in_addresses_are_digits(bookshop: Site, safe_bookshop: Site, written: str) -> None:
    paths = (f"/api/books/{written}", f"/api/upload/files/{written}", f"/api/users/{written}")
    assert [(await send_json(safe_bookshop, "GET", path)).status for path in paths] == [404, 404, 204]
    for method, body in (("PUT", {"data": {}}), ("DELETE", None)):
        assert (await send_json(safe_bookshop, method, f"/api/books/{written}", body)).status == 404
    assert (await send_json(safe_bookshop, "GET", "/api/books/3")).json["data"]["id"] == 3
    assert (await send_json(bookshop, "GET", paths[0])).json["data"]["id"] == 3, "as v4 reads it"


async def test_ids_with_a_prefix_are_none_in_either_profile(bookshop: Site) -> None:
    for written in ("0x3", "0X3", "0b11", "0o3"):
        assert (await send_json(bookshop, "GET", f"/api/books/{written}")).status == 404
        answered = (await send(bookshop, {"query": BOOK, "variables": {"i": written}})).json
        assert answered == {"data": {"book": {"data": None}}}


@pytest.mark.parametrize("written", ["3e0", " 3"])
async def test_ids_in_arguments_are_digits(bookshop: Site, safe_bookshop: Site, written: str) -> None:
    body = {"query": BOOK, "variables": {"i": written}}
    assert (await send(safe_bookshop, body)).json == {"data": {"book": {"data": None}}}
    assert (await send(safe_bookshop, {"query": BOOK, "variables": {"i": 3}})).json == ANSWERED
    assert (await send(bookshop, body)).json == ANSWERED, "as v4 reads it"


@pytest.mark.parametrize("path", ["/api/books/1", "/api/nowhere"])
async def test_a_wrong_method_is_a_json_error(bookshop: Site, safe_bookshop: Site, path: str) -> None:
    error = {"status": 405, "name": "MethodNotAllowedError", "message": "Method Not Allowed", "details": {}}
    answer = await send_json(safe_bookshop, "POST", path)
    assert (answer.status, answer.headers["content-type"]) == (405, JSON)
    assert answer.json == {"data": None, "error": error}
    allow = answer.headers["allow"]
    answer = await send_json(bookshop, "POST", path)
    assert (answer.body, answer.headers["allow"]) == (b"Method Not Allowed", allow), "as v4 tells it"


@pytest.mark.parametrize(
    "method, target, kind, body, status",
    [
        ("GET", "/graphql", "", b"", 400),
        ("GET", "/graphql?query={books{data{id}}}&variables={", "", b"", 400),
        ("GET", "/graphql?" + urlencode({"query": "mutation { deleteBook(id: 1) { data { id } } }"}), "", b"", 405),
        ("POST", "/graphql", "application/json", b"{}", 400),
        ("POST", "/graphql", "application/json", b'{"query": 1}', 400),
        ("POST", "/graphql", "application/json", b"[1]", 400),
        ("POST", "/graphql", "application/json", b"{", 400),
        ("POST", "/graphql", "text/plain", b"{}", 400),
        ("POST", "/graphql", "multipart/form-data; boundary=x", b"--x--\r\n", 400),
        ("POST", "/graphql", FORM, urlencode({"query": "{ books { data { id } } }"}).encode(), 400),
        ("PUT", "/graphql", "application/json", b"{}", 405),
    ],
)
async def test_graphql_answers_json(
    bookshop: Site, safe_bookshop: Site, method: str, target: str, kind: str, body: bytes, status: int
) -> None:
    headers = [("Content-Type", kind)] if kind else []
    answer = await call(safe_bookshop.octavo.asgi, method, target, headers, [body])
    assert (answer.status, answer.headers["content-type"].partition(";")[0]) == (status, "application/json")
    assert answer.json.keys() & {"errors", "error"}


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "HEAD", "TRACE", "PROPFIND", "BREW"])
@pytest.mark.parametrize("path", ["/graphql", "/graphql/", "/graphql/deeper", "/GraphQL"])
async def test_graphql_refuses_methods_as_other_routes_do(
    bookshop: Site, safe_bookshop: Site, method: str, path: str
) -> None:
    answer = await call(safe_bookshop.octavo.asgi, method, path, [("Content-Type", "application/json")], [b"{}"])
    elsewhere = await call(
        safe_bookshop.octavo.asgi, "PUT", "/api/books", [("Content-Type", "application/json")], [b"{}"]
    )
    assert answer.status in (404, 405, 501)
    if answer.status == 405 and method != "HEAD":
        assert answer.json == elsewhere.json
    elif method != "HEAD":
        assert answer.json.keys() == {"data", "error"}
    options = await call(safe_bookshop.octavo.asgi, "OPTIONS", path)
    assert (options.status // 100, options.body) == (2, b"")
    as_v4 = await call(bookshop.octavo.asgi, "PUT", "/graphql", [("Content-Type", "application/json")], [b"{}"])
    assert as_v4.body == b"Apollo Server supports only GET/POST requests."


async def test_url_encoded_operations_are_refused(bookshop: Site, safe_bookshop: Site) -> None:
    body = urlencode({"query": BOOK, "variables": '{"i": 3}'}).encode()
    answer = await call(safe_bookshop.octavo.asgi, "POST", "/graphql", [("Content-Type", FORM)], [body])
    assert answer.json["errors"] == [
        {
            "message": "Operations are not taken from url-encoded forms: send JSON.",
            "extensions": {"code": "BAD_USER_INPUT"},
        }
    ]
    assert (await call(bookshop.octavo.asgi, "POST", "/graphql", [("Content-Type", FORM)], [body])).json == ANSWERED


async def test_missing_targets_of_relations_are_reported_with_their_path(bookshop: Site, safe_bookshop: Site) -> None:
    message = "1 relation(s) of type api::genre.genre associated with this entity do not exist"
    body = {"data": {"title": "Lost", "genres": [1, 98765]}}
    create = {
        "query": "mutation ($d: BookInput!) { createBook(data: $d) { data { id } } }",
        "variables": {"d": body["data"]},
    }
    for site, path in ((bookshop, []), (None, ["genres", "1"])):
        expected = [{"path": path, "message": message, "name": "ValidationError"}]
        served = site or safe_bookshop
        answer = await send_json(served, "POST", "/api/books", body)
        assert (answer.status, answer.json["error"]["details"]["errors"]) == (400, expected)
        answer = await send(served, create, FULL_TOKEN)
        assert answer.json["errors"][0]["extensions"]["error"]["details"]["errors"] == expected
