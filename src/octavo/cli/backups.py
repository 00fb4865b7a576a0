"""`octavo db backups` lists backups, and `octavo db backup --scheduled` creates one."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import click

from octavo.cli.base import Command, json_option, project_option, read_settings, refuse, say, say_json, say_table
from octavo.cli.terminal import progress_bar
from octavo.core.clock import format_timestamp
from octavo.core.errors import ServiceUnavailable
from octavo.core.outage_log import reason_of
from octavo.core.plurals import counted
from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work
from octavo.events.jobs import backup_records
from octavo.operations.backups.bucket import Bucket, bucket_of
from octavo.operations.backups.making import make_copy, store_of, verify_copy
from octavo.operations.backups.store import BackupFailed, Copy
from octavo.operations.runtime.open_resources import open_project_database
from octavo.settings import Settings


@click.command(cls=Command, epilog="Example: octavo db backups --verify")
@click.option("--verify", is_flag=True, help="Verify each backup again; restore local ones to a scratch database.")
@click.option("--fetch", metavar="NAME", help="Download a backup from the bucket first.")
@project_option
@json_option
def backups(verify: bool, fetch: str | None, project: Path, as_json: bool) -> None:
    """List verified backups, newest first.

    Includes the folder of `database.backups` and its bucket.
    """
    settings = read_settings(project)
    bucket = _reach_bucket(settings, fetch)
    store = store_of(settings)
    copies = [(_row(copy, str(copy.path)), partial(verify_copy, settings, copy)) for copy in store.copies()]
    if bucket is not None:
        there = _copies_in(bucket)
        copies += [(_row(copy, f"{bucket.place}/{copy.path}"), partial(bucket.verify, copy)) for copy in there]
    unsound = sum(_verify(row, again) for row, again in copies) if verify else 0
    rows = [row for row, _ in copies]
    if as_json:
        say_json(rows)
    elif rows:
        say_table(rows[0], (row.values() for row in rows))
    elif not verify:
        say("No backups in {}. Create one with octavo db backup --scheduled.", store.folder)
    if verify and not rows:
        refuse(f"no backups in {store.folder} to verify. Create one with octavo db backup --scheduled")
    if unsound:
        refuse(f"{unsound} of {counted(len(rows), 'backup')} {'is' if unsound == 1 else 'are'} damaged")


def _reach_bucket(settings: Settings, fetch: str | None) -> Bucket | None:
    """Return the bucket of backups, or None. With `fetch`, download that backup into the folder first."""
    try:
        bucket = bucket_of(settings)
        if fetch is not None and bucket is None:
            refuse("No bucket is configured. Set database.backups.bucket")
        if fetch is not None and bucket is not None:
            bucket.fetch(fetch, store_of(settings))
    except (BackupFailed, OSError) as error:
        refuse(_reason(error))
    return bucket


def _copies_in(bucket: Bucket) -> list[Copy]:
    try:
        return bucket.copies()
    except BackupFailed as error:
        refuse(str(error))


def _verify(row: dict[str, Any], verify: Callable[[], str]) -> bool:
    """Verify a backup and add the result to its row. Return whether it is damaged."""
    try:
        row["now"] = verify()
    except (BackupFailed, OSError) as error:
        row["now"] = str(error)
        return True
    return False


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, BackupFailed) else reason_of(error)


def _row(copy: Copy, place: str) -> dict[str, Any]:
    manifest = copy.manifest
    return {
        "file": f"{place}/{manifest.file}",
        "made": format_timestamp(manifest.made_at),
        "bytes": manifest.bytes,
        "rows": copy.rows,
        "uploads": manifest.uploads,
        "verified": manifest.verified,
    }


def make_scheduled(settings: Settings, *, begun: bool) -> None:
    """Create a backup as configured, and record the result. `begun`: the start is recorded already."""
    with suppress(OSError, AttributeError):  # lower the priority
        os.nice(10)
    if not begun:
        asyncio.run(_with_record(settings, _begin))
    try:
        with progress_bar("Backing up") as progress:
            made = make_copy(settings, progress)
    except (BackupFailed, OSError) as error:
        reason = _reason(error)
        with suppress(ServiceUnavailable):  # this may be the reason
            asyncio.run(_with_record(settings, lambda database: backup_records.failed(database, reason)))
        refuse(reason)
    manifest = made.copy.manifest
    asyncio.run(
        _with_record(settings, lambda database: backup_records.done(database, manifest.made_at, manifest.bytes))
    )
    template = "Backed up the database to {}: {} in {}, {:,.1f} MB, {} and counted, {:.0f} s; removed {} older"
    rows, tables = counted(made.copy.rows, "row"), counted(len(manifest.tables), "table")
    size = manifest.bytes / 1024**2
    numbers = rows, tables, size, manifest.verified, made.seconds, len(made.removed)
    say("{}", template.format(made.copy.path / manifest.file, *numbers))
    if made.sent is not None:
        went, gone = len(made.sent.sent), len(made.sent.removed)
        say("Uploaded {} to {} and verified it; removed {} older there", went, made.sent.place, gone)
    for note in manifest.notes:
        say("{}", note)


async def _begin(database: Database) -> None:
    await backup_records.begin(database, await backup_records.read_record(database))


async def _with_record(settings: Settings, work: Callable[[Database], Awaitable[None]]) -> None:
    """Run an operation on the record of backups."""
    database = open_project_database(settings)
    try:
        await database.connect()
        async with unit_of_work(database, exclusive=True) as unit:  # MySQL commits a transaction with a new table
            await unit.connection.execute_script(backup_records.TABLE.script(database.dialect))
        await work(database)
    finally:
        await database.close()
