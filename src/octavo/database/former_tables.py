"""Tables that hold rows of content types and components whose `collectionName` has changed since.

A changed `collectionName` makes a new, empty table. The rows stay in the former one until a migration renames it
(`octavo db rename-table`), so every start reports them.
"""

from collections.abc import Mapping

from octavo.core.plurals import counted
from octavo.core.values import dataclass
from octavo.database.connection import Connection
from octavo.database.option_record import OptionRecord
from octavo.query.sql.ddl.physical import physical_name
from octavo.query.sql.ddl.tables import Table
from octavo.query.sql.dialects.base import Dialect
from octavo.schema.registry import Registry


@dataclass(frozen=True, slots=True)
class FormerTable:
    """A table with rows of a definition that has another table now."""

    uid: str
    former: str
    table: str
    rows: int

    def __str__(self) -> str:
        rows = counted(self.rows, "row stays", "rows stay")
        return (
            f"{self.uid}: the table is {self.table} now, and {rows} in the former table {self.former}; "
            f"octavo db rename-table {self.uid} {self.former} moves them"
        )


async def find_former_tables(
    connection: Connection, dialect: Dialect, registry: Registry, record: OptionRecord, found: Mapping[str, Table]
) -> tuple[FormerTable, ...]:
    """Return the former tables that are there, have rows and belong to no definition; `found` are all tables."""
    definitions = list(registry.definitions())
    taken = {physical_name(each.collection_name, dialect) for each in definitions}
    left = []
    for definition in definitions:
        for name in record.former_tables(definition):
            physical = physical_name(name, dialect)
            if physical in found and physical not in taken:
                text = f"SELECT count(*) FROM {dialect.quote(physical)}"
                rows = int(await connection.fetch_value(text))
                if rows:
                    left.append(FormerTable(definition.uid, name, definition.collection_name, rows))
    return tuple(left)
