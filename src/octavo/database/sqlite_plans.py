"""How SQLite would run a statement: its plan as text, now, or with an index that is not there yet."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, Final

import apsw

from octavo.database.explain import no_values
from octavo.query.sql.dialects.sqlite import MEASURE

EXPLAIN: Final = "EXPLAIN QUERY PLAN "
SCHEMA: Final = "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type = 'index', rowid"
STATISTICS: Final = "SELECT tbl, idx, stat FROM sqlite_stat1"
_STATISTICS_TABLE: Final = "sqlite_stat1"


def plan_text(rows: Iterable[Sequence[Any]]) -> str:
    """The steps of a plan, each indented below what it is a part of."""
    depths: dict[int, int] = {0: -1}
    lines = []
    for number, parent, _, told in rows:
        depths[number] = depth = depths.get(parent, -1) + 1
        lines.append(f"{'  ' * depth}{told}")
    return "\n".join(lines)


def _unmeasured(*values: int | float | Any | str | None) -> int | float | Any | str | None:
    """Stands for the function of the driver, which a plan calls by name alone."""
    return values[0]


def plan_in_copy(schema: Iterable[Sequence[Any]], statistics: Iterable[Sequence[Any]], more: str, text: str) -> str:
    """The plan of a statement where there is `more` than the schema: in a copy without rows, in memory.

    What the planner knows of the tables is in the statistics, if anybody has had them made. Raises apsw.Error.
    """
    copy = apsw.Connection(":memory:")
    try:
        copy.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        copy.create_scalar_function(MEASURE, _unmeasured, 2)
        for kind, name, made in schema:
            if kind in ("table", "index") and not name.startswith("sqlite_"):
                with suppress(apsw.Error):  # the inner tables of a virtual one are made by it
                    copy.execute(made).fetchall()
        copy.execute(more).fetchall()
        known = [*statistics]
        if known:
            copy.execute("ANALYZE").fetchall()
            copy.execute(f"DELETE FROM {_STATISTICS_TABLE}").fetchall()
            copy.executemany(f"INSERT INTO {_STATISTICS_TABLE} VALUES (?, ?, ?)", known).fetchall()
            copy.execute("ANALYZE sqlite_schema").fetchall()
        return plan_text(copy.execute(EXPLAIN + text, no_values(text)).fetchall())
    finally:
        copy.close(True)
