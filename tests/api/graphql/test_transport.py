"""GraphQL over HTTP: POST and GET, operation names, batches, hashes, forms with files, the playground."""

import hashlib
import json
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pytest

from octavo.operations.runtime import process as app
from tests.api.graphql.asking import ask, messages, send, served
from tests.api.http.asgi import Answer, call
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio

BOOK = '{ book(id: "1") { data { id } } }'
ANSWERED = {"data": {"book": {"data": {"id": "1"}}}}
TWO = "query A { book(id: 1) { data { id } } } query B($i: ID) { author(id: $i) { data { id } } }"


async def get(site: Site, accept: str | None = None, **params: str) -> Answer:
    target = f"/graphql?{urlencode(params)}" if params else "/graphql"
    return await call(site.octavo.asgi, "GET", target, [("Accept", accept)] if accept else [])


# POST


async def test_an_operation_is_posted_as_json(bookshop: Site) -> None:
    answer = await send(bookshop, {"query": BOOK})
    assert (answer.status, answer.headers["content-type"], answer.json) == (200, "application/json", ANSWERED)


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "application/JSON"])
async def test_other_spellings_of_the_content_type(bookshop: Site, kind: str) -> None:
    body = json.dumps({"query": BOOK}).encode()
    assert (await call(bookshop.octavo.asgi, "POST", "/graphql", [("Content-Type", kind)], [body])).json == ANSWERED


@pytest.mark.parametrize("kind", ["text/plain", "application/graphql", "application/x-www-form-urlencoded", None])
async def test_no_other_body_is_an_operation(bookshop: Site, kind: str | None) -> None:
    """Other sites' pages can send these without a preflight request."""
    body = json.dumps({"query": BOOK}).encode()
    headers = [] if kind is None else [("Content-Type", kind)]
    answer = await call(bookshop.octavo.asgi, "POST", "/graphql", headers, [body])
    assert answer.status == 400
    assert b"data" not in answer.body


@pytest.mark.parametrize("given", [5, 0, True, False, "5", "true"])
async def test_variables_are_an_object(bookshop: Site, given: Any) -> None:
    answer = await send(bookshop, {"query": BOOK, "variables": given})
    assert answer.status == 400
    (error,) = answer.json["errors"]
    assert error["message"].startswith("Variables must be provided as an Object where each property is a variable")


@pytest.mark.parametrize("given", [None, {}, [], [1], "{}", "null", ""])
async def test_empty_variables(bookshop: Site, given: Any) -> None:
    assert (await send(bookshop, {"query": "{ __typename }", "variables": given})).json == {
        "data": {"__typename": "Query"}
    }


@pytest.mark.parametrize(
    "name, found", [("A", {"book": {"data": {"id": "1"}}}), ("B", {"author": {"data": {"id": "2"}}})]
)
async def test_the_operation_that_is_named_runs(bookshop: Site, name: str, found: dict[str, Any]) -> None:
    answer = await send(bookshop, {"query": TWO, "operationName": name, "variables": {"i": 2}})
    assert answer.json == {"data": found}


@pytest.mark.parametrize(
    "given, message",
    [
        ({}, "Must provide operation name if query contains multiple operations."),
        ({"operationName": None}, "Must provide operation name if query contains multiple operations."),
        ({"operationName": "C"}, 'Unknown operation named "C".'),
        ({"operationName": ""}, 'Unknown operation named "".'),
    ],
)
async def test_the_operation_must_be_unambiguous(bookshop: Site, given: dict[str, Any], message: str) -> None:
    answer = await send(bookshop, {"query": TWO, **given})
    assert (answer.status, messages(answer.json)) == (400, [message])


async def test_a_missing_content_type_is_an_error(bookshop: Site) -> None:
    answer = await call(bookshop.octavo.asgi, "POST", "/graphql", [], [b"{}"])
    assert (answer.status, answer.headers["content-type"]) == (400, "text/plain; charset=utf-8")
    assert answer.body == b"POST body missing, invalid Content-Type, or JSON object has no keys."


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "HEAD"])
async def test_other_methods_are_refused(bookshop: Site, method: str) -> None:
    headers = [("Content-Type", "application/json")]
    answer = await call(bookshop.octavo.asgi, method, "/graphql", headers, [json.dumps({"query": BOOK}).encode()])
    assert answer.status == 405


