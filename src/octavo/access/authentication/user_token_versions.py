"""Token versions: revoke all tokens of a user at once, on a block, deletion, password change or reset.

v4 has no column for this, so Octavo adds a table that can be dropped. It stores a counter rather than a time, so that
clock differences and two events in the same second do not matter. A token carries the version it was issued under
(0 if absent), and a refresh token is bound to it. With the rule `tokensAfterPasswordChange`, a password change
increments it.
"""

from typing import Final

from octavo.database.connection import Connection, Transaction
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement

# No foreign key: if other software rebuilds the users table, revoked tokens must stay revoked.
TABLE: Final = SystemTable(
    "octavo_token_versions", ("user_id integer PRIMARY KEY NOT NULL", "version integer NOT NULL"), kept=True
)
BLOCKS: Final = SystemTable("octavo_user_blocks", ("user_id integer PRIMARY KEY NOT NULL",))
"""Blocked users whose tokens have been revoked because of the block."""

_RAISE: Final = RawStatement("""
INSERT INTO octavo_token_versions (user_id, version) VALUES ({user}, 1)
{user_id:on_conflict} version = octavo_token_versions.version + 1
{version:returning}""")

_READ: Final = RawStatement("SELECT version FROM octavo_token_versions WHERE user_id = {user}")

_NEW_BLOCKS: Final = """FROM up_users u
WHERE u.blocked AND NOT EXISTS (SELECT 1 FROM octavo_user_blocks b WHERE b.user_id = u.id)"""
_RAISE_BLOCKED: Final = RawStatement(
    f"INSERT INTO octavo_token_versions (user_id, version) SELECT u.id, 1 {_NEW_BLOCKS}"
    " {user_id:on_conflict} version = octavo_token_versions.version + 1"
)
_NOTE_BLOCKED: Final = f"INSERT INTO octavo_user_blocks (user_id) SELECT u.id {_NEW_BLOCKS}"
_FORGET_BLOCKS: Final = "DELETE FROM octavo_user_blocks WHERE user_id NOT IN (SELECT id FROM up_users WHERE blocked)"


async def revoke_user_tokens(connection: Connection, dialect: Dialect, user_id: int) -> int:
    """Revoke all tokens of a user and return the version for new ones.

    Call it in the transaction that changes the password, or blocks or deletes the user.
    """
    return int(await connection.fetch_value(*_RAISE.bind(dialect, user=user_id)))


async def revoke_tokens_of_blocked(transaction: Transaction, dialect: Dialect) -> None:
    """Revoke all tokens of users blocked by other software, once per block."""
    await transaction.lock("octavo: blocked users")
    await transaction.execute(*_RAISE_BLOCKED.bind(dialect))
    await transaction.execute(_NOTE_BLOCKED)
    await transaction.execute(_FORGET_BLOCKS)


async def user_token_version(connection: Connection, dialect: Dialect, user_id: int) -> int:
    """Return the version for new tokens of this user."""
    return int(await connection.fetch_value(*_READ.bind(dialect, user=user_id)) or 0)
