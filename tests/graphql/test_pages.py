"""What `meta` tells of a page, and errors of arguments deep in a selection."""

from typing import Any

import pytest

from tests.graphql.asking import ask, messages
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
        ("{ page: 2, pageSize: 3 }", "{}", (7, 2, 3, 3), 3),
    ],
)
async def test_pages_are_told(bookshop: Site, pagination: str, filters: str, told: tuple[int, ...], shown: int) -> None:
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
async def test_arguments_below_are_told_wherever_they_are_asked(
    bookshop: Site, inner: str, message: str, code: str
) -> None:
    answer: Any = await ask(bookshop, AUTHORS.format(inner))
    expected = [{"id": "1", "attributes": {"books": None}}, {"id": "2", "attributes": {"books": None}}]
    assert answer["data"]["authors"]["data"] == expected
    assert messages(answer) == [message] * 2
    assert answer["errors"][0]["extensions"]["code"] == code


async def test_nothing_is_told_where_nothing_is_shown(bookshop: Site) -> None:
    text = '{ authors(filters: { id: { lt: 0 } }) { data { attributes { books(sort: "nope") { data { id } } } } } }'
    assert await ask(bookshop, text) == {"data": {"authors": {"data": []}}}


async def test_errors_of_several_kinds_are_told_by_kind(bookshop: Site) -> None:
    inner = """
      a: books(sort: "nope") { data { id } }
      b: books(pagination: { page: 1, limit: 1 }) { data { id } }
      c: books(sort: "gone") { data { id } }
    """
    answer: Any = await ask(bookshop, AUTHORS.format(inner), FULL_TOKEN)
    mixed = "Cannot use both page & offset pagination in the same query"
    assert messages(answer) == [mixed, mixed, *["Invalid parameter nope", "Invalid parameter gone"] * 2]
