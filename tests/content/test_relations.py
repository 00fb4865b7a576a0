"""Relation values: every form that clients send, and where targets come to stand."""

from typing import Any

import pytest

from octavo.content.relations import (
    CircularAnchors,
    Connect,
    ConnectedTwice,
    InvalidRelations,
    LinkChange,
    UnknownAnchor,
    place_targets,
    read_links,
    read_replacing,
    read_typed_targets,
)
from octavo.plan.changes import TypedTarget


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
def test_forms(value: Any, change: LinkChange | None) -> None:
    assert read_links(value) == change


@pytest.mark.parametrize(
    "value",
    [
        [None],
        [[1]],
        [{}],
        True,
        [True],
        {"connect": "x"},
        {"connect": {"id": 1}},
        {"set": 1},
        {"id": [1]},
        {"connect": [{}]},
    ],
)
def test_what_is_no_form(value: Any) -> None:
    with pytest.raises(InvalidRelations):
        read_links(value)


@pytest.mark.parametrize(
    "value, change",
    [
        ({"connect": [1]}, LinkChange(replaces=(), connects=(Connect(1),))),
        ({}, replacing()),
        ({"set": [2]}, replacing(2)),
        ({"id": 2}, LinkChange(replaces=(2,), checked=False)),
        ([3, 1], replacing(3, 1)),
        (None, replacing()),
    ],
)
def test_what_is_replaced_as_a_whole(value: Any, change: LinkChange) -> None:
    assert read_replacing(value) == change


def test_typed_targets() -> None:
    given = [{"id": "1", "__type": "a"}, {"id": 1, "__type": "a"}, {"id": 1, "__type": "b"}]
    assert read_typed_targets(given) == (TypedTarget("a", 1), TypedTarget("b", 1))
    assert read_typed_targets({"set": given[:1]}) == (TypedTarget("a", 1),)
    assert read_typed_targets(None) == ()
    with pytest.raises(InvalidRelations):
        read_typed_targets([{"id": 1}])


@pytest.mark.parametrize(
    "connect, placed",
    [
        ([4], [1, 2, 3, 4]),
        ([{"id": 4, "position": {"start": True}}, {"id": 5, "position": {"start": True}}], [5, 4, 1, 2, 3]),
        ([{"id": 4, "position": {"after": 1}}], [1, 4, 2, 3]),
        ([{"id": 4, "position": {"before": 5}}, {"id": 5, "position": {"before": 1}}], [4, 5, 1, 2, 3]),
        ([{"id": 3, "position": {"before": 1}}, {"id": 1, "position": {"before": 3}}], [1, 3, 2]),
        ([{"id": 1, "position": {"end": True}}], [2, 3, 1]),
        ([{"id": 1, "position": {"start": False}}], [2, 3, 1]),
    ],
)
def test_places(connect: list[Any], placed: list[int]) -> None:
    change = read_links({"connect": connect})
    assert change is not None
    assert place_targets([1, 2, 3], change) == placed


@pytest.mark.parametrize(
    "connect",
    [
        [4, {"id": 4, "position": {"end": True}}],
        [{"id": 4, "position": {"start": True}}, {"id": 4, "position": {"end": True}}],
        [{"id": 4, "position": {"before": 9}}, 4],
    ],
)
def test_targets_connected_twice(connect: list[Any]) -> None:
    change = read_links({"connect": connect})
    assert change is not None
    with pytest.raises(ConnectedTwice):
        place_targets([1, 2, 3], change)


def test_unknown_anchors() -> None:
    change = read_links({"connect": [{"id": 4, "position": {"before": 9}}]})
    assert change is not None
    with pytest.raises(UnknownAnchor):
        place_targets([1], change)


@pytest.mark.parametrize(
    "connect",
    [
        [{"id": 4, "position": {"before": 4}}],
        [{"id": 4, "position": {"after": 5}}, {"id": 5, "position": {"after": 4}}],
        [
            {"id": 4, "position": {"after": 5}},
            {"id": 5, "position": {"after": 6}},
            {"id": 6, "position": {"before": 4}},
        ],
        [{"id": 4, "position": {"before": 5}}, {"id": 5, "position": {"after": 5}}],
    ],
)
def test_circles_of_anchors(connect: list[Any]) -> None:
    change = read_links({"connect": connect})
    assert change is not None
    with pytest.raises(CircularAnchors):
        place_targets([1, 2, 3], change)
