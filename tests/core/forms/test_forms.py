"""Forms: messages, paths and their order, as in v4's responses."""

from collections.abc import Iterator
from typing import Any

import pytest

from octavo.core.errors import Problem, ValidationError
from octavo.core.forms import (
    DEFINED,
    EMAIL,
    INTEGER,
    LOWERCASE,
    REQUIRED,
    TRIMMED,
    Anything,
    Choice,
    Flag,
    Id,
    Items,
    Number,
    Place,
    Record,
    Shape,
    Text,
    at_least,
    at_most,
    check,
    matches,
    problems_in,
    required,
    rule,
)

PASSWORD = Text(
    at_least(8),
    matches("[a-z]", "{path} must contain at least one lowercase character"),
    matches("[A-Z]", "{path} must contain at least one uppercase character"),
    REQUIRED,
)


def messages_of(shape: Shape, value: Any) -> list[str]:
    return [problem.message for problem in problems_in(shape, value)]


def in_x(shape: Shape, value: Any) -> list[str]:
    """Return the problems of `x` in a body."""
    return messages_of(Record({"x": shape}), {"x": value})


@pytest.mark.parametrize(
    "shape, value, expected",
    [
        (Text(), None, ["x must be a `string` type, but the final value was: `null`."]),
        (Text(REQUIRED), 5, ["x must be a `string` type, but the final value was: `5`."]),
        (Text(at_least(1), REQUIRED), "", ["x must be at least 1 characters", "x is a required field"]),
        (Text(nullable=True), None, []),
        (Text(REQUIRED, nullable=True), None, ["x is a required field"]),
        (Text(at_most(2)), "\N{GRINNING FACE}a", ["x must be at most 2 characters"]),
        (Text(EMAIL), "x", ["x must be a valid email"]),
        (Text(EMAIL), "A@B.example", []),
        (Text(EMAIL, REQUIRED), "", ["x is a required field"]),
        (Text(LOWERCASE, TRIMMED), "A ", ["x must be a lowercase string", "x must be a trimmed string"]),
        (Text(matches("^[a-z]+$")), "A", ['x must match the following: "/^[a-z]+$/"']),
        (Text(matches("^a$", or_empty=True)), "", []),
        (Text(), "\0", ["x must not contain NUL characters or halves of surrogate pairs"]),
        (Text(one_of=("a", "b")), "c", ["x must be one of the following values: a, b"]),
        (Text(required("x.required")), "", ["x.required"]),
        (Number(), True, ["x must be a `number` type, but the final value was: `true`."]),
        (Number(INTEGER, at_least(1)), 0.5, ["x must be an integer", "x must be greater than or equal to 1"]),
        (Number(at_most(100)), 101, ["x must be less than or equal to 100"]),
        (Number(one_of=(1,)), 1.0, []),
        (Flag(), "yes", ['x must be a `boolean` type, but the final value was: `"yes"`.']),
        (Flag(one_of=(True,)), False, ["x must be one of the following values: true"]),
        (Anything(), None, ["x must be a `mixed` type, but the final value was: `null`."]),
        (Anything(DEFINED, nullable=True), None, []),
        (Items(Text()), {}, ["x must be a `array` type, but the final value was: `{}`."]),
        (Items(None, at_least(1)), [], ["x field must have at least 1 items"]),
        (Items(None, at_most(1)), [1, 2], ["x field must have less than or equal to 1 items"]),
        (Items(nullable=True), None, []),
        (Items(Id()), ["1", 2, -1], ["x[2] must be a `strapiID` type, but the final value was: `-1`."]),
        (Record({}), ["x"], ['x must be a `object` type, but the final value was: `[\n  "\\"x\\""\n]`.']),
        (Record({}, nullable=True), None, []),
    ],
)
def test_values(shape: Shape, value: Any, expected: list[str]) -> None:
    assert in_x(shape, value) == expected


def test_values_of_the_wrong_type_are_still_checked_against_allowed_values() -> None:
    shape = Number(INTEGER, nullable=True, one_of=(None, 604_800_000))
    assert in_x(shape, "x") == [
        'x must be a `number` type, but the final value was: `"x"`.',
        "x must be one of the following values: , 604800000",
    ]


def test_only_required_members_can_be_missing() -> None:
    shapes = {
        "a": Text(EMAIL, at_least(1), one_of=("q",)),
        "b": Items(Text(), at_least(1)),
        "c": Record({"d": PASSWORD}),
    }
    assert messages_of(Record(shapes), {}) == []
    assert messages_of(Record({"a": Text(DEFINED), "b": Items(None, REQUIRED), "c": Record({}, REQUIRED)}), {}) == [
        "a must be defined",
        "b is a required field",
        "c is a required field",
    ]


def test_problems_of_members_are_ordered_and_come_first() -> None:
    form = Record({"b": Text(REQUIRED), "a": Record({"password": PASSWORD}, closed=True)}, closed=True)
    with pytest.raises(ValidationError) as caught:
        check(form, {"z": 1, "a": {"password": "short", "y": 1}, "w": 2})
    assert caught.value.message == "5 errors occurred"
    assert caught.value.details is not None
    assert [(one["path"], one["message"]) for one in caught.value.details["errors"]] == [
        (["b"], "b is a required field"),
        (["a", "password"], "a.password must be at least 8 characters"),
        (["a", "password"], "a.password must contain at least one uppercase character"),
        (["a"], "a field has unspecified keys: y"),
        ([], "this field has unspecified keys: z, w"),
    ]


def test_one_problem_is_the_message() -> None:
    with pytest.raises(ValidationError) as caught:
        check(Record({"list": Items(Record({"name": Text(REQUIRED)}))}), {"list": [{"name": "a"}, {}]})
    assert caught.value.message == "list[1].name is a required field"
    assert caught.value.details == {
        "errors": [
            {"path": ["list", "1", "name"], "message": "list[1].name is a required field", "name": "ValidationError"}
        ]
    }


def test_a_body_that_is_no_object() -> None:
    assert messages_of(Record({}), None) == ["this must be a `object` type, but the final value was: `null`."]


def test_names_with_dots_are_one_step() -> None:
    (problem,) = problems_in(Record({"a.b": Record({"c": Text(REQUIRED)})}), {"a.b": {}})
    assert problem == Problem(("a.b", "c"), '["a.b"].c is a required field')


def test_custom_rules_can_report_other_paths() -> None:
    def differ(value: Any, place: Place) -> Iterator[Problem]:
        if value["a"] == value["b"]:
            yield place.member("b").problem("b is the same as a")

    not_empty = rule("{path} is empty", bool)
    assert problems_in(Record({}, differ, not_empty), {"a": 1, "b": 1}) == [Problem(("b",), "b is the same as a")]
    assert messages_of(Record({}, not_empty), {}) == ["this is empty"]


def test_a_shape_may_depend_on_the_value() -> None:
    form = Choice(lambda value: Record({"n": Number()}) if isinstance(value, dict) else Text())
    assert messages_of(form, {"n": "1"}) == ['n must be a `number` type, but the final value was: `"1"`.']
    assert messages_of(form, 1) == ["this must be a `string` type, but the final value was: `1`."]


def test_the_number_of_problems_is_bounded() -> None:
    many = Record({"x": Items(Text(REQUIRED)), "y": Items(Text(REQUIRED))})
    assert len(problems_in(many, {"x": [""] * 10_000, "y": [""] * 10_000})) == 250
