"""What a step of the drill is, and how steps are collected."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from benchmarks.drill.site import Site


@dataclass(slots=True)
class Outcome:
    """What a step measured. A surprise is a sentence about a difference from what was expected."""

    measured: list[str] = field(default_factory=list)
    surprises: list[str] = field(default_factory=list)

    def expect(self, condition: bool, surprise: str) -> None:
        """Note a surprise if the condition does not hold."""
        if not condition:
            self.surprises.append(surprise)

    def within(self, what: str, seconds: float, limit: float) -> None:
        """Note a duration, and a surprise if it is over the limit."""
        self.measured.append(f"{what} after {seconds:.1f} s")
        self.expect(seconds <= limit, f"{what} after {seconds:.1f} s instead of at most {limit:.0f} s")


Action = Callable[[Site, Outcome], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that goes wrong, or one task of an operator."""

    name: str
    expected: str
    action: Action


class Steps(list[Step]):
    """Steps in their order; `add` is a decorator."""

    def add(self, name: str, expected: str) -> Callable[[Action], Action]:
        """Append the decorated function as a step."""

        def append(action: Action) -> Action:
            self.append(Step(name, expected, action))
            return action

        return append
