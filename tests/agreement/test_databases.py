"""Each database gives the same response to a request, also from caches."""

from typing import Any

import pytest
from hypothesis import given, settings

from tests.agreement.questions import Params, filters, query_of, questions
from tests.models.site import Site

pytestmark = pytest.mark.anyio


async def answers(site: Site, params: Params) -> Any:
    answer = await site.get(f"/api/books?{query_of(params)}")
    assert answer.status in (200, 400), answer.body
    return answer.json


@settings(max_examples=120)
@given(questions())
async def test_both_databases_answer_alike(
    sqlite_bookshop: Site, postgresql_bookshop: Site, params: dict[str, Any]
) -> None:
    first = await answers(sqlite_bookshop, params)
    assert await answers(postgresql_bookshop, params) == first
    assert await answers(sqlite_bookshop, params) == first, "the statement was remembered this time"


@settings(max_examples=150)
@given(filters())
async def test_both_databases_find_the_same(
    sqlite_bookshop: Site, postgresql_bookshop: Site, asked: dict[str, Any]
) -> None:
    params = {
        "filters": asked,
        "fields": ["id"],
        "publicationState": "preview",
        "locale": "all",
        "pagination": {"limit": "100"},
    }
    assert await answers(sqlite_bookshop, params) == await answers(postgresql_bookshop, params)
