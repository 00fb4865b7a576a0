"""The names of events: what can be hooked."""

from typing import Final

CREATE: Final = "create"
UPDATE: Final = "update"
DELETE: Final = "delete"
PUBLISH: Final = "publish"
UNPUBLISH: Final = "unpublish"
FIND_ONE: Final = "find_one"
FIND_MANY: Final = "find_many"

CHANGES: Final = (CREATE, UPDATE, DELETE, PUBLISH, UNPUBLISH)
"""What becomes of one entry."""
MANY: Final = ("create_many", "update_many", "delete_many")
"""What becomes of many at once."""
READS: Final = (FIND_ONE, FIND_MANY)
SCHEDULE_FAILED: Final = "schedule_failed"
"""A plan to publish an entry, or to take it back, could not be carried out: told after the commit alone."""

BEFORE: Final = "before_"
AFTER: Final = "after_"
AFTER_COMMIT: Final = "after_commit_"

EVENTS: Final = (
    *(f"{moment}{action}" for action in (*CHANGES, *MANY, *READS) for moment in (BEFORE, AFTER)),
    *(f"{AFTER_COMMIT}{action}" for action in (*CHANGES, SCHEDULE_FAILED)),
)
"""Everything that can be hooked, as the functions of `lifecycles.py` are called."""
