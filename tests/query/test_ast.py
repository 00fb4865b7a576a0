"""Queries are values: equal if they request the same, whatever the form of the request."""

import pytest

from octavo.query.ast import At, Compare, Page, Populate, Query, Sort
from octavo.query.operators import OPERATORS

EQ = OPERATORS["$eq"]

SAME = [
    (Compare(operator=EQ, values=(1,), path=("filters", "a")), Compare(operator=EQ, values=(1,))),
    (Sort(names=("title",), direction="ASC"), Sort(names=("title",))),
    (Populate(name="author", query=Query(), path=("populate", "0")), Populate(name="author", query=Query())),
    (
        Query(filters=At(attribute="a", filter=Compare(operator=EQ, values=("x",)), path=("filters", "a"))),
        Query(filters=At(attribute="a", filter=Compare(operator=EQ, values=("x",)))),
    ),
]


@pytest.mark.parametrize("one, other", SAME)
def test_positions_do_not_affect_equality(one: object, other: object) -> None:
    assert (one, hash(one)) == (other, hash(other))


def test_different_queries_are_not_equal() -> None:
    assert Query(page=Page(limit=1)) != Query(page=Page(limit=2))
    assert Sort(names=("a",)) != Sort(names=("a",), descending=True)
