"""Token versions count up for each user separately."""

import pytest

from octavo.access.authentication.user_token_versions import TABLE, revoke_user_tokens, user_token_version
from octavo.database.connection import Database

pytestmark = pytest.mark.anyio


async def test_versions(database: Database) -> None:
    await database.execute_script(TABLE.script(database.dialect))
    assert await user_token_version(database, database.dialect, 1) == 0
    async with database.transaction() as transaction:
        raised = [await revoke_user_tokens(transaction, database.dialect, user_id) for user_id in (1, 1, 2)]
    assert raised == [1, 2, 1]
    assert [await user_token_version(database, database.dialect, user_id) for user_id in (1, 2, 3)] == [2, 1, 0]


async def test_a_failed_change_revokes_no_token(database: Database) -> None:
    async def change_password() -> None:
        async with database.transaction() as transaction:
            await revoke_user_tokens(transaction, database.dialect, 1)
            raise LookupError

    await database.execute_script(TABLE.script(database.dialect))
    with pytest.raises(LookupError):
        await change_password()
    assert await user_token_version(database, database.dialect, 1) == 0
