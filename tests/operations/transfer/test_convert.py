"""Conversions of columns on each database: possible and impossible ones, and no data loss without permission."""

from pathlib import Path
from typing import Any

import pytest

from octavo.database.connection import Database
from octavo.database.conversions import ConversionStep, Unconvertible, convert_column, preview_conversion
from octavo.database.synchronize import plan_changes, synchronize
from octavo.modeling.refactoring.convert import ConversionRefused, convert_value, find_conversion
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import ValueKind
from tests.layouts import registry_of

pytestmark = pytest.mark.anyio

NOON = "2024-05-01T12:00:00.000Z"
MIDNIGHT = "2024-05-01T00:00:00.000Z"


@pytest.mark.parametrize("value, kind, expected", [
    (" 12 ", ValueKind.INTEGER, 12), ("12.0", ValueKind.INTEGER, 12), (True, ValueKind.INTEGER, 1),
    ("9007199254740993", ValueKind.BIG_INTEGER, 9007199254740993), (3.0, ValueKind.INTEGER, 3),
    ("1.50", ValueKind.DECIMAL, 1.5), ("1e3", ValueKind.FLOAT, 1000.0), (7, ValueKind.FLOAT, 7),
    (1.5, ValueKind.STRING, "1.5"), (False, ValueKind.TEXT, "false"), ({"a": ["é"]}, ValueKind.TEXT, '{"a":["é"]}'),
    ("TRUE", ValueKind.BOOLEAN, True), (0, ValueKind.BOOLEAN, False),
    (MIDNIGHT, ValueKind.DATE, "2024-05-01"), ("2024-05-01", ValueKind.DATE, "2024-05-01"),
    ("2024-05-01", ValueKind.DATETIME, "2024-05-01"), (1714521600000, ValueKind.DATETIME, 1714521600000),
    ('{"a": 1}', ValueKind.JSON, {"a": 1}), (5, ValueKind.JSON, 5),
])  # fmt: skip
async def test_equivalent_values_are_converted(value: Any, kind: ValueKind, expected: Any) -> None:
    assert convert_value(value, kind) == expected


@pytest.mark.parametrize("value, kind", [
    ("1.5", ValueKind.INTEGER), ("1 2", ValueKind.INTEGER), ("", ValueKind.INTEGER), ("x", ValueKind.FLOAT),
    (1.5, ValueKind.INTEGER), ([1], ValueKind.INTEGER), ("0.1234567890123456789", ValueKind.FLOAT),
    (2**53 + 1, ValueKind.FLOAT), ("yes", ValueKind.BOOLEAN), (2, ValueKind.BOOLEAN), ([0], ValueKind.BOOLEAN),
    (NOON, ValueKind.DATE), ("2024-05-01 or so", ValueKind.DATE), ("17", ValueKind.DATETIME), (1.5, ValueKind.DATETIME),
    ("text", ValueKind.JSON), ("NaN", ValueKind.JSON), ("1e999", ValueKind.JSON), ("[" * 100_000, ValueKind.JSON),
])  # fmt: skip
async def test_values_that_would_change_are_not_converted(value: Any, kind: ValueKind) -> None:
    with pytest.raises(Unconvertible):
        convert_value(value, kind)


def registry(folder: Path, type_word: str, **options: Any) -> Registry:
    definition = {
        "collectionName": "notes",
        "info": {"singularName": "note", "pluralName": "notes", "displayName": "Note"},
        "attributes": {"value": {"type": type_word, **options}},
    }
    return registry_of({"api/note/content-types/note/schema.json": definition}, folder / type_word)


async def changed(database: Database, folder: Path, old: str, new: str, values: list[str], **options: Any) -> Registry:
    """Return rows of a type and its changed definition. `values` are SQL."""
    await synchronize(database, registry(folder, old))
    for value in values:
        await database.execute(f"INSERT INTO notes (value) VALUES ({value})")
    wanted = registry(folder, new, **options)
    await synchronize(database, wanted)
    return wanted


async def step_of(database: Database, wanted: Registry) -> ConversionStep:
    step = await find_conversion(database, wanted, "notes", "value")
    assert step is not None
    return step


