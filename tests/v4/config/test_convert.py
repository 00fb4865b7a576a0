"""Conversion of values as in v4."""

from typing import Any

import pytest

from octavo.v4.config import convert


@pytest.mark.parametrize(
    "converter, value, expected",
    [
        (convert.text, "a", "a"),
        (convert.text, 7, "7"),
        (convert.flag, "false", True),
        (convert.flag, "", False),
        (convert.flag, 0, False),
        (convert.whole, "1337", 1337),
        (convert.whole, 5.0, 5),
        (convert.limit, None, -1),
        (convert.limit, 0, -1),
        (convert.limit, "100", 100),
        (convert.bound_or(1000), -1, 1000),
        (convert.bound_or(1000), 7, 7),
        (convert.size, "256mb", 256 << 20),
        (convert.size, "1.5 KB", 1536),
        (convert.size, "100", 100),
        (convert.size, 209715200, 209715200),
        (convert.lifetime, "7d", 604_800),
        (convert.lifetime, "2 days", 172_800),
        (convert.lifetime, "1.5h", 5400),
        (convert.lifetime, "1y", 31_557_600),
        (convert.lifetime, "120000", 120),
        (convert.lifetime, 3600, 3600),
        (convert.interval, {"min": 5}, 300),
        (convert.interval, {"hour": 1, "sec": 30}, 3630),
        (convert.interval, 60_000, 60),
        (convert.milliseconds, 90_000, 90),
        (convert.texts, "a, b,", ["a", "b"]),
        (convert.texts, ["a", None], ["a"]),
        (convert.path, "api/", "/api"),
        (convert.path, "/", ""),
    ],
)
def test_values_are_read_as_v4_reads_them(converter: convert.Converter, value: Any, expected: Any) -> None:
    assert converter(value) == expected


@pytest.mark.parametrize(
    "converter, value",
    [
        (convert.text, True),
        (convert.text, ["a"]),
        (convert.flag, {}),
        (convert.whole, "many"),
        (convert.whole, True),
        (convert.whole, 1.5),
        (convert.whole, float("inf")),
        (convert.whole, "9" * 5000),
        (convert.size, "large"),
        (convert.size, -1),
        (convert.lifetime, "soon"),
        (convert.lifetime, "9" * 5000 + "d"),
        (convert.lifetime, 0),
        (convert.interval, {"fortnight": 1}),
        (convert.interval, {}),
        (convert.texts, ["a", 1]),
        (convert.texts, 1),
    ],
)
def test_other_values_are_refused(converter: convert.Converter, value: Any) -> None:
    with pytest.raises(ValueError, match=r"[a-z]"):
        converter(value)
