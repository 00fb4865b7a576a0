"""Column values: pairs of checked and stored values."""

from typing import Any

import pytest

from octavo.access.authentication.passwords import HashedPassword
from octavo.content.input.column_values import store
from octavo.content.input_path import TOP
from octavo.core.errors import ValidationError
from octavo.schema.attributes import Scalar
from tests.dialects import DIALECTS

TRAIL = TOP.child("parts").item(0).child("it")
BOTH = ("sqlite", "postgresql")


def stored(kind: str, value: Any, dialect: str) -> Any:
    return store(Scalar(name="it", type=kind), value, TRAIL, DIALECTS[dialect])


def refusal(kind: str, value: Any, dialect: str) -> tuple[tuple[str, ...], str]:
    with pytest.raises(ValidationError) as caught:
        stored(kind, value, dialect)
    assert caught.value.details is not None
    (problem,) = caught.value.details["errors"]
    return tuple(problem["path"]), problem["message"]


@pytest.mark.parametrize("dialect", BOTH)
@pytest.mark.parametrize(
    "kind, value, result",
    [
        ("string", None, None),
        ("string", "a text", "a text"),
        ("text", "x" * 300, "x" * 300),
        ("integer", -7, -7),
        ("biginteger", 2**53 + 1, 2**53 + 1),
        ("biginteger", " 9007199254740993 ", 2**53 + 1),
        ("biginteger", "+5", 5),
        ("biginteger", 4.0, 4),
        ("float", 1.5, 1.5),
        ("decimal", 12.25, 12.25),
        ("boolean", False, False),
        ("date", "2024-02-29", "2024-02-29"),
        ("date", "2024-02-29T23:59:59Z", "2024-02-29"),
        ("time", "10:20:30", "10:20:30.000"),
        ("datetime", "1970-01-01T00:00:01Z", 1000),
        ("datetime", "1970-01-01T01:00:00.5+01:00", 500),
        ("timestamp", "1970-01-01T00:00:02Z", 2000),
        ("json", {"a": [1, None, "ä"]}, '{"a":[1,null,"ä"]}'),
        ("json", "text", '"text"'),
        ("password", HashedPassword.of("secret", "the hash"), "the hash"),
    ],
)
def test_values_stored_by_every_database(dialect: str, kind: str, value: Any, result: Any) -> None:
    found = stored(kind, value, dialect)
    assert (found, type(found)) == (result, type(result))


@pytest.mark.parametrize(
    "kind, value, result, message",
    [
        ("string", "x" * 256, "x" * 256, "parts[0].it must be at most 255 characters"),
        ("integer", 2**31, 2**31, f"parts[0].it must be an integer from {-(2**31)} to {2**31 - 1}"),
        ("decimal", 10**8, 10**8, "parts[0].it must be less than 100000000"),
        ("json", {"a": "\0"}, '{"a":"\\u0000"}', "parts[0].it must not contain NUL characters"),
    ],
)
def test_values_refused_only_by_postgresql(kind: str, value: Any, result: Any, message: str) -> None:
    assert stored(kind, value, "sqlite") == result
    path, refused = refusal(kind, value, "postgresql")
    assert path == TRAIL.path
    assert refused.startswith(message)


NO_BIG_INTEGERS: list[Any] = [
    [1],
    {},
    "many",
    "12a",
    "",
    " ",
    1.5,
    "1.5",
    "0x1F",
    "NaN",
    "1e400",
    "1e3",
    "--1",
    "٣",
    "9" * 101,
]


@pytest.mark.parametrize("dialect", BOTH)
@pytest.mark.parametrize(
    "kind, value, message",
    [
        ("biginteger", 2**63, f"parts[0].it must be an integer from {-(2**63)} to {2**63 - 1}"),
        ("biginteger", str(-(2**63) - 1), f"parts[0].it must be an integer from {-(2**63)} to {2**63 - 1}"),
        *(("biginteger", value, "parts[0].it must be a `biginteger` type") for value in NO_BIG_INTEGERS),
        ("biginteger", "9" * 100, "parts[0].it must be an integer from"),
        ("date", "0000-01-01", "parts[0].it must be after the year 0"),
        ("biginteger", True, "parts[0].it must be a `biginteger` type"),
        ("json", {"a": {1, 2}}, "parts[0].it must be JSON"),
    ],
)
def test_values_refused_for_every_database(dialect: str, kind: str, value: Any, message: str) -> None:
    path, refused = refusal(kind, value, dialect)
    assert path == TRAIL.path
    assert refused.startswith(message)
