"""The record of scheduled backups on each database."""

import pytest

from octavo.database.connection import Database
from octavo.database.maintenance_mode import UnderMaintenance
from octavo.database.unit_of_work import unit_of_work
from octavo.events.jobs import backup_records

pytestmark = pytest.mark.anyio


async def test_a_backup_that_is_under_way_records_its_end_in_maintenance_mode(database: Database) -> None:
    async with unit_of_work(database) as unit:
        await unit.connection.execute_script(backup_records.TABLE.script(database.dialect))
    assert await backup_records.begin(database, backup_records.Record())
    database.read_only_message = "Back at 6 pm"
    await backup_records.renew_attempt(database)
    await backup_records.done(database, moment=5, size=7)
    record = await backup_records.read_record(database)
    assert (record.verified_at, record.size) == (5, 7)
    assert record.ended_at >= record.begun_at
    with pytest.raises(UnderMaintenance):
        await backup_records.begin(database, record)
