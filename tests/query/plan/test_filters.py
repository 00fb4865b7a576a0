"""Filters to conditions: steps, pushed-down negation, and the result for a row of nulls."""

import pytest

from octavo.query import operators as op
from octavo.query.filters import read_filters
from octavo.query.plan import nodes
from octavo.query.plan.filters import matches_nulls, plan_filter
from octavo.query.plan.nodes import ALWAYS, NEVER, All, Any, Condition, Exists
from octavo.query.plan.planning import Planning
from octavo.schema.registry import Registry
from tests.models.bookshop import BOOK

T = op.Test


def outline(condition: Condition) -> object:
    """Return a condition as readable nested tuples."""
    match condition:
        case nodes.Tested(attribute=attribute, test=test, parameters=parameters, negated=negated, ignores_case=fold):
            name = attribute.name if attribute else "id"
            flags = ("not " if negated else "") + test.value + (" i" if fold else "")
            return (name, flags, *(parameter.index for parameter in parameters))
        case Exists(step=step, condition=inner, or_nothing=or_nothing):
            return (step.attribute.name, "or nothing" if or_nothing else "some", outline(inner))
        case nodes.Linked(step=step, source=source, negated=negated):
            return (step.attribute.name, "not linked" if negated else "linked", source.index)
        case nodes.Unused(negated=negated):
            return "used" if negated else "unused"
        case All(items=items):
            return ("all", *map(outline, items))
        case Any(items=items):
            return ("any", *map(outline, items))
        case _:
            return condition.value


def planned(registry: Registry, filters: object) -> tuple[object, list[object]]:
    planning = Planning(registry)
    condition = plan_filter(read_filters(filters), registry.content_types[BOOK], planning)
    return outline(condition), list(planning.values)


