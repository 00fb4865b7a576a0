"""What is known of slow statements: how the database would run them, and what the reads behind them look for. Both
without values, found out in the background, one of them a second."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from time import monotonic
from typing import Any, Final

from octavo.api.http.slow_requests import LONGEST_STATEMENT, SlowRequest
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.query.plan.index_candidates import LookedFor

_MOST_BYTES: Final = 256 * 1024
_MOST_WAITING: Final = 16
_LONGEST_TEXT: Final = 64 * 1024
"""Of a statement that the database is asked about."""
_LONGEST_PLAN: Final = 4000
_FRESH_SECONDS: Final = 60.0
"""After that the database is asked again: there may be another index."""
_READS: Final = ("SELECT", "WITH")


@dataclass(frozen=True, slots=True)
class _Known:
    plan: str
    looked_for: Mapping[str, Any] | None
    at: float

    @property
    def size(self) -> int:
        """Bytes that it takes, at most four for a character; what is looked for takes as much as the statement."""
        return 4 * (len(self.plan) + 2 * LONGEST_STATEMENT)


class SlowStatements:
    """Finds out what is to be known of statements of reads."""

    def __init__(self, database: Callable[[], Database], look_up: Callable[[str], LookedFor | None]) -> None:
        self._database = database
        self._look_up = look_up
        self._waiting: dict[str, LookedFor | None] = {}
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._size = 0

    def note(self, text: str) -> None:
        """A statement was the slowest of a slow request."""
        if len(self._waiting) >= _MOST_WAITING or len(text) > _LONGEST_TEXT or not text.startswith(_READS):
            return
        known = self._known.get(text[:LONGEST_STATEMENT])
        if known is None or monotonic() > known.at + _FRESH_SECONDS:
            self._waiting[text] = self._look_up(text)

    async def look(self) -> None:
        """Find out about one that waits."""
        if not self._waiting:
            return
        text = next(iter(self._waiting))
        found = self._waiting.pop(text)
        try:
            plan = await self._database().plan_of(text)
        except Exception as error:  # a table that is gone, a server that is away: it is only a hint
            plan = f"The database does not tell: {type(error).__name__}"
        self._keep(
            text[:LONGEST_STATEMENT], _Known(plan[:_LONGEST_PLAN], asdict(found) if found else None, monotonic())
        )

    def _keep(self, key: str, known: _Known) -> None:
        before = self._known.pop(key, None)
        self._size += known.size - (before.size if before else 0)
        self._known[key] = known
        while self._size > _MOST_BYTES:
            self._size -= self._known.popitem(last=False)[1].size

    def told(self, one: SlowRequest) -> SlowRequest:
        """A slow request with what is known of its slowest statement."""
        known = self._known.get(one.slowest) if one.slowest else None
        return one if known is None else replace(one, plan=known.plan, looked_for=known.looked_for)
