"""Log outages and other repeated events: the first of a kind at once, later ones are counted until the next line.

Clients do not see the reason. A line contains the message of the driver or the operating system, on one line, without
anything that may be secret: the user info and the query of URLs.
"""

import errno
import logging
import re
from collections.abc import Hashable, Iterator
from math import inf
from typing import Final

from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.errors import ServiceUnavailable, TablesChanged
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


logger = logging.getLogger(__name__)

_MOST_TEXT: Final = 300
_DEEPEST: Final = 10
_SECRETS: Final = re.compile(r"(?<=://)[^/@\s]*@|\?\S+")
_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


def outage_behind(error: BaseException) -> ServiceUnavailable | None:
    """Return the ServiceUnavailable for an error caused by a full disk or by unexpected tables, or None for any other
    error."""
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        outage = ServiceUnavailable(reason="a file cannot be written")
    elif isinstance(error, TablesChanged):
        outage = ServiceUnavailable(reason="the tables changed since this process started")
    else:
        return None
    outage.__cause__ = error
    return outage


def reason_of(error: BaseException) -> str:
    """Return the reason on one line: Octavo's note, and the message of the driver or the operating system."""
    behind = list(_behind(error))
    noted = _noted(behind)
    cause = next((one for one in behind if not isinstance(one, ServiceUnavailable) and str(one)), error)
    said = "" if noted and cause is error else f"{type(cause).__name__}: {str(cause).strip().partition(chr(10))[0]}"
    return without_secrets(": ".join(filter(None, (noted, said))))[:_MOST_TEXT]


def without_secrets(text: str) -> str:
    """Return a text without the user info and the query of URLs."""
    return _SECRETS.sub("...", text)


def _noted(behind: list[BaseException]) -> str:
    return next((one.reason for one in behind if isinstance(one, ServiceUnavailable) and one.reason), "")


def _behind(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and its explicit causes."""
    current: BaseException | None = error
    for _ in range(_DEEPEST):
        if current is None:
            return
        yield current
        current = current.__cause__


class OutageLog:
    """Logs outages, each kind at most once a second. Those in between are counted, and reported with the next line."""

    def __init__(self, clock: Clock = SYSTEM_CLOCK) -> None:
        self._folding = LogFolding(clock)

    def report(self, error: ServiceUnavailable) -> None:
        """Log why a request gets a 503 response."""
        if not error.is_outage:
            return
        behind = list(_behind(error))
        kind = (error.message, _noted(behind), *(type(one).__name__ for one in behind))
        addition = self._folding.addition(kind)
        if addition is not None:
            logger.error("503 %s: %s%s", error.message, reason_of(error), addition)


report_outage: Final = OutageLog().report
"""Logs outages of this process."""
