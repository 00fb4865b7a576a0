"""Automatic values of entries: creation and update dates, creators, and the publication date."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from octavo.content.input.row_builder import store_at
from octavo.core.clock import this_moment
from octavo.query.plan.write import RowNode
from octavo.query.sql.dialects.base import Dialect
from octavo.schema.attributes import CREATORS, PUBLISHED_AT, UPDATED_AT, UPDATED_BY

NO_DATES: Final[Mapping[str, Any]] = MappingProxyType({})


def stamp_new(row: RowNode, automatic: Mapping[str, Any], actor_id: int | None, dialect: Dialect) -> None:
    """Set the automatic values of a new entry. `actor_id` is the administrator who creates it."""
    _stamp(row, automatic, dialect)
    for name in CREATORS:
        row.values[name] = actor_id


def stamp_changed(
    row: RowNode,
    data: Mapping[str, Any],
    actor_id: int | None,
    dialect: Dialect,
    dates: Mapping[str, Any] = NO_DATES,
    *,
    later: bool = False,
) -> None:
    """Set the automatic values of an updated entry. For `dates` and `later` see `EntryUnit.update`."""
    automatic: dict[str, Any] = {UPDATED_AT: this_moment(), **dates}
    row.later = UPDATED_AT if later or UPDATED_AT not in dates else None
    if PUBLISHED_AT in data:
        automatic[PUBLISHED_AT] = data[PUBLISHED_AT]
    _stamp(row, automatic, dialect)
    if actor_id is not None:
        row.values[UPDATED_BY] = actor_id


def moment_of_change(dates: Mapping[str, Any], *, later: bool) -> int | None:
    """Return the time of an update that only sets `updatedAt`, so that it always increases; None for other dates."""
    if not dates:
        return this_moment()
    if later and dates.keys() == {UPDATED_AT}:
        return round(datetime.fromisoformat(dates[UPDATED_AT]).timestamp() * 1000)
    return None


def _stamp(row: RowNode, automatic: Mapping[str, Any], dialect: Dialect) -> None:
    for name, value in automatic.items():
        if name in row.definition.attributes:
            row.values[name] = store_at(row.definition, name, value, dialect)
