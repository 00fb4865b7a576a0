"""Exports of the audit log: a client that continues after the last record misses none."""

import asyncio
from typing import Any

import orjson
import pytest

from octavo.accounts.administrators.audit import TABLE, write_command
from octavo.accounts.administrators.audit_list import UnsettledAudit, export_audit
from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work

pytestmark = pytest.mark.anyio

only_postgresql = pytest.mark.parametrize("new_database", ["postgresql"], indirect=True)


@pytest.fixture
async def log(database: Database) -> Database:
    await database.execute_script(TABLE.script(database.dialect))
    return database


async def note(log: Database, action: str) -> None:
    async with unit_of_work(log) as unit:
        await write_command(unit.connection, log.dialect, action)


async def exported(log: Database, after: int = 0, **options: Any) -> list[dict[str, Any]]:
    found = [(one, orjson.loads(line)) async for one, line in export_audit(log, after, **options)]
    assert [one for one, _ in found] == [line["id"] for _, line in found]
    return [line for _, line in found]


async def test_an_export_continues_after_a_record(log: Database) -> None:
    assert await exported(log) == []
    for number in range(450):
        await note(log, f"{number}")
    lines = await exported(log)
    assert [line["action"] for line in lines] == [str(number) for number in range(450)]
    assert await exported(log, lines[399]["id"]) == lines[400:]
    assert await exported(log, lines[-1]["id"]) == []


@only_postgresql
async def test_a_record_with_a_lower_id_that_is_committed_later_is_exported(log: Database) -> None:
    async with unit_of_work(log) as unit:
        await write_command(unit.connection, log.dialect, "early")
        await note(log, "late")
        export = asyncio.create_task(exported(log))
        done, _ = await asyncio.wait({export}, timeout=0.2)
        assert not done
    assert [line["action"] for line in await export] == ["early", "late"]


@only_postgresql
async def test_an_export_stops_waiting_for_open_transactions(log: Database) -> None:
    async with unit_of_work(log) as unit:
        await write_command(unit.connection, log.dialect, "early")
        assert await exported(log, patience=0) == []
        await note(log, "late")
        with pytest.raises(UnsettledAudit):
            await exported(log, patience=0)
    assert len(await exported(log, patience=0)) == 2