async def shown(database: Database) -> list[Any]:
    return [row[0] for row in await database.fetch_all("SELECT value FROM notes ORDER BY id")]


async def test_failures_are_reported_and_need_permission(database: Database, tmp_path: Path) -> None:
    wanted = await changed(database, tmp_path, "string", "integer", ["'1'", "'two'", "NULL", "'3000000000'", "' 4 '"])
    step = await step_of(database, wanted)
    before = await shown(database)
    preview = await preview_conversion(database, step)
    most = database.dialect.column_limits.largest_integer
    failing = [(2, '"two"')] if most is None else [(2, '"two"'), (4, '"3000000000"')]
    assert (preview.converted, preview.samples) == (4 - len(failing), failing)
    refused = await convert_column(database, step, null_failures=False)
    assert (refused, await shown(database)) == (preview, before)
    done = await convert_column(database, step, null_failures=True)
    assert done == preview
    assert await shown(database) == [1, None, None, 3000000000 if most is None else None, 4]
    assert (await plan_changes(database, wanted)).ordered == ()
    assert await find_conversion(database, wanted, "notes", "value") is None


@pytest.mark.parametrize("old, new, values, expected", [
    ("string", "datetime", [f"'{NOON}'", "'2024-05-01'"], [NOON, MIDNIGHT]),
    ("text", "json", ["'{\"a\": [1]}'", "'2'"], [{"a": [1]}, 2]),
    ("string", "boolean", ["'true'", "'0'"], [True, False]),
    ("json", "text", ["'{\"a\": 1}'", "'[]'"], ['{"a":1}', "[]"]),
    ("boolean", "string", ["true", "false"], ["true", "false"]),
])  # fmt: skip
async def test_types_convert_on_every_database(
    database: Database, tmp_path: Path, old: str, new: str, values: list[str], expected: list[Any]
) -> None:
    wanted = await changed(database, tmp_path, old, new, values)
    step = await step_of(database, wanted)
    report = await convert_column(database, step, null_failures=False)
    assert (report.converted, report.failed) == (2, 0)
    back = registry(tmp_path / "back", old)
    again = await find_conversion(database, back, "notes", "value")
    seen: list[Any] = []
    assert again is not None
    await preview_conversion(database, ConversionStep(again.change, step.new_kind, again.new_kind, seen.append))
    assert seen == expected
    assert (await plan_changes(database, wanted)).ordered == ()


async def test_pages_indexes_and_defaults(database: Database, tmp_path: Path) -> None:
    """More rows than a page, an index on the column, and a default that rows without a value do not get."""
    await synchronize(database, registry(tmp_path, "string"))
    await database.execute_script("CREATE INDEX by_value ON notes (value)")
    rows = ", ".join(f"('{number}')" for number in range(2500))
    await database.execute(f"INSERT INTO notes (value) VALUES {rows}, (NULL)")
    wanted = registry(tmp_path, "integer", column={"defaultTo": 7})
    report = await convert_column(database, await step_of(database, wanted), null_failures=False)
    assert report.converted == 2500
    found = await database.fetch_row("SELECT count(*), sum(value), max(value) FROM notes")
    assert found is not None
    assert tuple(found) == (2501, 2499 * 1250, 2499)
    assert await database.fetch_value("SELECT count(*) FROM notes WHERE value IS NULL") == 1
    assert (await plan_changes(database, wanted)).ordered == ()


async def test_unsupported_conversions_are_reported(database: Database, tmp_path: Path) -> None:
    wanted = await changed(database, tmp_path, "string", "integer", [])
    for words, reported in (("nothing value", "Unknown content type"), ("notes nothing", "no attribute nothing with")):
        with pytest.raises(ConversionRefused, match=reported):
            await find_conversion(database, wanted, *words.split())
    await database.execute_script("ALTER TABLE notes DROP COLUMN value; ALTER TABLE notes ADD COLUMN value uuid")
    with pytest.raises(ConversionRefused, match=r"notes\.value is uuid, which no attribute type uses"):
        await find_conversion(database, wanted, "notes", "value")
