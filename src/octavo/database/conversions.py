"""Convert a column to another type, value by value. No value is lost without the caller's consent.

Values are read in the JSON form of the column's current type. The caller provides the conversion.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import field, replace
from itertools import chain
from typing import Any, Final

import orjson

from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database, IntegrityViolation, LockTimeout, Transaction
from octavo.database.table_lock_retries import retry_locked
from octavo.database.trigger_removal import release_tables
from octavo.query.sql.ddl.changes import AddColumn, ChangeType, CreateIndex
from octavo.query.sql.ddl.tables import Column
from octavo.query.sql.dialects.base import ColumnCopies, Dialect
from octavo.query.sql.write.change_texts import Columns, Target, update_rows_text
from octavo.schema.scalar_types import ValueKind

_PAGE: Final = 1000
_MOST_SAMPLES: Final = 20
_LONGEST_SAMPLE: Final = 80

ConvertValue = Callable[[Any], Any]


class Unconvertible(ValueError):
    """A value cannot be converted to the new type."""


@dataclass(frozen=True, slots=True)
class ConversionStep:
    """A conversion: the column change, the kinds of values before and after, and the function for each value.

    `convert` takes a JSON value that is not null, and raises Unconvertible.
    """

    change: ChangeType
    old_kind: ValueKind
    new_kind: ValueKind
    convert: ConvertValue


@dataclass(slots=True)
class ConversionReport:
    """How many values convert and how many do not, with examples of the latter: row ids and texts."""

    converted: int = 0
    failed: int = 0
    samples: list[tuple[int, str]] = field(default_factory=list)


class _Failures(Exception):
    """Some values do not convert; the transaction is rolled back."""

    def __init__(self, report: ConversionReport) -> None:
        super().__init__()
        self.report = report


async def preview_conversion(database: Database, step: ConversionStep) -> ConversionReport:
    """Convert every value without changing anything."""
    return await _preview(database, database.dialect, step)


async def _preview(connection: Connection, dialect: Dialect, step: ConversionStep) -> ConversionReport:
    report = ConversionReport()
    async for rows in _pages(connection, dialect, step, step.change.wanted.name):
        for row_id, text in rows:
            _converted(step, row_id, text, report)
    return report


async def convert_column(database: Database, step: ConversionStep, *, null_failures: bool) -> ConversionReport:
    """Convert the column in one transaction. Values that do not convert become null, if `null_failures` allows it.

    Without it, a report with failures means that nothing was changed. Raises TablesLocked, and IntegrityViolation if
    converted values violate a unique index.
    """

    async def run() -> ConversionReport:
        try:
            async with database.transaction(exclusive=True) as transaction:
                copies = database.dialect.copies
                if copies is not None:
                    return await _convert_copy(transaction, database.dialect, copies, step, null_failures)
                report = await _convert(transaction, database.dialect, step)
                if report.failed and not null_failures:
                    raise _Failures(report)
                return report
        except _Failures as failures:
            return failures.report
        except IntegrityViolation:
            await _drop_copy(database, step.change)
            raise
        except LockTimeout as error:
            error.tables = (step.change.table,)
            raise

    return await retry_locked(database, run)


async def _convert(transaction: Transaction, dialect: Dialect, step: ConversionStep) -> ConversionReport:
    change, report = step.change, ConversionReport()
    table, column = change.table, change.wanted
    old = f"octavo_old_{column.name}"[: dialect.longest_name]
    await release_tables(transaction, dialect)
    dropped = change.drop_indexes(dialect)
    aside = dialect.rename_column(table, column.name, old)
    await transaction.execute_script(";\n".join((*dropped, aside)))
    await _fill(transaction, dialect, step, old, column, report)
    made = chain.from_iterable(CreateIndex(table, index).statements(dialect) for index in change.indexes)
    end = (f"ALTER TABLE {dialect.quote(table)} DROP COLUMN {dialect.quote(old)}", *made)
    await transaction.execute_script(";\n".join(end))
    return report


async def _convert_copy(
    transaction: Transaction, dialect: Dialect, copies: ColumnCopies, step: ConversionStep, null_failures: bool
) -> ConversionReport:
    """Convert into a copy of the column, which replaces the column at the end. Until then, nothing is lost, although
    each change of the table is committed immediately. A lock excludes other writers."""
    change, report = step.change, ConversionReport()
    table, column = change.table, change.wanted
    await transaction.execute_script(copies.lock(table))
    if not null_failures and (preview := await _preview(transaction, dialect, step)).failed:
        return preview
    await transaction.execute_script(copies.drop(table, column.name))
    copy = replace(column, name=copies.name(column.name))
    await _fill(transaction, dialect, step, column.name, copy, report)
    dropped = (*change.indexes, *change.obsolete)
    swap = copies.swap(table, column.name, dropped, change.indexes)
    await transaction.execute_script(f"{swap};{copies.unlock}")
    return report


async def _drop_copy(database: Database, change: ChangeType) -> None:
    """Drop the copy that a failed conversion has left, if transactions do not include changes of tables."""
    if database.dialect.copies is not None:
        await database.execute_script(database.dialect.copies.drop(change.table, change.wanted.name))


async def _fill(
    transaction: Transaction,
    dialect: Dialect,
    step: ConversionStep,
    source: str,
    column: Column,
    report: ConversionReport,
) -> None:
    """Add a column with the converted values of the column `source`."""
    table = step.change.table
    await transaction.execute_script(";\n".join(AddColumn(table, column, None).statements(dialect)))
    if column.default is not None and column.nullable:  # null values stay null
        await transaction.execute_script(f"UPDATE {dialect.quote(table)} SET {dialect.quote(column.name)} = NULL")
    targets = Columns((Target(column.name, step.new_kind),))
    async for rows in _pages(transaction, dialect, step, source):
        values = [(row_id, _converted(step, row_id, text, report)) for row_id, text in rows]
        flat = [item for row_id, value in values for item in (row_id, dialect.bind(step.new_kind, value))]
        await transaction.execute(update_rows_text(dialect, table, targets, len(values)), flat)


async def _pages(
    connection: Connection, dialect: Dialect, step: ConversionStep, column: str
) -> AsyncIterator[Sequence[tuple[int, bytes]]]:
    """Yield the rows with a value: their ids, and the values as JSON."""
    name, table, last = dialect.quote(column), dialect.quote(step.change.table), 0
    value = dialect.as_bytes(dialect.json_scalar(step.old_kind, name))
    text = (
        f"SELECT id, {value} FROM {table} WHERE {name} IS NOT NULL "
        f"AND id > {dialect.placeholder(1, ValueKind.INTEGER)} ORDER BY id{dialect.limit(str(_PAGE), None)}"
    )
    while rows := [(row[0], row[1]) for row in await connection.fetch_all(text, (last,))]:
        yield rows
        last = rows[-1][0]


def _converted(step: ConversionStep, row_id: int, text: bytes, report: ConversionReport) -> Any:
    """Return the converted value; if it is not convertible, return None and add it to the report."""
    try:
        value = orjson.loads(text)
        if value is None and step.old_kind is not ValueKind.JSON:
            raise Unconvertible  # a value that is not null but has no JSON form, such as NaN
        result = None if value is None else step.convert(value)
    except ValueError:
        report.failed += 1
        if len(report.samples) < _MOST_SAMPLES:
            sample = text.decode(errors="replace")
            report.samples.append(
                (row_id, sample if len(sample) <= _LONGEST_SAMPLE else f"{sample[:_LONGEST_SAMPLE]}…")
            )
        return None
    report.converted += 1
    return result
