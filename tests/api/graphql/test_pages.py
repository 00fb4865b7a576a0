"""Pagination in `meta`, and errors of arguments deep in a selection."""

from typing import Any

import pytest

from tests.api.graphql.asking import ask, messages, served
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    "pagination, filters, told, shown",
    [
        ("{ limit: -1 }", "{}", (7, 1, 7, 1), 7),
        ("{ start: 2, limit: -1 }", "{}", (7, 1, 5, 1), 5),
        ("{ limit: -1 }", "{ id: { lt: 0 } }", (0, 1, 0, 1), 0),
        ("{ start: 2, limit: null }", "{}", (7, 3, 1, 7), 1),
        ("{ limit: null }", "{}", (7, 1, 10, 1), 7),
        ("{ start: 100, limit: 101 }", "{}", (7, 1, 101, 1), 0),
        ("{ start: 202, limit: 101 }", "{}", (7, 3, 101, 1), 0),
        ("{ page: 2, pageSize: 101 }", "{}", (7, 2, 101, 1), 0),
        ("{ page: 2, pageSize: 3 }", "{}", (7, 2, 3, 3), 3),
    ],
)
async def test_pagination_is_reported(
    bookshop: Site, pagination: str, filters: str, told: tuple[int, ...], shown: int
) -> None:
    arguments = f'pagination: {pagination}, filters: {filters}, sort: "id"'
    answer: Any = await ask(
        bookshop,
        f"""{{
          all: authors({arguments}) {{ data {{ id }} meta {{ pagination {{ total page pageSize pageCount }} }} }}
          size: authors({arguments}) {{ meta {{ pagination {{ pageSize }} }} }}
        }}""",
    )
    page = answer["data"]["all"]["meta"]["pagination"]
    assert (page["total"], page["page"], page["pageSize"], page["pageCount"]) == told
    assert len(answer["data"]["all"]["data"]) == shown
    assert answer["data"]["size"]["meta"]["pagination"] == {"pageSize": told[2]}


PAGINATION = "meta { pagination { total page pageSize pageCount } }"


@pytest.mark.parametrize("setting", ["max_limit", "amount_limit"])
@pytest.mark.parametrize(
    "pagination, told, shown",
    [
        ("{ limit: 100 }", (7, 1, 4, 2), 4),
        ("{ limit: -1 }", (7, 1, 4, 2), 4),
        ("{ start: 4, limit: 100 }", (7, 2, 4, 2), 3),
        ("{ start: 2, limit: -1 }", (7, 1, 4, 2), 4),
        ("{ start: 4, limit: -1 }", (7, 2, 4, 2), 3),
        ("{ pageSize: 100 }", (7, 1, 4, 2), 4),
        ("{ page: 2, pageSize: 100 }", (7, 2, 4, 2), 3),
        ("{}", (7, 1, 4, 2), 4),
    ],
)
async def test_pagination_of_a_page_cut_by_limits_is_the_actual_one(
    bookshop: Site, setting: str, pagination: str, told: tuple[int, ...], shown: int
) -> None:
    async with served(bookshop, "production", **{setting: 4}) as site:
        answer: Any = await ask(site, f"{{ authors(pagination: {pagination}) {{ data {{ id }} {PAGINATION} }} }}")
    authors = answer["data"]["authors"]
    assert tuple(authors["meta"]["pagination"].values()) == told
    assert len(authors["data"]) == shown


@pytest.mark.parametrize(
    "limits, pagination, told",
    [
        ({"max_limit": 8}, "{ limit: 100 }", (7, 1, 8, 1)),
        ({"max_limit": 8}, "{ start: 2, limit: -1 }", (7, 1, 8, 1)),
        ({"max_limit": 8}, "{ pageSize: 100 }", (7, 1, 8, 1)),
        ({"amount_limit": 8}, "{ limit: 100 }", (7, 1, 100, 1)),
        ({"amount_limit": 8}, "{ start: 2, limit: -1 }", (7, 1, 5, 1)),
        ({"amount_limit": 8}, "{ pageSize: 100 }", (7, 1, 100, 1)),
        ({"amount_limit": 8, "max_limit": 9}, "{ pageSize: 100 }", (7, 1, 9, 1)),
    ],
)
async def test_pagination_of_a_page_with_all_entries_is_the_requested_one_up_to_the_maximum(
    bookshop: Site, limits: dict[str, int], pagination: str, told: tuple[int, ...]
) -> None:
    async with served(bookshop, "production", **limits) as site:
        answer: Any = await ask(site, f"{{ authors(pagination: {pagination}) {{ {PAGINATION} }} }}")
    assert tuple(answer["data"]["authors"]["meta"]["pagination"].values()) == told


@pytest.mark.parametrize("setting", ["max_limit", "amount_limit"])
@pytest.mark.parametrize("pagination", ["{ start: 12, limit: -1 }", "{ start: 12, limit: 100 }"])
async def test_the_page_number_of_a_cut_page_can_be_requested_alone(
    bookshop: Site, setting: str, pagination: str
) -> None:
    text = f"{{ books(pagination: {pagination}) {{ meta {{ pagination {{ page }} }} }} }}"
    async with served(bookshop, "production", **{setting: 4}) as site:
        assert (await ask(site, text))["data"]["books"] == {"meta": {"pagination": {"page": 4}}}


async def test_the_page_is_refused_before_the_rest(bookshop: Site) -> None:
    text = '{ authors(sort: "nothing", pagination: { page: 1, limit: 1 }) { data { id } } }'
    assert messages(await ask(bookshop, text)) == ["Cannot use both page & offset pagination in the same query"]


AUTHORS = '{{ authors(sort: "id", pagination: {{ limit: 2 }}) {{ data {{ id attributes {{ {0} }} }} }} }}'


@pytest.mark.parametrize(
    "inner, message, code",
    [
        ('books(sort: "nope") { data { id } }', "Invalid parameter nope", "BAD_USER_INPUT"),
        (
            "books(pagination: { page: 1, limit: 1 }) { data { id } }",
            "Cannot use both page & offset pagination in the same query",
            "STRAPI_PAGINATION_ERROR",
        ),
    ],
)
async def test_errors_of_nested_arguments_appear_for_each_parent(
    bookshop: Site, inner: str, message: str, code: str
) -> None:
    answer: Any = await ask(bookshop, AUTHORS.format(inner))
    expected = [{"id": "1", "attributes": {"books": None}}, {"id": "2", "attributes": {"books": None}}]
    assert answer["data"]["authors"]["data"] == expected
    assert messages(answer) == [message] * 2
    assert answer["errors"][0]["extensions"]["code"] == code


async def test_nested_arguments_are_not_checked_without_parents(bookshop: Site) -> None:
    text = '{ authors(filters: { id: { lt: 0 } }) { data { attributes { books(sort: "nope") { data { id } } } } } }'
    assert await ask(bookshop, text) == {"data": {"authors": {"data": []}}}


async def test_errors_are_sorted_by_kind(bookshop: Site) -> None:
    inner = """
      a: books(sort: "nope") { data { id } }
      b: books(pagination: { page: 1, limit: 1 }) { data { id } }
      c: books(sort: "gone") { data { id } }
    """
    answer: Any = await ask(bookshop, AUTHORS.format(inner), FULL_TOKEN)
    mixed = "Cannot use both page & offset pagination in the same query"
    assert messages(answer) == [mixed, mixed, *["Invalid parameter nope", "Invalid parameter gone"] * 2]
