"""GraphQL arguments in the form of REST requests, and changes of that form by project code."""

from typing import Any

import pytest

from octavo.api.rest.content_operations import content_operation
from octavo.api.rest.operations import RestOperation
from octavo.sdk.rest_forms import Untranslatable, copy, field_arguments, rest_form
from tests.models.bookshop import BOOK, bookshop_registry

LIST = frozenset({"filters", "sort", "pagination", "publicationState", "locale"})


def operation(action: str) -> RestOperation:
    return content_operation(bookshop_registry().content_types[BOOK], action)


def changed(action: str, names: frozenset[str], given: dict[str, Any], change: Any) -> dict[str, Any]:
    """Return the arguments of a field after a change in the form of a request."""
    row = operation(action)
    before, after = rest_form(row, given), rest_form(row, given)
    change(after)
    return field_arguments(row, given, names, before, after)


@pytest.mark.parametrize(
    "rest, field",
    [
        ({"title": "x"}, {"title": {"eq": "x"}}),
        ({"title": ["x", "y"]}, {"title": {"in": ["x", "y"]}}),
        ({"title": {"$in": []}}, {"title": {"in": []}}),
        ({"title": {"$eq": []}}, {"title": {"in": []}}),
        ({"title": {"$eq": ["x", "y"]}}, {"title": {"or": [{"eq": "x"}, {"eq": "y"}]}}),
        ({"title": {"$null": "false"}}, {"title": {"null": False}}),
        (
            {"$or": [{"id": 1}, {"author": {"name": {"$ne": "x"}}}]},
            {"or": [{"id": {"eq": 1}}, {"author": {"name": {"ne": "x"}}}]},
        ),
        ({"$not": {"id": {"$gt": 1}}}, {"not": {"id": {"gt": 1}}}),
        ([{"id": 1}], {"and": [{"id": {"eq": 1}}]}),
    ],
)
def test_filters_that_code_sets(rest: Any, field: Any) -> None:
    def change(form: Any) -> None:
        form.query["filters"] = rest

    assert changed("find", LIST, {}, change) == {"filters": field}


@pytest.mark.parametrize(
    "name, value",
    [
        ("filters", {"title": {"$like": "x"}}),
        ("filters", {"title": {"$eq": {"a": 1}}}),
        ("filters", {"$or": "x"}),
        ("filters", {"eq": 1}),
        ("filters", "x"),
        ("sort", {"title": "asc"}),
        ("pagination", {"withCount": True}),
        ("pagination", {"limit": "9" * 5000}),
        ("publicationState", "all"),
        ("populate", "*"),
        ("fields", ["title"]),
        ("anything", 1),
    ],
)
def test_changes_without_an_equivalent_argument(name: str, value: Any) -> None:
    def change(form: Any) -> None:
        form.query[name] = value

    with pytest.raises(Untranslatable):
        changed("find", LIST, {}, change)


def test_unchanged_arguments_stay_the_same() -> None:
    given: dict[str, Any] = {
        "filters": {"extra": {"eq": {"a": 1}}},
        "sort": [],
        "pagination": {},
        "publicationState": None,
    }
    assert changed("find", LIST, given, lambda form: None) == given


def test_other_changes() -> None:
    def narrow(form: Any) -> None:
        form.query |= {"sort": "title:desc,id", "pagination": {"page": "2", "pageSize": 5}, "locale": "fr"}

    narrowed = {"sort": ["title:desc", "id"], "pagination": {"page": 2, "pageSize": 5}, "locale": "fr"}
    assert changed("find", LIST, {"pagination": {"limit": 3}}, narrow) == narrowed
    assert changed("find", LIST, {"locale": "fr"}, lambda form: form.query.clear()) == {}

    def write(form: Any) -> None:
        form.params["id"], form.body["data"]["title"] = 8, "y"

    given = {"id": "7", "data": {"title": "x", "chapters": [{"title": "a"}]}}
    names = frozenset({"id", "data"})
    wanted = {"id": "8", "data": {"title": "y", "chapters": [{"title": "a"}]}}
    assert changed("update", names, copy(given), write) == wanted

    def place(form: Any) -> None:
        form.body["data"]["locale"] = "de-AT"

    made = changed("create", frozenset({"data", "locale"}), {"data": {"title": "x"}, "locale": "fr"}, place)
    assert made == {"data": {"title": "x"}, "locale": "de-AT"}


@pytest.mark.parametrize("body", [None, {}, {"data": 5}, {"data": {}, "meta": {}}])
def test_bodies_that_are_none(body: Any) -> None:
    def change(form: Any) -> None:
        form.body = body

    with pytest.raises(Untranslatable):
        changed("update", frozenset({"id", "data"}), {"id": "7", "data": {"title": "x"}}, change)
