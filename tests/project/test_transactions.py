"""Transactions of a project's code, on each database: atomic, visible inside, limited in time."""

import asyncio
import io
import itertools
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from octavo.content.media.processing import FileInfo
from octavo.core.errors import NotFoundError, ServiceUnavailable, ValidationError
from octavo.database.ambient import outside
from octavo.database.connection import TransactionConflict, TransactionFailed
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.sdk import Transaction
from octavo.sdk.app import App
from octavo.testing import open_site
from tests.cli.projects import make_project
from tests.models.bookshop import BOOK, FILE, GENRE, VAULT
from tests.models.site import Site
from tests.raising import raising

pytestmark = pytest.mark.anyio
NUMBERS = itertools.count()


@pytest.fixture
def code() -> str:
    """A code that no vault has."""
    return f"a vault of code {next(NUMBERS)}"


def texts_in(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.txt"))


async def count(app: App, code: str) -> int:
    return await app.entries(VAULT).count(filters={"code": code})


async def others_count(app: App, code: str) -> int:
    return await asyncio.create_task(count(app, code), context=outside())


async def test_all_writes_are_one_transaction(app: App, code: str) -> None:
    async with app.transaction():
        vault = await app.entries(VAULT).create({"code": code})
        book = await app.entries(BOOK).create({"title": code, "vaults": [vault.id]}, populate="vaults")
        assert [found["id"] for found in book["vaults"]] == [vault.id]
        assert await app.entries(VAULT).find_one(vault.id) is not None
        assert (await count(app, code), await others_count(app, code)) == (1, 0)
        await app.entries(VAULT).update(vault.id, {"books": []})
        await app.entries(BOOK).delete(book.id)
    assert await count(app, code) == 1
    assert await app.entries(BOOK).count(filters={"title": code}, locale="all") == 0


async def test_an_exception_rolls_back_everything(app: App, code: str) -> None:
    with raising(NotFoundError):
        async with app.transaction():
            await app.entries(VAULT).create({"code": code})
            await app.entries(VAULT).update(10_000, {"code": code})
    assert await count(app, code) == 0


async def test_code_can_catch_the_error_of_a_refused_write(app: App, code: str) -> None:
    async with app.transaction():
        await app.entries(VAULT).create({"code": code})
        with pytest.raises(ValidationError):
            await app.entries(VAULT).create({"code": 1})
        async with app.transaction():
            await app.entries(VAULT).create({"code": code})
        with raising(ZeroDivisionError):
            async with app.transaction():
                await app.entries(VAULT).create({"code": code})
                raise ZeroDivisionError
    assert await count(app, code) == 2


async def test_callbacks_after_the_commit(app: App, code: str) -> None:
    seen: list[int] = []

    async def look() -> None:
        seen.append(await count(app, code))

    async with app.transaction() as transaction:
        transaction.after_commit(look)
        await app.entries(VAULT).create({"code": code})
    assert seen == [1]
    with raising(ZeroDivisionError):
        async with app.transaction() as transaction:
            transaction.after_commit(look)
            raise ZeroDivisionError
    assert seen == [1]


async def test_changes_are_published_after_the_commit(app: App, code_site: Site, code: str) -> None:
    reported: list[str] = []
    feed = code_site.octavo.infrastructure.feed
    end = feed.subscribe(lambda changes: reported.extend(change.kind for change in changes), {VAULT}, images=True)
    try:
        async with app.transaction():
            vault = await app.entries(VAULT).create({"code": code})
            await app.entries(VAULT).update(vault.id, {"code": f"{code}!"})
            assert reported == []
    finally:
        end()
    assert reported == ["create", "update"]


async def test_tasks_of_a_transaction(app: App, code: str) -> None:
    async with app.transaction():
        await asyncio.gather(*(app.entries(VAULT).create({"code": code}) for _ in range(3)))
    assert await count(app, code) == 3


async def test_a_task_that_outlives_its_transaction(app: App, code: str) -> None:
    over = asyncio.Event()

    async def late() -> None:
        await over.wait()
        await app.entries(VAULT).create({"code": code})

    async with app.transaction():
        task = asyncio.create_task(late())
    over.set()
    with pytest.raises(TransactionFailed, match="has ended"):
        await task


async def test_a_transaction_has_a_time_limit(app: App, code: str) -> None:
    with raising(ServiceUnavailable) as caught:
        async with app.transaction(seconds=0.05):
            await app.entries(VAULT).create({"code": code})
            await asyncio.Event().wait()
    assert caught.value.reason == "a transaction of the project's code took longer than 0.05 s"
    assert await count(app, code) == 0
    with pytest.raises(TimeoutError):
        async with app.transaction():
            raise TimeoutError


async def test_a_conflict_is_raised_or_retried(app: App, code: str) -> None:
    attempts = 0

    async def work(_: Transaction) -> str:
        nonlocal attempts
        attempts += 1
        await app.entries(VAULT).create({"code": code})
        async with app.transaction():
            if attempts < 3:
                raise TransactionConflict
        return "done"

    assert await app.run_transaction(work) == "done"
    assert (attempts, await count(app, code)) == (3, 1)
    with pytest.raises(ServiceUnavailable):
        async with app.transaction():
            raise TransactionConflict


async def test_a_deadlock_of_two_transactions(app: App, code: str) -> None:
    """Each updates two genres in opposite order: one gets a conflict and is retried."""
    genres = app.entries(GENRE)
    started = asyncio.Barrier(2)

    async def change(first: int, second: int) -> None:
        met = False

        async def work(_: Transaction) -> None:
            nonlocal met
            await genres.update(first, {"name": f"{code} {first}"})
            if not met:  # with a single writer the other one has not come this far
                met = True
                with suppress(TimeoutError):
                    await asyncio.wait_for(started.wait(), 0.3)
            await genres.update(second, {"name": f"{code} {second}"})

        await app.run_transaction(work)

    await asyncio.gather(change(1, 2), change(2, 1))
    assert [genre["name"] for genre in await genres.find_many(filters={"id": [1, 2]}, sort="id")] == [
        f"{code} 1",
        f"{code} 2",
    ]


async def test_files_of_an_undone_transaction_leave_the_storage(app: App, code_site: Site) -> None:
    site = code_site.octavo.site
    files = site.services.files
    request = ReadRequest(
        content_type=site.registry.content_types[FILE], by=By.ID, projection=Form.FLAT, drafts=Drafts.ANY
    )
    answer = site.services.controller.reads.prepare(request, None)
    folder = Path(code_site.octavo.settings.project / "public/uploads")
    sent = SimpleNamespace(filename="a.txt", content_type="text/plain", file=io.BytesIO(b"some text"))
    before = texts_in(folder)
    with raising(ZeroDivisionError):
        async with app.transaction():
            await files.add([sent], [FileInfo()], answer)
            assert texts_in(folder) != before
            raise ZeroDivisionError
    assert texts_in(folder) == before


async def test_a_lock_serializes_checks_and_writes(app: App, code: str) -> None:
    async def book() -> bool:
        async with app.transaction():
            await app.lock(f"vault:{code}")
            if await count(app, code):
                return False
            await app.entries(VAULT).create({"code": code})
            return True

    for _ in range(3):
        booked = await asyncio.gather(*(asyncio.create_task(book()) for _ in range(4)))
        assert await count(app, code) == 1
        assert sum(booked) <= 1


async def test_a_wait_for_a_lock_ends_with_a_clear_error(
    anyio_backend: str, postgresql_url: str, tmp_path: Path
) -> None:
    """PostgreSQL only: on SQLite one transaction writes at a time, and its pauses are limited."""
    limit = {"OCTAVO_DATABASE__STATEMENT_TIMEOUT": "300"}
    async with open_site(make_project(tmp_path), database=postgresql_url, variables=limit) as site:
        taken, done = asyncio.Event(), asyncio.Event()

        async def hold() -> None:
            async with site.app.transaction():
                await site.app.lock("room:5")
                taken.set()
                await done.wait()

        holding = asyncio.create_task(hold())
        await taken.wait()
        async with site.app.transaction():
            await site.app.lock("room:6")
        with pytest.raises(ServiceUnavailable) as raised:
            async with site.app.transaction():
                await site.app.lock("room:5")
        assert "room:5" in str(raised.value.reason)
        done.set()
        await holding
        async with site.app.transaction():
            await site.app.lock("room:5")


async def test_a_lock_outside_of_a_transaction_is_refused(app: App) -> None:
    with pytest.raises(RuntimeError, match="outside a transaction"):
        await app.lock("vault")
