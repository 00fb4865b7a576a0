"""Cron expressions of five and six fields, in time zones."""

from datetime import UTC, datetime

import pytest

from octavo.events.jobs.schedule import InvalidSchedule, Schedule


def moment(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    "rule, zone, after, found",
    [
        ("0 3 * * *", "UTC", "2024-05-01T03:00:00", "2024-05-02T03:00:00"),
        ("0 3 * * *", "Europe/Berlin", "2024-03-30T12:00:00", "2024-03-31T01:00:00"),  # daylight saving time has begun
        ("0 0 1 * * 1", "UTC", "2024-05-01T00:00:00", "2024-05-06T01:00:00"),
        ("*/10 * * * * *", "UTC", "2024-05-01T00:00:01", "2024-05-01T00:00:10"),
        ("0  9   * * mon-fri", "UTC", "2024-05-03T10:00:00", "2024-05-06T09:00:00"),
        ("0 0 * * 7", "UTC", "2024-05-01T00:00:00", "2024-05-05T00:00:00"),
    ],
)
def test_the_next_occurrence(rule: str, zone: str, after: str, found: str) -> None:
    schedule = Schedule(rule, zone)
    occurrence = schedule.next_after(moment(after))
    assert occurrence == moment(found)
    assert schedule.latest(occurrence) == occurrence
    assert (schedule.latest(occurrence - 1) or 0) <= moment(after)


@pytest.mark.parametrize(
    "rule, zone, message",
    [
        ("every day", "UTC", "is not a cron expression"),
        ("61 * * * *", "UTC", "Bad minute"),
        ("0 0 31 2 *", "UTC", "Bad day-of-month"),
        ("* * * * *", "Berlin", "unknown time zone 'Berlin'"),
        ("* * * * *", "../etc/passwd", "unknown time zone"),
        ("*" * 300, "UTC", "at most 200"),
    ],
)
def test_invalid_cron_expressions(rule: str, zone: str, message: str) -> None:
    with pytest.raises(InvalidSchedule, match=message):
        Schedule(rule, zone)
