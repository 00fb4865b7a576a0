"""Counters of rare events in this process, which the metrics report.

Each is a constant here, and counts from the start of the process. Known label values begin with 0, so that rates and
alerts work from the first event.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final


class Counter:
    """Counts events by the values of its `labels`. `help` is its description for Prometheus."""

    __slots__ = ("_values", "help", "labels", "name")

    def __init__(self, name: str, text: str, labels: tuple[str, ...], *known: tuple[str, ...]) -> None:
        self.name = name
        self.help = text
        self.labels = labels
        self._values: dict[tuple[str, ...], float] = dict.fromkeys(known, 0)

    def expect(self, *values: str) -> None:
        """Report 0 for these values until the first event."""
        self._values.setdefault(values, 0)

    def add(self, *values: str) -> None:
        """Count an event with these values of the labels."""
        self._values[values] = self._values.get(values, 0) + 1

    def set(self, value: float, *values: str) -> None:
        """Replace a value, for the time of the last event."""
        self._values[values] = value

    @property
    def values(self) -> Mapping[tuple[str, ...], float]:
        """The current values by label values."""
        return MappingProxyType(self._values)


FAILED_SIGN_INS: Final = Counter(
    "octavo_sign_ins_failed_total",
    "Failed sign-ins, and requests with an invalid API token.",
    ("account",),
    ("administrator",),
    ("user",),
    ("api_token",),
)
LIMITED_SIGN_INS: Final = Counter(
    "octavo_sign_ins_limited_total",
    "Sign-in attempts above a rate limit.",
    ("account",),
    ("administrator",),
    ("user",),
)
DELIVERIES: Final = Counter(
    "octavo_outbox_deliveries_total",
    "Attempts to deliver messages of the outbox: jobs, hooks, webhooks.",
    ("topic", "outcome"),
)
JOB_RUNS: Final = Counter("octavo_job_runs_total", "Runs of jobs and scheduled tasks.", ("name", "outcome"))
MAILS: Final = Counter("octavo_mails_total", "Emails.", ("outcome",), ("sent",), ("failed",))

COUNTERS: Final = (FAILED_SIGN_INS, LIMITED_SIGN_INS, DELIVERIES, JOB_RUNS, MAILS)
"""The counters that increase."""

JOB_SUCCESS: Final = Counter(
    "octavo_job_last_success_timestamp_seconds",
    "Time of the last successful run of a job or scheduled task.",
    ("name",),
)
"""A gauge: seconds since 1970."""
