"""Token versions: end all tokens of a user at once, by block, deletion, password change or reset.

v4 has no column for this, so there is an own table, additive and droppable. A counter rather than a time, so that
neither clocks that differ nor two events in one second matter: a token carries the version it was issued under (none
is 0), and a refresh token is bound to it. A password change raises it where the rule `tokensAfterPasswordChange` says
so.
"""

from typing import Final

from octavo.database.connection import Connection, Transaction
from octavo.query.sql.ddl.tables import OwnTable
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.system_table_statement import OwnStatement

# No foreign key: a rebuild of the users table by other software must not make revoked tokens good again.
TABLE: Final = OwnTable("octavo_token_versions", ("user_id integer PRIMARY KEY NOT NULL", "version integer NOT NULL"))
BLOCKS: Final = OwnTable("octavo_user_blocks", ("user_id integer PRIMARY KEY NOT NULL",))
"""Blocked users whose tokens were ended for it, whatever software blocked them."""

_RAISE: Final = OwnStatement("""
INSERT INTO octavo_token_versions (user_id, version) VALUES ({user}, 1)
{user_id:on_conflict} version = octavo_token_versions.version + 1
{version:returning}""")

_READ: Final = OwnStatement("SELECT version FROM octavo_token_versions WHERE user_id = {user}")

_NEW_BLOCKS: Final = """FROM up_users u
WHERE u.blocked AND NOT EXISTS (SELECT 1 FROM octavo_user_blocks b WHERE b.user_id = u.id)"""
_RAISE_BLOCKED: Final = OwnStatement(
    f"INSERT INTO octavo_token_versions (user_id, version) SELECT u.id, 1 {_NEW_BLOCKS}"
    " {user_id:on_conflict} version = octavo_token_versions.version + 1"
)
_NOTE_BLOCKED: Final = f"INSERT INTO octavo_user_blocks (user_id) SELECT u.id {_NEW_BLOCKS}"
_FORGET_BLOCKS: Final = "DELETE FROM octavo_user_blocks WHERE user_id NOT IN (SELECT id FROM up_users WHERE blocked)"


async def revoke_user_tokens(connection: Connection, dialect: Dialect, user_id: int) -> int:
    """End every token of a user; return the version for the next one. Call it inside the transaction that changes the
    password, blocks or deletes the user."""
    return int(await connection.fetch_value(*_RAISE.bind(dialect, user=user_id)))


async def revoke_tokens_of_blocked(transaction: Transaction, dialect: Dialect) -> None:
    """End every token of users whom other software has blocked, once for each block."""
    await transaction.lock("octavo: blocked users")
    await transaction.execute(*_RAISE_BLOCKED.bind(dialect))
    await transaction.execute(_NOTE_BLOCKED)
    await transaction.execute(_FORGET_BLOCKS)


async def user_token_version(connection: Connection, dialect: Dialect, user_id: int) -> int:
    """Return the version that a new token of this user has to carry."""
    return int(await connection.fetch_value(*_READ.bind(dialect, user=user_id)) or 0)
