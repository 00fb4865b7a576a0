"""Content in columns and tables that the definitions no longer have: it is stored, and no longer served."""

from collections.abc import Iterable

from octavo.core.plurals import counted
from octavo.database.connection import Connection
from octavo.query.sql.ddl.changes import Change, DropColumn, DropTable
from octavo.query.sql.dialects.base import Dialect


async def find_unserved_content(connection: Connection, dialect: Dialect, losing: Iterable[Change]) -> tuple[str, ...]:
    """Return a line for each column or table with content among changes that lose data."""
    lines = []
    for change in losing:
        table = dialect.quote(change.table)
        if isinstance(change, DropColumn):
            place = f"{change.table}.{change.column.name}"
            text = f"SELECT count(*) FROM {table} WHERE {dialect.quote(change.column.name)} IS NOT NULL"
        elif isinstance(change, DropTable):
            place, text = change.table, f"SELECT count(*) FROM {table}"
        else:
            continue
        count = int(await connection.fetch_value(text, long=True))
        if count:
            values = counted(count, "value" if isinstance(change, DropColumn) else "row")
            lines.append(f"{place}: {values} will not be served, because the definitions do not have it")
    return tuple(lines)
