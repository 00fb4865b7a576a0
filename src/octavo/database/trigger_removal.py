"""Remove Octavo's triggers from content tables, where they prevent changes."""

from octavo.database.connection import Connection
from octavo.query.sql.dialects.base import Dialect


async def release_tables(connection: Connection, dialect: Dialect) -> None:
    """Remove triggers that prevent dropping columns; they are created again later."""
    scripts = []
    if dialect.totals is not None:
        triggers = await connection.fetch_all(dialect.totals.triggers)
        scripts.append(dialect.totals.release([(row[0], row[1]) for row in triggers]))
    if dialect.parts is not None:
        scripts.append(dialect.parts.release([row[0] for row in await connection.fetch_all(dialect.parts.triggers)]))
    for script in filter(None, scripts):
        await connection.execute_script(script)
