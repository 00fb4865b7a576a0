"""Publication: for whom an entry is there, and how that changes."""

from datetime import UTC, datetime
from typing import Any, Final

from octavo.database.change_feed import ChangeKind, Presence
from octavo.query.plan.present_state import FactRow

_PRESENCES: Final = (Presence.DRAFT, Presence.LIVE, Presence.DRAFT)
_LATER: Final = 2
"""What is told of an entry (`EntryFact`): the last one is to be published later."""


def presence_of(entry: FactRow | None) -> Presence:
    """For whom an entry is there, by what was found."""
    return Presence.ABSENT if entry is None else _PRESENCES[entry.owner or 0]


def stored_moment(stored: Any) -> int:
    """A time as it is stored, in milliseconds since 1970."""
    if isinstance(stored, str):
        return round(datetime.fromisoformat(stored).replace(tzinfo=UTC).timestamp() * 1000)
    return int(stored)


def kind_of_update(was: Presence, became: Presence) -> ChangeKind:
    """How an entry changes that was published, or was not."""
    if was == became:
        return ChangeKind.UPDATE
    return ChangeKind.PUBLISH if became is Presence.LIVE else ChangeKind.UNPUBLISH


def is_to_come(entry: FactRow | None) -> bool:
    """Whether an entry that was found is to be published later."""
    return entry is not None and entry.owner == _LATER
