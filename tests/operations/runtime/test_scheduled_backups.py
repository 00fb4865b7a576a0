"""Scheduled backups: one of several processes creates each, and the result is reported."""

import asyncio
import logging
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from octavo.events.jobs.backup_records import read_record
from octavo.operations.backups.making import store_of
from octavo.operations.runtime.backups import ScheduledBackups
from octavo.operations.runtime.infrastructure import Infrastructure
from octavo.operations.runtime.prepare_database import StartFailed
from octavo.operations.runtime.process import Process, build
from octavo.settings import Settings, load_settings
from tests.api.http.asgi import call
from tests.cli.projects import make_project

pytestmark = pytest.mark.anyio

PATIENCE = 90.0
TOKEN = "a-token-for-this-test"
GIVEN = {
    "OCTAVO_DATABASE__BACKUPS__SCHEDULE": "* * * * *",
    "OCTAVO_DATABASE__BACKUPS__MIN_FREE_SPACE": "1 MB",
    "OCTAVO_SERVER__METRICS__TOKEN": TOKEN,
    "OCTAVO_SERVER__JOBS__CRON": "false",
}


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    for name, value in GIVEN.items():
        monkeypatch.setenv(name, value)
    return load_settings(make_project(tmp_path / "site"), os.environ)


@pytest.fixture
async def process(settings: Settings) -> AsyncIterator[Process]:
    octavo = build(settings)
    await octavo.asgi.start()
    yield octavo
    await octavo.asgi.stop()


def other(shared: Infrastructure) -> ScheduledBackups:
    """Return another process on the database."""
    return ScheduledBackups(shared.database, shared.settings)


async def test_one_of_several_processes_creates_the_backup(process: Process, caplog: pytest.LogCaptureFixture) -> None:
    shared = process.infrastructure
    one, two = shared.backups, other(shared)
    with caplog.at_level(logging.INFO):
        for each in (one, two, one):
            await each.look()
        for each in (one, two):
            await each.drain()
    (copy,) = store_of(shared.settings).copies()
    assert [one.message.partition(":")[0] for one in caplog.records if one.name.endswith("runtime.backups")] == [
        f"Backed up the database to {copy.path}/database.db"
    ]
    found = await read_record(shared.database)
    assert (found.verified_at, found.size, found.failures) == (copy.manifest.made_at, copy.manifest.bytes, 0)
    answer = await call(process.asgi, "GET", "/metrics", [("Authorization", f"Bearer {TOKEN}")])
    assert "octavo_backup_age_seconds " in answer.body.decode()
    assert "octavo_backup_failures 0" in answer.body.decode()


async def test_the_service_starts_scheduled_backups(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OCTAVO_SERVER__JOBS__CRON")
    octavo = build(load_settings(settings.project, os.environ))
    await octavo.asgi.start()
    async with asyncio.timeout(PATIENCE):
        while not store_of(settings).copies():  # noqa: ASYNC110 - another process makes it
            await asyncio.sleep(0.05)
    await octavo.infrastructure.backups.drain()
    await octavo.asgi.stop()


async def test_failed_backups_are_logged_and_counted(process: Process, caplog: pytest.LogCaptureFixture) -> None:
    shared = process.infrastructure
    shutil.rmtree(shared.settings.project / "backups", ignore_errors=True)
    (shared.settings.project / "backups").write_text("no folder")
    await shared.backups.look()
    await shared.backups.drain()
    (reported,) = [one for one in caplog.records if one.name.endswith("runtime.backups")]
    assert reported.levelno == logging.ERROR
    assert reported.message.startswith("The backup failed: ")
    found = await read_record(shared.database)
    assert (found.failures, found.verified_at) == (1, 0)
    assert "File exists" in found.reason
    answer = await call(process.asgi, "GET", "/metrics", [("Authorization", f"Bearer {TOKEN}")])
    assert "octavo_backup_failures 1" in answer.body.decode()
    assert "\noctavo_backup_age_seconds " not in answer.body.decode()


async def test_a_stopped_service_leaves_no_partial_backup(process: Process) -> None:
    shared = process.infrastructure
    await shared.backups.look()
    await shared.backups.look()  # running
    await shared.backups.close()
    assert (await read_record(shared.database)).begun_at == 0
    assert not [*(shared.settings.project / "backups").glob("2*")]


def test_a_schedule_that_is_none_stops_the_start(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_DATABASE__BACKUPS__SCHEDULE", "at night")
    with pytest.raises(StartFailed, match=r"^database\.backups\.schedule: 'at night' is not a cron expression"):
        build(load_settings(settings.project, os.environ))
