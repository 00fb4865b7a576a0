"""The names of events that can have hooks."""

from typing import Final

CREATE: Final = "create"
UPDATE: Final = "update"
DELETE: Final = "delete"
PUBLISH: Final = "publish"
UNPUBLISH: Final = "unpublish"
FIND_ONE: Final = "find_one"
FIND_MANY: Final = "find_many"

CHANGES: Final = (CREATE, UPDATE, DELETE, PUBLISH, UNPUBLISH)
"""Changes of one entry."""
MANY: Final = ("create_many", "update_many", "delete_many")
"""Bulk changes."""
READS: Final = (FIND_ONE, FIND_MANY)
SCHEDULE_FAILED: Final = "schedule_failed"
"""A scheduled publication or unpublication has failed. This event only has hooks after the commit."""

BEFORE: Final = "before_"
AFTER: Final = "after_"
AFTER_COMMIT: Final = "after_commit_"

EVENTS: Final = (
    *(f"{moment}{action}" for action in (*CHANGES, *MANY, *READS) for moment in (BEFORE, AFTER)),
    *(f"{AFTER_COMMIT}{action}" for action in (*CHANGES, SCHEDULE_FAILED)),
)
"""All events, by the names of functions in `lifecycles.py`."""
