"""Blocks: each kind of node, valid and invalid."""

from typing import Any

import pytest

from octavo.content.input_path import TOP
from octavo.content.validation.block_rules import check_blocks

TEXT = {"type": "text", "text": "x"}
ITEM = {"type": "list-item", "children": [TEXT]}


@pytest.mark.parametrize(
    "node",
    [
        {"type": "paragraph", "children": [{**TEXT, "bold": True, "extra": 1}]},
        {"type": "heading", "level": 6, "children": [TEXT]},
        {"type": "quote", "children": []},
        {"type": "code", "language": 5, "children": [TEXT]},
        {
            "type": "list",
            "format": "ordered",
            "children": [ITEM, {"type": "list", "format": "unordered", "children": [ITEM]}],
        },
        {"type": "paragraph", "children": [{"type": "link", "url": "mailto:a@b.co", "children": [TEXT]}]},
        {"type": "paragraph", "children": [{"type": "link", "url": "/a", "children": []}]},
    ],
)
def test_valid_nodes_do_not_change(node: dict[str, Any]) -> None:
    assert check_blocks([node], TOP.child("body")) == ([node], ())


def test_values_are_cast() -> None:
    given = [{"type": "heading", "level": "2", "children": [{"type": "text", "text": 5}]}]
    cast, problems = check_blocks(given, TOP.child("body"))
    assert (cast, problems) == ([{"type": "heading", "level": 2, "children": [{"type": "text", "text": "5"}]}], ())


@pytest.mark.parametrize(
    "node, messages",
    [
        ("x", ["Block node is of invalid type"]),
        (None, ["Block node is of invalid type"]),
        ({"type": "list-item", "children": [TEXT]}, ["Block node is of invalid type"]),
        ({"type": "paragraph"}, ["body[0].children is a required field"]),
        (
            {"type": "paragraph", "children": []},
            ["Paragraph node children must have at least one Text or Link node"],
        ),
        (
            {"type": "paragraph", "children": "x"},
            ['body[0].children must be a `array` type, but the final value was: `null` (cast from the value `"x"`).'],
        ),
        ({"type": "quote", "children": [{"type": "x"}]}, ["Inline node must be Text or Link"]),
        ({"type": "quote", "children": [{"type": "text"}]}, ["Text must be defined with at least an empty string"]),
        (
            {"type": "quote", "children": [{"type": "link", "url": "x"}]},
            ["Please specify a valid link.", "body[0].children[0].children is a required field"],
        ),
        (
            {"type": "heading", "level": 9, "children": [TEXT]},
            ["body[0].level must be one of the following values: 1, 2, 3, 4, 5, 6"],
        ),
        (
            {"type": "list", "format": "x", "children": []},
            [
                "body[0].format must be one of the following values: ordered, unordered",
                "List node children must have at least one ListItem or ListNode",
            ],
        ),
    ],
)
def test_invalid_nodes(node: Any, messages: list[str]) -> None:
    assert [problem.message for problem in check_blocks([node], TOP.child("body"))[1]] == messages


def test_nodes_too_deep_are_refused() -> None:
    node: dict[str, Any] = {"type": "list", "format": "ordered", "children": [ITEM]}
    for _ in range(100):
        node = {"type": "list", "format": "ordered", "children": [node]}
    assert [problem.message for problem in check_blocks([node], TOP.child("body"))[1]] == [
        "Inline node must be list-item or list"
    ]