async def test_a_body_that_is_too_large_is_refused(bookshop: Site) -> None:
    answer = await send(bookshop, {"query": BOOK, "variables": {"x": "x" * 1024**2}})
    assert answer.status == 413


# GET


async def test_a_query_is_read_from_the_address(bookshop: Site) -> None:
    answer = await get(bookshop, query=TWO, operationName="B", variables='{"i": 3}')
    assert (answer.status, answer.json) == (200, {"data": {"author": {"data": {"id": "3"}}}})


@pytest.mark.parametrize("token", [None, FULL_TOKEN])
async def test_a_mutation_in_the_address_is_refused(scratch: Site, token: str | None) -> None:
    text = 'mutation M { createGenre(data: { name: "By GET" }) { data { id } } } query Q { __typename }'
    target = f"/graphql?{urlencode({'query': text, 'operationName': 'M'})}"
    headers = [("Authorization", f"Bearer {token}")] if token else []
    before = scratch.database.statements
    answer = await call(scratch.octavo.asgi, "GET", target, headers)
    assert (answer.status, messages(answer.json)) == (405, ["GET supports only query operation"])
    found = await ask(scratch, '{ genres(filters: { name: { eq: "By GET" } }) { data { id } } }', FULL_TOKEN)
    assert found["data"]["genres"]["data"] == []
    assert scratch.database.statements > before, "the search queried the database"


@pytest.mark.parametrize(
    "params, status, told",
    [
        ({}, 400, "GET query missing."),
        ({"variables": "{}"}, 400, "GET query missing."),
        ({"query": BOOK, "variables": "{"}, 400, "Variables are invalid JSON."),
        ({"query": BOOK, "extensions": "{"}, 400, "Extensions are invalid JSON."),
    ],
)
async def test_urls_without_a_query(bookshop: Site, params: dict[str, str], status: int, told: str) -> None:
    answer = await get(bookshop, **params)
    assert (answer.status, answer.body.decode()) == (status, told)


# Batches


