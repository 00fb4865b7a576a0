"""Nulls, empty lists, and lists where filters do not expect them, as observed on v4."""

from typing import Any

import pytest

from tests.api.graphql.asking import ask
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio

ALL = "{}"


async def found(site: Site, filters: str) -> list[str]:
    text = f'{{ books(filters: {filters}, sort: "id", pagination: {{ limit: 100 }}) {{ data {{ id }} }} }}'
    answer: Any = await ask(site, text, FULL_TOKEN)
    assert "errors" not in answer, answer
    return [entry["id"] for entry in answer["data"]["books"]["data"]]


@pytest.mark.parametrize("name", ["pages", "title", "reviewedAt", "opensAt", "inStock", "price", "id"])
@pytest.mark.parametrize("operator", ["lt: null", "lte: null", "gt: null", "gte: null", "in: null", "in: [null]"])
async def test_a_comparison_with_null_never_matches(bookshop: Site, name: str, operator: str) -> None:
    assert await found(bookshop, f"{{ {name}: {{ {operator} }} }}") == []
    assert await found(bookshop, f"{{ not: {{ {name}: {{ {operator} }} }} }}") == []


@pytest.mark.parametrize(
    "asked, same",
    [
        # a null among values
        ("{ pages: { in: [10, null, 20] } }", "{ pages: { in: [10, 20] } }"),
        ("{ not: { pages: { notIn: [10, null, 20] } } }", "{ pages: { in: [10, 20] } }"),
        ("{ pages: { notIn: [10, null] } }", "{ id: { lt: 0 } }"),
        ("{ pages: { between: [null, 90] } }", "{ id: { lt: 0 } }"),
        ("{ pages: { between: [10] } }", "{ id: { lt: 0 } }"),
        # pattern operators use the text `null`
        ("{ title: { contains: null } }", '{ title: { contains: "null" } }'),
        ("{ title: { notContains: null } }", '{ title: { notContains: "null" } }'),
        ("{ extra: { containsi: null } }", '{ extra: { containsi: "null" } }'),
        # a flag that is null is false
        ("{ blurb: { null: null } }", "{ blurb: { notNull: true } }"),
        ("{ blurb: { notNull: null } }", "{ blurb: { null: true } }"),
        # a null attribute compares with null; a null relation adds no condition
        ("{ blurb: null }", "{ blurb: { null: true } }"),
        ("{ author: { born: null } }", "{ author: { born: { null: true } } }"),
        ("{ author: null }", ALL),
        ("{ author: { not: null } }", ALL),
        ("{ not: { author: null } }", ALL),
        ("{ author: { rival: null } }", ALL),
        ("{ details: null }", ALL),
        ("{ or: [{ author: null }, { id: { eq: 3 } }] }", "{ id: { eq: 3 } }"),
        # `in` with an empty list matches nothing and `notIn` everything; an empty list of ids adds no condition
        ("{ pages: { in: [] } }", "{ id: { lt: 0 } }"),
        ("{ not: { pages: { in: [] } } }", ALL),
        ("{ pages: { notIn: [] } }", ALL),
        ("{ author: { name: { notIn: [] } } }", ALL),
        ("{ id: { in: [] } }", ALL),
        ("{ id: { in: [], eq: 3 } }", "{ id: { eq: 3 } }"),
        ("{ author: { id: { in: [] } } }", ALL),
        ("{ or: [{ id: { in: [] } }, { id: { eq: 3 } }] }", "{ id: { eq: 3 } }"),
        # JSON attributes accept lists as values
        ("{ extra: { eq: [] } }", ALL),
        ("{ extra: { contains: [] } }", ALL),
        ('{ extra: { containsi: ["two", "three"] } }', '{ extra: { containsi: "two" } }'),
        ('{ extra: { containsi: [["two"]] } }', '{ extra: { containsi: "two" } }'),
    ],
)
async def test_it_means(bookshop: Site, asked: str, same: str) -> None:
    assert await found(bookshop, asked) == await found(bookshop, same)


async def test_the_tests_above_find_something(bookshop: Site) -> None:
    everything = await found(bookshop, ALL)
    for filters in ("{ pages: { in: [10, 20] } }", "{ blurb: { null: true } }", '{ extra: { containsi: "null" } }'):
        assert 0 < len(await found(bookshop, filters)) < len(everything)


@pytest.mark.parametrize(
    "value", ["{ or: { a: 1 } }", "{ and: [{ or: 5 }] }", "{ or: [{ not: 5 }] }", "{ or: [{ in: { a: 1 } }, [1]] }"]
)
async def test_json_values_can_look_like_filters(bookshop: Site, value: str) -> None:
    answer: Any = await ask(bookshop, f"{{ books(filters: {{ extra: {value} }}) {{ data {{ id }} }} }}", FULL_TOKEN)
    assert answer["data"]["books"] is not None
