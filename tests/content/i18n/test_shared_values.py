"""Shared values of localized entries, under the rule `sharedValues: always`, on each database."""

import json
from typing import Any

import pytest

from tests.api.http.asgi import call
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site, another

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("data", [[{"a": 1}], [["x"]], ["price"], []])
async def test_a_list_as_data_changes_nothing(own_bookshop: Site, data: Any) -> None:
    headers = [("Content-Type", "application/json"), ("Authorization", f"Bearer {FULL_TOKEN}")]
    async with another(own_bookshop, shared_values="always") as site:
        before = (await site.get("/api/books/1", FULL_TOKEN)).json["data"]["attributes"]
        answer = await call(site.octavo.asgi, "PUT", "/api/books/1", headers, [json.dumps({"data": data}).encode()])
        assert answer.status == 200, answer.body
        after = answer.json["data"]["attributes"]
    assert {**after, "updatedAt": None} == {**before, "updatedAt": None}
