"""Dates, times and timestamps in every format that v4 accepts."""

from datetime import UTC, datetime
from typing import Any

import pytest

from octavo.core.errors import ValidationError
from octavo.query.dates import read_date, read_instant, read_time


@pytest.mark.parametrize(
    "value, expected",
    [
        ("2024-01-01", "2024-01-01T00:00:00.000"),
        ("2024", "2024-01-01T00:00:00.000"),
        ("2024-03", "2024-03-01T00:00:00.000"),
        ("12", "1200-01-01T00:00:00.000"),
        ("20240102T030405Z", "2024-01-02T03:04:05.000"),
        ("2024-W05", "2024-01-29T00:00:00.000"),
        ("2024-W05-3", "2024-01-31T00:00:00.000"),
        ("2024-060", "2024-02-29T00:00:00.000"),
        ("2024-01-01T10", "2024-01-01T10:00:00.000"),
        ("2024-01-01 10:20:30", "2024-01-01T10:20:30.000"),
        ("2024-01-01T10:00:00,5Z", "2024-01-01T10:00:00.500"),
        ("2024-01-01T10:00:00.123456Z", "2024-01-01T10:00:00.123"),
        ("2024-01-01T10:00:00+02:00", "2024-01-01T08:00:00.000"),
        ("2024-01-01T10:00:00-0230", "2024-01-01T12:30:00.000"),
        ("2024-01-01T24:00:00Z", "2024-01-02T00:00:00.000"),
        (1704067200000, "2024-01-01T00:00:00.000"),
        ("1704067200000", "2024-01-01T00:00:00.000"),
        ("-1", "1969-12-31T23:59:59.999"),
        (5.0, "1970-01-01T00:00:00.005"),
    ],
)
def test_instants(value: Any, expected: str) -> None:
    moment = datetime.fromisoformat(expected).replace(tzinfo=UTC)
    assert read_instant(value) == round(moment.timestamp() * 1000)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "nope",
        "2024-02-30T00:00:00Z",
        "2024-13-01",
        "2024/01/05",
        " 2024-01-05",
        "1e3",
        "1.5",
        "2024-01-01T10:00:00z",
        "2024-01-01T25:00",
        "2024-01-01T",
        "2023-366",
        1.5,
        True,
        None,
        [],
        {},
        1e20,
        10**30,
    ],
)
def test_invalid_timestamps(value: Any) -> None:
    with pytest.raises(ValidationError, match="Invalid format, expected a timestamp or an ISO date"):
        read_instant(value)


def test_dates() -> None:
    assert read_date("2024-02-29") == "2024-02-29"
    assert read_date("2024-01-01T23:59:59-05:00") == "2024-01-01"
    assert read_date("0000-01-01") == "0000-01-01"


@pytest.mark.parametrize("value", ["", "2024-1-1", "2024/01/01", "2024-13-01", "2024-01-32", 5, None, []])
def test_invalid_dates(value: Any) -> None:
    with pytest.raises(ValidationError, match="Invalid format, expected yyyy-MM-dd"):
        read_date(value)


@pytest.mark.parametrize("value", ["2024-02-30", "2023-02-29"])
def test_days_that_are_not_in_the_calendar(value: str) -> None:
    with pytest.raises(ValidationError, match="Invalid date"):
        read_date(value)


def test_times() -> None:
    assert read_time("10:00:00") == "10:00:00.000"
    assert read_time("23:59:59.12") == "23:59:59.120"


@pytest.mark.parametrize(
    "value, message",
    [
        ("10:00", "Invalid time format, expected HH:mm:ss.SSS"),
        ("24:00:00", "Invalid time format, expected HH:mm:ss.SSS"),
        ("10:00:00.1234", "Invalid time format, expected HH:mm:ss.SSS"),
        (5, "Expected a string, got a number"),
        (True, "Expected a string, got a boolean"),
        ([], "Expected a string, got a object"),
    ],
)
def test_invalid_times(value: Any, message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        read_time(value)
    assert refused.value.message == message
