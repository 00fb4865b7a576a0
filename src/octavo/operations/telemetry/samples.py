"""Samples: numbers with names and labels, as Prometheus takes them: how they are counted, joined and written.

The text is the exposition format of Prometheus, version 0.0.4.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

from octavo.core.values import dataclass

Kind: TypeAlias = Literal["counter", "gauge", "histogram"]
Labels: TypeAlias = tuple[tuple[str, str], ...]
Sample: TypeAlias = tuple[str, Labels, float]
"""What is put behind the family's name, the labels, the value."""

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Family:
    """All samples of one name. `joins` is how those of several workers become one; counters and histograms of workers
    that have ended still count."""

    name: str
    kind: Kind
    help: str
    samples: Sequence[Sample]
    joins: Literal["sum", "max"] = "sum"


class Histogram:
    """How often something took so long: `counts` by the `bounds` that it lay below, in seconds, and the sum of all."""

    __slots__ = ("bounds", "counts", "sum")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def add(self, seconds: float) -> None:
        """Count one in."""
        self.counts[bisect_left(self.bounds, seconds)] += 1
        self.sum += seconds

    def add_all(self, times: Iterable[float]) -> None:
        """Count all in, cheaper than one by one."""
        found = sorted(times)
        before = 0
        for place, bound in enumerate(self.bounds):
            until = bisect_right(found, bound, before)
            self.counts[place] += until - before
            before = until
        self.counts[-1] += len(found) - before
        self.sum += sum(found)

    def join(self, other: "Histogram") -> None:
        """Count in all of another one with the same bounds."""
        self.counts = [one + more for one, more in zip(self.counts, other.counts, strict=True)]
        self.sum += other.sum

    def samples(self, labels: Labels = ()) -> list[Sample]:
        """Buckets that hold all below them, sum and count."""
        told: list[Sample] = []
        count = 0
        for bound, number in zip((*map(_number, self.bounds), "+Inf"), self.counts, strict=True):
            count += number
            told.append(("_bucket", (*labels, ("le", bound)), count))
        return [*told, ("_sum", labels, self.sum), ("_count", labels, count)]


def join(workers: Iterable[Iterable[Family]]) -> list[Family]:
    """One family for each name, with what all workers tell."""
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
    """The text of an answer."""
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
