"""Prometheus samples: numbers with names and labels, and how they are counted, merged and rendered.

The text is Prometheus's exposition format, version 0.0.4.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

from octavo.core.values import dataclass

Kind: TypeAlias = Literal["counter", "gauge", "histogram"]
Labels: TypeAlias = tuple[tuple[str, str], ...]
Sample: TypeAlias = tuple[str, Labels, float]
"""Suffix of the family's name, labels, value."""

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Family:
    """All samples of one name. `joins` is how to merge those of several workers.

    Counters and histograms of workers that have ended still count.
    """

    name: str
    kind: Kind
    help: str
    samples: Sequence[Sample]
    joins: Literal["sum", "max"] = "sum"


class Histogram:
    """A histogram of durations: `counts` of the buckets with these upper `bounds` in seconds, and the sum."""

    __slots__ = ("bounds", "counts", "sum")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def add(self, seconds: float) -> None:
        """Count a duration."""
        self.counts[bisect_left(self.bounds, seconds)] += 1
        self.sum += seconds

    def add_all(self, times: Iterable[float]) -> None:
        """Count several durations, faster than one by one."""
        ordered = sorted(times)
        before = 0
        for place, bound in enumerate(self.bounds):
            until = bisect_right(ordered, bound, before)
            self.counts[place] += until - before
            before = until
        self.counts[-1] += len(ordered) - before
        self.sum += sum(ordered)

    def join(self, other: "Histogram") -> None:
        """Add another histogram with the same bounds."""
        self.counts = [one + more for one, more in zip(self.counts, other.counts, strict=True)]
        self.sum += other.sum

    def samples(self, labels: Labels = ()) -> list[Sample]:
        """Return the samples of cumulative buckets, sum and count."""
        samples: list[Sample] = []
        count = 0
        for bound, number in zip((*map(_number, self.bounds), "+Inf"), self.counts, strict=True):
            count += number
            samples.append(("_bucket", (*labels, ("le", bound)), count))
        return [*samples, ("_sum", labels, self.sum), ("_count", labels, count)]


def join(workers: Iterable[Iterable[Family]]) -> list[Family]:
    """Merge the metrics of all workers by name."""
    found: dict[str, Family] = {}
    values: dict[str, dict[tuple[str, Labels], float]] = {}
    for families in workers:
        for family in families:
            found.setdefault(family.name, family)
            joined = values.setdefault(family.name, {})
            for suffix, labels, value in family.samples:
                key = suffix, labels
                before = joined.get(key)
                if before is None:
                    joined[key] = value
                else:
                    joined[key] = max(before, value) if family.joins == "max" else before + value
    return [
        Family(one.name, one.kind, one.help, [(*key, value) for key, value in values[name].items()], one.joins)
        for name, one in found.items()
    ]


def render(families: Iterable[Family]) -> bytes:
    """Return the text of the response."""
    lines: list[str] = []
    for family in families:
        lines += (f"# HELP {family.name} {family.help}", f"# TYPE {family.name} {family.kind}")
        lines += (f"{family.name}{suffix}{_labels(labels)} {_number(v)}" for suffix, labels, v in family.samples)
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _labels(labels: Labels) -> str:
    return "{" + ",".join(f'{name}="{_escape(value)}"' for name, value in labels) + "}" if labels else ""


def _escape(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
