"""What a proposed index would be: how large, and whether the database would use it. Nothing of it is made."""

import re
from typing import Final

from octavo.core.errors import ServiceUnavailable
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.database.index_advice import Advice, with_index
from octavo.query.sql.ddl.changes import CreateIndex
from octavo.query.sql.ddl.physical import physical_name, physical_tables
from octavo.query.sql.ddl.substring_indexes import parts_indexes, parts_tables
from octavo.query.sql.ddl.tables import wanted_tables
from octavo.query.sql.physical_names import column_name, table_name
from octavo.schema.declared_indexes import CONTAINS
from octavo.schema.registry import Registry

_PLACE: Final = re.compile(r"[?$](\d+)")


def no_values(text: str) -> tuple[None, ...]:
    """A value for each place of a statement: nothing."""
    return (None,) * max((int(found[1]) for found in _PLACE.finditer(text)), default=0)


_SAMPLE: Final = 2_000
_BESIDE: Final = 20
"""Bytes of an entry of an index besides its values: the id, lengths, room that is left."""
_PARTS, _KEPT_PARTS = 2, 4
"""Bytes of an index for parts of texts for each of theirs; the second where it is kept beside the tables."""


@dataclass(frozen=True, slots=True)
class Trial:
    """`used`: None where the database was not asked, for `reason`; `plan` is how it would run the statement."""

    rows: int
    bytes: int
    used: bool | None
    plan: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Making:
    """The statements that would make an index, and words of which one is in a plan that uses it."""

    table: str
    script: str
    words: tuple[str, ...]


async def try_index(database: Database, registry: Registry, advice: Advice, text: str) -> Trial:
    """What the index would be for a statement, which may be empty: then the database is not asked. The statement is one
    that is made where the index is declared. Raises ServiceUnavailable."""
    rows, size = await _measure(database, registry, advice)
    if not text:
        return Trial(rows, size, None, reason="its statement is not known here; --request asks")
    making = await _making(database, registry, advice)
    if isinstance(making, str):
        return Trial(rows, size, None, reason=making)
    try:
        plan = await database.plan_with(making.table, making.script, text)
    except ServiceUnavailable:
        raise
    except Exception as error:  # each driver has its own; it is a question, and may stay without an answer
        return Trial(rows, size, None, reason=f"the database does not tell: {type(error).__name__}")
    return Trial(rows, size, any(word in plan for word in making.words), plan)


async def _measure(database: Database, registry: Registry, advice: Advice) -> tuple[int, int]:
    """How many entries there are, and about how many bytes the index would take."""
    dialect, content_type = database.dialect, registry.content_types[advice.uid]
    table = dialect.quote(physical_name(table_name(content_type), dialect))
    names = [column_name(content_type.scalar(key.attribute)) for key in advice.index.keys]
    columns = [dialect.quote(physical_name(name, dialect)) for name in names]
    lengths = ", ".join(f"coalesce(avg(length(CAST({column} AS text))), 0)" for column in columns)
    rows = int(await database.fetch_value(f"SELECT count(*) FROM {table}", long=True))
    found = await database.fetch_row(f"SELECT {lengths} FROM (SELECT * FROM {table} LIMIT {_SAMPLE}) s")
    width = sum(float(one) for one in found or ())
    parts = _PARTS if dialect.parts is None else _KEPT_PARTS
    each = width * parts if advice.index.kind == CONTAINS else width + _BESIDE
    return rows, int(rows * each)


async def _making(database: Database, registry: Registry, advice: Advice) -> _Making | str:
    """How it would be made; or why that cannot be tried."""
    dialect, declared = database.dialect, with_index(registry, advice)
    if advice.index.kind == CONTAINS and dialect.parts is not None:
        made = parts_tables(declared, dialect)
        names = {index.name for index in parts_indexes(declared, dialect)}
        script = ";\n".join(table.script(dialect.counter_column) for table in made)
        return _Making("", script, (*names, "VIRTUAL TABLE INDEX"))
    change = made_by(database, registry, advice)
    table, name = dialect.quote(change.table), dialect.quote(change.index.name)
    script = ";\n".join(change.statements(dialect))
    if change.index.contains:
        word = await database.fetch_value(dialect.aside.parts_word) if dialect.aside else None
        if dialect.aside is None or word is None:
            return "the database has not learnt to find parts of texts yet (CREATE EXTENSION pg_trgm)"
        columns = tuple(map(dialect.quote, change.index.columns))
        script = dialect.aside.create_for_parts(name, table, columns, word).replace("CONCURRENTLY ", "")
    return _Making(table, script, (change.index.name,))


def made_by(database: Database, registry: Registry, advice: Advice) -> CreateIndex:
    """The index itself, as it will be called, on its table."""
    dialect = database.dialect
    before = {index.name for table in physical_tables(wanted_tables(registry), dialect) for index in table.indexes}
    [made] = [
        CreateIndex(table.name, index)
        for table in physical_tables(wanted_tables(with_index(registry, advice)), dialect)
        for index in table.indexes
        if index.name not in before
    ]
    return made
