"""Count the statements of a request: number, duration, and the slowest one."""

from octavo.api.http.request import Request, StatementSummary
from octavo.events.origin import WORK, Origin


def note_statement(text: str, seconds: float) -> None:
    """Count a statement for the current request. Its text does not contain values."""
    work = WORK.get()
    while isinstance(work, Origin) and work.within is not None:
        work = work.within
    if not isinstance(work, Request):
        return
    seen = work.statements
    if seen is None:
        seen = work.statements = StatementSummary()
    seen.number += 1
    seen.seconds += seconds
    if seconds >= seen.longest:
        seen.longest, seen.slowest = seconds, text
