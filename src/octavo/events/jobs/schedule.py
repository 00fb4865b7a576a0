"""Schedules: cron expressions with five or six fields, the first of six being seconds, in a time zone."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property

LONGEST = 200
"""Maximum characters of an expression."""


class InvalidSchedule(ValueError):
    """The expression or time zone is invalid."""


class Schedule:
    """The times of a schedule, in milliseconds since 1970. Raises InvalidSchedule."""

    def __init__(self, rule: str, zone: str = "UTC") -> None:
        self.rule = rule
        self.zone = zone
        if len(rule) > LONGEST:
            raise InvalidSchedule(f"a cron expression can have at most {LONGEST} characters")
        self._simulate(datetime.now(UTC), backwards=False)

    def next_after(self, moment: int) -> int | None:
        """Return the first occurrence after a time, or None if there is none."""
        return self._first(_read(moment), backwards=False)

    def latest(self, moment: int) -> int | None:
        """Return the last occurrence up to a time, or None if there was none."""
        return self._first(_read(moment) + timedelta(milliseconds=1), backwards=True)

    def _first(self, begin: datetime, *, backwards: bool) -> int | None:
        first = next(self._simulate(begin, backwards=backwards), None)
        return None if first is None else int(first.timestamp() * 1000)

    def _simulate(self, begin: datetime, *, backwards: bool) -> Iterator[datetime]:
        from cronsim import CronSim, CronSimError

        try:
            return CronSim(" ".join(self.rule.split()), begin.astimezone(self._zone), reverse=backwards)
        except CronSimError as error:
            raise InvalidSchedule(f"{self.rule!r} is not a cron expression: {error}") from None

    @cached_property
    def _zone(self) -> tzinfo:
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

        try:
            return ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise InvalidSchedule(f"unknown time zone {self.zone!r}; use a name such as Europe/Berlin") from None


def _read(moment: int) -> datetime:
    return datetime.fromtimestamp(moment / 1000, UTC)
