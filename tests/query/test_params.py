"""Parameters of a read to a Query: pages, fields, sorts, states, locales, searches."""

from typing import Any

import pytest

from octavo.core.errors import OctavoError
from octavo.query.ast import And, At, Compare, Page, PublicationState, Query, Sort
from octavo.query.numbers import MAX_SAFE_INTEGER
from octavo.query.operators import OPERATORS
from octavo.query.params import PageLimits, read_page, read_query

LIMITS = PageLimits()
NOT_FR = Compare(operator=OPERATORS["$ne"], values=("fr",))


def by_page(number: int, size: int, *, with_count: bool = True) -> Page:
    return Page(start=(number - 1) * size, limit=size, number=number, with_count=with_count)


PAGES: list[tuple[dict[str, Any], Page]] = [
    ({}, by_page(1, 25)),
    ({"pagination": "x"}, by_page(1, 25)),
    ({"page": "2"}, by_page(2, 25)),
    ({"pageSize": "10"}, by_page(1, 10)),
    ({"page": "3", "pageSize": "7"}, by_page(3, 7)),
    ({"page": "0"}, by_page(1, 25)),
    ({"page": "-1"}, by_page(1, 25)),
    ({"page": ""}, by_page(1, 25)),
    ({"pageSize": "0"}, by_page(1, 1)),
    ({"pageSize": "-5"}, by_page(1, 1)),
    ({"pageSize": "100"}, by_page(1, 100)),
    ({"pageSize": "101"}, by_page(1, 100)),
    ({"page": "0x10"}, by_page(16, 25)),
    ({"page": "1e1"}, by_page(10, 25)),
    ({"page": " 5 "}, by_page(5, 25)),
    ({"pageSize": "Infinity"}, by_page(1, 100)),
    ({"page": "Infinity"}, Page(start=MAX_SAFE_INTEGER, limit=25, number=MAX_SAFE_INTEGER)),
    ({"page": ["2"]}, by_page(2, 25)),
    ({"start": "5"}, Page(start=5, limit=25)),
    ({"limit": "5"}, Page(limit=5)),
    ({"start": "-5", "limit": "0"}, Page(limit=1)),
    ({"limit": "-1"}, Page(limit=100)),
    ({"limit": "-2"}, Page(limit=1)),
    ({"limit": ""}, Page(limit=1)),
    ({"limit": "1000"}, Page(limit=100)),
    ({"withCount": "false"}, by_page(1, 25, with_count=False)),
    *(({"withCount": word}, by_page(1, 25)) for word in ("true", "t", "1", True)),
    *(({"withCount": word}, by_page(1, 25, with_count=False)) for word in ("f", "0", False)),
    ({"limit": "1", "withCount": "f"}, Page(limit=1, with_count=False)),
    ({"nope": "1"}, by_page(1, 25)),
]


@pytest.mark.parametrize("given, expected", PAGES)
def test_pages(given: dict[str, Any], expected: Page) -> None:
    params = given if "pagination" in given else {"pagination": given}
    assert read_page(params, LIMITS) == expected


UNLIMITED = PageLimits(default_limit=10, max_limit=None, with_count=False)


@pytest.mark.parametrize(
    "given, expected",
    [
        ({}, by_page(1, 10, with_count=False)),
        ({"limit": "-1"}, Page(limit=None, with_count=False)),
        ({"limit": "5000"}, Page(limit=5000, with_count=False)),
        ({"pageSize": "5000", "withCount": "t"}, by_page(1, 5000)),
    ],
)
def test_pages_without_a_limit(given: dict[str, Any], expected: Page) -> None:
    assert read_page({"pagination": given}, UNLIMITED) == expected


MIXED = "Invalid pagination parameters. Expected either start/limit or page/pageSize"
TOP_LEVEL = "Invalid pagination attributes. You cannot use page and offset pagination in the same query"
COUNT = 'Invalid withCount parameter. Expected "t","1","true","false","0","f"'

PAGES_REFUSED: list[tuple[dict[str, Any], str, str]] = [
    *(({key: "1"}, "PaginationError", TOP_LEVEL) for key in ("page", "pageSize", "start", "limit")),
    ({"pagination": {"page": "1", "limit": "1"}}, "ValidationError", MIXED),
    ({"pagination": {"pageSize": "1", "start": "1"}}, "ValidationError", MIXED),
    (
        {"pagination": {"page": "x"}},
        "ValidationError",
        "Invalid pagination: expected a whole number at pagination.page",
    ),
    (
        {"pagination": {"page": "1.5"}},
        "ValidationError",
        "Invalid pagination: expected a whole number at pagination.page",
    ),
    (
        {"pagination": {"limit": {}}},
        "ValidationError",
        "Invalid pagination: expected a whole number at pagination.limit",
    ),
    *(({"pagination": {"withCount": word}}, "ValidationError", COUNT) for word in ("yes", "TRUE", "", ["1"])),
]


