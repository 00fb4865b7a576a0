"""PostgreSQL's generic plan of a statement. The check leaves nothing in the database."""

import pytest

from octavo.database.postgresql import PostgresqlDatabase

pytestmark = pytest.mark.anyio


async def test_plans_are_for_any_values(postgresql_url: str) -> None:
    database = PostgresqlDatabase(postgresql_url, maximum=1)
    await database.connect()
    await database.execute_script("CREATE TABLE t (id integer, name text)")
    for _ in range(2):
        plan = await database.plan_of("SELECT id FROM t WHERE id = $2 AND name = $1 AND id < $2")
        assert "Seq Scan on t" in plan
        assert "((id < $2) AND (id = $2) AND (name = $1))" in plan
    assert "Result" in await database.plan_of("SELECT 1")
    await database.close()


async def test_statements_that_cannot_be_planned_are_skipped(postgresql_url: str) -> None:
    database = PostgresqlDatabase(postgresql_url, maximum=1)
    await database.connect()
    for refused, why in (("SELECT 1 / 0", "division by zero"), ("SELECT nothing", "does not exist")):
        with pytest.raises(Exception, match=why):
            await database.plan_of(refused)
        assert "Result" in await database.plan_of("SELECT 1")
    assert await database.fetch_value("SELECT count(*) FROM pg_prepared_statements WHERE from_sql") == 0
    await database.close()
