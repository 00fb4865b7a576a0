"""The last warnings and errors of this process, for people who look at the service: bounded, and without what may be a
secret in an address."""

import logging
from collections import deque
from pathlib import Path
from traceback import extract_tb
from typing import Final

from octavo.core.clock import this_moment
from octavo.core.outage_log import without_secrets
from octavo.core.values import dataclass

_MOST: Final = 100
_MOST_TEXT: Final = 500


@dataclass(frozen=True, slots=True)
class Line:
    """Something that was logged. `at` is milliseconds since 1970; `place` is where an exception came from."""

    at: int
    level: str
    logger: str
    text: str
    place: str | None


class RecentLog(logging.Handler):
    """Remembers what is logged at WARNING and above, the newest of it."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._lines: deque[Line] = deque(maxlen=_MOST)

    def lines(self) -> list[Line]:
        """The newest first."""
        return [*reversed(self._lines)]

    def attach(self) -> None:
        """Remember from now on what any logger says."""
        logging.getLogger().addHandler(self)

    def detach(self) -> None:
        """Remember no more."""
        logging.getLogger().removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Remember a record. Where nobody else handles records, Python's last resort shows it as ever."""
        try:
            text = without_secrets(record.getMessage().partition("\n")[0])[:_MOST_TEXT]
            self._lines.append(Line(this_moment(), record.levelname, record.name, text, _place(record)))
        except Exception:  # whoever logs is never disturbed
            self.handleError(record)
        if logging.lastResort is not None and logging.getLogger().handlers == [self]:
            logging.lastResort.handle(record)


def _place(record: logging.LogRecord) -> str | None:
    """`KeyError at talk.py:17`, of the innermost frame."""
    kind, _, trace = record.exc_info or (None, None, None)
    if kind is None:
        return None
    frame = next(reversed(extract_tb(trace)), None)
    return kind.__name__ if frame is None else f"{kind.__name__} at {Path(frame.filename).name}:{frame.lineno}"
