"""Filter parameters to filters: every form, and every error message."""

from typing import Any

import pytest

from octavo.core.errors import ValidationError
from octavo.query.ast import And, At, Compare, Filter, Not, Or, Unknown, Value
from octavo.query.filters import read_filters, read_flag
from octavo.query.operators import OPERATORS


def compare(name: str, *values: Value) -> Compare:
    return Compare(operator=OPERATORS[name], values=values)


def at(name: str, inner: Filter) -> At:
    return At(attribute=name, filter=inner)


def all_of(*items: Filter) -> And:
    return And(items=items)


def any_of(*items: Filter) -> Or:
    return Or(items=items)


FORMS: list[tuple[Any, Filter | None]] = [
    (None, None),
    ("", None),
    ({}, all_of()),
    ({"a": "1"}, all_of(at("a", compare("$eq", "1")))),
    ({"a": None}, all_of(at("a", compare("$eq", None)))),
    ({"a": ["1", "2"]}, all_of(at("a", compare("$in", "1", "2")))),
    ({"a": []}, all_of(at("a", compare("$in")))),
    ({"a": {"$eq": "1"}}, all_of(at("a", all_of(compare("$eq", "1"))))),
    (
        {"a": {"$gt": "1", "$lt": "9"}, "b": "2"},
        all_of(at("a", all_of(compare("$gt", "1"), compare("$lt", "9"))), at("b", compare("$eq", "2"))),
    ),
    ({"a": {"$in": "1,2"}}, all_of(at("a", all_of(compare("$in", "1,2"))))),
    ({"a": {"$notIn": ["1", "2"]}}, all_of(at("a", all_of(compare("$notIn", "1", "2"))))),
    ({"a": {"$in": []}}, all_of(at("a", all_of(compare("$in"))))),
    ({"a": {"$eq": ["1", "2"]}}, all_of(at("a", all_of(any_of(compare("$eq", "1"), compare("$eq", "2")))))),
    (
        {"a": {"$contains": ["x", "y"]}},
        all_of(at("a", all_of(any_of(compare("$contains", "x"), compare("$contains", "y"))))),
    ),
    ({"a": {"$contains": ["x"]}}, all_of(at("a", all_of(compare("$contains", "x"))))),
    ({"a": {"$contains": []}}, all_of(at("a", all_of(compare("$in"))))),
    ({"a": {"$between": ["1", "2"]}}, all_of(at("a", all_of(compare("$between", "1", "2"))))),
    ({"a": {"$null": "true"}}, all_of(at("a", all_of(compare("$null", True))))),
    ({"a": {"$notNull": "false"}}, all_of(at("a", all_of(compare("$notNull", False))))),
    ({"a": {"$nope": "1"}}, all_of(at("a", all_of(Unknown(name="$nope"))))),
    ({"a": {"$EQ": "1"}}, all_of(at("a", all_of(Unknown(name="$EQ"))))),
    ({"a": {"eq": "1"}}, all_of(at("a", all_of(at("eq", compare("$eq", "1")))))),
    ({"a": {"b": {"c": "1"}}}, all_of(at("a", all_of(at("b", all_of(at("c", compare("$eq", "1")))))))),
    (
        {"$or": [{"a": "1"}, {"b": "2"}]},
        all_of(any_of(all_of(at("a", compare("$eq", "1"))), all_of(at("b", compare("$eq", "2"))))),
    ),
    ({"$and": []}, all_of(all_of())),
    ({"$or": []}, all_of(any_of())),
    ({"$or": {"a": "1", "b": "2"}}, all_of(any_of(at("a", compare("$eq", "1")), at("b", compare("$eq", "2"))))),
    ({"$not": {"a": "1"}}, all_of(Not(item=all_of(at("a", compare("$eq", "1")))))),
    ({"a": {"$not": {"$eq": "1"}}}, all_of(at("a", all_of(Not(item=all_of(compare("$eq", "1"))))))),
    ({"a": {"$not": "1"}}, all_of(at("a", all_of(Not(item=compare("$eq", "1")))))),
    (
        {"rel": {"$or": [{"x": "1"}, {"$null": "1"}]}},
        all_of(at("rel", all_of(any_of(all_of(at("x", compare("$eq", "1"))), all_of(compare("$null", True)))))),
    ),
    ([{"a": "1"}, {"b": "2"}], all_of(all_of(at("a", compare("$eq", "1"))), all_of(at("b", compare("$eq", "2"))))),
    (
        {"a": [{"$gt": "1"}, {"$lt": "2"}]},
        all_of(at("a", all_of(all_of(compare("$gt", "1")), all_of(compare("$lt", "2"))))),
    ),
]


@pytest.mark.parametrize("value, expected", FORMS)
def test_forms(value: Any, expected: Filter | None) -> None:
    assert read_filters(value) == expected


REFUSED: list[tuple[Any, str]] = [
    ("x", "Invalid filters: expected attributes at filters"),
    (["x"], "Invalid filters: expected attributes at filters.0"),
    ({"$eq": "1"}, "Invalid parameter $eq"),
    ({"$nope": "1"}, "Invalid parameter $nope"),
    ({"$or": [{"$eq": "1"}]}, "Invalid parameter $eq"),
    ({"$or": "x"}, "Invalid filters: expected a list at filters.$or"),
    ({"$and": [["x"]]}, "Invalid filters: expected attributes at filters.$and.0.0"),
    ({"$not": "x"}, "Invalid filters: expected attributes at filters.$not"),
    ({"a": {"$between": "1"}}, "Invalid filters: $between requires two values at filters.a.$between"),
    ({"a": {"$between": ["1", "2", "3"]}}, "Invalid filters: $between requires two values at filters.a.$between"),
    ({"a": {"$null": ["1"]}}, "Invalid value: expected true or false at filters.a.$null"),
    ({"a": {"$eq": {"x": "1"}}}, "Invalid parameter x"),
    ({"a": {"$in": [["1"]]}}, "Invalid filters: expected a value at filters.a.$in"),
]


@pytest.mark.parametrize("value, message", REFUSED)
def test_refusals_say_where(value: Any, message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        read_filters(value)
    assert refused.value.message == message


def test_every_node_has_its_position() -> None:
    found = read_filters({"author": {"name": {"$eqi": "x"}}})
    assert isinstance(found, And)
    author = found.items[0]
    assert isinstance(author, At)
    assert isinstance(author.filter, And)
    name = author.filter.items[0]
    assert isinstance(name, At)
    assert (author.path, name.path) == (("filters", "author"), ("filters", "author", "name"))


@pytest.mark.parametrize(
    "value, expected",
    [
        *((text, False) for text in ("false", "f", "0", "")),
        *((text, True) for text in ("true", "t", "1", "no", "FALSE", " ", "null")),
        *((value, value is True) for value in (True, False, None)),
        (0, False),
        (1, True),
        (2.5, True),
    ],
)
def test_flags(value: Any, expected: bool) -> None:
    assert read_flag(value, ("x",)) is expected