@pytest.mark.parametrize("params, name, message", PAGES_REFUSED)
def test_pages_refused(params: dict[str, Any], name: str, message: str) -> None:
    with pytest.raises(OctavoError) as refused:
        read_page(params, LIMITS)
    assert (refused.value.status, refused.value.name, refused.value.message) == (400, name, message)


def by(*names: str, down: bool = False) -> Sort:
    return Sort(names=names, descending=down)


SORTS: list[tuple[Any, tuple[Sort, ...]]] = [
    (None, ()),
    ("", ()),
    ("title", (by("title"),)),
    ("title:asc", (by("title"),)),
    ("title:DESC", (by("title", down=True),)),
    ("title:Desc:x", (by("title", down=True),)),
    ("a,b:desc", (by("a"), by("b", down=True))),
    (" a , , b ", (by("a"), by("b"))),
    ("a,a", (by("a"),)),
    ("author.name:desc", (by("author", "name", down=True),)),
    (["a", "b:desc,c"], (by("a"), by("b", down=True), by("c"))),
    ({"a": "desc"}, (by("a", down=True),)),
    ({"a": ""}, (by("a"),)),
    ({"author": {"name": "asc"}}, (by("author", "name"),)),
    ({"author.name": "desc"}, (by("author", "name", down=True),)),
    ([{"a": "asc"}, {"b": "desc"}], (by("a"), by("b", down=True))),
    ([["a"]], (by("a"),)),
]


@pytest.mark.parametrize("value, expected", SORTS)
def test_sorts(value: Any, expected: tuple[Sort, ...]) -> None:
    assert read_query({"sort": value}).sort == expected


QUERIES: list[tuple[dict[str, Any], Query]] = [
    ({}, Query()),
    ({"where": {"id": "1"}, "select": "id", "orderBy": "id", "lookup": "x"}, Query()),
    ({"fields": "title"}, Query(fields=("title",))),
    ({"fields": "a,b"}, Query(fields=("a,b",))),
    ({"fields": ["a", "b", "a"]}, Query(fields=("a", "b"))),
    ({"fields": ["a", "*"]}, Query()),
    ({"fields": []}, Query(fields=())),
    ({"publicationState": "live"}, Query(publication_state=PublicationState.LIVE)),
    ({"publicationState": "preview"}, Query(publication_state=PublicationState.PREVIEW)),
    ({"locale": "fr"}, Query(locales=("fr",))),
    ({"locale": ["fr", "en", "fr"]}, Query(locales=("fr", "en"))),
    ({"locale": "all"}, Query(locales=("all",))),
    ({"locale": {"$in": ["fr", "en"]}}, Query(locales=("fr", "en"))),
    ({"locale": {"$eq": "fr"}}, Query(locales=("fr",))),
    ({"locale": [["fr"], "all"]}, Query(locales=())),
    (
        {"locale": {"$ne": "fr"}},
        Query(locales=("all",), locale_filter=And(items=(At(attribute="locale", filter=And(items=(NOT_FR,))),))),
    ),
    ({"_q": "x"}, Query(search="x")),
    ({"_q": ""}, Query()),
]


@pytest.mark.parametrize("params, expected", QUERIES)
def test_queries(params: dict[str, Any], expected: Query) -> None:
    assert read_query(params) == expected


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"fields": {"a": "1"}}, "Invalid fields: expected names at fields"),
    ({"fields": ["a", ["b"]]}, "Invalid fields: expected names at fields"),
    ({"sort": "title:sideways"}, "Invalid sort: the direction 'sideways' at sort must be asc or desc"),
    ({"sort": ":desc"}, "Invalid sort: expected name:asc or name:desc at sort"),
    ({"sort": "title:"}, "Invalid sort: expected name:asc or name:desc at sort"),
    ({"sort": {"a": ["desc"]}}, "Invalid sort: expected asc or desc at sort.a"),
    ({"sort": {"a": {"b": "up"}}}, "Invalid sort: the direction 'up' at sort.a.b must be asc or desc"),
    ({"sort": ".".join("a" * 11)}, "Invalid sort: more than 10 names in a path at sort"),
    ({"sort": {"a.b": {".".join("a" * 9): "desc"}}}, "Invalid sort: more than 10 names in a path at sort"),
    ({"sort": 3}, "Invalid sort: expected names at sort"),
    ({"publicationState": "draft"}, "Invalid publicationState: expected live or preview"),
    ({"publicationState": ["live"]}, "Invalid publicationState: expected live or preview"),
    ({"_q": ["x"]}, "Invalid search: expected text at _q"),
    ({"filters": "x"}, "Invalid filters: expected attributes at filters"),
]


@pytest.mark.parametrize("params, message", REFUSED)
def test_refusals_say_where(params: dict[str, Any], message: str) -> None:
    with pytest.raises(OctavoError) as refused:
        read_query(params)
    assert (refused.value.status, refused.value.message) == (400, message)
