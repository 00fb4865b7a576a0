"""Arguments of generated fields are converted to a `Query`."""

from typing import Any

import pytest

from octavo.api.graphql.execution.argument_parser import (
    ListLimits,
    PageInfo,
    RequestedPage,
    page_info,
    read_arguments,
    read_filters,
    read_page,
    read_requested_page,
)
from octavo.core.errors import PaginationError
from octavo.query.ast import And, At, Compare, Filter, Not, Or, Page, PublicationState, Query, Sort
from octavo.query.operators import OPERATORS

LIMITS = ListLimits(default=10, most=40)
PATH = ("books",)


def compare(word: str, *values: Any, path: str) -> Compare:
    return Compare(operator=OPERATORS[f"${word}"], values=values, path=(*PATH, *path.split(".")))


def at(attribute: str, *items: Filter, path: str) -> At:
    return At(attribute=attribute, filter=And(items=items), path=(*PATH, *path.split(".")))


def test_no_arguments() -> None:
    assert read_arguments({}, LIMITS, PATH) == Query(page=Page(start=0, limit=10, number=1))


def test_every_argument() -> None:
    arguments = {
        "filters": {"title": {"contains": "sea"}},
        "pagination": {"page": 3, "pageSize": 5},
        "sort": ["title:desc", None, "id"],
        "publicationState": "preview",
        "locale": "fr",
    }
    assert read_arguments(arguments, LIMITS, PATH) == Query(
        filters=And(
            items=(at("title", compare("contains", "sea", path="filters.title.contains"), path="filters.title"),)
        ),
        sort=(
            Sort(names=("title",), descending=True),
            Sort(names=("id",)),
        ),
        page=Page(start=10, limit=5, number=3),
        publication_state=PublicationState.PREVIEW,
        locales=("fr",),
    )


@pytest.mark.parametrize(
    "arguments, state, locales",
    [
        ({"publicationState": "live", "locale": None}, PublicationState.LIVE, ("",)),
        ({"publicationState": None, "locale": 5}, PublicationState.PREVIEW, ("",)),
        ({"locale": ""}, None, ("",)),
    ],
)
def test_states_and_locales(
    arguments: dict[str, Any], state: PublicationState | None, locales: tuple[str, ...]
) -> None:
    query = read_arguments(arguments, LIMITS, PATH)
    assert (query.publication_state, query.locales) == (state, locales)


@pytest.mark.parametrize(
    "given, page",
    [
        ({"page": 2}, Page(start=1, limit=1, number=2)),
        ({"page": 0, "pageSize": 0}, Page(start=0, limit=1, number=1)),
        ({"pageSize": 100}, Page(start=0, limit=40, number=1)),
        ({"start": 5}, Page(start=5, limit=10, number=1)),
        ({"start": 5, "limit": None}, Page(start=5, limit=1, number=6)),
        ({"start": 20, "limit": 5}, Page(start=20, limit=5, number=5)),
        ({"start": -1, "limit": -1}, Page(start=0, limit=40, number=1)),
        ({"limit": 0, "page": None}, Page(start=0, limit=1, number=1)),
    ],
)
def test_pages(given: dict[str, int | None], page: Page) -> None:
    assert read_page(given, LIMITS) == page


@pytest.mark.parametrize("given", [{"page": 1, "limit": 1}, {"pageSize": 1, "start": 0}])
def test_two_forms_of_pagination_contradict_each_other(given: dict[str, int]) -> None:
    with pytest.raises(PaginationError, match="page & offset pagination in the same query"):
        read_page(given, LIMITS)


@pytest.mark.parametrize(
    "given, limits, requested, is_cut, shown",
    [
        ({"pageSize": 5, "page": 2}, LIMITS, RequestedPage(5, 2), False, PageInfo(2, 5, 20, 100)),
        ({"limit": 100}, LIMITS, RequestedPage(100, 1, True), True, PageInfo(1, 40, 3, 100)),
        ({"limit": -1}, LIMITS, RequestedPage(None, 1), True, PageInfo(1, 40, 3, 100)),
        ({"limit": 100}, ListLimits(most=40, page=50), RequestedPage(50, 1, True), True, PageInfo(1, 40, 3, 100)),
    ],
)
def test_the_page_that_is_shown(
    given: dict[str, int], limits: ListLimits, requested: RequestedPage, is_cut: bool, shown: PageInfo
) -> None:
    page = read_page(given, limits)
    found = read_requested_page(given, page, limits)
    assert (found, found.is_cut(page), page_info(found, page, 100)) == (requested, is_cut, shown)


def test_pagination_of_all_entries_on_one_page_is_the_requested_one() -> None:
    page = read_page({"limit": -1, "start": 2}, LIMITS)
    assert page_info(RequestedPage(None, 1), page, 7) == PageInfo(number=1, size=5, pages=1, total=7)
    assert page_info(RequestedPage(100, 1), page, 7) == PageInfo(number=1, size=100, pages=1, total=7)


FILTERS: list[tuple[dict[str, Any], tuple[Filter, ...]]] = [
    ({"pages": {"gt": 2.0}}, (at("pages", compare("gt", 2, path="pages.gt"), path="pages"),)),
    ({"pages": {"in": [1, 2.5]}}, (at("pages", compare("in", 1, 2.5, path="pages.in"), path="pages"),)),
    ({"pages": {"eq": [1, 2]}}, (at("pages", compare("eq", [1, 2], path="pages.eq"), path="pages"),)),
    ({"pages": {"eq": []}}, (at("pages", And(items=()), path="pages"),)),
    ({"extra": {"eq": {"a": 1}}}, (at("extra", And(items=()), path="extra"),)),
    (
        {"keywords": {"contains": ["a", 1]}},
        (
            at(
                "keywords",
                Or(
                    items=(
                        compare("contains", "a", path="keywords.contains"),
                        compare("contains", "1", path="keywords.contains"),
                    )
                ),
                path="keywords",
            ),
        ),
    ),
    (
        {"author": {"name": {"eq": "ann"}}},
        (at("author", at("name", compare("eq", "ann", path="author.name.eq"), path="author.name"), path="author"),),
    ),
    (
        {"author": None},
        (At(attribute="author", filter=compare("eq", None, path="author"), path=("books", "author")),),
    ),
    (
        {"or": [{"title": {"null": True}}, None]},
        (
            Or(
                items=(
                    And(items=(at("title", compare("null", True, path="or.title.null"), path="or.title"),)),
                    And(items=()),
                )
            ),
        ),
    ),
    (
        {"not": {"title": {"eq": "x"}}},
        (Not(item=And(items=(at("title", compare("eq", "x", path="not.title.eq"), path="not.title"),))),),
    ),
    (
        {"title": {"not": {"eq": "x"}, "or": ["a", {"eq": "b"}]}},
        (
            at(
                "title",
                Not(item=And(items=(compare("eq", "x", path="title.not.eq"),))),
                Or(
                    items=(
                        compare("eq", "a", path="title.or"),
                        And(items=(compare("eq", "b", path="title.or.eq"),)),
                    )
                ),
                path="title",
            ),
        ),
    ),
]


@pytest.mark.parametrize("given, conditions", FILTERS)
def test_filters(given: dict[str, Any], conditions: tuple[Filter, ...]) -> None:
    assert read_filters(given, PATH) == And(items=conditions)


@pytest.mark.parametrize("given", [None, {}])
def test_filters_that_match_everything(given: dict[str, Any] | None) -> None:
    assert read_filters(given, PATH) is None
