"""The envelope of responses: pagination in the form of the request."""

import json

import pytest

from octavo.api.rest.data_envelope import entry_envelope, list_envelope
from octavo.query.ast import Page


def test_an_entry() -> None:
    assert entry_envelope(b'{"id":1}') == b'{"data":{"id":1},"meta":{}}'


@pytest.mark.parametrize(
    "page, total, expected",
    [
        (Page(limit=25, number=1), 0, {"page": 1, "pageSize": 25, "pageCount": 0, "total": 0}),
        (Page(limit=25, number=1), 25, {"page": 1, "pageSize": 25, "pageCount": 1, "total": 25}),
        (Page(start=25, limit=25, number=2), 26, {"page": 2, "pageSize": 25, "pageCount": 2, "total": 26}),
        (Page(limit=25, number=1), None, {"page": 1, "pageSize": 25}),
        (Page(start=3, limit=7), 26, {"start": 3, "limit": 7, "total": 26}),
        (Page(start=3, limit=7), None, {"start": 3, "limit": 7}),
        (Page(), 26, {"start": 0, "limit": -1, "total": 26}),
    ],
)
def test_a_list(page: Page, total: int | None, expected: dict[str, int]) -> None:
    found = json.loads(list_envelope(b"[]", page, total))
    assert found == {"data": [], "meta": {"pagination": expected}}
    assert list(found["meta"]["pagination"]) == list(expected)
