"""Servers that speak PostgreSQL's protocol but are other systems."""

import pytest

from octavo.core.errors import ServiceUnavailable
from octavo.core.outage_log import reason_of
from octavo.database.postgresql import PostgresqlDatabase
from tests.postgresql_server import PostgresqlServer, database_name

pytestmark = pytest.mark.anyio

LOCKS_NOTHING = """
CREATE FUNCTION public.pg_advisory_xact_lock(bigint) RETURNS void LANGUAGE sql AS '';
ALTER DATABASE "{0}" SET search_path = public, pg_catalog
"""


async def test_tables_do_not_change_without_working_advisory_locks(
    postgresql_server: PostgresqlServer, postgresql_url: str
) -> None:
    name = database_name(postgresql_url)
    postgresql_server.run_sql(name, LOCKS_NOTHING.format(name))
    database = PostgresqlDatabase(postgresql_url)
    await database.connect()
    try:
        with pytest.raises(ServiceUnavailable) as refused:
            async with database.transaction(exclusive=True) as transaction:
                await transaction.execute("CREATE TABLE made (id integer)")
        assert "pg_advisory_xact_lock has no effect" in reason_of(refused.value)
        assert await database.fetch_value("SELECT to_regclass('made') IS NULL")
    finally:
        await database.close()
