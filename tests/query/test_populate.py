"""Populate parameters: names, paths, lists, objects and component types of a dynamic zone. Equal names are merged."""

from typing import Any

import pytest

from octavo.core.errors import ValidationError
from octavo.query.ast import EVERYTHING, Branch, Page, Populate, Query, Sort
from octavo.query.params import read_query
from octavo.query.populate import levels


def into(name: str, query: Query = EVERYTHING, **options: Any) -> Populate:
    return Populate(name=name, query=query, **options)


def deeper(*populate: Populate) -> Query:
    return Query(populate=populate)


A, B, C = into("a"), into("b"), into("c")

FORMS: list[tuple[Any, tuple[Populate, ...], bool]] = [
    (None, (), False),
    ("", (), False),
    ("*", (), True),
    ("a", (A,), False),
    ("a,b", (A, B), False),
    (" a , b ,", (A, B), False),
    ("a,*", (A,), True),
    ("a.b", (into("a", deeper(B)),), False),
    ("a.b,a.c", (into("a", deeper(B, C)),), False),
    ("a,a.b", (into("a", deeper(B)),), False),
    ("a.b,a", (into("a", deeper(B)),), False),
    ("a.*", (A,), False),
    ("a.b.*", (into("a", deeper(B)),), False),
    ("a.*,a.b", (into("a", deeper(B)),), False),
    (["a", "b.c"], (A, into("b", deeper(C))), False),
    (["*"], (), True),
    (["a,b"], (A, B), False),
    ([{"a": "true"}, "b"], (A, B), False),
    ({"a": "true", "b": "1", "c": "yes"}, (A, B, C), False),
    ({"a": "false", "b": "0", "c": "f"}, (), False),
    ({"a": ""}, (), False),
    ({"a": "*"}, (A,), False),
    ({"a": {}}, (A,), False),
    ({"a.b": "true"}, (into("a", deeper(B)),), False),
    ({"a": {"populate": "b"}}, (into("a", deeper(B)),), False),
    ({"a": {"populate": "*"}}, (into("a", Query(populate_all=True)),), False),
    ({"a": {"populate": {"b": {"populate": ["c"]}}}}, (into("a", deeper(into("b", deeper(C)))),), False),
    ({"a": {"fields": ["x", "y"]}}, (into("a", Query(fields=("x", "y"))),), False),
    ({"a": {"fields": "*"}}, (A,), False),
    ({"a": {"sort": "x:desc"}}, (into("a", Query(sort=(Sort(names=("x",), descending=True),))),), False),
    ({"a": {"limit": "2"}}, (into("a", Query(page=Page(limit=2))),), False),
    ({"a": {"start": "1"}}, (into("a", Query(page=Page(start=1))),), False),
    ({"a": {"pagination": {"start": "1", "limit": "2"}}}, (into("a", Query(page=Page(start=1, limit=2))),), False),
    *(({"a": {"limit": one}}, (into("a", Query(page=Page())),), False) for one in ("-1", "-5", "0", "")),
    ({"a": {"count": "true"}}, (into("a", count=True),), False),
    ({"a": {"count": "false"}}, (A,), False),
    ({"a": {"locale": "fr"}}, (into("a", Query()),), False),
    (
        {"a": {"on": {"x.y": "true", "x.z": "false"}}},
        (into("a", branches=tuple(Branch(component=name, query=EVERYTHING) for name in ("x.y", "x.z"))),),
        False,
    ),
    (
        {"a": {"on": {"x.y": {"fields": ["t"], "populate": "b"}}}},
        (into("a", branches=(Branch(component="x.y", query=Query(fields=("t",), populate=(B,))),)),),
        False,
    ),
    ({"a": {"on": "x.y"}}, (into("a", branches=()),), False),
    ({"a": {"on": None}}, (A,), False),
    ({"a": {"on": ["x.y"]}}, (into("a", branches=(Branch(component="0", query=EVERYTHING),)),), False),
]


@pytest.mark.parametrize("value, populate, everything", FORMS)
def test_forms(value: Any, populate: tuple[Populate, ...], everything: bool) -> None:
    found = read_query({"populate": value})
    assert (found.populate, found.populate_all) == (populate, everything)


REFUSED: list[tuple[Any, str]] = [
    ([["a"]], "Invalid populate: expected a name at populate.0"),
    ({"a": {"on": 1}}, "Invalid populate: expected components at populate.a.on"),
    ({"a": {"fields": {"x": "1"}}}, "Invalid fields: expected names at populate.a.fields"),
    ({"a": {"pagination": "x"}}, "Invalid pagination at populate.a.pagination"),
    ({"a": {"limit": "x"}}, "Invalid pagination: expected a whole number at populate.a.limit"),
    (
        {"a": {"pagination": {"start": "x"}}},
        "Invalid pagination: expected a whole number at populate.a.pagination.start",
    ),
    ({"a": {"publicationState": "x"}}, "Invalid populate.a.publicationState: expected live or preview"),
    ({"a": {"filters": {"$x": "1"}}}, "Invalid parameter $x"),
    (3, "Invalid populate: expected names at populate"),
    (".".join("a" * 21), "Invalid populate: more than 20 levels at populate"),
    (".".join("a" * 5000), "Invalid populate: more than 20 levels at populate"),
    ({".".join("a" * 21): "true"}, f"Invalid populate: more than 20 levels at populate.{'.'.join('a' * 21)}"),
    ({"a": {"populate": {"b": {"populate": ".".join("a" * 19)}}}}, "Invalid populate: more than 20 levels at populate"),
    ({"a": {"on": {"x.y": {"populate": ".".join("a" * 20)}}}}, "Invalid populate: more than 20 levels at populate"),
]


@pytest.mark.parametrize("value, message", REFUSED)
def test_refusals_say_where(value: Any, message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        read_query({"populate": value})
    assert refused.value.message == message


@pytest.mark.parametrize("value", [{"a": ["b"]}, [{"a": ["b"]}, "a"], ["a", {"a": ["b"]}]])
def test_errors_are_deferred_until_the_name_is_resolved(value: Any) -> None:
    (populate,) = read_query({"populate": value}).populate
    assert (populate.name, populate.fault.startswith("Invalid populate: expected an object at ")) == ("a", True)


def test_twenty_levels_are_enough() -> None:
    populate = {"a": {"populate": {"b": {"populate": ".".join("a" * 18)}}}}
    assert levels(read_query({"populate": populate})) == 20
