"""The options that running processes serve, so that older definitions change nothing while newer ones are served.

Each process renews a row of `octavo_leases` (`accounts.administrators.deployed_definitions.Presence`), whose holder
contains three hashes of its definitions: one of the parts that permissions depend on, one of the indexes, and one of
the options of content types.
"""

from typing import Final

from octavo.core.clock import wall_time
from octavo.database.connection import Connection
from octavo.database.leases import TABLE
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement

PREFIX: Final = "serving "
_COUNT: Final = RawStatement(f"""
SELECT count(*) FROM {TABLE.name} WHERE name LIKE '{PREFIX}%' AND holder LIKE {{holders}} AND expires_at > {{now}}""")


async def is_served_elsewhere(connection: Connection, dialect: Dialect, mark: str) -> bool:
    """Return whether a process serves definitions with this mark (`option_record.serving_mark`). The table of leases
    must exist."""
    counting = _COUNT.bind(dialect, holders=f"% {mark}%", now=int(wall_time()))
    return bool(await connection.fetch_value(*counting))
