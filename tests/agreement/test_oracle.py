"""Filters through relations match the same entries as a filter in plain Python."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.query.filters import read_filters
from tests.agreement.oracle import Thing, found
from tests.agreement.questions import Params, query_of
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio

EVERYTHING = {"publicationState": "preview", "locale": "all", "pagination": {"limit": "100"}}
CONTENT = {
    "books": {
        "author": "true",
        "genres": "true",
        "shelf": "true",
        "similar": "true",
        "chapters": {"populate": "footnote"},
    },
    "authors": {"books": "true"},
    "genres": {"parent": "true", "children": "true", "books": "true"},
}
TARGETS = {"author": "authors", "books": "books", "similar": "books"}

_worlds: dict[str, list[Thing]] = {}


async def world(site: Site) -> list[Thing]:
    """The books, and all their related entries."""
    dialect = site.database.dialect.name
    if dialect not in _worlds:
        entries = {name: await fetch(site, name, {"populate": populate}) for name, populate in CONTENT.items()}
        things = {name: {item["id"]: thing_of(item) for item in items} for name, items in entries.items()}
        for name, items in entries.items():
            for item in items:
                join(things, things[name][item["id"]], item["attributes"])
        _worlds[dialect] = list(things["books"].values())
    return _worlds[dialect]


async def fetch(site: Site, name: str, params: Params) -> list[Any]:
    answer = await site.get(f"/api/{name}?{query_of({**params, **EVERYTHING})}", FULL_TOKEN)
    assert answer.status == 200, answer.body
    entries: list[Any] = answer.json["data"]
    return entries


def thing_of(item: Any) -> Thing:
    scalars = {name: value for name, value in item["attributes"].items() if isinstance(value, int | str | None)}
    return Thing({"id": item["id"], **scalars})


def join(things: dict[str, dict[int, Thing]], thing: Thing, attributes: dict[str, Any]) -> None:
    for name, value in attributes.items():
        if name == "chapters":
            thing.related[name] = [component(part) for part in value]
        elif isinstance(value, dict) and "data" in value:
            targets = value["data"] if isinstance(value["data"], list) else [value["data"]]
            table = things[TARGETS.get(name, "genres")]
            thing.related[name] = [table[target["id"]] for target in targets if target]


def component(part: dict[str, Any]) -> Thing:
    scalars = {name: value for name, value in part.items() if name != "footnote"}
    footnote = part.get("footnote")
    return Thing(scalars, {"footnote": [component(footnote)] if footnote else []})


NUMBERS = st.sampled_from(["1", "2", "3", "7", "15", "20", "40", "100"])
TEXTS = st.sampled_from(["1", "2", " ", "7", "100%", "genre 2"])
RANKED = ("id", "pages", "order", "rank")


def compared(texts: tuple[str, ...], numbers: tuple[str, ...]) -> st.SearchStrategy[Params]:
    """Generate a comparison of one of these attributes."""
    flags = st.builds(
        lambda name, flag: {name: flag}, st.sampled_from(["$null", "$notNull"]), st.sampled_from(["1", "0"])
    )
    orders = st.sampled_from(["$eq", "$ne", "$lt", "$lte", "$gt", "$gte"])
    numeric = st.builds(lambda name, value: {name: value}, orders, NUMBERS) | st.builds(
        lambda name, values: {name: values},
        st.sampled_from(["$in", "$notIn"]),
        st.lists(NUMBERS, min_size=1, max_size=3),
    )
    textual = st.builds(
        lambda name, value: {name: value}, st.sampled_from(["$eq", "$ne", "$contains", "$notContains"]), TEXTS
    )
    of_number = st.builds(lambda name, test: {name: test}, st.sampled_from(numbers), numeric | flags)
    of_text = st.builds(lambda name, test: {name: test}, st.sampled_from(texts), textual | flags)
    return of_number | of_text


def through(inner: st.SearchStrategy[Params], *names: str) -> st.SearchStrategy[Params]:
    return st.builds(lambda name, asked: {name: asked}, st.sampled_from(names), combined(inner) | NULL_OR_NOT)


NULL_OR_NOT = st.sampled_from(
    [{"$null": "1"}, {"$null": "0"}, {"id": {"$null": "1"}}, {"$not": {"id": {"$notNull": "1"}}}]
)


def combined(leaves: st.SearchStrategy[Params]) -> st.SearchStrategy[Params]:
    return st.recursive(
        leaves,
        lambda inner: (
            st.builds(
                lambda name, items: {name: items},
                st.sampled_from(["$or", "$and"]),
                st.lists(inner, min_size=1, max_size=2),
            )
            | st.builds(lambda item: {"$not": item}, inner)
        ),
        max_leaves=3,
    )


BOOK = compared(("title", "blurb"), ("id", "pages", "order"))
GENRE = compared(("name",), ("id", "rank"))
AUTHOR = compared(("name",), ("id",))
CHAPTER = compared(("title",), ("pages",)) | through(compared(("text",), ("order",)), "footnote")
FAMILY = GENRE | through(GENRE, "parent", "children")
FILTERS = combined(
    BOOK
    | through(AUTHOR | through(BOOK, "books"), "author")
    | through(FAMILY, "genres", "shelf")
    | through(CHAPTER, "chapters")
    | through(BOOK | through(GENRE, "genres"), "similar")
)


@settings(max_examples=200)
@given(FILTERS)
async def test_filters_match_the_same_entries_as_plain_python(bookshop: Site, asked: Params) -> None:
    expected = found(read_filters(asked) or pytest.fail("no filter"), await world(bookshop))
    answer = await fetch(bookshop, "books", {"filters": asked, "fields": ["id"]})
    assert [item["id"] for item in answer] == expected
