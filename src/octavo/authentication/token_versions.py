"""Token versions: how the tokens that a user holds are made worthless at once, by password change, reset or block.

v4 has no column for this, so there is an own table, additive and droppable. It is read only where the rule
`tokensAfterPasswordChange` says that such tokens become invalid. A counter rather than a time, so that neither clocks
that differ nor two events in one second matter: a token carries the version it was made under (none is 0).
"""

from typing import Final

from octavo.database.connection import Connection
from octavo.sql.ddl.tables import OwnTable
from octavo.sql.dialects.base import Dialect
from octavo.sql.own_table_statement import OwnStatement

# No foreign key: a rebuild of the users table by other software must not make revoked tokens good again.
TABLE: Final = OwnTable("octavo_token_versions", ("user_id integer PRIMARY KEY NOT NULL", "version integer NOT NULL"))

_RAISE: Final = OwnStatement("""
INSERT INTO octavo_token_versions (user_id, version) VALUES ({user}, 1)
{user_id:on_conflict} version = octavo_token_versions.version + 1
{version:returning}""")

_READ: Final = OwnStatement("SELECT version FROM octavo_token_versions WHERE user_id = {user}")


async def revoke_user_tokens(connection: Connection, dialect: Dialect, user_id: int) -> int:
    """Make every token the user holds worthless; the version for the next one. To be called inside the transaction that
    changes the password or blocks the user."""
    return int(await connection.fetch_value(*_RAISE.bind(dialect, user=user_id)))


async def user_token_version(connection: Connection, dialect: Dialect, user_id: int) -> int:
    """The version that a new token of this user has to carry."""
    return int(await connection.fetch_value(*_READ.bind(dialect, user=user_id)) or 0)
