"""PostgreSQL's sequences give the ids of new rows. Rows that came with ids of their own (a restored dump, an import by
hand) leave them behind: then a new row would get an id that is taken. SQLite looks at the rows themselves.
"""

from octavo.database.connection import Database
from octavo.schema.registry import Registry
from octavo.sql.ddl_dialect import quoted
from octavo.sql.dialect import literal
from octavo.sql.tables import wanted_tables

_TABLE = (
    "SELECT {text} AS name, pg_get_serial_sequence({name}, 'id')::regclass AS sequence,"
    " (SELECT max(id) FROM {table}) AS top"
)
# Only what is behind is touched, so nobody who is taking an id right now is set back.
_CONTINUE = (
    "SELECT t.name, setval(t.sequence, t.top) FROM ({tables}) t"
    " WHERE t.top > coalesce(pg_sequence_last_value(t.sequence), 0) ORDER BY t.name"
)


async def continue_ids(database: Database, registry: Registry) -> tuple[str, ...]:
    """Move every sequence that is behind the ids of its table on to them; the tables whose were. One statement."""
    if database.dialect != "postgresql":
        return ()
    tables = [table.name for table in wanted_tables(registry) if any(column.name == "id" for column in table.columns)]
    rows = " UNION ALL ".join(
        _TABLE.format(text=literal(name), name=literal(quoted(name)), table=quoted(name)) for name in tables
    )
    async with database.transaction() as transaction:
        return tuple(row[0] for row in await transaction.fetch_all(_CONTINUE.format(tables=rows)))