PLANS: list[tuple[object, object, list[object]]] = [
    (None, True, []),
    ({}, ("all",), []),
    ({"title": "x"}, ("title", "equal", 0), ["x"]),
    ({"title": {"$ne": "x"}}, ("title", "not equal", 0), ["x"]),
    ({"title": {"$nei": "x"}}, ("title", "not equal i", 0), ["x"]),
    ({"title": ["x", "y"]}, ("title", "among", 0, 1), ["x", "y"]),
    ({"title": {"$notIn": ["x", "y"]}}, ("title", "not among", 0, 1), ["x", "y"]),
    ({"title": {"$in": []}}, False, []),
    ({"title": {"$notIn": []}}, True, []),
    ({"title": None}, ("title", "null"), []),
    ({"title": {"$null": "true"}}, ("title", "null"), []),
    ({"title": {"$null": "false"}}, ("title", "not null"), []),
    ({"title": {"$notNull": "true"}}, ("title", "not null"), []),
    ({"title": {"$notNull": "false"}}, ("title", "null"), []),
    ({"pages": {"$between": ["1", "9"]}}, ("pages", "between", 0, 1), [1, 9]),
    ({"pages": {"$contains": "1"}}, ("pages", "contains", 0), ["1"]),
    ({"pages": {"$eqi": "x"}}, ("pages", "equal i", 0), ["x"]),
    ({"id": "abc"}, False, []),
    ({"id": {"$ne": "abc"}}, ("id", "not null"), []),
    ({"id": {"$between": ["@x", "5"]}}, False, []),
    ({"id": {"$between": ["5", "1e400"]}}, ("id", "greater_or_equal", 0), [5]),
    ({"id": {"$not": {"$between": ["x", "9"]}}}, ("id", "not null"), []),
    ({"id": {"$lt": "x"}}, ("id", "not null"), []),
    ({"id": {"$lte": ""}}, ("id", "not null"), []),
    ({"id": {"$not": {"$lte": ""}}}, False, []),
    ({"id": {"$gt": "x"}}, False, []),
    ({"id": {"$in": ["1", "abc", "2"]}}, ("id", "among", 0, 1), [1, 2]),
    ({"id": {"$gt": "1", "$lt": "9"}}, ("all", ("id", "greater", 0), ("id", "less", 1)), [1, 9]),
    ({"$or": [{"id": "1"}, {"title": "x"}]}, ("any", ("id", "equal", 0), ("title", "equal", 1)), [1, "x"]),
    ({"$or": []}, ("all",), []),
    ({"$not": {"title": "x"}}, ("title", "not equal", 0), ["x"]),
    ({"$not": {"$not": {"title": "x"}}}, ("title", "equal", 0), ["x"]),
    ({"$not": {"title": {"$ne": "x"}}}, ("title", "equal", 0), ["x"]),
    ({"$not": {"title": {"$null": "1"}}}, ("title", "not null"), []),
    ({"$not": {"id": "1", "title": "x"}}, ("any", ("id", "not equal", 0), ("title", "not equal", 1)), [1, "x"]),
    (
        {"$not": {"$or": [{"id": "1"}, {"title": "x"}]}},
        ("all", ("id", "not equal", 0), ("title", "not equal", 1)),
        [1, "x"],
    ),
    ({"title": {"$not": {"$contains": "x"}}}, ("title", "not contains", 0), ["x"]),
    ({"author": "1"}, ("author", "some", ("id", "equal", 0)), [1]),
    ({"author": {"$null": "1"}}, ("author", "or nothing", ("id", "null")), []),
    ({"author": {"name": {"$null": "1"}}}, ("author", "or nothing", ("name", "null")), []),
    ({"author": {"name": {"$notNull": "1"}}}, ("author", "some", ("name", "not null")), []),
    ({"author": {"name": {"$ne": "x"}}}, ("author", "some", ("name", "not equal", 0)), ["x"]),
    ({"$not": {"author": {"name": "x"}}}, ("author", "some", ("name", "not equal", 0)), ["x"]),
    (
        {"author": {"books": {"genres": {"name": {"$null": "1"}}}}},
        ("author", "or nothing", ("books", "or nothing", ("genres", "or nothing", ("name", "null")))),
        [],
    ),
    (
        {"author": {"$or": [{"name": "x"}, {"id": {"$null": "1"}}]}},
        ("author", "or nothing", ("any", ("name", "equal", 0), ("id", "null"))),
        ["x"],
    ),
    (
        {"author": {"$and": [{"name": "x"}, {"id": {"$null": "1"}}]}},
        ("author", "some", ("all", ("name", "equal", 0), ("id", "null"))),
        ["x"],
    ),
    ({"cover": {"name": "x"}}, ("cover", "some", ("name", "equal", 0)), ["x"]),
    (
        {"chapters": {"footnote": {"text": "x"}}},
        ("chapters", "some", ("footnote", "some", ("text", "equal", 0))),
        ["x"],
    ),
]


@pytest.mark.parametrize("filters, expected, values", PLANS)
def test_plans(registry: Registry, filters: object, expected: object, values: list[object]) -> None:
    assert planned(registry, filters) == (expected, values)


NULL, NOT_NULL = nodes.Tested(None, T.NULL), nodes.Tested(None, T.NULL, negated=True)
UNKNOWN = nodes.Tested(None, T.EQUAL)


@pytest.mark.parametrize(
    "condition, expected",
    [
        (ALWAYS, True),
        (NEVER, False),
        (NULL, True),
        (NOT_NULL, False),
        (UNKNOWN, None),
        (All((NULL, UNKNOWN)), None),
        (All((NOT_NULL, UNKNOWN)), False),
        (All((NULL, NULL)), True),
        (All(()), True),
        (Any((NULL, UNKNOWN)), True),
        (Any((NOT_NULL, UNKNOWN)), None),
        (Any((NOT_NULL, NOT_NULL)), False),
    ],
)
def test_result_for_a_row_of_nulls(condition: Condition, expected: bool | None) -> None:
    assert matches_nulls(condition) is expected
