"""How long a start repeats its attempts, and the causes that it waits for."""

import asyncio
import re
from pathlib import Path

import asyncpg
import pytest

from octavo.core.clock import Clock
from octavo.database.postgresql import PostgresqlDatabase
from octavo.operations.runtime.prepare_database import DatabaseUnavailable, StartFailed, prepare_database
from octavo.operations.runtime.start_wait import StartWait
from tests.database.test_synchronize import note
from tests.layouts import registry_of

pytestmark = pytest.mark.anyio


class Attempts:
    """Fails this many times. Each attempt advances the clock by a second."""

    def __init__(self, failures: int) -> None:
        self.made = 0
        self.failures = failures
        self.clock = Clock(steady=lambda: 100.0 + self.made)

    async def __call__(self) -> int:
        self.made += 1
        if self.made <= self.failures:
            raise DatabaseUnavailable(f"attempt {self.made}")
        return self.made


async def test_attempts_share_the_time_of_a_start() -> None:
    attempts = Attempts(failures=3)
    wait = StartWait(4, pauses=(0.0,), clock=attempts.clock)
    async with wait:
        assert await wait.until_available(attempts) == 4
        attempts.failures = 100
        with pytest.raises(DatabaseUnavailable, match="attempt 5"):
            await wait.until_available(attempts)


@pytest.mark.parametrize("seconds, made", [(0, 1), (2, 3), (None, 50)])
async def test_attempts_end_with_the_time(seconds: float | None, made: int) -> None:
    attempts = Attempts(failures=100 if seconds is not None else 49)
    wait = StartWait(seconds, pauses=(0.0,), clock=attempts.clock)
    if seconds is None:
        assert await wait.until_available(attempts) == made
        return
    with pytest.raises(DatabaseUnavailable, match=f"attempt {made}"):
        await wait.until_available(attempts)


async def test_other_errors_are_raised_at_once() -> None:
    async def attempt() -> None:
        raise StartFailed("wrong")

    with pytest.raises(StartFailed, match="wrong"):
        await StartWait(None).until_available(attempt)


class Release:
    """Ends another program's transaction at the first failed attempt."""

    def __init__(self, holder: asyncpg.Connection) -> None:
        self.holder = holder
        self.reasons: list[str] = []

    async def waiting(self, reason: str, pause: float) -> None:
        self.reasons.append(reason)
        await self.holder.execute("ROLLBACK")

    async def finished(self) -> None:
        self.reasons.append("finished")


async def test_a_start_waits_for_locked_tables(anyio_backend: str, postgresql_url: str, tmp_path: Path) -> None:
    before = PostgresqlDatabase(postgresql_url)
    await prepare_database(before, registry_of(note(), tmp_path / "before"), "en")
    await before.close()
    database = PostgresqlDatabase(postgresql_url, lock_timeout=0.01)
    holder = await asyncpg.connect(postgresql_url)
    await holder.execute("BEGIN; LOCK TABLE notes IN ACCESS SHARE MODE")
    wait = StartWait(None, pauses=(0.0,))
    wait.observer = release = Release(holder)
    changed = registry_of(note(body={"type": "text"}), tmp_path / "after")
    async with asyncio.timeout(60), wait:
        report = await prepare_database(database, changed, "en", repeat=wait.until_available)
    await holder.close()
    await database.close()
    assert [str(change) for change in report.applied] == ["add column notes.body (text)"]
    assert re.search(r"notes stayed locked for \d+ s \(notes: process", release.reasons[0])
    assert release.reasons[1:] == ["finished"]
