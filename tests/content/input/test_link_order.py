"""Link order: the position of targets, and linear time for many of them."""

import sys
from typing import Any

import pytest

from octavo.content.input.link_order import CircularAnchors, ConnectedTwice, UnknownAnchor, place_targets
from octavo.content.input.relation_input import Connect, LinkChange, read_links


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
def test_positions_of_targets(connect: list[Any], placed: list[int]) -> None:
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
def test_cycles_of_anchors(connect: list[Any]) -> None:
    change = read_links({"connect": connect})
    assert change is not None
    with pytest.raises(CircularAnchors):
        place_targets([1, 2, 3], change)


class CountedId(int):
    """An id that counts comparisons."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        CountedId.compared += 1
        return int(self) == other

    def __hash__(self) -> int:
        return hash(int(self))


MANY = 500


@pytest.mark.parametrize(
    "anchors",
    [
        pytest.param([("end", None)] * MANY, id="at the end"),
        pytest.param([("start", None)] * MANY, id="at the start"),
        pytest.param([("before", 1)] * MANY, id="before one that is there"),
        pytest.param([("before", one + 1) for one in range(MANY, 2 * MANY)], id="before the next one"),
    ],
)
def test_each_of_many_targets_is_compared_a_few_times(anchors: list[tuple[str, int | None]]) -> None:
    connects = tuple(
        Connect(CountedId(MANY + index), place, None if anchor is None else CountedId(anchor))
        for index, (place, anchor) in enumerate(anchors)
    )
    current = [CountedId(one) for one in range(1, 2 * MANY, 2)] + [2 * MANY]
    CountedId.compared = 0
    placed = place_targets(current, LinkChange(connects=connects))
    assert set(placed) == {*current, *range(MANY, 2 * MANY)}
    assert CountedId.compared < 30 * MANY


def test_long_chains_of_anchors() -> None:
    many = sys.getrecursionlimit() * 2
    connect = [{"id": one, "position": {"after": one + 1}} for one in range(1, many)] + [{"id": many}]
    change = read_links({"connect": connect})
    assert change is not None
    assert place_targets([], change) == list(range(many, 0, -1))


@pytest.mark.parametrize("position", [{"before": 99}, {"after": 99}])
def test_unknown_anchors_that_are_not_strict_append(position: dict[str, int]) -> None:
    change = read_links({"connect": [{"id": 7, "position": position}], "options": {"strict": False}})
    assert change is not None
    assert place_targets([1, 2, 3], change) == [1, 2, 3, 7]


def test_known_anchors_are_used_whether_strict_or_not() -> None:
    change = read_links({"connect": [{"id": 7, "position": {"before": 2}}], "options": {"strict": False}})
    assert change is not None
    assert place_targets([1, 2, 3], change) == [1, 7, 2, 3]
