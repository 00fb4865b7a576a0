"""The results of a comparison: counts, times, and differences grouped by cause."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field
from random import Random
from statistics import median, quantiles
from typing import Any, Final

from octavo.core.values import dataclass

_LARGEST_SAMPLE: Final = 20_000
_MOST_EXAMPLES: Final = 3
_MOST_GROUPS: Final = 1_000
_MOST_ROUTES: Final = 20
_FIRST_ERROR: Final = 400
_OTHERS: Final = "other differences"


@dataclass(frozen=True, slots=True)
class Found:
    """A difference without secrets. `reason` is the name of the documented reason, or empty."""

    kind: str
    shape: str
    place: str
    old: str
    new: str
    cause: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one request for one role. `state` is `equal`, `different`, `unstable` or `failed`.

    `status` is that of the first service's response.
    """

    key: str
    role: str
    method: str
    target: str
    route: str
    state: str
    old_ms: float = 0.0
    new_ms: float = 0.0
    failure: str = ""
    source: str = ""
    body: str = ""
    status: int = 0
    differences: tuple[Found, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the outcome for the progress file."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {
            **values,
            "differences": [{name: getattr(one, name) for name in one.__slots__} for one in self.differences],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Outcome":
        """Return an outcome of the progress file. Raises TypeError, KeyError."""
        differences = tuple(Found(**one) for one in value["differences"])
        return cls(**{**value, "differences": differences})


class Sample:
    """A random sample of numbers. It contains all of them up to `_LARGEST_SAMPLE`."""

    def __init__(self) -> None:
        self.values: list[float] = []
        self._seen, self._random = 0, Random(0)  # noqa: S311

    def add(self, value: float) -> None:
        """Add a number; once the sample is full, replace another one with equal probability for all numbers."""
        self._seen += 1
        if len(self.values) < _LARGEST_SAMPLE:
            self.values.append(value)
        elif (place := self._random.randrange(self._seen)) < _LARGEST_SAMPLE:
            self.values[place] = value


@dataclass(slots=True)
class Group:
    """Differences with one cause. `examples` are the first ones, each with its request."""

    cause: str
    kind: str
    shape: str
    reason: str
    differences: int = 0
    requests: int = 0
    routes: set[str] = field(default_factory=set)
    examples: list[dict[str, str]] = field(default_factory=list)
    _last: Outcome | None = None

    def add(self, outcome: Outcome, found: Found) -> None:
        self.differences += 1
        if outcome is not self._last:  # all differences of an outcome are added together
            self._last = outcome
            self.requests += 1
        if len(self.routes) < _MOST_ROUTES:
            self.routes.add(outcome.route)
        if len(self.examples) < _MOST_EXAMPLES and outcome.target not in {one["target"] for one in self.examples}:
            names = ("role", "method", "target", "body", "source")
            example = {name: getattr(outcome, name) for name in names}
            self.examples.append({**example, "path": found.place, "old": found.old, "new": found.new})

    def as_json(self) -> dict[str, Any]:
        names = ("cause", "kind", "shape", "reason", "differences", "requests", "examples")
        values = {name: getattr(self, name) for name in names}
        return {**values, "routes": sorted(self.routes)}


@dataclass(slots=True)
class Results:
    """All results. `skipped` counts requests that were not sent, by reason. `unread` are parts of a front end's source
    that were not understood. `errors` counts equal errors of both services, by status, each with an example."""

    old: str
    new: str
    skipped: Counter[str] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    unstable: list[str] = field(default_factory=list)
    groups: dict[tuple[str, ...], Group] = field(default_factory=dict)
    old_ms: Sample = field(default_factory=Sample)
    new_ms: Sample = field(default_factory=Sample)
    unexplained_requests: int = 0
    unread: list[str] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    error_examples: dict[str, str] = field(default_factory=dict)

    def add(self, outcome: Outcome) -> None:
        """Add the result of one request."""
        self.states[outcome.state] += 1
        if outcome.state == "failed":
            self.failures[outcome.failure] += 1
            return
        self.old_ms.add(outcome.old_ms)
        self.new_ms.add(outcome.new_ms)
        if outcome.state == "unstable" and len(self.unstable) < _MOST_ROUTES:
            self.unstable.append(f"{outcome.method} {outcome.target}")
        if outcome.state == "equal" and outcome.status >= _FIRST_ERROR:
            status = f"status {outcome.status}"
            self.errors[status] += 1
            source = f" ({outcome.source})" if outcome.source else ""
            self.error_examples.setdefault(status, f"{outcome.method} {outcome.target}{source}")
        self.unexplained_requests += any(not difference.reason for difference in outcome.differences)
        for difference in outcome.differences:
            self._group_of(outcome, difference).add(outcome, difference)

    def _group_of(self, outcome: Outcome, found: Found) -> Group:
        key = (found.reason, found.cause) if found.reason else ("", found.cause, found.shape, outcome.route)
        if key not in self.groups and len(self.groups) >= _MOST_GROUPS:
            key, found = ("", _OTHERS), Found("other", "", "", "", "", _OTHERS)
        return self.groups.setdefault(key, Group(found.cause, found.kind, found.shape, found.reason))

    @property
    def compared(self) -> int:
        """The number of requests that both services responded to."""
        return self.states.total() - self.states["failed"]

    @property
    def unexplained(self) -> list[Group]:
        """The groups without a documented reason, the largest first."""
        return _largest_first(group for group in self.groups.values() if not group.reason)

    @property
    def explained(self) -> list[Group]:
        return _largest_first(group for group in self.groups.values() if group.reason)

    def as_json(self) -> dict[str, Any]:
        """Return the report."""
        return {
            "old": self.old,
            "new": self.new,
            "compared": self.compared,
            "equal": self.states["equal"],
            "different": self.states["different"],
            "unexplainedRequests": self.unexplained_requests,
            "unstable": {"requests": self.states["unstable"], "examples": self.unstable},
            "failed": dict(self.failures),
            "skipped": dict(self.skipped),
            "unread": self.unread,
            "errors": {
                name: {"requests": count, "example": self.error_examples[name]} for name, count in self.errors.items()
            },
            "times": {"old": times_of(self.old_ms), "new": times_of(self.new_ms)},
            "unexplained": [group.as_json() for group in self.unexplained],
            "explained": [group.as_json() for group in self.explained],
        }


def _largest_first(groups: Iterable[Group]) -> list[Group]:
    return sorted(groups, key=lambda group: (-group.requests, group.cause, group.shape))


def times_of(sample: Sample) -> dict[str, float]:
    """Return the median and the 95th percentile of times in milliseconds."""
    values = sample.values
    if len(values) < 2:
        return {"median": round(sum(values), 1), "p95": round(sum(values), 1)}
    return {"median": round(median(values), 1), "p95": round(quantiles(values, n=20, method="inclusive")[-1], 1)}
