"""What statements a request has taken so far: how many, how long, and the slowest."""

from octavo.api.http.request import Request, StatementsSeen
from octavo.events.origin import WORK, Origin


def note_statement(text: str, seconds: float) -> None:
    """Count a statement for the request that is worked on; values are not part of a statement's text."""
    work = WORK.get()
    while isinstance(work, Origin) and work.within is not None:
        work = work.within
    if not isinstance(work, Request):
        return
    seen = work.statements
    if seen is None:
        seen = work.statements = StatementsSeen()
    seen.number += 1
    seen.seconds += seconds
    if seconds >= seen.longest:
        seen.longest, seen.slowest = seconds, text
