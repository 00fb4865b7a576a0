"""The latest warnings and errors of this process, for administrators: limited in number, without secrets in URLs."""

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
    """A log record. `at` is milliseconds since 1970; `place` is the origin of its exception."""

    at: int
    level: str
    logger: str
    text: str
    place: str | None


class RecentLog(logging.Handler):
    """Stores the latest records of level WARNING and above."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._lines: deque[Line] = deque(maxlen=_MOST)

    def lines(self) -> list[Line]:
        """Return the records, the latest first."""
        return [*reversed(self._lines)]

    def attach(self) -> None:
        """Start storing the records of all loggers."""
        logging.getLogger().addHandler(self)

    def detach(self) -> None:
        """Stop storing records."""
        logging.getLogger().removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Store a record. If there is no other handler, Python's last resort prints it as usual."""
        try:
            text = without_secrets(record.getMessage().partition("\n")[0])[:_MOST_TEXT]
            self._lines.append(Line(this_moment(), record.levelname, record.name, text, _place(record)))
        except Exception:  # logging must never raise an error
            self.handleError(record)
        if logging.lastResort is not None and logging.getLogger().handlers == [self]:
            logging.lastResort.handle(record)


def _place(record: logging.LogRecord) -> str | None:
    """Return the innermost frame of the exception: `KeyError at talk.py:17`."""
    kind, _, trace = record.exc_info or (None, None, None)
    if kind is None:
        return None
    frame = next(reversed(extract_tb(trace)), None)
    return kind.__name__ if frame is None else f"{kind.__name__} at {Path(frame.filename).name}:{frame.lineno}"
