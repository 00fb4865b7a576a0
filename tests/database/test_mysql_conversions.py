"""Conversions and synchronizations on MariaDB and MySQL, where DDL commits immediately."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from octavo.database.connection import IntegrityViolation, Watch
from octavo.database.conversions import convert_column, preview_conversion
from octavo.database.mysql import MysqlDatabase
from octavo.database.synchronize import found_tables, plan_changes, synchronize
from octavo.query.plan.nodes import Parameter, ParameterKind
from tests.database.test_synchronize import content_type, lines, note
from tests.layouts import registry_of
from tests.mysql_server import MysqlServer
from tests.operations.transfer.test_convert import changed, shown, step_of

pytestmark = pytest.mark.anyio


@pytest.fixture
async def database(anyio_backend: str, mysql_server: MysqlServer, mysql_name: str) -> AsyncIterator[MysqlDatabase]:
    made = MysqlDatabase(mysql_server.url(mysql_name), lock_timeout=1.0)
    await made.connect()
    yield made
    await made.close()


async def test_nothing_changes_if_a_value_does_not_convert(database: MysqlDatabase, tmp_path: Path) -> None:
    wanted = await changed(database, tmp_path, "string", "integer", ["'1'", "'two'", "NULL", "' 4 '"])
    step, before = await step_of(database, wanted), await found_tables(database, database.dialect)
    preview = await preview_conversion(database, step)
    assert (preview.converted, preview.samples) == (2, [(2, '"two"')])
    assert await convert_column(database, step, null_failures=False) == preview
    assert await shown(database) == ["1", "two", None, " 4 "]
    assert await found_tables(database, database.dialect) == before
    assert await convert_column(database, step, null_failures=True) == preview
    assert await shown(database) == [1, None, None, 4]
    assert (await plan_changes(database, wanted)).every == ()


async def test_a_conversion_continues_after_an_interruption(database: MysqlDatabase, tmp_path: Path) -> None:
    wanted = await changed(database, tmp_path, "string", "integer", ["'1'", "'2'"])
    await database.execute_script("ALTER TABLE notes ADD COLUMN octavo_new_value int DEFAULT 9")
    report = await convert_column(database, await step_of(database, wanted), null_failures=False)
    assert (report.converted, await shown(database)) == (2, [1, 2])
    assert (await plan_changes(database, wanted)).every == ()


async def test_nobody_writes_during_a_conversion(
    database: MysqlDatabase, mysql_server: MysqlServer, mysql_name: str, tmp_path: Path
) -> None:
    """Otherwise the write would be lost with the old column."""
    step = await step_of(database, await changed(database, tmp_path, "string", "integer", ["'1'", "'2'"]))
    write = "SET lock_wait_timeout = 1; UPDATE notes SET value = '7' WHERE id = 2"
    refused: list[str] = []

    def convert(value: object) -> object:
        if value == "2":
            with pytest.raises(RuntimeError) as caught:
                mysql_server.run_sql(write, mysql_name)
            refused.append(str(caught.value))
        return step.convert(value)

    await convert_column(database, replace(step, convert=convert), null_failures=True)
    assert len(refused) == 1
    assert "Lock wait timeout exceeded" in refused[0]
    assert await shown(database) == [1, 2]
    mysql_server.run_sql(write, mysql_name)
    assert await shown(database) == [1, 7]


async def test_values_that_become_equal_leave_the_column(database: MysqlDatabase, tmp_path: Path) -> None:
    wanted = await changed(database, tmp_path, "string", "integer", ["'1'", "' 1'"])
    await database.execute_script("CREATE UNIQUE INDEX mine ON notes (value)")
    step, before = await step_of(database, wanted), await found_tables(database, database.dialect)
    with pytest.raises(IntegrityViolation):
        await convert_column(database, step, null_failures=False)
    assert await shown(database) == ["1", " 1"]
    assert await found_tables(database, database.dialect) == before
    await database.execute("DELETE FROM notes WHERE value = ' 1'")
    await convert_column(database, step, null_failures=False)
    assert await shown(database) == [1]
    after = await found_tables(database, database.dialect)
    assert [(index.name, index.unique) for index in after["notes"].indexes if index.columns == ("value",)] == [
        ("mine", True)
    ]


async def test_a_report_includes_the_changes_of_all_attempts(
    database: MysqlDatabase, mysql_server: MysqlServer, mysql_name: str, tmp_path: Path
) -> None:
    """Entries of a type with drafts are published, although the first attempt has added the column."""
    page, drafts = {"title": {"type": "string"}}, {"options": {"draftAndPublish": True}}
    before = {**content_type("note", page), **content_type("page", page)}
    await synchronize(database, registry_of(before, tmp_path / "before"))
    await database.execute("INSERT INTO notes (title) VALUES ('a')")
    await database.execute("DELETE FROM octavo_state WHERE `key` = 'options'")
    body = {"body": {"type": "text"}}
    definitions = {**content_type("note", page, **drafts), **content_type("page", page | body)}
    after = registry_of(definitions, tmp_path / "after")
    planned = [str(change) for change in (await plan_changes(database, after)).ordered]
    assert planned == ["add column notes.published_at (datetime(6))", "add column pages.body (longtext)"]
    failed = asyncio.Event()

    def see(text: str, _: float) -> None:
        if "ALTER TABLE `pages`" in text:
            failed.set()

    database.watch = Watch(note=lambda _: None, see=see)
    reader = MysqlDatabase(mysql_server.url(mysql_name))
    await reader.connect()
    async with asyncio.timeout(60):
        async with reader.transaction() as reading:
            await reading.fetch_all("SELECT * FROM pages")
            changing = asyncio.create_task(synchronize(database, after))
            await failed.wait()
        report = await changing
    assert lines(report)["applied"] == planned
    assert report.options is not None
    assert [change.gets_drafts for change in report.options.changes if change.content_type.plural_name == "notes"] == [
        True
    ]
    assert await database.fetch_value("SELECT count(*) FROM notes WHERE published_at IS NOT NULL") == 1
    await reader.close()


async def test_a_unique_long_text_is_reported(database: MysqlDatabase, tmp_path: Path) -> None:
    registry = registry_of(note(body={"type": "text", "column": {"unique": True}}), tmp_path)
    [warning] = (await synchronize(database, registry)).warnings
    assert warning.startswith("The unique index notes_body_unique on notes (body) is not created, because")


@pytest.mark.parametrize("instant", [-(10**16), 10**16])
async def test_instants_out_of_range_are_compared(database: MysqlDatabase, instant: int) -> None:
    text = database.dialect.parameter(Parameter(0, ParameterKind.INSTANT))
    noon = "TIMESTAMP'2020-01-01 12:00:00'"
    assert await database.fetch_value(f"SELECT {noon} < {text}", (instant,)) == (instant > 0)
