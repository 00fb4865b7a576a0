"""Fold repeated log lines: the first of a kind is logged at once, later ones are counted until the next line."""

from collections.abc import Hashable
from math import inf
from typing import Final

from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.plurals import counted
from octavo.core.values import dataclass

_MOST_KINDS: Final = 100


@dataclass(slots=True)
class _Logged:
    """When a kind was last logged, and how often it has occurred since."""

    at: float
    since: int = 0


class LogFolding:
    """Allows a line of each kind once in `quiet` seconds, and at most `most` lines of all kinds in that time."""

    def __init__(self, clock: Clock = SYSTEM_CLOCK, quiet: float = 1.0, most: float = inf) -> None:
        self._clock = clock
        self._quiet = quiet
        self._most = most
        self._logged: dict[Hashable, _Logged] = {}
        self._began, self._lines, self._left_out = -inf, 0, 0

    def addition(self, kind: Hashable) -> str | None:
        """Count an occurrence. Return the text to add to its line, or None if it must not be logged now."""
        now, last = self._clock.steady(), self._logged.get(kind)
        if last is not None and now - last.at < self._quiet:
            last.since += 1
            return None
        if now - self._began >= self._quiet:
            self._began, self._lines = now, 0
        if self._lines >= self._most:
            self._left_out += 1
            return None
        self._lines += 1
        if len(self._logged) >= _MOST_KINDS:
            self._logged.clear()
        self._logged[kind] = _Logged(now)
        return self._text(last, now)

    def _text(self, last: _Logged | None, now: float) -> str:
        others, self._left_out = self._left_out, 0
        texts = []
        if last is not None and last.since:
            texts.append(f"{counted(last.since, 'time more', 'times more')} in {now - last.at:.0f} s")
        if others:
            texts.append(f"{counted(others, 'other line', 'other lines')} left out")
        return f" (and {', '.join(texts)})" if texts else ""
