"""Validation: each rule once, with the complete list of problems."""

from typing import Any

import pytest

from octavo.content.validation.body_validator import Validator
from octavo.content.validation.scalar_rules import Mode
from octavo.core.errors import Problem
from octavo.schema.registry import Registry

CREATE, UPDATE, DRAFT = Mode(True, False), Mode(False, False), Mode(True, True)


def problems(registry: Registry, data: dict[str, Any], mode: Mode = CREATE) -> list[tuple[str, str]]:
    outcome = Validator(registry, mode).entry(registry.content_types["api::tool.tool"], data)
    return [(".".join(problem.path), problem.message) for problem in outcome.problems]


@pytest.mark.parametrize(
    "data, message",
    [
        ({"name": "a"}, "name must be at least 2 characters"),
        ({"name": "a" * 21}, "name must be at most 20 characters"),
        ({"name": "😀" * 11}, "name must be at most 20 characters"),
        ({"name": None}, "name must be a `string` type, but the final value was: `null`."),
        ({"name": ["a"]}, 'name must be a `string` type, but the final value was: `[\n  "\\"a\\""\n]`.'),
        ({"name": {"a": 1}}, 'name must be a `string` type, but the final value was: `{\n  "a": "1"\n}`.'),
        ({"code": "a b"}, 'code must match the following: "/^[A-Za-z0-9-_.~]*$/"'),
        ({"serial": "a"}, 'serial must match the following: "/^[A-Z]+-/"'),
        ({"kind": "foot"}, "kind must be one of the following values: hand, power, "),
        ({"kind": 5}, "kind must be one of the following values: hand, power, "),
        ({"contact": "x"}, "contact must be a valid email"),
        ({"contact": ""}, "contact cannot be empty"),
        ({"key": "ab"}, "key must be at least 3 characters"),
        ({"weight": 0.1}, "weight must be greater than or equal to 0.5"),
        ({"weight": 91}, "weight must be less than or equal to 90"),
        (
            {"weight": True},
            "weight must be a `number` type, but the final value was: `NaN` (cast from the value `true`).",
        ),
        (
            {"weight": "x"},
            'weight must be a `number` type, but the final value was: `NaN` (cast from the value `"x"`).',
        ),
        ({"stock": 1.5}, "stock must be an integer"),
        ({"sharp": "f"}, 'sharp must be a `boolean` type, but the final value was: `"f"`.'),
        ({"sharp": 2}, "sharp must be a `boolean` type, but the final value was: `2`."),
        ({"frame": "x"}, 'frame must be a `object` type, but the final value was: `"x"`.'),
        ({"legs": None}, "legs must be a `array` type, but the final value was: `null`."),
        ({"legs": [{"length": 1}] * 4}, "legs field must have less than or equal to 3 items"),
        (
            {"legs": ["x"]},
            'legs[0] must be a `object` type, but the final value was: `null` (cast from the value `"x"`).',
        ),
        ({"legs": [{}]}, "legs[0].length must be defined."),
        ({"frame": {}}, "frame.legs must be defined."),
        ({"frame": {"legs": []}}, "frame.legs field must have at least 1 items"),
        ({"story": [{"__component": "part.leg"}]}, "story[0].length must be defined."),
        ({"story": [{}]}, "story[0].__component is a required field"),
        (
            {"story": [{"__component": "no.such"}]},
            "story[0].__component must be one of the following values: part.leg, part.frame",
        ),
        ({"manual": [{"type": "x"}]}, "Block node is of invalid type"),
    ],
)
def test_a_single_problem(workshop: Registry, data: dict[str, Any], message: str) -> None:
    assert [found for _, found in problems(workshop, {"name": "Saw", **data})] == [message]


@pytest.mark.parametrize("uid", ["part.wheel", "part.nothing"])
def test_zones_can_be_limited_to_listed_components(workshop: Registry, uid: str) -> None:
    data = {"name": "Saw", "story": [{"__component": "part.leg", "length": 1}, {"__component": uid}]}
    outcome = Validator(workshop, CREATE, listed_only=True).entry(workshop.content_types["api::tool.tool"], data)
    message = "story[1].__component must be one of the following values: part.leg, part.frame"
    assert outcome.problems == (Problem(("story", "1", "__component"), message),)


@pytest.mark.parametrize(
    "data",
    [
        {"weight": " 3 ", "stock": "0x10", "sharp": "TRUE", "contact": None, "kind": None},
        {"serial": "", "code": "", "legs": [], "story": [], "frame": None, "manual": {}, "photo": "x", "maker": 99},
    ],
)
def test_valid_bodies(workshop: Registry, data: dict[str, Any]) -> None:
    assert problems(workshop, {"name": "Saw", **data}) == []


def test_missing_values_matter_to_creations_only(workshop: Registry) -> None:
    data: dict[str, Any] = {"frame": {}, "legs": [{}]}
    wanted = [("name", "name must be defined."), ("frame.legs", "frame.legs must be defined.")]
    assert problems(workshop, data) == [*wanted, ("legs.0.length", "legs[0].length must be defined.")]
    assert problems(workshop, data, UPDATE) == []


def test_drafts_need_only_lists_and_limits(workshop: Registry) -> None:
    data = {"name": "a", "stock": 0, "frame": {}, "legs": [{}]}
    assert problems(workshop, data, DRAFT) == [
        ("stock", "stock must be greater than or equal to 1"),
        ("frame.legs", "frame.legs must be defined."),
    ]


def test_values_are_cast(workshop: Registry) -> None:
    data = {"name": "Saw", "weight": "1.5", "stock": 3.0, "sharp": 0, "kind": "hand", "nope": 1, "createdAt": "x"}
    outcome = Validator(workshop, CREATE).entry(workshop.content_types["api::tool.tool"], data)
    assert outcome.value == {"name": "Saw", "weight": 1.5, "stock": 3, "sharp": False, "kind": "hand"}


def test_existing_unique_values_are_reported_last(workshop: Registry) -> None:
    validator = Validator(workshop, CREATE, frozenset({("serial",), ("legs", "0", "label")}))
    data = {"name": 5, "serial": "A-1", "weight": 0, "legs": [{"length": 0, "label": "x"}]}
    outcome = validator.entry(workshop.content_types["api::tool.tool"], data)
    assert [(problem.path, problem.message) for problem in outcome.problems] == [
        (("name",), "name must be a `string` type, but the final value was: `5`."),
        (("serial",), "This attribute must be unique"),
        (("weight",), "weight must be greater than or equal to 0.5"),
        (("legs", "0", "length"), "legs[0].length must be greater than or equal to 1"),
        (("legs", "0", "label"), "This attribute must be unique"),
    ]
