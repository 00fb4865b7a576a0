"""Fields that a read selects although no parameter names them: the ones it sorts by."""

from typing import Any

import pytest

from octavo.query.params import read_query
from octavo.query.plan.entry_shape import uses_relations, with_sorted_fields
from octavo.schema.registry import Registry
from tests.models.bookshop import BOOK


@pytest.mark.parametrize(
    "params, fields",
    [
        ({"fields": "title", "sort": "pages"}, ("title", "pages")),
        ({"fields": "title", "sort": "title,id,author.name"}, ("title",)),
        ({"sort": "pages"}, None),
    ],
)
def test_sorted_fields_are_selected(registry: Registry, params: dict[str, Any], fields: tuple[str, ...] | None) -> None:
    assert with_sorted_fields(read_query(params), registry.content_types[BOOK]).fields == fields


@pytest.mark.parametrize(
    "params, expected",
    [
        ({}, False),
        ({"sort": "title", "filters": {"title": "x", "$or": [{"id": "1"}, {"$not": {"pages": "2"}}]}}, False),
        ({"sort": "author.name"}, True),
        ({"filters": {"author": {"$null": "true"}}}, True),
        ({"filters": {"$or": [{"id": "1"}, {"$not": {"cover": {"name": "x"}}}]}}, True),
    ],
)
def test_queries_with_relations(registry: Registry, params: dict[str, Any], expected: bool) -> None:
    assert uses_relations(read_query(params), registry.content_types[BOOK]) is expected
