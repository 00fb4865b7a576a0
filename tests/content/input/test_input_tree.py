"""Bodies, and the trees they are parsed into."""

from typing import Any

import pytest

from octavo.content.input.input_tree import BodyProblem, InputNode, placed_targets, read_body, wanted_targets
from octavo.content.input.relation_input import Connect, LinkChange
from octavo.query.plan.changes import TypedTarget
from octavo.schema.registry import Registry

TOOL, MAKER, FILE = "api::tool.tool", "api::maker.maker", "plugin::upload.file"


def read(workshop: Registry, data: dict[str, Any], uid: str = TOOL) -> InputNode:
    return read_body(workshop, workshop.content_types[uid], data)


def tree(node: InputNode) -> dict[str, Any]:
    """Return a node as plain values, without empty ones."""
    shown: dict[str, Any] = {
        "uid": node.definition.uid,
        "label": node.trail.label,
        "id": node.given_id if node.has_id else "none",
        "scalars": node.scalars,
        "changes": node.changes,
        "typed": node.typed,
        "children": {name: [tree(child) for child in children] for name, children in node.children.items()},
    }
    return {name: value for name, value in shown.items() if value not in ("", "none", {})}


@pytest.mark.parametrize(
    "data, result",
    [
        ({}, {}),
        ({"name": "Saw", "weight": None, "unknown": 1}, {"scalars": {"name": "Saw", "weight": None}}),
        ({"id": 7, "name": "Saw"}, {"id": 7, "scalars": {"name": "Saw"}}),
        ({"maker": 3}, {"changes": {"maker": LinkChange(replaces=(3,))}}),
        ({"maker": None}, {"changes": {"maker": LinkChange(replaces=())}}),
        (
            {"users": {"connect": [{"id": 2, "position": {"before": 1}}], "disconnect": [4]}},
            {
                "changes": {
                    "users": LinkChange(connects=(Connect(2, "before", 1, {"before": 1}),), disconnects=frozenset({4}))
                }
            },
        ),
        ({"users": {"connect": [], "disconnect": []}}, {}),
        ({"photo": 1, "photos": [1, 2]}, {"changes": {"photo": LinkChange((1,)), "photos": LinkChange((1, 2))}}),
        (
            {"frame": {"color": "red", "front": {"id": 5, "length": 1}}},
            {
                "children": {
                    "frame": [
                        {
                            "uid": "part.frame",
                            "label": "frame",
                            "scalars": {"color": "red"},
                            "children": {
                                "front": [
                                    {"uid": "part.leg", "label": "frame.front", "id": 5, "scalars": {"length": 1}}
                                ]
                            },
                        }
                    ]
                }
            },
        ),
        ({"frame": None}, {"children": {"frame": []}}),
        (
            {"legs": [{"length": 1}, None, {"by": 2}]},
            {
                "children": {
                    "legs": [
                        {"uid": "part.leg", "label": "legs[0]", "scalars": {"length": 1}},
                        {"uid": "part.leg", "label": "legs[2]", "changes": {"by": LinkChange(replaces=(2,))}},
                    ]
                }
            },
        ),
        (
            {"story": [{"__component": "part.leg", "length": 1}, {"__component": "part.frame"}]},
            {
                "children": {
                    "story": [
                        {"uid": "part.leg", "label": "story[0]", "scalars": {"length": 1}},
                        {"uid": "part.frame", "label": "story[1]"},
                    ]
                }
            },
        ),
    ],
)
def test_bodies_and_their_trees(workshop: Registry, data: dict[str, Any], result: dict[str, Any]) -> None:
    assert tree(read(workshop, data)) == {"uid": TOOL, **result}


@pytest.mark.parametrize(
    "data, typed",
    [
        ({"subject": {"id": 1, "__type": TOOL}}, {"subject": (TypedTarget(TOOL, 1),)}),
        ({"subject": None}, {"subject": ()}),
        ({"subjects": [{"id": 2, "__type": MAKER}] * 2}, {"subjects": (TypedTarget(MAKER, 2),)}),
        ({"subjects": []}, {}),
    ],
)
def test_targets_that_name_their_type(workshop: Registry, data: dict[str, Any], typed: dict[str, Any]) -> None:
    assert read(workshop, data, MAKER).typed == typed


@pytest.mark.parametrize(
    "uid, data, message, path",
    [
        (TOOL, {"users": [1, None]}, "Invalid relations", ("users", "1")),
        (TOOL, {"legs": [{"by": {"set": 1}}]}, "Invalid relations", ("legs", "0", "by", "set")),
        (TOOL, {"story": [{"__component": "part.none"}]}, "Invalid relations", ("story", "0")),
        (TOOL, {"story": [{"__component": None}]}, "Cannot build relations store", ("story", "0")),
        (TOOL, {"story": {}}, "Cannot build relations store", ("story",)),
        (MAKER, {"subject": {"id": 1, "__type": "api::no.no"}}, "Unknown content type api::no.no", ("subject",)),
    ],
)
def test_relations_that_cannot_be_read(
    workshop: Registry, uid: str, data: dict[str, Any], message: str, path: tuple[str, ...]
) -> None:
    with pytest.raises(BodyProblem) as caught:
        read(workshop, data, uid)
    assert caught.value.placed.path == path
    assert caught.value.placed.message.startswith(message)


BODY = {
    "maker": {"id": 5},
    "users": [3, "4"],
    "photo": 1,
    "legs": [{"helpers": {"connect": [6, 3]}, "picture": 2}],
}


@pytest.mark.parametrize(
    "every, wanted",
    [
        (False, {FILE: [1, 2], MAKER: [3, 4, 6]}),
        (True, {FILE: [1, 2], MAKER: [3, 4, 5, 6]}),
    ],
)
def test_targets_that_must_exist(workshop: Registry, every: bool, wanted: dict[str, list[int]]) -> None:
    found = wanted_targets(read(workshop, BODY), every=every)
    assert {uid: sorted({int(one) for one in ids}) for uid, ids in found.items()} == wanted


def test_targets_and_their_places(workshop: Registry) -> None:
    assert sorted((uid, path, int(target)) for uid, path, target in placed_targets(read(workshop, BODY))) == [
        (MAKER, ("legs", "0", "helpers", "connect", "0"), 6),
        (MAKER, ("legs", "0", "helpers", "connect", "1"), 3),
        (MAKER, ("maker",), 5),
        (MAKER, ("users", "0"), 3),
        (MAKER, ("users", "1"), 4),
        (FILE, ("legs", "0", "picture"), 2),
        (FILE, ("photo",), 1),
    ]
