"""Details about slow statements: their query plans, and the conditions of the reads behind them.

Both are without values. They are determined in the background, one statement a second.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from time import monotonic
from typing import Any, Final

from octavo.api.http.slow_requests import LONGEST_STATEMENT, SlowRequest
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.query.plan.index_candidates import IndexableRead

_MOST_BYTES: Final = 256 * 1024
_MOST_WAITING: Final = 16
_LONGEST_TEXT: Final = 64 * 1024
"""Longest statement to request a plan for."""
_LONGEST_PLAN: Final = 4000
_FRESH_SECONDS: Final = 60.0
"""Age after which the plan is requested again, because indexes may have changed."""
_READS: Final = ("SELECT", "WITH")


@dataclass(frozen=True, slots=True)
class _Known:
    plan: str
    looked_for: Mapping[str, Any] | None
    at: float

    @property
    def size(self) -> int:
        """Maximum size in bytes, at four bytes a character. The conditions are as large as the statement."""
        return 4 * (len(self.plan) + 2 * LONGEST_STATEMENT)


class SlowStatements:
    """Determines the details of read statements."""

    def __init__(self, database: Callable[[], Database], look_up: Callable[[str], IndexableRead | None]) -> None:
        self._database = database
        self._look_up = look_up
        self._waiting: dict[str, IndexableRead | None] = {}
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._size = 0

    def note(self, text: str) -> None:
        """Queue the slowest statement of a slow request."""
        if len(self._waiting) >= _MOST_WAITING or len(text) > _LONGEST_TEXT or not text.startswith(_READS):
            return
        known = self._known.get(text[:LONGEST_STATEMENT])
        if known is None or monotonic() > known.at + _FRESH_SECONDS:
            self._waiting[text] = self._look_up(text)

    async def look(self) -> None:
        """Determine the details of one queued statement."""
        if not self._waiting:
            return
        text = next(iter(self._waiting))
        waiting = self._waiting.pop(text)
        try:
            plan = await self._database().plan_of(text)
        except Exception as error:  # for example a deleted table or an outage: the plan is only a hint
            plan = f"The database returned an error: {type(error).__name__}"
        self._keep(
            text[:LONGEST_STATEMENT], _Known(plan[:_LONGEST_PLAN], asdict(waiting) if waiting else None, monotonic())
        )

    def _keep(self, key: str, known: _Known) -> None:
        before = self._known.pop(key, None)
        self._size += known.size - (before.size if before else 0)
        self._known[key] = known
        while self._size > _MOST_BYTES:
            self._size -= self._known.popitem(last=False)[1].size

    def with_statement_details(self, one: SlowRequest) -> SlowRequest:
        """Return a slow request with the details of its slowest statement."""
        known = self._known.get(one.slowest) if one.slowest else None
        return one if known is None else replace(one, plan=known.plan, looked_for=known.looked_for)
