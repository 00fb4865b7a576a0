"""Estimate the size of a proposed index, and whether the database would use it, without creating it."""

import re
from typing import Final

from octavo.core.errors import ServiceUnavailable
from octavo.core.values import dataclass
from octavo.database.connection import Database, DatabaseMisconfigured
from octavo.database.index_advice import Advice, with_index
from octavo.query.sql.ddl.changes import CreateIndex
from octavo.query.sql.ddl.physical import physical_name, physical_tables
from octavo.query.sql.ddl.substring_indexes import parts_indexes, parts_tables
from octavo.query.sql.ddl.tables import wanted_tables
from octavo.query.sql.physical_names import column_name, table_name
from octavo.schema.content_types import CONTAINS
from octavo.schema.registry import Registry

_PLACE: Final = re.compile(r"[?$](\d+)")


def no_values(text: str) -> tuple[None, ...]:
    """Return a null value for each placeholder of a statement."""
    return (None,) * max((int(place[1]) for place in _PLACE.finditer(text)), default=0)


_SAMPLE: Final = 2_000
_BESIDE: Final = 20
"""Bytes of an index entry besides its values: the id, lengths, free space."""
_PARTS, _KEPT_PARTS = 2, 4
"""Index bytes per byte of text for a substring index; the second is for indexes in separate tables."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The result. `used` is None if the query planner was not asked, for `reason`; `plan` is the query plan."""

    rows: int
    bytes: int
    used: bool | None
    plan: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Making:
    """The statements that create an index, and words of which the plan contains one if it uses the index."""

    table: str
    script: str
    words: tuple[str, ...]


async def try_index(database: Database, registry: Registry, advice: Advice, text: str) -> Trial:
    """Return the estimates for an index and a statement. If the statement is empty, no plan is requested. It must be
    compiled for a registry that declares the index. Raises ServiceUnavailable."""
    rows, size = await _measure(database, registry, advice)
    if not text:
        return Trial(rows, size, None, reason="its statement is not known here; pass the URL with --request")
    making = await _making(database, registry, advice)
    if isinstance(making, str):
        return Trial(rows, size, None, reason=making)
    try:
        plan = await database.plan_with(making.table, making.script, text)
    except DatabaseMisconfigured as error:  # a missing privilege
        return Trial(rows, size, None, reason=error.reason)
    except ServiceUnavailable:
        raise
    except Exception as error:  # drivers have different exceptions, and the plan is optional
        return Trial(rows, size, None, reason=f"the database returned an error: {type(error).__name__}")
    return Trial(rows, size, any(word in plan for word in making.words), plan)


async def _measure(database: Database, registry: Registry, advice: Advice) -> tuple[int, int]:
    """Return the number of entries, and the estimated size of the index in bytes."""
    dialect, content_type = database.dialect, registry.content_types[advice.uid]
    table = dialect.quote(physical_name(table_name(content_type), dialect))
    names = [column_name(content_type.scalar(key.attribute)) for key in advice.index.keys]
    columns = [dialect.quote(physical_name(name, dialect)) for name in names]
    lengths = ", ".join(f"coalesce(avg(length({dialect.as_text(column)})), 0)" for column in columns)
    rows = int(await database.fetch_value(f"SELECT count(*) FROM {table}", long=True))
    measured = await database.fetch_row(f"SELECT {lengths} FROM (SELECT * FROM {table} LIMIT {_SAMPLE}) s")
    width = sum(float(one) for one in measured or ())
    parts = _PARTS if dialect.parts is None else _KEPT_PARTS
    each = width * parts if advice.index.kind == CONTAINS else width + _BESIDE
    return rows, int(rows * each)


async def _making(database: Database, registry: Registry, advice: Advice) -> _Making | str:
    """Return how the index is created, or why it cannot be tried."""
    dialect, declared = database.dialect, with_index(registry, advice)
    if advice.index.kind == CONTAINS and dialect.parts is not None:
        made = parts_tables(declared, dialect)
        names = {index.name for index in parts_indexes(declared, dialect)}
        script = ";\n".join(table.script(dialect) for table in made)
        return _Making("", script, (*names, "VIRTUAL TABLE INDEX"))
    change = made_by(database, registry, advice)
    table, name = dialect.quote(change.table), dialect.quote(change.index.name)
    script = ";\n".join(change.statements(dialect))
    if change.index.contains:
        word = await database.fetch_value(dialect.aside.parts_word) if dialect.aside else None
        if dialect.aside is None or word is None:
            return "the database has no trigram indexes yet (run CREATE EXTENSION pg_trgm)"
        columns = tuple(map(dialect.quote, change.index.columns))
        script = dialect.aside.create_for_parts(name, table, columns, word).replace("CONCURRENTLY ", "")
    return _Making(table, script, (change.index.name,))


def made_by(database: Database, registry: Registry, advice: Advice) -> CreateIndex:
    """Return the index with its future name and its table."""
    dialect = database.dialect
    before = {index.name for table in physical_tables(wanted_tables(registry), dialect) for index in table.indexes}
    [made] = [
        CreateIndex(table.name, index)
        for table in physical_tables(wanted_tables(with_index(registry, advice)), dialect)
        for index in table.indexes
        if index.name not in before
    ]
    return made
