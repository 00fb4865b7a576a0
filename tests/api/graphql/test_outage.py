"""Operations while the database is unavailable: 503, as over REST."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from octavo.core.clock import SYSTEM_CLOCK
from tests.api.graphql.asking import send
from tests.api.graphql.conftest import open_scratch
from tests.api.http.asgi import call
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio

BOOK = '{ book(id: "1") { data { id } } }'
UNAVAILABLE = {
    "message": "Service Unavailable",
    "extensions": {
        "error": {"name": "ServiceUnavailableError", "message": "Service Unavailable", "details": {}},
        "code": "SERVICE_UNAVAILABLE",
    },
}
TOGETHER = '{ __typename book(id: "1") { data { id } } other: book(id: "2") { data { id } } }'
CREATE = 'mutation { createBook(data: { title: "Lost" }) { data { id } } }'


@pytest.fixture(params=["sqlite", "postgresql"])
async def away(
    request: pytest.FixtureRequest, anyio_backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Site:
    """A bookshop that has served requests and has lost its database. Its permissions are cached and stay fresh."""
    site = await open_scratch(request, tmp_path)
    now = SYSTEM_CLOCK.steady()
    stopped = replace(SYSTEM_CLOCK, steady=lambda: now)
    monkeypatch.setattr(site.octavo.infrastructure.authenticator, "_clock", stopped)
    for query in (BOOK, TOGETHER):
        assert (await send(site, {"query": query}, FULL_TOKEN)).status == 200
    await site.database.close()
    return site


@pytest.mark.parametrize(
    "query, data",
    [
        pytest.param(BOOK, {"book": None}, id="prepared"),
        pytest.param('{ author(id: "1") { data { id } } }', {"author": None}, id="new"),
        pytest.param(TOGETHER, {"__typename": "Query", "book": None, "other": None}, id="several fields"),
        pytest.param(CREATE, {"createBook": None}, id="mutation"),
    ],
)
async def test_an_outage_is_503(away: Site, query: str, data: dict[str, Any]) -> None:
    answer = await send(away, {"query": query}, FULL_TOKEN)
    assert (answer.status, answer.headers["retry-after"]) == (503, "5")
    assert answer.json["data"] == data
    assert {error["extensions"]["code"] for error in answer.json["errors"]} == {"SERVICE_UNAVAILABLE"}
    assert answer.json["errors"][0] == UNAVAILABLE


async def test_a_batch_is_503_if_all_its_operations_are(away: Site) -> None:
    answer = await send(away, [{"query": BOOK}, {"query": BOOK}], FULL_TOKEN)
    assert (answer.status, answer.headers["retry-after"]) == (503, "5")
    partial = await send(away, [{"query": BOOK}, {"query": "{ __typename }"}], FULL_TOKEN)
    assert partial.status == 200
    assert [one["data"] for one in partial.json] == [{"book": None}, {"__typename": "Query"}]


async def test_a_query_in_the_url_is_503(away: Site) -> None:
    headers = [("Authorization", f"Bearer {FULL_TOKEN}")]
    answer = await call(away.octavo.asgi, "GET", "/graphql?query={book(id:1){data{id}}}", headers)
    assert (answer.status, answer.json["errors"]) == (503, [UNAVAILABLE])


async def test_introspection_needs_no_database(away: Site) -> None:
    assert (await send(away, {"query": "{ __typename }"}, FULL_TOKEN)).status == 200
