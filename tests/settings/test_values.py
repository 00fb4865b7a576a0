"""Types of values, parsed from text and from TOML."""

import pytest

from octavo.settings import values
from octavo.settings.values import Kind


@pytest.mark.parametrize(
    "kind, text, value",
    [
        (values.TEXT, "a b", "a b"),
        (values.FLAG, "Yes", True),
        (values.FLAG, "0", False),
        (values.WHOLE_NUMBER, "-5", -5),
        (values.TEXTS, "a, b,,c ", ("a", "b", "c")),
        (values.TEXTS, '["a, b"]', ("a, b",)),
        (values.SIZE, "10", 10),
        (values.SIZE, "10kb", 10240),
        (values.SIZE, "1 GB", 1024**3),
        (values.DURATION, "90", 90),
        (values.DURATION, "15m", 900),
        (values.DURATION, "2w", 1209600),
        (values.TEXT_TABLE, '{"a": "b"}', {"a": "b"}),
        (values.optional(values.WHOLE_NUMBER), "", None),
        (values.PATH, "/a/b/", "/a/b"),
    ],
)
def test_read_from_text(kind: Kind, text: str, value: object) -> None:
    assert kind.from_text(text) == value


@pytest.mark.parametrize(
    "kind, text",
    [
        (values.FLAG, "maybe"),
        (values.FLAG, ""),
        (values.WHOLE_NUMBER, "1.5"),
        (values.WHOLE_NUMBER, ""),
        (values.TEXTS, "[1]"),
        (values.TEXTS, "[" * 100_000),
        (values.SIZE, "-1"),
        (values.SIZE, "1 parsec"),
        (values.DURATION, "1y"),
        (values.TEXT_TABLE, '{"a": 1}'),
        (values.TEXT_TABLE, "a"),
        (values.PATH, "api"),
        (values.PATH, "/a b"),
        (values.between(values.WHOLE_NUMBER, 1, 3), "4"),
        (values.between(values.WHOLE_NUMBER, 1, None), "0"),
    ],
)
def test_refused_text(kind: Kind, text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the kind itself says what was expected
        kind.from_text(text)


@pytest.mark.parametrize(
    "kind, value",
    [
        (values.TEXT, 1),
        (values.FLAG, 1),
        (values.WHOLE_NUMBER, True),
        (values.WHOLE_NUMBER, 1.0),
        (values.TEXTS, "a"),
        (values.SIZE, True),
        (values.DURATION, "90"),
        (values.NUMBER_TABLE, {"a": "1"}),
        (values.TABLES, {"a": 1}),
        (values.PATH, 1),
    ],
)
def test_refused_toml(kind: Kind, value: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the kind itself says what was expected
        kind.from_toml(value)
