"""Scheduled publishing for project code: times as datetimes, names in Python's style."""

from datetime import datetime
from typing import Any, Final, TypedDict, cast

from octavo.access.authorization.actor import SYSTEM
from octavo.content.controllers.scheduling import NAMES, ContentSchedules, read_time
from octavo.schema.content_types import ContentType

_NAMES: Final = {"publish_at": "publishAt", "unpublish_at": "unpublishAt"}


class Times(TypedDict, total=False):
    """When an entry is published and unpublished: a datetime or an ISO 8601 text; None for no time."""

    publish_at: datetime | str | None
    unpublish_at: datetime | str | None


async def set_times(schedules: ContentSchedules, content_type: ContentType, entry_id: int, times: Times) -> Times:
    """Set the given times, and return all times as datetimes. Raises NotFoundError, ValidationError."""
    asked = {
        NAMES[_NAMES[name]]: None if time is None else read_time(name, time)
        for name, time in cast(dict[str, Any], times).items()
    }
    planned = await schedules.set(content_type, entry_id, asked, SYSTEM)
    shown = {
        name: None if (time := planned[key]) is None else datetime.fromisoformat(time) for name, key in _NAMES.items()
    }
    return cast(Times, shown)
