"""Counters give the ids of new rows, on databases that do not look at the rows themselves. Rows that came with ids of
their own (a restored dump, an import by hand) leave them behind: then a new row would get an id that is taken.
"""

from octavo.database.connection import Database
from octavo.query.sql.ddl.tables import wanted_tables
from octavo.schema.registry import Registry


async def continue_ids(database: Database, registry: Registry) -> tuple[str, ...]:
    """Move every counter that is behind the ids of its table on to them; the tables whose were. One statement."""
    tables = [table.name for table in wanted_tables(registry) if any(column.name == "id" for column in table.columns)]
    statement = database.dialect.continue_ids(tables)
    if statement is None:
        return ()
    async with database.transaction() as transaction:
        return tuple(row[0] for row in await transaction.fetch_all(statement))
