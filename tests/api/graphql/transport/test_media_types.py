"""Responses in the media type of the GraphQL-over-HTTP specification, if the client accepts it."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.api.http.asgi import Answer, call
from tests.models.site import Site

pytestmark = pytest.mark.anyio

BOOK = '{ book(id: "1") { data { id } } }'
ANSWERED = {"data": {"book": {"data": {"id": "1"}}}}


async def get(site: Site, accept: str | None = None, **params: str) -> Answer:
    target = f"/graphql?{urlencode(params)}" if params else "/graphql"
    return await call(site.octavo.asgi, "GET", target, [("Accept", accept)] if accept else [])


GRAPHQL = "application/graphql-response+json"


async def told(site: Site, body: Any, accept: str, token: str | None = None) -> Answer:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = [("Content-Type", "application/json"), ("Accept", accept)]
    if token is not None:
        headers.append(("Authorization", f"Bearer {token}"))
    return await call(site.octavo.asgi, "POST", "/graphql", headers, [data])


@pytest.mark.parametrize(
    "accept, kind",
    [
        (GRAPHQL, f"{GRAPHQL}; charset=utf-8"),
        (f"{GRAPHQL}, application/json;q=0.9", f"{GRAPHQL}; charset=utf-8"),
        (f"{GRAPHQL}, application/graphql+json, application/json", f"{GRAPHQL}; charset=utf-8"),
        (f"application/json, {GRAPHQL};q=0.1", "application/json"),
        (f"{GRAPHQL};q=0", "application/json"),
        ("application/json", "application/json"),
        ("*/*", "application/json"),
        ("", "application/json"),
    ],
)
async def test_responses_have_the_accepted_media_type(bookshop: Site, accept: str, kind: str) -> None:
    answer = await told(bookshop, {"query": BOOK}, accept)
    assert (answer.status, answer.headers["content-type"], answer.json) == (200, kind, ANSWERED)


REQUEST_ERRORS: dict[str, tuple[Any, int]] = {
    "no syntax": ({"query": "{"}, 400),
    "no such field": ({"query": "{ nope }"}, 400),
    "no such operation": ({"query": BOOK, "operationName": "X"}, 400),
    "no such variable": ({"query": "query ($i: ID!) { book(id: $i) { data { id } } }"}, 400),
    "no query": ({"variables": {}}, 400),
    "an empty object": ({}, 400),
    "an empty list": ([], 400),
    "a query that is no text": ({"query": 5}, 400),
    "variables that are no JSON": ({"query": BOOK, "variables": "{"}, 400),
    "a body that is no JSON": (b"{", 400),
    "a body that is too large": ({"query": BOOK, "x": "x" * 1024**2}, 413),
}


@pytest.mark.parametrize("body, status", REQUEST_ERRORS.values(), ids=REQUEST_ERRORS)
async def test_invalid_requests_get_the_status_of_the_specification(bookshop: Site, body: Any, status: int) -> None:
    answer = await told(bookshop, body, GRAPHQL)
    assert (answer.status, answer.headers["content-type"]) == (status, f"{GRAPHQL}; charset=utf-8")
    assert list(answer.json) == ["errors"]
    assert all(error["message"] for error in answer.json["errors"])


async def test_invalid_tokens_get_the_status_of_the_specification(bookshop: Site) -> None:
    answer = await told(bookshop, {"query": BOOK}, GRAPHQL, "wrong")
    assert (answer.status, list(answer.json)) == (401, ["errors"])


@pytest.mark.parametrize(
    "text",
    [
        "{ vaults { data { id } } }",
        'mutation { login(input: { identifier: "x", password: "x" }) { jwt } }',
    ],
)
async def test_executed_operations_have_status_200(bookshop: Site, text: str) -> None:
    answer = await told(bookshop, {"query": text}, GRAPHQL)
    assert (answer.status, set(answer.json)) == (200, {"errors", "data"})


async def test_addresses_are_answered_in_it_too(bookshop: Site) -> None:
    for params, status in (({"query": BOOK}, 200), ({"query": "{ nope }"}, 400), ({}, 400)):
        answer = await get(bookshop, accept=GRAPHQL, **params)
        assert (answer.status, answer.headers["content-type"]) == (status, f"{GRAPHQL}; charset=utf-8")