async def test_a_batch_of_ten_is_answered_in_order(bookshop: Site) -> None:
    batch = [{"query": f"{{ author(id: {1 + number % 7}) {{ data {{ id }} }} }}"} for number in range(9)]
    answer = await send(bookshop, [*batch, {"query": "{ nope }"}])
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    *found, refused = answer.json
    assert [one["data"]["author"]["data"]["id"] for one in found] == [str(1 + number % 7) for number in range(9)]
    assert refused["errors"][0]["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"


async def test_a_batch_of_eleven_is_refused_before_any_of_it_runs(warm: Site) -> None:
    before = warm.database.statements
    answer = await send(warm, [{"query": BOOK}] * 11)
    assert (answer.status, answer.body) == (400, b"A batch can have at most 10 operations.")
    assert warm.database.statements == before


@pytest.mark.parametrize("odd", [5, None, "x", [], [{"query": BOOK}]])
async def test_a_batch_contains_only_operations(warm: Site, odd: Any) -> None:
    before = warm.database.statements
    answer = await send(warm, [{"query": BOOK}, odd])
    assert (answer.status, answer.headers["content-type"]) == (400, "text/plain; charset=utf-8")
    assert warm.database.statements == before, "no operation of a refused batch runs"


# Persisted queries


def hashed(text: str, sha: str | None = None, version: Any = 1) -> dict[str, Any]:
    key = hashlib.sha256(text.encode()).hexdigest() if sha is None else sha
    return {"persistedQuery": {"version": version, "sha256Hash": key}}


async def test_persisted_queries_are_requested_once(bookshop: Site) -> None:
    text = '{ book(id: "1") { data { id } } } # kept by its hash'
    async with served(bookshop) as site:
        unknown = await send(site, {"extensions": hashed(text)})
        assert unknown.status == 200
        assert unknown.json["errors"] == [
            {"message": "PersistedQueryNotFound", "extensions": {"code": "PERSISTED_QUERY_NOT_FOUND"}}
        ]
        assert (await send(site, {"query": text, "extensions": hashed(text)})).json == ANSWERED
        assert (await send(site, {"extensions": hashed(text)})).json == ANSWERED
        assert (await get(site, extensions=json.dumps(hashed(text)))).json == ANSWERED


@pytest.mark.parametrize(
    "extensions, message",
    [
        (hashed(BOOK, "0" * 64), "provided sha does not match query"),
        (hashed(BOOK, version=2), "Unsupported persisted query version"),
        (hashed(BOOK, version="1"), "Unsupported persisted query version"),
    ],
)
async def test_wrong_hashes_are_refused(bookshop: Site, extensions: Any, message: str) -> None:
    answer = await send(bookshop, {"query": BOOK, "extensions": extensions})
    assert (answer.status, messages(answer.json)) == (400, [message])


async def test_a_persisted_mutation_is_refused_by_get_too(bookshop: Site) -> None:
    text = "mutation { deleteGenre(id: 999999) { data { id } } }"
    async with served(bookshop) as site:
        assert (await send(site, {"query": text, "extensions": hashed(text)})).status == 200
        assert (await get(site, extensions=json.dumps(hashed(text)))).status == 405


async def test_hashes_are_refused_without_the_setting(bookshop: Site) -> None:
    async with served(bookshop, persisted_queries=False) as site:
        for given in ({}, {"query": BOOK}):
            answer = await send(site, {**given, "extensions": hashed(BOOK)})
            assert (answer.status, answer.json) == (
                200,
                {
                    "errors": [
                        {
                            "message": "PersistedQueryNotSupported",
                            "extensions": {"code": "PERSISTED_QUERY_NOT_SUPPORTED"},
                        }
                    ]
                },
            )
        assert (await send(site, {"query": BOOK, "extensions": {}})).json == ANSWERED


# Tracing


async def test_tracing_reports_each_stage(bookshop: Site) -> None:
    async with served(bookshop, tracing=True) as site:
        answer = await ask(site, BOOK)
        tracing = answer["extensions"]["tracing"]
        assert answer["data"] == ANSWERED["data"]
        assert (tracing["version"], set(tracing)) == (
            1,
            {"version", "startTime", "endTime", "duration", "parsing", "validation", "execution"},
        )
        assert 0 < tracing["parsing"]["duration"] < tracing["duration"]
        assert tracing["validation"]["startOffset"] >= tracing["parsing"]["startOffset"]
        assert tracing["execution"]["duration"] > 0
        known = (await ask(site, BOOK))["extensions"]["tracing"]
        assert known["parsing"] == known["validation"] == {"startOffset": 0, "duration": 0}
        failed = await ask(site, "{ vaults { data { id } } }")
        assert list(failed) == ["errors", "data", "extensions"]


async def test_no_tracing_by_default(bookshop: Site) -> None:
    assert list(await ask(bookshop, BOOK)) == ["data"]


# Modes


async def test_introspection_is_off_in_production(bookshop: Site) -> None:
    text = "{ __schema { queryType { name } } }"
    async with served(bookshop, introspection=False) as site:
        answer = await send(site, {"query": text})
        assert (answer.status, answer.json["errors"][0]["extensions"]["code"]) == (400, "GRAPHQL_VALIDATION_FAILED")
        assert messages(await ask(site, "{ __typename }")) == []
    async with served(bookshop, introspection=True) as site:
        assert (await ask(site, text))["data"]["__schema"] == {"queryType": {"name": "Query"}}


async def test_introspection_follows_the_mode(bookshop: Site) -> None:
    answer = await send(bookshop, {"query": "{ __schema { queryType { name } } }"})
    assert answer.status == 400


async def test_without_the_plugin_there_is_no_endpoint(bookshop: Site) -> None:
    settings = bookshop.octavo.settings
    graphql = replace(settings.plugins.graphql, enabled=False)
    octavo = app.build(replace(settings, plugins=replace(settings.plugins, graphql=graphql)))
    answer = await call(octavo.asgi, "POST", "/graphql", [("Content-Type", "application/json")], [b"{}"])
    assert answer.status in (404, 405)


async def test_the_endpoint_can_have_another_path(bookshop: Site) -> None:
    body = json.dumps({"query": BOOK}).encode()
    async with served(bookshop, endpoint="/deep/gq") as site:
        headers = [("Content-Type", "application/json")]
        assert (await call(site.octavo.asgi, "POST", "/deep/gq", headers, [body])).json == ANSWERED
        assert (await call(site.octavo.asgi, "POST", "/graphql", headers, [body])).status in (
            404,
            405,
        )
