"""Relation values: every form that clients send, and the position of targets."""

from typing import Any

import pytest

from octavo.content.input.relation_input import (
    Connect,
    InvalidRelations,
    LinkChange,
    read_links,
    read_replacing,
    read_typed_targets,
)
from octavo.query.plan.changes import TypedTarget


def replacing(*targets: int | str) -> LinkChange:
    return LinkChange(replaces=targets)


@pytest.mark.parametrize(
    "value, change",
    [
        (3, replacing(3)),
        ("3", replacing(3)),
        (" +3 ", replacing(3)),
        (3.0, replacing(3)),
        ("abc", replacing("abc")),
        (1.5, replacing("1.5")),
        ("", replacing("")),
        (False, replacing("false")),
        (None, replacing()),
        ([], replacing()),
        ([2, "1", {"id": 3}, 2], replacing(2, 1, 3)),
        ({"id": 4, "type": "x", "connect": [5]}, LinkChange(replaces=(4,), checked=False)),
        ({"id": None}, replacing("null")),
        ({"set": [1, {"id": 2}], "connect": [3]}, replacing(1, 2)),
        (True, None),
        ([1, {"id": 1}, 1], replacing(1, 1)),
        ({}, None),
        ({"foo": 1}, None),
        ({"set": None, "connect": None, "disconnect": None}, None),
        ({"connect": [1, 1]}, LinkChange(connects=(Connect(1),))),
        ({"connect": [1, {"id": 1}, {"id": 1}, 1]}, LinkChange(connects=(Connect(1), Connect(1)))),
        ({"disconnect": 1}, LinkChange(disconnects=frozenset({1}))),
        ({"disconnect": [None, {"id": 2}]}, LinkChange(disconnects=frozenset({2}))),
        ({"connect": [1], "disconnect": [1]}, LinkChange(connects=(Connect(1),))),
        (
            {"connect": [{"id": 1, "position": {"before": "2", "end": True}}]},
            LinkChange(connects=(Connect(1, "before", 2, {"before": "2", "end": True}),)),
        ),
    ],
)
def test_valid_forms(value: Any, change: LinkChange | None) -> None:
    assert read_links(value) == change


@pytest.mark.parametrize(
    "value",
    [
        [None],
        [[1]],
        [{}],
        [True],
        {"connect": "x"},
        {"connect": {"id": 1}},
        {"set": 1},
        {"id": [1]},
        {"connect": [{}]},
    ],
)
def test_invalid_forms(value: Any) -> None:
    with pytest.raises(InvalidRelations):
        read_links(value)


@pytest.mark.parametrize(
    "value, change",
    [
        ({"connect": [1]}, LinkChange(replaces=(), connects=(Connect(1),))),
        ({}, replacing()),
        (True, replacing()),
        ({"set": [2]}, replacing(2)),
        ({"id": 2}, LinkChange(replaces=(2,), checked=False)),
        ([3, 1], replacing(3, 1)),
        (None, replacing()),
    ],
)
def test_values_that_replace_all_links(value: Any, change: LinkChange) -> None:
    assert read_replacing(value) == change


def test_typed_targets() -> None:
    given = [{"id": "1", "__type": "a"}, {"id": 1, "__type": "a"}, {"id": 1, "__type": "b"}]
    assert read_typed_targets(given) == (TypedTarget("a", 1), TypedTarget("b", 1))
    assert read_typed_targets({"set": given[:1]}) == (TypedTarget("a", 1),)
    assert read_typed_targets(None) == ()
    with pytest.raises(InvalidRelations):
        read_typed_targets([{"id": 1}])
